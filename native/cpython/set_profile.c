/* Any Python: calls seen by the profile function of each thread (PyEval_SetProfile).
 *
 * Slower than the others. On 3.11 it also counts C functions, and takes over from the eval
 * hook when the C stack runs low.
 */
#include "set_profile.h"

#include "cursor.h"
#include "notes.h"
#include "threads.h"

#include <frameobject.h>

#if PY_VERSION_HEX < 0x030C0000
#include "internal/pycore_interp.h"
#endif

static sn_frame *interpreter_frame(PyFrameObject *frame) { return frame->f_frame; }

static int on_event(PyObject *self, PyFrameObject *object, int what, PyObject *argument) {
    (void)self;
    sn_thread *thread = sn_thread_get();
    if (!thread) return 0;
    sn_frame *frame = interpreter_frame(object);
    PyObject *code = sn_frame_executable(frame);
    sn_how how = sn_chosen_how();
    if (unlikely(!agent.begun)) {
        if (what != PyTrace_CALL || !sn_frame_begins_program(frame, frame->previous)) return 0;
        agent.begun = true;
        sn_cursor_enter(thread, code, frame, NULL, how);
        return 0;
    }
    switch (what) {
    case PyTrace_CALL:
        sn_cursor_enter(thread, code, frame, frame->previous, how);
        break;
    case PyTrace_RETURN:
        sn_cursor_leave(thread, (uint64_t)(uintptr_t)code, how);
        break;
    case PyTrace_C_CALL:
        if (agent.builtins) sn_cursor_enter_builtin(thread, frame, argument);
        break;
    case PyTrace_C_RETURN:
    case PyTrace_C_EXCEPTION:
        if (agent.builtins) sn_cursor_leave_builtin(thread, argument);
        break;
    default:
        break;
    }
    return 0;
}

/* threading.setprofile wants a Python callable: the first event of a new thread arrives
 * here, and from then on the thread has the C function. */
static PyObject *begin_thread(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    (void)self;
    if (count != 3 || !PyFrame_Check(arguments[0]) || !agent.active) Py_RETURN_NONE;
    PyEval_SetProfile(on_event, NULL);
    if (PyUnicode_Check(arguments[1]) && !PyUnicode_CompareWithASCIIString(arguments[1], "call"))
        on_event(NULL, (PyFrameObject *)arguments[0], PyTrace_CALL, NULL);
    Py_RETURN_NONE;
}

static PyMethodDef begin_thread_method = {"begin_thread", (PyCFunction)(void (*)(void))begin_thread, METH_FASTCALL, NULL};

/* Threads that the threading module starts from now on; a hook of the program stays. */
static int hook_new_threads(void) {
    PyObject *threading = PyImport_ImportModule("threading");
    PyObject *theirs = threading ? PyObject_GetAttrString(threading, "_profile_hook") : NULL;
    PyErr_Clear();
    if (theirs && theirs != Py_None) {
        Py_DECREF(theirs);
        Py_DECREF(threading);
        return 0;
    }
    Py_XDECREF(theirs);
    PyObject *hook = threading ? PyCFunction_New(&begin_thread_method, NULL) : NULL;
    PyObject *done = hook ? PyObject_CallMethod(threading, "setprofile", "O", hook) : NULL;
    Py_XDECREF(done);
    Py_XDECREF(hook);
    Py_XDECREF(threading);
    return done ? 0 : -1;
}

int sn_set_profile_start(void) {
    if (hook_new_threads()) return -1;
    PyEval_SetProfile(on_event, NULL);
    return 0;
}

bool sn_set_profile_intact(void) { return PyThreadState_Get()->c_profilefunc == on_event; }

void sn_set_profile_stop(void) {
    if (sn_set_profile_intact()) PyEval_SetProfile(NULL, NULL);
}

#if PY_VERSION_HEX < 0x030C0000
/* What PyEval_SetProfile does for the calling thread, which is the only one it can; false when the program's own
 * profiler is there, which goes first. */
static bool hook_thread(PyThreadState *ts) {
    if (ts->c_profilefunc && ts->c_profilefunc != on_event) return false;
    ts->c_profilefunc = on_event;
    ts->cframe->use_tracing = 255;
    return true;
}

/* To hook new threads may take an import, which is none of the program's calls, and none of its time. */
static void hook_new_threads_unseen(void) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    uint64_t began = sn_running_clock();
    if (hook_new_threads()) PyErr_Clear();
    if (agent.costs.enter && sn_thread_here) sn_clock_take_out_since(began, sn_thread_here);
    PyErr_Restore(type, value, trace);
}
#endif

void sn_set_profile_take_over(void) {
#if PY_VERSION_HEX < 0x030C0000
    PyInterpreterState *interpreter = PyInterpreterState_Get();
    PyThreadState *own = PyThreadState_Get();
    _PyInterpreterState_SetEvalFrameFunc(interpreter, _PyEval_EvalFrameDefault);
    bool taken = false;
    for (PyThreadState *ts = PyInterpreterState_ThreadHead(interpreter); ts; ts = PyThreadState_Next(ts))
        if (ts != own) taken |= !hook_thread(ts);
    hook_new_threads_unseen();
    taken |= !hook_thread(own);
    sn_note("slower-mechanism", 1,
            "deep recursion used half of a thread's C stack: calls were counted by the slower profile "
            "function from then on");
    if (taken)
        sn_note("hook-removed", 1,
                "the program has a profile function of its own, which was left in place when deep recursion "
                "ended the fast way of counting: calls of its threads after that were not counted");
#endif
}
