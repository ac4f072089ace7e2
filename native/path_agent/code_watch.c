#include "code_watch.h"

#include <stdbool.h>
#include <string.h>

static PyObject *callback;
static bool busy; /* the callback runs */

/* An audit hook: `exec` is raised before a code object is executed, by imports, by `exec`, and for the script. */
static int on_audit(const char *event, PyObject *arguments, void *data) {
    (void)data;
    if (event[0] != 'e' || strcmp(event, "exec") || !callback || busy) return 0;
    PyObject *code = PyTuple_Check(arguments) && PyTuple_GET_SIZE(arguments) ? PyTuple_GET_ITEM(arguments, 0) : NULL;
    if (!code || !PyCode_Check(code)) return 0;
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    busy = true;
    PyObject *done = PyObject_CallOneArg(callback, code);
    busy = false;
    if (!done) PyErr_Clear();
    Py_XDECREF(done);
    PyErr_Restore(type, value, trace);
    return 0;
}

PyObject *sn_before_code(PyObject *module, PyObject *callable) {
    (void)module;
    bool is_hooked = callback;
    Py_XSETREF(callback, Py_NewRef(callable));
    if (!is_hooked && PySys_AddAuditHook(on_audit, NULL)) return NULL;
    Py_RETURN_NONE;
}

PyObject *sn_set_consts(PyObject *module, PyObject *arguments) {
    (void)module;
    PyCodeObject *code;
    PyObject *consts;
    if (!PyArg_ParseTuple(arguments, "O!O!", &PyCode_Type, &code, &PyTuple_Type, &consts)) return NULL;
    if (PyTuple_GET_SIZE(consts) != PyTuple_GET_SIZE(code->co_consts))
        return PyErr_Format(PyExc_ValueError, "there are %zd constants, not %zd", PyTuple_GET_SIZE(code->co_consts),
                            PyTuple_GET_SIZE(consts));
    Py_SETREF(code->co_consts, Py_NewRef(consts));
    Py_RETURN_NONE;
}
