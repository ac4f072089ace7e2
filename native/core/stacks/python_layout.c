#include "python_layout.h"

#include <pthread.h>

/* The lock of an interpreter has not changed from 3.11 to 3.12. Threads wait at two conditions and two mutexes. */
enum { LOCK_BYTES = 32 + 2 * (sizeof(pthread_cond_t) + sizeof(pthread_mutex_t)) };
#define LOCK_OF_LINUX .lock_holder = 8, .lock_locked = 16, .lock_conditions = 32, .lock_bytes = LOCK_BYTES

/* Nor have dictionaries. */
#define DICTS .dict_keys = 32, .keys_entries = 32

/* co_flags, co_firstlineno and bytes of `bytes` and `str` objects have not moved from 3.11 to 3.12. */
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
    .state_interpreter = 16,
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
    .state_interpreter = 16,
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
