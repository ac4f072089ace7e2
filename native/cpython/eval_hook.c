/* Python 3.11: calls seen by replacing the frame evaluator (PEP 523).
 *
 * Entering and leaving are one C function, so unwinding is exact by construction. The price:
 * a Python call becomes a C call. When a thread has used half of its C stack, counting is
 * handed to the profile function, which is slower but needs no C stack.
 */
#include "eval_hook.h"

#include "bursts.h"
#include "cursor.h"
#include "notes.h"
#include "set_profile.h"
#include "threads.h"

#if PY_VERSION_HEX < 0x030C0000

#include "internal/pycore_interp.h"

#include "../core/base/thread_local.h"

static bool is_creation(const sn_frame *frame) {
    /* Calling a generator function runs its frame once, to make the generator. */
    return frame->f_code->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR) &&
           frame->owner == FRAME_OWNED_BY_THREAD;
}

/* Early releases of 3.11 run a specialised `__getitem__` without asking the frame evaluator
 * (seen in 3.11.2, not in 3.11.7); which ones do is found out by trying. There, every such
 * function gets a version beyond the 16 bits that the specialised instruction has room for,
 * so that the interpreter leaves it unspecialised. */
static bool hides_getitem;
static unsigned probe_seen;

#define PROBE_CALLS 64 /* enough for the loop below to be specialised, and then some */
#define FIRST_WIDE_VERSION 0xF0000000u /* far above what the interpreter hands out, so still unique */

static PyObject *probe(PyThreadState *ts, sn_frame *frame, int throwing) {
    if (!PyUnicode_CompareWithASCIIString(frame->f_code->co_name, "__getitem__")) probe_seen++;
    return _PyEval_EvalFrameDefault(ts, frame, throwing);
}

static bool evaluator_sees_getitem(void) {
    static const char program[] = "class Probe:\n"
                                  "    def __getitem__(self, index): return 0\n"
                                  "probe = Probe()\n"
                                  "for index in range(64): probe[index]\n";
    PyObject *globals = PyDict_New();
    if (!globals) return false;
    probe_seen = 0;
    _PyInterpreterState_SetEvalFrameFunc(PyInterpreterState_Get(), probe);
    PyObject *done = PyRun_String(program, Py_file_input, globals, globals);
    _PyInterpreterState_SetEvalFrameFunc(PyInterpreterState_Get(), _PyEval_EvalFrameDefault);
    Py_XDECREF(done);
    Py_DECREF(globals);
    PyErr_Clear();
    return probe_seen == PROBE_CALLS;
}

static void widen_version(PyObject *function) {
    static uint32_t next_version = FIRST_WIDE_VERSION;
    if (!function || !PyFunction_Check(function)) return;
    PyFunctionObject *f = (PyFunctionObject *)function;
    if (f->func_version <= UINT16_MAX) f->func_version = next_version++;
}

/* The namespace of a class whose body has run, or of one that was there before us. */
static void widen_in(PyObject *namespace) {
    if (namespace && PyDict_CheckExact(namespace)) widen_version(PyDict_GetItemString(namespace, "__getitem__"));
}

static void widen_in_subclasses(PyTypeObject *type) {
    PyObject *classes = PyObject_CallMethod((PyObject *)&PyType_Type, "__subclasses__", "O", type);
    for (Py_ssize_t i = 0; classes && PyList_CheckExact(classes) && i < PyList_GET_SIZE(classes); i++) {
        PyTypeObject *subclass = (PyTypeObject *)PyList_GET_ITEM(classes, i);
        widen_in(subclass->tp_dict);
        if (subclass != &PyType_Type) widen_in_subclasses(subclass);
    }
    PyErr_Clear();
    Py_XDECREF(classes);
}

/* Run a frame where `__getitem__` must be watched: those defined in a class body are caught
 * when it has run, those made otherwise when they are first called unspecialised. */
static PyObject *run_watching(PyThreadState *ts, sn_frame *frame, int throwing) {
    const PyCodeObject *code = frame->f_code;
    if (code->co_argcount == 2 && !PyUnicode_CompareWithASCIIString(code->co_name, "__getitem__"))
        widen_version((PyObject *)frame->f_func);
    PyObject *namespace = code->co_flags & CO_OPTIMIZED ? NULL : frame->f_locals;
    Py_XINCREF(namespace);
    PyObject *result = _PyEval_EvalFrameDefault(ts, frame, throwing);
    if (result) widen_in(namespace);
    Py_XDECREF(namespace);
    return result;
}

/* In bursts: the frame of the context that is current. Frames that began between bursts return without
 * our being told, and recursion makes the code of the caller no proof: so frames are compared. */
static _Thread_local const sn_frame *burst_frame SN_STATIC_TLS;

/* The cursor may have been moved while the frame ran, and even the context's cells may be those of
 * another one by now: then the function is looked for on the way up. */
