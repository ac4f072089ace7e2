#include "monitoring_tool.h"

#if PY_VERSION_HEX >= 0x030C0000

#include <stddef.h>

static PyTypeObject callback_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "sonde.callback",
    .tp_basicsize = sizeof(sn_callback),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_vectorcall_offset = offsetof(sn_callback, call),
    .tp_call = PyVectorcall_Call,
};

PyObject *sn_monitoring_module(void) {
    PyObject *module = PySys_GetObject("monitoring");
    if (!module) PyErr_SetString(PyExc_RuntimeError, "there is no sys.monitoring");
    return module;
}

int sn_monitoring_take(PyObject *module) {
    for (int id = 4; id >= 3; id--) { /* 0, 1, 2 and 5 belong to debuggers, coverage, profilers, optimizers */
        PyObject *done = PyObject_CallMethod(module, "use_tool_id", "is", id, "sonde");
        Py_XDECREF(done);
        if (done) return id;
        if (!PyErr_ExceptionMatches(PyExc_ValueError)) return -1;
        PyErr_Clear();
    }
    PyErr_SetString(PyExc_RuntimeError, "sys.monitoring tool ids 3 and 4 are both taken");
    return -1;
}

void sn_monitoring_free(int tool) {
    PyObject *module = tool < 0 ? NULL : sn_monitoring_module();
    PyObject *done = module ? PyObject_CallMethod(module, "free_tool_id", "i", tool) : NULL;
    if (!done) PyErr_Clear();
    Py_XDECREF(done);
}

long sn_monitoring_bit(PyObject *module, const char *event) {
    PyObject *events = PyObject_GetAttrString(module, "events");
    PyObject *value = events ? PyObject_GetAttrString(events, event) : NULL;
    long bit = value ? PyLong_AsLong(value) : -1;
    Py_XDECREF(value);
    Py_XDECREF(events);
    return bit;
}

int sn_monitoring_call(PyObject *module, int tool, long event, sn_callback *callback, vectorcallfunc call) {
    if (PyType_Ready(&callback_type)) return -1;
    if (!callback->call) PyObject_Init((PyObject *)callback, &callback_type);
    callback->call = call;
    PyObject *old = PyObject_CallMethod(module, "register_callback", "ilO", tool, event, callback);
    Py_XDECREF(old);
    return old ? 0 : -1;
}

int sn_monitoring_ask(PyObject *module, int tool, long events) {
    PyObject *done = PyObject_CallMethod(module, "set_events", "il", tool, events);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

#endif
