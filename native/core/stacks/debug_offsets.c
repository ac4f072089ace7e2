#include "debug_offsets.h"

#include <pthread.h>
#include <string.h>

/* Structures of an interpreter are smaller than this; offsets beyond it are damage. */
#define MOST_OFFSET (UINT64_C(1) << 20)
/* What one frame, object or code object is read of at most; and the state of a thread. */
#define MOST_INSIDE 256u
#define MOST_OF_STATE 4096u

/* Numbers of words. */
enum { VERSION = 1, FREE_THREADED, INTERPRETERS = 5, INTERPRETER_NEXT = 8, INTERPRETER_THREADS = 9, MOST_WORDS = SN_OFFSETS_BYTES / 8 };

/* Numbers of the others; 0: there is none. */
typedef struct {
    uint8_t garbage, modules, interpreter_lock, lock, lock_locked, lock_holder;
    uint8_t state_next, state_interpreter, state_frame, state_native;
    uint8_t frame_previous, frame_code, frame_instruction, frame_locals, frame_owner, frame_copy;
    uint8_t code_file, code_name, code_line_table, code_first_line, code_arguments, code_instructions, code_copies;
    uint8_t object_type, type_name, dict_keys, bytes_count, bytes_data, text_state, text_length, text_ascii;
    uint8_t collecting, generator_frame;
} places;

static const places of_3_13 = {
    .garbage = 10, .modules = 11, .interpreter_lock = 14, .lock = 15, .lock_locked = 17, .lock_holder = 18,
    .state_next = 21, .state_interpreter = 22, .state_frame = 23, .state_native = 25,
    .frame_previous = 29, .frame_code = 30, .frame_instruction = 31, .frame_locals = 32, .frame_owner = 33,
    .code_file = 35, .code_name = 37, .code_line_table = 38, .code_first_line = 39, .code_arguments = 40, .code_instructions = 43,
    .object_type = 45, .type_name = 47, .bytes_count = 65, .bytes_data = 66,
    .text_state = 68, .text_length = 69, .text_ascii = 70, .collecting = 72,
};

static const places of_3_14 = {
    .garbage = 11, .modules = 12, .interpreter_lock = 15, .lock = 16, .lock_locked = 18, .lock_holder = 19,
    .state_next = 24, .state_interpreter = 25, .state_frame = 26, .state_native = 28,
    .frame_previous = 32, .frame_code = 33, .frame_instruction = 34, .frame_locals = 35, .frame_owner = 36, .frame_copy = 38,
    .code_file = 40, .code_name = 42, .code_line_table = 43, .code_first_line = 44, .code_arguments = 45, .code_instructions = 48,
    .code_copies = 49, .object_type = 51, .type_name = 53, .dict_keys = 67, .bytes_count = 75, .bytes_data = 76,
    .text_state = 78, .text_length = 79, .text_ascii = 80, .collecting = 82, .generator_frame = 85,
};

static const places of_3_15 = {
    .garbage = 11, .modules = 12, .interpreter_lock = 15, .lock = 16, .lock_locked = 18, .lock_holder = 19,
    .state_next = 24, .state_interpreter = 25, .state_frame = 26, .state_native = 31,
    .frame_previous = 40, .frame_code = 41, .frame_instruction = 42, .frame_locals = 43, .frame_owner = 44, .frame_copy = 46,
    .code_file = 48, .code_name = 50, .code_line_table = 51, .code_first_line = 52, .code_arguments = 53, .code_instructions = 56,
    .code_copies = 57, .object_type = 59, .type_name = 61, .dict_keys = 79, .bytes_count = 87, .bytes_data = 88,
    .text_state = 90, .text_length = 91, .text_ascii = 92, .collecting = 95, .generator_frame = 101,
};

/* Of objects of 3.13, which tells less. */
enum { GENERATOR_FRAME_3_13 = 72, TASK_COROUTINE_3_13 = 120, DICT_KEYS_3_13 = 32 };
/* In the keys of a dictionary, in all versions; and from where on owners of frames are C functions. */
enum { KEYS_ENTRIES = 32, OWNER_C = 3 };
/* After the word whether the lock is locked: the number of switches, then what threads wait at, two conditions and two mutexes,
 * which are as large as ours. */
