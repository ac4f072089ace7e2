/* SN_GC_START, SN_GC_STOP: by one more function in gc.callbacks.
 *
 * The program can see it there; it is last, and does nothing that matters to others. Anything else would be worse:
 * the interpreter has no other place to be told, and watching its fields would need a look at every allocation.
 * Before and after a collection the interpreter now makes a small dict for it, outside of the two events.
 */
#include "agent.h"

static uint64_t number_in(PyObject *info, const char *key) {
    PyObject *value = PyDict_Check(info) ? PyDict_GetItemString(info, key) : NULL;
    unsigned long long number = value && PyLong_Check(value) ? PyLong_AsUnsignedLongLong(value) : 0;
    if (!PyErr_Occurred()) return number;
    PyErr_Clear();
    return 0;
}

static PyObject *on_collection(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    (void)self;
    sn_pause();
    if (count == 2 && PyUnicode_Check(arguments[0])) {
        uint64_t generation = number_in(arguments[1], "generation");
        if (!PyUnicode_CompareWithASCIIString(arguments[0], "start"))
            sn_tell(SN_GC_START, generation, 0, 0, 0, 0);
        else
            sn_tell(SN_GC_STOP, generation, number_in(arguments[1], "collected"),
                    number_in(arguments[1], "uncollectable"), 0, 0);
    }
    sn_resume();
    Py_RETURN_NONE;
}

static PyMethodDef method = {"sonde_tells_collections", (PyCFunction)(void (*)(void))on_collection,
                             METH_FASTCALL, NULL};

int sn_watch_collections(void) {
    PyObject *gc = PyImport_ImportModule("gc");
    PyObject *callbacks = gc ? PyObject_GetAttrString(gc, "callbacks") : NULL;
    PyObject *callback = callbacks ? PyCFunction_New(&method, NULL) : NULL;
    int failed = !callback || PyList_Append(callbacks, callback);
    Py_XDECREF(callback);
    Py_XDECREF(callbacks);
    Py_XDECREF(gc);
    return failed ? -1 : 0;
}
