/* Where a CPython keeps what is read of it from outside, as its headers say: a name and an offset a line. */
#define Py_BUILD_CORE 1
#include <Python.h>

#include "internal/pycore_code.h"
#include "internal/pycore_dict.h"
#include "internal/pycore_frame.h"
#include "internal/pycore_gil.h"
#include "internal/pycore_interp.h"
#include "internal/pycore_runtime.h"

#include <stddef.h>
#include <stdio.h>

#define TELL(name, value) printf(name " %zu\n", (size_t)(value))

#if PY_VERSION_HEX >= 0x030E0000
#include "internal/pycore_debug_offsets.h"
#include "internal/pycore_interpframe_structs.h"
#include "internal/pycore_stackref.h"
#include "internal/pycore_tstate.h"
#endif

int main(int count, char **words) {
#if PY_VERSION_HEX >= 0x030E0000
    /* What an interpreter of this build would tell, as a line of hexadecimal digits. */
    static const _Py_DebugOffsets offsets = _Py_DebugOffsets_INIT("xdebugpy");
    if (count > 1 && words[1][0] == 't') {
        for (size_t i = 0; i < sizeof offsets; i++) printf("%02x", ((const unsigned char *)&offsets)[i]);
        return 0;
    }
#else
    (void)count, (void)words;
#endif
    TELL("runtime_interpreters", offsetof(_PyRuntimeState, interpreters.head));
    TELL("interpreter_next", offsetof(PyInterpreterState, next));
    TELL("interpreter_threads", offsetof(PyInterpreterState, threads.head));
    TELL("interpreter_collecting", offsetof(PyInterpreterState, gc.collecting));
#ifdef Py_GIL_DISABLED
    TELL("interpreter_lock", 0);
#elif PY_VERSION_HEX >= 0x030C0000
    TELL("interpreter_lock", offsetof(PyInterpreterState, ceval.gil));
#else
    TELL("runtime_lock", offsetof(_PyRuntimeState, ceval.gil));
#endif
    TELL("lock_holder", offsetof(struct _gil_runtime_state, last_holder));
    TELL("lock_locked", offsetof(struct _gil_runtime_state, locked));
    TELL("lock_conditions", offsetof(struct _gil_runtime_state, cond));
    TELL("lock_bytes", sizeof(struct _gil_runtime_state));
#if PY_VERSION_HEX >= 0x030C0000
    TELL("interpreter_modules", offsetof(PyInterpreterState, imports.modules));
#else
    TELL("interpreter_modules", offsetof(PyInterpreterState, modules));
#endif
    TELL("generator_frame", offsetof(PyGenObject, gi_iframe));
    TELL("dict_keys", offsetof(PyDictObject, ma_keys));
    TELL("keys_entries", offsetof(struct _dictkeysobject, dk_indices));
    TELL("state_next", offsetof(PyThreadState, next));
    TELL("state_native_id", offsetof(PyThreadState, native_thread_id));
    TELL("state_interpreter", offsetof(PyThreadState, interp));
#if PY_VERSION_HEX >= 0x030D0000
    TELL("state_frame", offsetof(PyThreadState, current_frame));
    TELL("frame_code", offsetof(_PyInterpreterFrame, f_executable));
    TELL("frame_instruction", offsetof(_PyInterpreterFrame, instr_ptr));
#else
    TELL("state_frame", offsetof(PyThreadState, cframe));
    TELL("held_frame", offsetof(_PyCFrame, current_frame));
    TELL("frame_code", offsetof(_PyInterpreterFrame, f_code));
    TELL("frame_instruction", offsetof(_PyInterpreterFrame, prev_instr));
#endif
#if PY_VERSION_HEX < 0x030C0000
    TELL("frame_entry", offsetof(_PyInterpreterFrame, is_entry));
#endif
    TELL("frame_previous", offsetof(_PyInterpreterFrame, previous));
    TELL("frame_owner", offsetof(_PyInterpreterFrame, owner));
    TELL("frame_bytes", offsetof(_PyInterpreterFrame, localsplus));
#if PY_VERSION_HEX >= 0x030E0000
    TELL("owner_c", FRAME_OWNED_BY_INTERPRETER);
    TELL("frame_tags", Py_INT_TAG);
#elif PY_VERSION_HEX >= 0x030C0000
    TELL("owner_c", FRAME_OWNED_BY_CSTACK);
#endif
#ifdef Py_GIL_DISABLED
    TELL("frame_copy", offsetof(_PyInterpreterFrame, tlbc_index));
    TELL("code_copies", offsetof(PyCodeObject, co_tlbc));
    TELL("text_shift", 6); /* two bits become a byte */
    TELL("is_free_threaded", 1);
#endif
    TELL("code_flags", offsetof(PyCodeObject, co_flags));
    TELL("code_first_line", offsetof(PyCodeObject, co_firstlineno));
    TELL("code_file", offsetof(PyCodeObject, co_filename));
    TELL("code_name", offsetof(PyCodeObject, co_qualname));
    TELL("code_line_table", offsetof(PyCodeObject, co_linetable));
    TELL("code_instructions", offsetof(PyCodeObject, co_code_adaptive));
    TELL("object_type", offsetof(PyObject, ob_type));
    TELL("object_size", offsetof(PyVarObject, ob_size));
#if PY_VERSION_HEX >= 0x030D0000
    TELL("type_name", offsetof(PyTypeObject, tp_name));
#endif
    TELL("bytes_data", offsetof(PyBytesObject, ob_sval));
    TELL("text_length", offsetof(PyASCIIObject, length));
    TELL("text_state", offsetof(PyASCIIObject, state));
    TELL("text_ascii", sizeof(PyASCIIObject));
    TELL("text_compact", sizeof(PyCompactUnicodeObject));
    return 0;
}
