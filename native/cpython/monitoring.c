#include "monitoring.h"

#include "bursts.h"
#include "cursor.h"
#include "monitoring_tool.h"
#include "notes.h"
#include "starts.h"
#include "threads.h"

#if PY_VERSION_HEX >= 0x030C0000

#include <stddef.h>

static int tool = -1;
static long watched; /* the events that we want */

/* Arguments of all callbacks begin with the code object. */
#define CODE(arguments) ((arguments)[0])

static inline __attribute__((always_inline)) void enter(PyObject *code, sn_how how) {
    if (sn_burst_is_over(how)) return;
    sn_thread *thread = sn_thread_get();
    if (unlikely(!thread)) return;
    sn_frame *frame = sn_thread_frame(thread, code);
    if (likely(frame != NULL)) sn_cursor_enter(thread, code, frame, frame->previous, how);
    else agent.header->dropped_calls++;
}

static inline __attribute__((always_inline)) void leave(PyObject *code, sn_how how) {
    if (sn_burst_is_over(how)) return;
    sn_thread *thread = sn_thread_here;
    if (unlikely(!thread)) return;
    sn_cursor_leave(thread, (uint64_t)(uintptr_t)code, how);
}

#define ON_EVENT(name, action, how)                                                                          \
    static PyObject *name(PyObject *self, PyObject *const *arguments, size_t count, PyObject *names) {       \
        (void)self, (void)count, (void)names;                                                                \
        action(CODE(arguments), how);                                                                        \
        Py_RETURN_NONE;                                                                                      \
    }

ON_EVENT(on_enter, enter, SN_PLAIN)
ON_EVENT(on_enter_timed, enter, SN_TIMED)
ON_EVENT(on_enter_in_bursts, enter, SN_IN_BURSTS)
ON_EVENT(on_enter_timed_in_bursts, enter, SN_TIMED | SN_IN_BURSTS)
ON_EVENT(on_enter_recorded, enter, SN_RECORDED)
ON_EVENT(on_enter_timed_recorded, enter, SN_RECORDED | SN_TIMED)
ON_EVENT(on_enter_in_bursts_recorded, enter, SN_RECORDED | SN_IN_BURSTS)
ON_EVENT(on_enter_timed_in_bursts_recorded, enter, SN_RECORDED | SN_TIMED | SN_IN_BURSTS)
ON_EVENT(on_leave, leave, SN_PLAIN)
ON_EVENT(on_leave_timed, leave, SN_TIMED)
ON_EVENT(on_leave_in_bursts, leave, SN_IN_BURSTS)
ON_EVENT(on_leave_timed_in_bursts, leave, SN_TIMED | SN_IN_BURSTS)
ON_EVENT(on_leave_recorded, leave, SN_RECORDED)
ON_EVENT(on_leave_timed_recorded, leave, SN_RECORDED | SN_TIMED)
ON_EVENT(on_leave_in_bursts_recorded, leave, SN_RECORDED | SN_IN_BURSTS)
ON_EVENT(on_leave_timed_in_bursts_recorded, leave, SN_RECORDED | SN_TIMED | SN_IN_BURSTS)

static PyObject *on_start(PyObject *self, PyObject *const *arguments, size_t count, PyObject *names) {
    (void)self, (void)count, (void)names;
    sn_thread *thread = sn_thread_get();
    if (unlikely(!thread)) Py_RETURN_NONE;
    sn_frame *frame = sn_thread_frame(thread, CODE(arguments));
    if (likely(frame != NULL)) sn_starts_enter(thread, CODE(arguments), frame);
    else agent.header->dropped_calls++;
    Py_RETURN_NONE;
}

static const vectorcallfunc enters[SN_HOWS] = {
    on_enter,
    on_enter_timed,
    on_enter_in_bursts,
    on_enter_timed_in_bursts,
    on_enter_recorded,
    on_enter_timed_recorded,
    on_enter_in_bursts_recorded,
    on_enter_timed_in_bursts_recorded,
};

static const vectorcallfunc leaves[SN_HOWS] = {
    on_leave,
    on_leave_timed,
    on_leave_in_bursts,
    on_leave_timed_in_bursts,
    on_leave_recorded,
    on_leave_timed_recorded,
    on_leave_in_bursts_recorded,
    on_leave_timed_in_bursts_recorded,
};

/* CALL, C_RETURN and C_RAISE: code, offset, callable, first argument. */
static PyObject *on_builtin_call(PyObject *self, PyObject *const *arguments, size_t count, PyObject *names) {
    (void)self, (void)count, (void)names;
    if (sn_burst_is_over(sn_chosen_how())) Py_RETURN_NONE;
    sn_thread *thread = sn_thread_here;
    if (thread) sn_cursor_enter_builtin(thread, sn_thread_frame(thread, CODE(arguments)), arguments[2]);
    Py_RETURN_NONE;
}

static PyObject *on_builtin_end(PyObject *self, PyObject *const *arguments, size_t count, PyObject *names) {
    (void)self, (void)count, (void)names;
    sn_thread *thread = sn_thread_here;
    if (thread) sn_cursor_leave_builtin(thread, arguments[2]);
    Py_RETURN_NONE;
}

