#include "frame_record.h"

#include "agent.h"
#include "processor_time.h"

#include "../core/lines/frame_layout.h"

#include <opcode.h>
#include <stddef.h>

/* Where calls begin and end in 3.12 and later, instrumented or not. What these instructions do besides takes next to no
 * time; what they free when they end a call is the caller's, by the agent's account, too. */
static const uint8_t watched[] = {
#if PY_VERSION_HEX >= 0x030C0000
    RESUME,       RETURN_VALUE,        YIELD_VALUE,
    INSTRUMENTED_RESUME, INSTRUMENTED_RETURN_VALUE, INSTRUMENTED_YIELD_VALUE,
#ifdef RETURN_CONST
    RETURN_CONST, INSTRUMENTED_RETURN_CONST,
#endif
#ifdef RESUME_CHECK
    RESUME_CHECK,
#endif
#else
    CACHE, /* 3.11: its hook runs outside of all instructions. This one never runs. */
#endif
};

static sn_frame_layout layout_here(void) {
    sn_frame_layout layout = {
        .cursor_state = offsetof(sn_thread, state),
        .cursor_ended = offsetof(sn_thread, ended),
        .cursor_stack = agent.starts_only ? offsetof(sn_thread, stack) : 0,
        .frame_previous = offsetof(sn_frame, previous),
        .cursor_clock = sizeof(sn_thread) + offsetof(sn_processor_cell, id),
#if PY_VERSION_HEX >= 0x030D0000
        .state_frame = offsetof(PyThreadState, current_frame),
        .held_frame = SN_DIRECT,
        .frame_code = offsetof(sn_frame, f_executable),
        .frame_instruction = offsetof(sn_frame, instr_ptr),
#else
        .state_frame = offsetof(PyThreadState, cframe),
        .held_frame = offsetof(_PyCFrame, current_frame),
        .frame_code = offsetof(sn_frame, f_code),
        .frame_instruction = offsetof(sn_frame, prev_instr),
#endif
        .code_units = offsetof(PyVarObject, ob_size),
        .code_first_line = offsetof(PyCodeObject, co_firstlineno),
        .code_line_table = offsetof(PyCodeObject, co_linetable),
        .code_instructions = offsetof(PyCodeObject, co_code_adaptive),
        .bytes_length = offsetof(PyVarObject, ob_size),
        .bytes_data = offsetof(PyBytesObject, ob_sval),
#if PY_VERSION_HEX >= 0x030E0000
        .pointer_mask = ~(uint64_t)Py_TAG_BITS,
#else
        .pointer_mask = ~UINT64_C(0),
#endif
    };
    for (size_t i = 0; i < sizeof watched; i++) layout.watched[watched[i] / 8] |= (uint8_t)(1u << watched[i] % 8);
    return layout;
}

bool sn_frame_record(void) {
    sn_frame_layout layout = layout_here();
    const char *text[4] = {(const char *)&layout};
    const uint32_t number[4] = {0}, length[4] = {sizeof layout};
    return sn_cells_record(&agent.cells, SN_RECORD_LAYOUT, number, text, length);
}
