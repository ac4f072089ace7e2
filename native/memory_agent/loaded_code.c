/* Machine code that is made while the program runs, told by Python code of ours that knows where it came to lie. */
#include "agent.h"

#include <string.h>

PyObject *sn_code_loaded(PyObject *module, PyObject *arguments) {
    (void)module;
    unsigned long long address, size, number;
    const char *name;
    if (!PyArg_ParseTuple(arguments, "KKsK", &address, &size, &name, &number)) return NULL;
    sn_tell(SN_CODE_LOAD, address, size, (uint64_t)(uintptr_t)name, number, 0);
    Py_RETURN_NONE;
}

PyObject *sn_code_unloaded(PyObject *module, PyObject *address) {
    (void)module;
    unsigned long long start = PyLong_AsUnsignedLongLong(address);
    if (PyErr_Occurred()) return NULL;
    sn_tell(SN_CODE_UNLOAD, start, 0, 0, 0, 0);
    Py_RETURN_NONE;
}

/* ---- a program that becomes this process ---- */

/* As a first constructor, and as a last destructor. */
static void begin(int argc, char **argv, char **environment) {
    (void)argc, (void)argv, (void)environment;
    sn_tell(SN_WINDOW_OPEN, 0, 0, 0, 0, 0);
}

static void end(void) { sn_tell(SN_WINDOW_CLOSE, 0, 0, 0, 0, 0); }

PyObject *sn_program_window(PyObject *module, PyObject *own) {
    (void)module;
    unsigned long long address, size;
    sn_tell_own_code();
    for (Py_ssize_t i = 0; i < PySequence_Size(own); i++) {
        PyObject *range = PySequence_GetItem(own, i);
        int understood = range && PyArg_ParseTuple(range, "KK", &address, &size);
        Py_XDECREF(range);
        if (!understood) return NULL;
        sn_tell(SN_OWN_CODE, address, address + size, 0, 0, 0);
    }
    if (PyErr_Occurred()) return NULL;
    return Py_BuildValue("KK", (unsigned long long)(uintptr_t)begin, (unsigned long long)(uintptr_t)end);
}

/* ---- a module that is waited for ---- */

static PyObject *awaited, *found;

/* A finder's find_spec. It is called for each module, so it is not written in Python. */
static PyObject *find_spec(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    (void)self;
    if (!count || !PyUnicode_Check(arguments[0]) || PyUnicode_Compare(arguments[0], awaited)) Py_RETURN_NONE;
    return PyObject_Vectorcall(found, arguments, count, NULL);
}

static PyMethodDef find_spec_method = {"find_spec", (PyCFunction)(void (*)(void))find_spec, METH_FASTCALL, NULL};

PyObject *sn_finder(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *name, *function;
    if (!PyArg_ParseTuple(arguments, "UO", &name, &function)) return NULL;
    Py_XSETREF(awaited, Py_NewRef(name));
    Py_XSETREF(found, Py_NewRef(function));
    return PyCFunction_New(&find_spec_method, NULL);
}
