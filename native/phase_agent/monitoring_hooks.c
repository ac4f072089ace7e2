/* CPython 3.12 and later: functions that are watched have events of their own (PEP 669).
 *
 * Each code object tells once that it begins, the first time: most are not watched, and never tell again. There are no
 * events of one code object alone for exceptions that leave it, so each frame that one leaves is looked at.
 */
#include "online.h"

#if PY_VERSION_HEX >= 0x030C0000

#include "internal/pycore_instruments.h"

#include <stddef.h>

typedef struct {
    PyObject_HEAD
    vectorcallfunc call;
} callback_object;

static PyTypeObject callback_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "sonde.phase_callback",
    .tp_basicsize = sizeof(callback_object),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_vectorcall_offset = offsetof(callback_object, call),
    .tp_call = PyVectorcall_Call,
};

static int tool = -1;
static PyObject *disable; /* what a callback returns that is not to be called there again */
static long local_events;

#define CALLBACK(name)                                                                                       \
    static PyObject *name(PyObject *self, PyObject *const *arguments, size_t count, PyObject *names)
#define UNUSED() (void)self, (void)arguments, (void)count, (void)names

static int64_t number_of(PyObject *code) { return sn_watched_number((const PyCodeObject *)code); }

static PyObject *monitoring(void) {
    PyObject *module = PySys_GetObject("monitoring");
    if (!module) PyErr_SetString(PyExc_RuntimeError, "there is no sys.monitoring");
    return module;
}

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
    PyObject *module = monitoring(), *done = NULL;
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
    PyObject *module = monitoring();
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

static callback_object callbacks[EVENTS];

static int take_tool(PyObject *module) {
    for (int id = 4; id >= 3; id--) { /* 0, 1, 2 and 5 belong to debuggers, coverage, profilers, optimizers */
        PyObject *done = PyObject_CallMethod(module, "use_tool_id", "is", id, "sonde");
        Py_XDECREF(done);
        if (done) tool = id;
        if (done || !PyErr_ExceptionMatches(PyExc_ValueError)) return done ? 0 : -1;
        PyErr_Clear();
    }
    PyErr_SetString(PyExc_RuntimeError, "sys.monitoring tool ids 3 and 4 are both taken");
    return -1;
}

static long event_bit(PyObject *module, const char *name) {
    PyObject *events = PyObject_GetAttrString(module, "events");
    PyObject *value = events ? PyObject_GetAttrString(events, name) : NULL;
    long bit = value ? PyLong_AsLong(value) : -1;
    Py_XDECREF(value);
    Py_XDECREF(events);
    return bit;
}

int sn_hooks_begin(void) {
    PyObject *module = monitoring();
    if (!module || PyType_Ready(&callback_type) || take_tool(module)) return -1;
    disable = PyObject_GetAttrString(module, "DISABLE");
    if (!disable) return -1;
    long everywhere = 0;
    for (int event = 0; event < EVENTS; event++) {
        long bit = event_bit(module, kinds[event].name);
        if (bit < 0) return -1;
        if (event < LOCAL) everywhere |= bit;
        else local_events |= bit;
        PyObject_Init((PyObject *)&callbacks[event], &callback_type);
        callbacks[event].call = kinds[event].call;
        PyObject *old = PyObject_CallMethod(module, "register_callback", "ilO", tool, bit, &callbacks[event]);
        if (!old) return -1;
        Py_DECREF(old);
    }
    PyObject *done = PyObject_CallMethod(module, "set_events", "il", tool, everywhere);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

void sn_hooks_end(void) {
    PyObject *module = tool < 0 ? NULL : monitoring();
    PyObject *done = module ? PyObject_CallMethod(module, "free_tool_id", "i", tool) : NULL;
    if (!done) PyErr_Clear();
    Py_XDECREF(done);
    tool = -1;
}

#endif
