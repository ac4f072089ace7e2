#include "python_layout.h"

#include <string.h>

/* Structures of an interpreter are smaller than this; offsets beyond it are damage. */
#define MOST_OFFSET (UINT64_C(1) << 20)
/* What one thread state, frame, object or code object is read of at most. */
#define MOST_INSIDE 256u

/* The lock of an interpreter has not changed from 3.11 to 3.13: on 64-bit Linux with glibc. */
#define LOCK_OF_LINUX .lock_holder = 8, .lock_locked = 16, .lock_conditions = 32, .lock_bytes = 208

/* Nor have dictionaries. */
#define DICTS .dict_keys = 32, .keys_entries = 32

/* co_flags, co_firstlineno and bytes of `bytes` and `str` objects have not moved from 3.11 to 3.13. */
static const sn_python_layout of_3_11 = {
    .runtime_interpreters = 40,
    .interpreter_next = 0,
    .interpreter_threads = 16,
    .interpreter_modules = 888,
    .generator_frame = 80,
    .task_coroutine = 136,
    DICTS,
    .interpreter_collecting = 848,
    .runtime_lock = 360,
    LOCK_OF_LINUX,
    .state_next = 8,
    .state_native_id = 160,
    .state_frame = 56,
    .held_frame = 8,
    .frame_code = 32,
    .frame_instruction = 56,
    .frame_previous = 48,
    .frame_owner = 69,
    .frame_bytes = 72,
    .owner_c = SN_NO_OWNER,
    .frame_entry = 68,
    .code_flags = 48,
    .code_first_line = 72,
    .code_file = 112,
    .code_name = 128,
    .code_line_table = 136,
    .code_instructions = 184,
    .object_type = 8,
    .object_size = 16,
    .bytes_data = 32,
    .text_length = 16,
    .text_state = 32,
    .text_ascii = 48,
    .text_compact = 72,
};

static const sn_python_layout of_3_12 = {
    .runtime_interpreters = 40,
    .interpreter_next = 0,
    .interpreter_threads = 72,
    .interpreter_modules = 944,
    .generator_frame = 72,
    .task_coroutine = 136,
    DICTS,
    .interpreter_collecting = 312,
    .interpreter_lock = 384,
    LOCK_OF_LINUX,
    .state_next = 8,
    .state_native_id = 144,
    .state_frame = 56,
    .held_frame = 0,
    .frame_code = 0,
    .frame_instruction = 56,
    .frame_previous = 8,
    .frame_owner = 70,
    .frame_bytes = 72,
    .owner_c = 3,
    .code_flags = 48,
    .code_first_line = 68,
    .code_file = 112,
    .code_name = 128,
    .code_line_table = 136,
    .code_instructions = 192,
    .object_type = 8,
    .object_size = 16,
    .bytes_data = 32,
    .text_length = 16,
    .text_state = 32,
    .text_ascii = 40,
    .text_compact = 56,
};

bool sn_python_layout_of(uint32_t version, sn_python_layout *layout) {
    if (version >> 16 == 0x030B) *layout = of_3_11;
    else if (version >> 16 == 0x030C) *layout = of_3_12;
    else return false;
    return true;
}

/* Words of _Py_DebugOffsets in 3.13, in their order; what is not used has no name. */
enum {
    W_VERSION = 1, W_FREE_THREADED,
    W_INTERPRETERS = 5,
    W_INTERPRETER_NEXT = 8, W_INTERPRETER_THREADS, W_INTERPRETER_GARBAGE, W_INTERPRETER_MODULES,
    W_INTERPRETER_LOCK = 14, W_LOCK, W_LOCK_LOCKED = 17, W_LOCK_HOLDER,
    W_STATE_NEXT = 21, W_STATE_FRAME = 23, W_STATE_NATIVE = 25,
    W_FRAME_PREVIOUS = 29, W_FRAME_CODE, W_FRAME_INSTRUCTION, W_FRAME_LOCALS, W_FRAME_OWNER,
    W_CODE_FILE = 35, W_CODE_NAME = 37, W_CODE_LINE_TABLE, W_CODE_FIRST_LINE,
    W_CODE_INSTRUCTIONS = 43,
    W_OBJECT_TYPE = 45,
    W_BYTES_COUNT = 65, W_BYTES_DATA,
    W_TEXT_STATE = 68, W_TEXT_LENGTH, W_TEXT_ASCII,
    W_COLLECTING = 72,
    W_LAST = W_COLLECTING,
};
_Static_assert((W_LAST + 1) * 8 <= SN_OFFSETS_BYTES, "all words are read");

enum { GENERATOR_FRAME_3_13 = 72, TASK_COROUTINE_3_13 = 120 };
enum { CODE_FLAGS_3_13 = 48, OWNER_C_3_13 = 3, LOCK_CONDITIONS_3_13 = 32, LOCK_BYTES_3_13 = 208 };

