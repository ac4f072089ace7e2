/* Python 3.11: calls seen by replacing the frame evaluator (PEP 523).
 *
 * Entering and leaving are one C function, so unwinding is exact by construction. The price:
 * a Python call becomes a C call. When a thread has used half of its C stack, counting is
 * handed to the profile function, which is slower but needs no C stack.
 */
#include "agent.h"

#if PY_VERSION_HEX < 0x030C0000

#include "internal/pycore_interp.h"

static bool is_creation(const sn_frame *frame) {
    /* Calling a generator function runs its frame once, to make the generator. */
    return frame->f_code->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR) &&
           frame->owner == FRAME_OWNED_BY_THREAD;
}

static inline __attribute__((always_inline)) PyObject *evaluate(PyThreadState *ts, sn_frame *frame, int throwing,
                                                                bool timed) {
    sn_thread *thread = sn_thread_get();
    if (unlikely(!thread) || unlikely(is_creation(frame))) return _PyEval_EvalFrameDefault(ts, frame, throwing);
    if (unlikely((char *)__builtin_frame_address(0) < thread->stack_floor)) {
        sn_set_profile_take_over();
        return _PyEval_EvalFrameDefault(ts, frame, throwing);
    }
    sn_context *context =
        sn_cursor_enter(thread, (PyObject *)frame->f_code, frame, ts->cframe->current_frame, timed);
    if (unlikely(!context)) return _PyEval_EvalFrameDefault(ts, frame, throwing);
    PyObject *result = _PyEval_EvalFrameDefault(ts, frame, throwing);
    sn_cursor_close(thread, context, timed);
    thread->current = context->parent;
    return result;
}

static PyObject *count_calls(PyThreadState *ts, sn_frame *frame, int throwing) {
    return evaluate(ts, frame, throwing, false);
}

static PyObject *count_calls_and_time(PyThreadState *ts, sn_frame *frame, int throwing) {
    return evaluate(ts, frame, throwing, true);
}

static _PyFrameEvalFunction chosen(void) { return agent.clock == SN_CLOCK_NONE ? count_calls : count_calls_and_time; }

/* Until the program begins, nothing is counted. */
static PyObject *wait_for_program(PyThreadState *ts, sn_frame *frame, int throwing) {
    if (!sn_frame_begins_program(frame, ts->cframe->current_frame)) return _PyEval_EvalFrameDefault(ts, frame, throwing);
    agent.begun = true;
    _PyInterpreterState_SetEvalFrameFunc(ts->interp, chosen());
    sn_thread *thread = sn_thread_get();
    sn_context *context =
        thread ? sn_cursor_enter(thread, (PyObject *)frame->f_code, frame, NULL, agent.clock != SN_CLOCK_NONE) : NULL;
    PyObject *result = _PyEval_EvalFrameDefault(ts, frame, throwing);
    if (context) {
        sn_cursor_close(thread, context, agent.clock != SN_CLOCK_NONE);
        thread->current = context->parent;
    }
    return result;
}

int sn_eval_hook_start(void) {
    _PyInterpreterState_SetEvalFrameFunc(PyInterpreterState_Get(), wait_for_program);
    return 0;
}

void sn_eval_hook_stop(void) {
    _PyInterpreterState_SetEvalFrameFunc(PyInterpreterState_Get(), _PyEval_EvalFrameDefault);
}

bool sn_eval_hook_intact(void) {
    _PyFrameEvalFunction now = _PyInterpreterState_GetEvalFrameFunc(PyInterpreterState_Get());
    return now == chosen() || now == wait_for_program;
}

#endif
