/* How an interpreter frame is laid out, for each CPython. */
#ifndef SONDE_FRAMES_H
#define SONDE_FRAMES_H

#define PY_SSIZE_T_CLEAN
#ifndef Py_BUILD_CORE
#define Py_BUILD_CORE 1 /* the internal headers insist */
#endif
#include <Python.h>

#include "internal/pycore_frame.h"
#if PY_VERSION_HEX >= 0x030E0000
#include "internal/pycore_interpframe.h"
#include "internal/pycore_interpframe_structs.h"
#include "internal/pycore_stackref.h"
#endif
#include "internal/pycore_code.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct _PyInterpreterFrame sn_frame;

/* What the frame executes: a code object, or something else in frames that C code pushed. */
static inline PyObject *sn_frame_executable(const sn_frame *frame) {
#if PY_VERSION_HEX >= 0x030E0000
    return PyStackRef_AsPyObjectBorrow(frame->f_executable);
#elif PY_VERSION_HEX >= 0x030D0000
    return frame->f_executable;
#else
    return (PyObject *)frame->f_code;
#endif
}

/* The first local variable, which is the first parameter if there is any; NULL while it is unbound. Borrowed. */
static inline PyObject *sn_frame_first_local(const sn_frame *frame) {
#if PY_VERSION_HEX >= 0x030E0000
    return PyStackRef_AsPyObjectBorrow(frame->localsplus[0]);
#else
    return frame->localsplus[0];
#endif
}

/* The frame on top of the thread's stack, NULL when no Python code runs. */
static inline sn_frame *sn_frame_top(PyThreadState *thread) {
#if PY_VERSION_HEX >= 0x030D0000
    return thread->current_frame;
#else
    return thread->cframe->current_frame;
#endif
}

/* Index of the instruction that a caller is in, in code units. */
static inline uint32_t sn_frame_instruction(const sn_frame *frame, const PyObject *code) {
#if PY_VERSION_HEX >= 0x030D0000
    const _Py_CODEUNIT *at = frame->instr_ptr;
#else
    const _Py_CODEUNIT *at = frame->prev_instr;
#endif
    return (uint32_t)(at - _PyCode_CODE((PyCodeObject *)code));
}

/* Whether the frame stands for a Python function, not for a bridge that the interpreter
 * laid between C and Python (3.12 and later), or between `A()` and `A.__init__`. */
static inline bool sn_frame_is_python(const sn_frame *frame) {
    PyObject *code = sn_frame_executable(frame);
    if (!code || !PyCode_Check(code)) return false;
#if PY_VERSION_HEX >= 0x030E0000
    if (frame->owner >= FRAME_OWNED_BY_INTERPRETER) return false;
#elif PY_VERSION_HEX >= 0x030C0000
    if (frame->owner == FRAME_OWNED_BY_CSTACK) return false;
#endif
    /* Static code objects of the interpreter itself use one string for name and file. */
    return ((PyCodeObject *)code)->co_filename != ((PyCodeObject *)code)->co_name;
}

/* The nearest Python function at or above `frame`. */
static inline sn_frame *sn_frame_python(sn_frame *frame) {
    while (frame && !sn_frame_is_python(frame)) frame = frame->previous;
    return frame;
}

static inline PyThreadState *sn_thread_state(void) {
#if PY_VERSION_HEX >= 0x030D0000
    return PyThreadState_GetUnchecked();
#else
    return _PyThreadState_UncheckedGet();
#endif
}

/* Whether the calling thread has the GIL; false, too, where it is a sub-interpreter's and that is not known. */
static inline bool sn_thread_has_gil(void) {
    PyThreadState *state = sn_thread_state(); /* before 3.12: of whichever thread has it */
#if PY_VERSION_HEX < 0x030C0000
    return state && state == PyGILState_GetThisThreadState();
#else
    return state != NULL;
#endif
}

/* Whether the frame is the first one of the program itself: nothing called it, and it is not
 * import machinery that the interpreter uses on its way. That is the body of a script, or what
 * runs a module for `-m`, the import of its packages included. */
bool sn_frame_begins_program(const sn_frame *frame, sn_frame *caller);

#endif