static inline void leave(sn_thread *thread, const sn_context *context, const PyObject *code, sn_how how) {
    if (sn_burst_is_over(how)) return;
    if (how & SN_IN_BURSTS) burst_frame = thread->state ? sn_frame_top(thread->state) : NULL;
    if (likely(thread->cursor.current == context)) sn_cursor_close(thread, agent.costs.leave, how);
    else sn_cursor_leave_slow(thread, (uint64_t)(uintptr_t)code);
}

static inline __attribute__((always_inline)) PyObject *evaluate(PyThreadState *ts, sn_frame *frame, int throwing,
                                                                sn_how how) {
    if (sn_burst_is_over(how)) return _PyEval_EvalFrameDefault(ts, frame, throwing);
    sn_thread *thread = sn_thread_get();
    if (unlikely(!thread) || unlikely(is_creation(frame))) return _PyEval_EvalFrameDefault(ts, frame, throwing);
    if (unlikely((char *)__builtin_frame_address(0) < thread->stack_floor)) {
        if (how & SN_IN_BURSTS) {
            sn_eval_hook_stop(); /* until the next burst, or block */
            if (agent.bursts.by_hand)
                sn_note("stack-ran-low", 1,
                        "deep recursion used half of a thread's C stack: calls after that in the block were not counted");
        }
        else sn_set_profile_take_over();
        return _PyEval_EvalFrameDefault(ts, frame, throwing);
    }
    PyObject *code = (PyObject *)frame->f_code;
    if (how & SN_IN_BURSTS) {
        if (unlikely(thread->state != ts)) (void)sn_thread_frame_slow(thread, code);
        if (unlikely(burst_frame != ts->cframe->current_frame)) sn_cursor_lose(thread, how);
        burst_frame = frame;
    }
    sn_context *context = sn_cursor_enter(thread, code, frame, ts->cframe->current_frame, how);
    if (unlikely(!context)) return _PyEval_EvalFrameDefault(ts, frame, throwing);
    PyObject *result = unlikely(hides_getitem) ? run_watching(ts, frame, throwing)
                                               : _PyEval_EvalFrameDefault(ts, frame, throwing);
    leave(thread, context, code, how);
    return result;
}

#define HOOK(name, how)                                                                  \
    static PyObject *name(PyThreadState *ts, sn_frame *frame, int throwing) {            \
        return evaluate(ts, frame, throwing, how);                                       \
    }

HOOK(count, SN_PLAIN)
HOOK(count_timed, SN_TIMED)
HOOK(count_in_bursts, SN_IN_BURSTS)
HOOK(count_timed_in_bursts, SN_TIMED | SN_IN_BURSTS)
HOOK(record, SN_RECORDED)
HOOK(record_timed, SN_RECORDED | SN_TIMED)
HOOK(record_in_bursts, SN_RECORDED | SN_IN_BURSTS)
HOOK(record_timed_in_bursts, SN_RECORDED | SN_TIMED | SN_IN_BURSTS)

static _PyFrameEvalFunction chosen(void) {
    static const _PyFrameEvalFunction hooks[SN_HOWS] = {count,  count_timed,  count_in_bursts,  count_timed_in_bursts,
                                                        record, record_timed, record_in_bursts, record_timed_in_bursts};
    return hooks[sn_chosen_how()];
}

/* Until the program begins, nothing is counted. */
static PyObject *wait_for_program(PyThreadState *ts, sn_frame *frame, int throwing) {
    if (!sn_frame_begins_program(frame, ts->cframe->current_frame)) return _PyEval_EvalFrameDefault(ts, frame, throwing);
    agent.begun = true;
    _PyInterpreterState_SetEvalFrameFunc(ts->interp, chosen());
    sn_thread *thread = sn_thread_get();
    PyObject *code = (PyObject *)frame->f_code;
    sn_how how = sn_chosen_how();
    sn_bursts_begin();
    sn_context *context = thread ? sn_cursor_enter(thread, code, frame, NULL, how) : NULL;
    PyObject *result = _PyEval_EvalFrameDefault(ts, frame, throwing);
    if (context) leave(thread, context, code, how);
    return result;
}

int sn_eval_hook_start(void) {
    static bool tried;
    if (!tried) {
        tried = true;
        hides_getitem = !evaluator_sees_getitem();
        if (hides_getitem) widen_in_subclasses(&PyBaseObject_Type);
    }
    _PyInterpreterState_SetEvalFrameFunc(PyInterpreterState_Get(), agent.begun ? chosen() : wait_for_program);
    return 0;
}

void sn_eval_hook_stop(void) {
    _PyInterpreterState_SetEvalFrameFunc(PyInterpreterState_Get(), _PyEval_EvalFrameDefault);
}

void sn_eval_hook_resume(void) { _PyInterpreterState_SetEvalFrameFunc(PyInterpreterState_Get(), chosen()); }

bool sn_eval_hook_intact(void) {
    if (agent.bursts.interval_ns || agent.bursts.by_hand) return true; /* it is out more often than in */
    _PyFrameEvalFunction now = _PyInterpreterState_GetEvalFrameFunc(PyInterpreterState_Get());
    return now == chosen() || now == wait_for_program;
}

#endif
