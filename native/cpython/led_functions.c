#include "led_functions.h"

void sn_lead_function(PyObject *module, const char *name, int flags, PyCFunction ours, PyCFunction *theirs) {
    PyObject *function = PyObject_GetAttrString(module, name);
    if (function && PyCFunction_CheckExact(function) && PyCFunction_GET_FLAGS(function) == flags) {
        PyMethodDef *definition = ((PyCFunctionObject *)function)->m_ml;
        *theirs = definition->ml_meth;
        definition->ml_meth = ours;
    }
    PyErr_Clear();
    Py_XDECREF(function);
}