bool sn_python_layout_told(const uint8_t *offsets, sn_python_layout *layout) {
    uint64_t word[W_LAST + 1];
    memcpy(word, offsets, sizeof word);
    if (memcmp(offsets, "xdebugpy", 8) || word[W_VERSION] >> 16 != 0x030D || word[W_FREE_THREADED]) return false;
    for (unsigned i = W_INTERPRETERS; i <= W_LAST; i++)
        if (word[i] >= MOST_OFFSET) return false;
    static const uint8_t inside[] = {W_STATE_NEXT, W_STATE_FRAME, W_STATE_NATIVE, W_FRAME_PREVIOUS, W_FRAME_CODE,
                                     W_FRAME_INSTRUCTION, W_FRAME_LOCALS, W_FRAME_OWNER, W_CODE_FILE, W_CODE_NAME,
                                     W_CODE_LINE_TABLE, W_CODE_FIRST_LINE, W_CODE_INSTRUCTIONS, W_OBJECT_TYPE,
                                     W_BYTES_COUNT, W_BYTES_DATA, W_TEXT_STATE, W_TEXT_LENGTH, W_TEXT_ASCII};
    for (unsigned i = 0; i < sizeof inside; i++)
        if (word[inside[i]] > MOST_INSIDE - sizeof(uint64_t)) return false;
    *layout = (sn_python_layout){
        .runtime_interpreters = (uint32_t)word[W_INTERPRETERS],
        .interpreter_next = (uint32_t)word[W_INTERPRETER_NEXT],
        .interpreter_threads = (uint32_t)word[W_INTERPRETER_THREADS],
        .interpreter_modules = (uint32_t)word[W_INTERPRETER_MODULES],
        .generator_frame = GENERATOR_FRAME_3_13,
        .task_coroutine = TASK_COROUTINE_3_13,
        DICTS,
        .interpreter_collecting = (uint32_t)(word[W_INTERPRETER_GARBAGE] + word[W_COLLECTING]),
        .interpreter_lock = (uint32_t)word[W_INTERPRETER_LOCK],
        .lock_holder = (uint32_t)(word[W_LOCK_HOLDER] - word[W_LOCK]),
        .lock_locked = (uint32_t)(word[W_LOCK_LOCKED] - word[W_LOCK]),
        .lock_conditions = LOCK_CONDITIONS_3_13,
        .lock_bytes = LOCK_BYTES_3_13,
        .state_next = (uint32_t)word[W_STATE_NEXT],
        .state_native_id = (uint32_t)word[W_STATE_NATIVE],
        .state_frame = (uint32_t)word[W_STATE_FRAME],
        .held_frame = SN_NO_HOLDER,
        .frame_code = (uint32_t)word[W_FRAME_CODE],
        .frame_instruction = (uint32_t)word[W_FRAME_INSTRUCTION],
        .frame_previous = (uint32_t)word[W_FRAME_PREVIOUS],
        .frame_owner = (uint32_t)word[W_FRAME_OWNER],
        .frame_bytes = (uint32_t)word[W_FRAME_LOCALS],
        .owner_c = OWNER_C_3_13,
        .code_flags = CODE_FLAGS_3_13,
        .code_first_line = (uint32_t)word[W_CODE_FIRST_LINE],
        .code_file = (uint32_t)word[W_CODE_FILE],
        .code_name = (uint32_t)word[W_CODE_NAME],
        .code_line_table = (uint32_t)word[W_CODE_LINE_TABLE],
        .code_instructions = (uint32_t)word[W_CODE_INSTRUCTIONS],
        .object_type = (uint32_t)word[W_OBJECT_TYPE],
        .object_size = (uint32_t)word[W_BYTES_COUNT],
        .bytes_data = (uint32_t)word[W_BYTES_DATA],
        .text_length = (uint32_t)word[W_TEXT_LENGTH],
        .text_state = (uint32_t)word[W_TEXT_STATE],
        .text_ascii = (uint32_t)word[W_TEXT_ASCII],
        /* Characters that are not ASCII begin after two more words, the UTF-8 form of the text and its length. */
        .text_compact = (uint32_t)word[W_TEXT_ASCII] + 2 * (uint32_t)sizeof(uint64_t),
    };
    /* A frame must hold what is read of it, a text its length, its kind and then its characters. */
    if (layout->lock_holder > layout->lock_conditions - 8 || layout->lock_locked > layout->lock_conditions - 4) return false;
    uint32_t bytes = layout->frame_bytes;
    if (layout->text_length + 8 > layout->text_state || layout->text_state + 4 > layout->text_ascii ||
        layout->text_ascii - layout->text_length > 48)
        return false;
    return bytes >= 8 && layout->frame_code <= bytes - 8 && layout->frame_instruction <= bytes - 8 &&
           layout->frame_previous <= bytes - 8 && layout->frame_owner < bytes;
}
