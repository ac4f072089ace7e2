/* CPython 3.12 and later: functions that are watched have events of their own (PEP 669).
 *
 * Each code object tells once that it begins, the first time: most are not watched, and never tell again. There are no
 * events of one code object alone for exceptions that leave it, so each frame that one leaves is looked at.
 */
#include "agent.h"

#if PY_VERSION_HEX >= 0x030C0000

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
static Py_ssize_t followed_index = -1; /* of the mark of code objects that have their events */

#define CALLBACK(name)                                                                                       \
    static PyObject *name(PyObject *self, PyObject *const *arguments, size_t count, PyObject *names)
#define UNUSED() (void)self, (void)arguments, (void)count, (void)names

static int64_t number_of(PyObject *code) { return sn_watched_number((const PyCodeObject *)code); }

static PyObject *monitoring(void) {
    PyObject *module = PySys_GetObject("monitoring");
    if (!module) PyErr_SetString(PyExc_RuntimeError, "there is no sys.monitoring");
    return module;
}

/* Ask for the other events of a function that is watched. What the program sees of exceptions is as before. */
static void follow(PyObject *code) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *module = monitoring();
    PyObject *done = module ? PyObject_CallMethod(module, "set_local_events", "iOl", tool, code, local_events) : NULL;
    if (!done) PyErr_Clear();
    Py_XDECREF(done);
    PyErr_Restore(type, value, trace);
}

CALLBACK(on_start) {
    UNUSED();
    PyObject *code = arguments[0];
    int64_t number = number_of(code);
    if (likely(number < 0)) return Py_NewRef(disable);
    void *is_followed = NULL;
    if (!PyUnstable_Code_GetExtra(code, followed_index, &is_followed) && !is_followed &&
        !PyUnstable_Code_SetExtra(code, followed_index, &followed_index))
        follow(code);
    sn_phase_enter((uint32_t)number, SN_PHASE_START);
    Py_RETURN_NONE;
}

#define ON_EVENT(name, action, kind)                                                                         \
    CALLBACK(name) {                                                                                         \
        UNUSED();                                                                                            \
        int64_t number = number_of(arguments[0]);                                                            \
        if (number >= 0) action((uint32_t)number, kind);                                                     \
        Py_RETURN_NONE;                                                                                      \
    }

ON_EVENT(on_resume, sn_phase_enter, SN_PHASE_RESUME)
ON_EVENT(on_return, sn_phase_leave, SN_PHASE_RETURN)
ON_EVENT(on_yield, sn_phase_leave, SN_PHASE_YIELD)
ON_EVENT(on_unwind, sn_phase_leave, SN_PHASE_UNWIND)

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
    followed_index = PyUnstable_Eval_RequestCodeExtraIndex(NULL);
    if (!disable || followed_index < 0) return -1;
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