enum { CONDITIONS_AFTER_LOCKED = 16, CONDITIONS_BYTES = 2 * (sizeof(pthread_cond_t) + sizeof(pthread_mutex_t)) };
/* Reference counts of 3.14 take one bit of an address, small integers two. */
enum { TAGS_3_14 = 3 };
/* Without a global lock, whether a text is interned is a byte, not two bits. */
enum { TEXT_SHIFT_FREE_THREADED = 6 };

static const places *places_of(uint64_t version) {
    if (version >> 16 < 0x030D || version >> 24 != 0x03) return NULL;
    return version >> 16 == 0x030D ? &of_3_13 : version >> 16 == 0x030E ? &of_3_14 : &of_3_15;
}

/* Fields of one structure are apart. Damage often has words that are alike, zero above all. */
static bool are_apart(const uint64_t *word, const uint8_t *of, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < i; k++)
            if (word[of[i]] == word[of[k]]) return false;
    return true;
}

static bool is_plausible(const uint64_t *word, const places *p) {
    const uint8_t everywhere[] = {INTERPRETERS, INTERPRETER_NEXT, INTERPRETER_THREADS, p->garbage, p->modules,
                                  p->interpreter_lock, p->lock, p->lock_locked, p->lock_holder, p->collecting};
    const uint8_t of_state[] = {p->state_next, p->state_interpreter, p->state_frame, p->state_native};
    const uint8_t of_frame[] = {p->frame_previous, p->frame_code, p->frame_instruction, p->frame_locals, p->frame_owner};
    const uint8_t of_code[] = {p->code_file, p->code_name, p->code_line_table, p->code_first_line, p->code_arguments,
                               p->code_instructions, p->object_type};
    const uint8_t others[] = {p->bytes_count, p->bytes_data, p->text_state, p->text_length, p->text_ascii,
                              p->frame_copy,  p->code_copies, p->type_name, p->dict_keys,   p->generator_frame};
    for (unsigned i = 0; i < sizeof everywhere; i++)
        if (word[everywhere[i]] >= MOST_OFFSET) return false;
    for (unsigned i = 0; i < sizeof of_state; i++)
        if (word[of_state[i]] >= MOST_OF_STATE) return false;
    for (unsigned i = 0; i < sizeof of_frame; i++)
        if (word[of_frame[i]] > MOST_INSIDE - sizeof(uint64_t)) return false;
    for (unsigned i = 0; i < sizeof of_code; i++)
        if (word[of_code[i]] > MOST_INSIDE - sizeof(uint64_t)) return false;
    for (unsigned i = 0; i < sizeof others; i++)
        if (others[i] && word[others[i]] > MOST_INSIDE - sizeof(uint64_t)) return false;
    return are_apart(word, of_state, sizeof of_state) && are_apart(word, of_frame, sizeof of_frame) &&
           are_apart(word, of_code, sizeof of_code) && word[p->code_arguments] >= sizeof(uint32_t);
}

/* A frame holds what is read of it; a text its length, its kind and then its characters; a lock what is read of it. */
static bool is_consistent(const sn_python_layout *l) {
    uint32_t bytes = l->frame_bytes;
    if (l->lock_holder > MOST_OF_STATE || l->lock_locked > MOST_OF_STATE || l->lock_holder + 8 > l->lock_locked) return false;
    if (l->text_length + 8 > l->text_state || l->text_state + 4 > l->text_ascii || l->text_ascii - l->text_length > 48)
        return false;
    if (l->object_size >= l->bytes_data) return false;
    return bytes >= 8 && l->frame_code <= bytes - 8 && l->frame_instruction <= bytes - 8 && l->frame_previous <= bytes - 8 &&
           l->frame_owner < bytes && l->frame_copy <= bytes - 4;
}

bool sn_python_version_told(const uint8_t *offsets, uint32_t *version) {
    uint64_t word;
    if (memcmp(offsets, "xdebugpy", 8)) return false;
    memcpy(&word, offsets + 8 * VERSION, sizeof word);
    *version = (uint32_t)word;
    return true;
}

bool sn_python_is_free_threaded(const uint8_t *offsets) {
    uint64_t word;
    memcpy(&word, offsets + 8 * FREE_THREADED, sizeof word);
    return word == 1;
}

