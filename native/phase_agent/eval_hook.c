/* CPython 3.11: functions that are watched are seen by the frame evaluator (PEP 523), which all calls go through then.
 *
 * Python calls become C calls by it. Where a thread has used half of its C stack, the hook is taken out until the call
 * that found that has returned; what is called meanwhile is not seen.
 */
#include "online.h"

#if PY_VERSION_HEX < 0x030C0000

#include "internal/pycore_interp.h"

#include "../core/base/thread_local.h"

#include <opcode.h>
#include <pthread.h>

static _Thread_local char *stack_floor SN_STATIC_TLS;

static PyObject *evaluate(PyThreadState *ts, sn_frame *frame, int throwing);

static char *find_stack_floor(void) {
    pthread_attr_t attributes;
    void *lowest = NULL;
    size_t size = 0;
    char *here = __builtin_frame_address(0);
    if (pthread_getattr_np(pthread_self(), &attributes)) return here;
    pthread_attr_getstack(&attributes, &lowest, &size);
    pthread_attr_destroy(&attributes);
    char *low = lowest;
    return low < here ? low + (size_t)(here - low) / 2 : here;
}

static void set_evaluator(_PyFrameEvalFunction evaluator) {
    _PyInterpreterState_SetEvalFrameFunc(PyInterpreterState_Get(), evaluator);
}

static PyObject *run_unseen(PyThreadState *ts, sn_frame *frame, int throwing) {
    agent.unseen++;
    set_evaluator(_PyEval_EvalFrameDefault);
    PyObject *result = _PyEval_EvalFrameDefault(ts, frame, throwing);
    if (agent.open) set_evaluator(evaluate);
    return result;
}

static bool is_of_generator(const PyCodeObject *code) {
    return code->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR);
}

static PyObject *run_watched(PyThreadState *ts, sn_frame *frame, int throwing, uint32_t number, sn_method *method) {
    bool is_generator = is_of_generator(frame->f_code);
    if (is_generator && frame->owner == FRAME_OWNED_BY_THREAD) /* which makes the generator */
        return _PyEval_EvalFrameDefault(ts, frame, throwing);
    bool is_new = !is_generator || _Py_OPCODE(*frame->prev_instr) == RETURN_GENERATOR;
    PyGenObject *generator = is_generator ? _PyFrame_GetGenerator(frame) : NULL;
    Py_XINCREF(generator);
    sn_phase_enter(number, is_new && !throwing ? SN_PHASE_START : SN_PHASE_RESUME);
    PyObject *result = _PyEval_EvalFrameDefault(ts, frame, throwing);
    bool is_suspended = generator && generator->gi_frame_state == FRAME_SUSPENDED;
    uint64_t took = sn_phase_leave(number, !result ? SN_PHASE_UNWIND : is_suspended ? SN_PHASE_YIELD : SN_PHASE_RETURN);
    if (method && took && sn_online_ended(method, took)) sn_phase_give_up(number);
    Py_XDECREF(generator);
    return result;
}

static PyObject *evaluate(PyThreadState *ts, sn_frame *frame, int throwing) {
    if (unlikely((char *)__builtin_frame_address(0) < stack_floor)) return run_unseen(ts, frame, throwing);
    if (unlikely(!agent.open)) return _PyEval_EvalFrameDefault(ts, frame, throwing); /* in a fork */
    int64_t number = sn_watched_number(frame->f_code);
    if (unlikely(!stack_floor)) stack_floor = find_stack_floor();
    sn_method *method = NULL;
    if (number < 0 && agent.is_online) {
        if (unlikely(__atomic_load_n(&agent.is_look_due, __ATOMIC_RELAXED))) {
            agent.is_look_due = false;
            sn_online_begin_anew();
        }
        method = sn_online_method(frame->f_code);
        if (method && !method->is_given_up) number = method->number;
    }
    if (likely(number < 0)) return _PyEval_EvalFrameDefault(ts, frame, throwing);
    return run_watched(ts, frame, throwing, (uint32_t)number, method);
}

int sn_hooks_begin(void) {
    set_evaluator(evaluate);
    return 0;
}

void sn_hooks_end(void) {
    if (_PyInterpreterState_GetEvalFrameFunc(PyInterpreterState_Get()) == evaluate)
        set_evaluator(_PyEval_EvalFrameDefault);
}

#endif