static PyObject *on_ignored(PyObject *self, PyObject *const *arguments, size_t count, PyObject *names) {
    (void)self, (void)arguments, (void)count, (void)names;
    Py_RETURN_NONE;
}

static PyObject *wait_for_program(PyObject *self, PyObject *const *arguments, size_t count, PyObject *names);

enum { START, RESUME, THROW, RETURN, YIELD, UNWIND, CALL, C_RETURN, C_RAISE, EVENTS };
enum { STARTS_ONLY = THROW + 1, CALLS_ONLY = UNWIND + 1 };

static const char *const event_name[EVENTS] = {"PY_START",  "PY_RESUME", "PY_THROW", "PY_RETURN", "PY_YIELD",
                                               "PY_UNWIND", "CALL",      "C_RETURN", "C_RAISE"};

static vectorcallfunc chosen(int event) {
    if (agent.starts_only) return event <= THROW ? on_start : on_ignored;
    if (event <= THROW) return enters[sn_chosen_how()];
    if (event <= UNWIND) return leaves[sn_chosen_how()];
    return event == CALL ? on_builtin_call : on_builtin_end;
}

/* Whether an event is asked for. From 3.14 on a generator that is abandoned is entered to be closed only if somebody wants to
 * know of unwinding: so that all ways count the same, that is asked for where ends are not, too. */
static bool is_wanted(int event) {
    if (agent.builtins) return true;
    if (!agent.starts_only) return event < CALLS_ONLY;
    return event < STARTS_ONLY || (event == UNWIND && PY_VERSION_HEX >= 0x030E0000);
}

static sn_callback callbacks[EVENTS];

/* All events are on from the start, so that code is instrumented once; until the
 * program begins, the callbacks do nothing. */
static PyObject *wait_for_program(PyObject *self, PyObject *const *arguments, size_t count, PyObject *names) {
    (void)self, (void)count, (void)names;
    sn_frame *frame = sn_frame_top(sn_thread_state());
    if (!frame || !sn_frame_begins_program(frame, frame->previous)) Py_RETURN_NONE;
    agent.begun = true;
    for (int event = 0; event < EVENTS; event++) callbacks[event].call = chosen(event);
    sn_thread *thread = sn_thread_get();
    sn_bursts_begin();
    if (thread) {
        (void)sn_thread_frame(thread, CODE(arguments)); /* gets to know the thread's state */
        if (agent.starts_only) sn_starts_enter(thread, CODE(arguments), frame);
        else sn_cursor_enter(thread, CODE(arguments), frame, NULL, sn_chosen_how());
    }
    Py_RETURN_NONE;
}

static int set_events(long events) {
    PyObject *module = sn_monitoring_module();
    return module ? sn_monitoring_ask(module, tool, events) : -1;
}

int sn_monitoring_start(void) {
    PyObject *module = sn_monitoring_module();
    if (!module) return -1;
    if (tool < 0) tool = sn_monitoring_take(module);
    if (tool < 0) return -1;
    agent.starts_only = sn_starts_suffice();
    long events = 0;
    for (int event = 0; event < EVENTS; event++) {
        if (!is_wanted(event)) continue;
        long bit = sn_monitoring_bit(module, event_name[event]);
        if (bit < 0) return -1;
        vectorcallfunc call = agent.begun ? chosen(event) : event == START ? wait_for_program : on_ignored;
        if (sn_monitoring_call(module, tool, bit, &callbacks[event], call)) return -1;
        /* C_RETURN and C_RAISE come with CALL and cannot be asked for by themselves. */
        if (event < C_RETURN) events |= bit;
    }
    watched = events;
    return set_events(events);
}

static void change_events(long events) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace); /* a frame may be entered or left with an exception in flight */
    if (set_events(events)) PyErr_Clear();
    PyErr_Restore(type, value, trace);
}

void sn_monitoring_stop(void) {
    if (tool >= 0) change_events(0);
}

void sn_monitoring_resume(void) { change_events(watched); }

void sn_monitoring_look_for_tracer(void) {
    if (agent.has_tracer || agent.calibrates || agent.mechanism->start != sn_monitoring_start) return;
    const PyThreadState *here = PyThreadState_Get();
    if (likely(!here->c_tracefunc && !here->c_profilefunc)) return;
    agent.has_tracer = true;
    sn_note("tracer-unseen", 1,
            "a trace or profile function was set (sys.settrace, sys.setprofile): what it calls was not counted, and its "
            "time is that of what it traces");
}

bool sn_monitoring_intact(void) {
    if (agent.bursts.interval_ns || agent.bursts.by_hand) return true; /* the events are off more often than on */
    PyObject *module = sn_monitoring_module();
    PyObject *name = module ? PyObject_CallMethod(module, "get_tool", "i", tool) : NULL;
    bool intact = name && PyUnicode_Check(name) && !PyUnicode_CompareWithASCIIString(name, "sonde");
    PyObject *events = intact ? PyObject_CallMethod(module, "get_events", "i", tool) : NULL;
    if (events && PyLong_AsLong(events) == 0) intact = false;
    Py_XDECREF(events);
    Py_XDECREF(name);
    PyErr_Clear();
    return intact;
}

#endif