bool sn_python_layout_told(const uint8_t *offsets, sn_python_layout *layout) {
    uint64_t word[MOST_WORDS];
    memcpy(word, offsets, sizeof word);
    const places *p = places_of(word[VERSION]);
    if (memcmp(offsets, "xdebugpy", 8) || !p || word[FREE_THREADED] > 1 || !is_plausible(word, p)) return false;
    bool is_3_13 = p == &of_3_13, is_free = word[FREE_THREADED];
    if (is_free && is_3_13) return false; /* its references were counted in yet another way */
    *layout = (sn_python_layout){
        .runtime_interpreters = (uint32_t)word[INTERPRETERS],
        .interpreter_next = (uint32_t)word[INTERPRETER_NEXT],
        .interpreter_threads = (uint32_t)word[INTERPRETER_THREADS],
        .interpreter_modules = (uint32_t)word[p->modules],
        .generator_frame = is_3_13 ? GENERATOR_FRAME_3_13 : (uint32_t)word[p->generator_frame],
        .task_coroutine = is_3_13 ? TASK_COROUTINE_3_13 : 0,
        .dict_keys = is_3_13 ? DICT_KEYS_3_13 : (uint32_t)word[p->dict_keys],
        .keys_entries = KEYS_ENTRIES,
        .interpreter_collecting = (uint32_t)(word[p->garbage] + word[p->collecting]),
        .interpreter_lock = is_free ? 0 : (uint32_t)word[p->interpreter_lock],
        .lock_holder = (uint32_t)(word[p->lock_holder] - word[p->lock]),
        .lock_locked = (uint32_t)(word[p->lock_locked] - word[p->lock]),
        .lock_conditions = (uint32_t)(word[p->lock_locked] - word[p->lock]) + CONDITIONS_AFTER_LOCKED,
        .lock_bytes = (uint32_t)(word[p->lock_locked] - word[p->lock]) + CONDITIONS_AFTER_LOCKED + CONDITIONS_BYTES,
        .state_next = (uint32_t)word[p->state_next],
        .state_native_id = (uint32_t)word[p->state_native],
        .state_interpreter = (uint32_t)word[p->state_interpreter],
        .state_frame = (uint32_t)word[p->state_frame],
        .held_frame = SN_NO_HOLDER,
        .frame_code = (uint32_t)word[p->frame_code],
        .frame_instruction = (uint32_t)word[p->frame_instruction],
        .frame_previous = (uint32_t)word[p->frame_previous],
        .frame_owner = (uint32_t)word[p->frame_owner],
        .frame_bytes = (uint32_t)word[p->frame_locals],
        .frame_tags = is_3_13 ? 0 : TAGS_3_14,
        .clears_frames = !is_3_13,
        .frame_copy = is_free ? (uint32_t)word[p->frame_copy] : 0,
        .owner_c = OWNER_C,
        .code_flags = (uint32_t)(word[p->code_arguments] - sizeof(uint32_t)),
        .code_first_line = (uint32_t)word[p->code_first_line],
        .code_file = (uint32_t)word[p->code_file],
        .code_name = (uint32_t)word[p->code_name],
        .code_line_table = (uint32_t)word[p->code_line_table],
        .code_instructions = (uint32_t)word[p->code_instructions],
        .code_copies = is_free ? (uint32_t)word[p->code_copies] : 0,
        .object_type = (uint32_t)word[p->object_type],
        .object_size = (uint32_t)word[p->bytes_count],
        .bytes_data = (uint32_t)word[p->bytes_data],
        .type_name = (uint32_t)word[p->type_name],
        .text_length = (uint32_t)word[p->text_length],
        .text_state = (uint32_t)word[p->text_state],
        .text_ascii = (uint32_t)word[p->text_ascii],
        /* Characters that are not ASCII begin after two more words, the UTF-8 form of the text and its length. */
        .text_compact = (uint32_t)word[p->text_ascii] + 2 * (uint32_t)sizeof(uint64_t),
        .text_shift = is_free ? TEXT_SHIFT_FREE_THREADED : 0,
        .is_free_threaded = is_free,
    };
    return is_consistent(layout);
}
