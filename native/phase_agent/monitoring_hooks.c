/* CPython 3.12 and later: functions that are watched have events of their own (PEP 669).
 *
 * Each code object tells once that it begins, the first time: most are not watched, and never tell again. There are no
 * events of one code object alone for exceptions that leave it, so each frame that one leaves is looked at.
 */
#include "online.h"

#include "../cpython/monitoring_tool.h"

#if PY_VERSION_HEX >= 0x030C0000

#include "internal/pycore_instruments.h"

#include <stddef.h>

static int tool = -1;
static PyObject *disable; /* what a callback returns that is not to be called there again */
static long local_events;

#define CALLBACK(name)                                                                                       \
    static PyObject *name(PyObject *self, PyObject *const *arguments, size_t count, PyObject *names)
#define UNUSED() (void)self, (void)arguments, (void)count, (void)names

static int64_t number_of(PyObject *code) { return sn_watched_number((const PyCodeObject *)code); }

/* Whether a code object has its events: what the interpreter keeps with it says so. Nothing of ours may be kept there, as
 * others that do are asked to free what they never had when it goes. */
static inline bool is_followed(const PyCodeObject *code) {
    return code->_co_monitoring && code->_co_monitoring->local_monitors.tools[PY_MONITORING_EVENT_PY_RETURN] >> tool & 1;
}

/* Ask for the other events of a function that is watched. What the program sees of exceptions is as before. */
static void follow(PyObject *code, bool is_on) {
    if (is_followed((const PyCodeObject *)code) == is_on) return;
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *module = sn_monitoring_module(), *done = NULL;
    if (module)
        done = PyObject_CallMethod(module, "set_local_events", "iOl", tool, code, is_on ? local_events : 0l);
    if (!done) PyErr_Clear();
    Py_XDECREF(done);
    PyErr_Restore(type, value, trace);
}

/* What has been told not to tell its beginning does so again; that of other tools, too. */
void sn_hooks_begin_anew(void) {
    sn_online_begin_anew();
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *module = sn_monitoring_module();
    PyObject *done = module ? PyObject_CallMethod(module, "restart_events", NULL) : NULL;
    if (!done) PyErr_Clear();
    Py_XDECREF(done);
    PyErr_Restore(type, value, trace);
}

CALLBACK(on_start) {
    UNUSED();
    PyObject *code = arguments[0];
    if (unlikely(!agent.open)) return Py_NewRef(disable); /* in a fork */
    int64_t number = number_of(code);
    if (number < 0 && agent.is_online) {
        const sn_method *method = sn_online_method((const PyCodeObject *)code);
        if (method && !method->is_given_up) number = method->number;
    }
    if (likely(number < 0)) return Py_NewRef(disable);
    follow(code, true);
    sn_phase_enter((uint32_t)number, SN_PHASE_START);
    Py_RETURN_NONE;
}

CALLBACK(on_resume) {
    UNUSED();
    if (unlikely(!agent.open)) Py_RETURN_NONE;
    int64_t number = number_of(arguments[0]);
    if (number < 0 && agent.is_online) {
        const sn_method *method = sn_online_method((const PyCodeObject *)arguments[0]);
        if (method && !method->is_given_up) number = method->number;
    }
    if (number >= 0) sn_phase_enter((uint32_t)number, SN_PHASE_RESUME);
    Py_RETURN_NONE;
}

static void leave(PyObject *code, sn_phase_event_kind kind) {
    if (unlikely(!agent.open)) return;
    int64_t number = number_of(code);
    if (number >= 0) {
        sn_phase_leave((uint32_t)number, kind);
        return;
    }
    sn_method *method = agent.is_online ? sn_online_method((const PyCodeObject *)code) : NULL;
    if (!method) return;
    uint64_t took = method->is_given_up ? 0 : sn_phase_leave(method->number, kind);
    if (took && sn_online_ended(method, took)) sn_phase_give_up(method->number);
    if (method->is_given_up) follow(code, false);
    if (unlikely(!sn_later_looks_run()) && sn_online_is_due()) sn_hooks_begin_anew();
}

#define ON_LEAVE(name, kind)                                                                                 \
    CALLBACK(name) {                                                                                         \
        UNUSED();                                                                                            \
        leave(arguments[0], kind);                                                                           \
        Py_RETURN_NONE;                                                                                      \
    }

ON_LEAVE(on_return, SN_PHASE_RETURN)
ON_LEAVE(on_yield, SN_PHASE_YIELD)
ON_LEAVE(on_unwind, SN_PHASE_UNWIND)

enum { START, THROW, UNWIND, RESUME, RETURN, YIELD, EVENTS };
enum { LOCAL = RESUME };

static const struct {
    const char *name;
    vectorcallfunc call;
} kinds[EVENTS] = {{"PY_START", on_start},   {"PY_THROW", on_resume},   {"PY_UNWIND", on_unwind},
                   {"PY_RESUME", on_resume}, {"PY_RETURN", on_return}, {"PY_YIELD", on_yield}};

static sn_callback callbacks[EVENTS];

int sn_hooks_begin(void) {
    PyObject *module = sn_monitoring_module();
    if (!module || (tool = sn_monitoring_take(module)) < 0) return -1;
    disable = PyObject_GetAttrString(module, "DISABLE");
    if (!disable) return -1;
    long everywhere = 0;
    for (int event = 0; event < EVENTS; event++) {
        long bit = sn_monitoring_bit(module, kinds[event].name);
        if (bit < 0) return -1;
        if (event < LOCAL) everywhere |= bit;
        else local_events |= bit;
        if (sn_monitoring_call(module, tool, bit, &callbacks[event], kinds[event].call)) return -1;
    }
    return sn_monitoring_ask(module, tool, everywhere);
}

void sn_hooks_end(void) {
    sn_monitoring_free(tool);
    tool = -1;
}

#endif
