#include "python_check.h"

#include <string.h>

/* That are looked at for a code object. */
enum { MOST_STATES = 64, MOST_FRAMES = 64 };

/* The largest number that Linux gives a thread. */
#define MOST_ID (UINT64_C(1) << 22)

static bool read_word(const sn_memory_reader *memory, uint64_t address, uint64_t *word) {
    return sn_read_one(memory, address, word, sizeof *word);
}

static bool is_type_of_code(const sn_memory_reader *memory, const sn_python_layout *l, uint64_t type) {
    static const char expected[] = "code";
    char name[sizeof expected];
    uint64_t at = 0;
    return type && type % 8 == 0 && read_word(memory, type + l->type_name, &at) && sn_read_one(memory, at, name, sizeof name) &&
           !memcmp(name, expected, sizeof expected);
}

/* The type of the first code object on a stack; 0: there is none. */
static uint64_t type_on_stack(const sn_memory_reader *memory, const sn_python_layout *l, uint64_t state) {
    uint64_t frame = 0, code = 0, type = 0;
    if (!read_word(memory, state + l->state_frame, &frame)) return 0;
    for (unsigned i = 0; frame && i < MOST_FRAMES; i++) {
        uint8_t owner = UINT8_MAX;
        if (sn_read_one(memory, frame + l->frame_owner, &owner, sizeof owner) && owner < l->owner_c &&
            read_word(memory, frame + l->frame_code, &code) &&
            read_word(memory, (code & ~(uint64_t)l->frame_tags) + l->object_type, &type) && is_type_of_code(memory, l, type))
            return type;
        if (!read_word(memory, frame + l->frame_previous, &frame)) return 0;
    }
    return 0;
}

sn_python_result sn_python_check(const sn_memory_reader *memory, sn_python *python) {
    const sn_python_layout *l = &python->layout;
    uint64_t interpreter = 0, state = 0, back = 0, id = 0;
    if (!read_word(memory, python->runtime + l->runtime_interpreters, &interpreter) || !interpreter) return SN_PYTHON_NOT_READY;
    if (interpreter % 8 || !read_word(memory, interpreter + l->interpreter_threads, &state)) return SN_PYTHON_UNKNOWN;
    if (!state) return SN_PYTHON_NOT_READY;
    if (state % 8 || !read_word(memory, state + l->state_interpreter, &back) || back != interpreter) return SN_PYTHON_UNKNOWN;
    if (!read_word(memory, state + l->state_native_id, &id) || id > MOST_ID) return SN_PYTHON_UNKNOWN;
    if (!l->type_name) return python->code_type ? SN_PYTHON_FOUND : SN_PYTHON_NO_SYMBOLS;
    if (python->code_type) return is_type_of_code(memory, l, python->code_type) ? SN_PYTHON_FOUND : SN_PYTHON_UNKNOWN;
    for (unsigned i = 0; state && i < MOST_STATES && !python->code_type; i++) {
        python->code_type = type_on_stack(memory, l, state);
        if (!read_word(memory, state + l->state_next, &state)) break;
    }
    return python->code_type ? SN_PYTHON_FOUND : SN_PYTHON_NOT_READY;
}
