/* An extension module whose functions do next to nothing: what a call costs is all that there is. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyObject *leaf(PyObject *self, PyObject *value) {
    (void)self;
    return Py_NewRef(value);
}

__attribute__((noinline)) static long inner(long number) {
    __asm__ volatile("" : "+r"(number));
    return number + 1;
}

/* Calls `inner` a thousand times. */
static PyObject *thousand(PyObject *self, PyObject *value) {
    (void)self;
    (void)value;
    long number = 0;
    for (int at = 0; at < 1000; at++) number = inner(number);
    return PyLong_FromLong(number);
}

static PyMethodDef methods[] = {
    {"leaf", leaf, METH_O, NULL},
    {"thousand", thousand, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "leaf", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_leaf(void) { return PyModule_Create(&module); }
