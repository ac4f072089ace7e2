/* Threads that begin, where each needs a trigger of its own.
 *
 * What starts threads is led through functions of ours, and is given a callable that arms the thread, calls what it was to
 * call, and disarms it. That is a C function: no frame of it is in a traceback. */
#include "agent.h"

#include "../cpython/led_functions.h"

static PyCFunction start_itself, start_joinable_itself;

typedef struct {
    PyObject_HEAD
    PyObject *callable;
} begun;

static PyObject *begun_call(PyObject *self, PyObject *arguments, PyObject *names) {
    if (sn_sampling_now.ring && sn_trigger_thread()) sn_ring_note(sn_sampling_now.ring, SN_RING_UNARMED);
    PyObject *result = PyObject_Call(((begun *)self)->callable, arguments, names);
    sn_trigger_thread_no_more();
    return result;
}

/* What fails in a thread is told with it. */
static PyObject *begun_repr(PyObject *self) { return PyObject_Repr(((begun *)self)->callable); }

static void begun_dealloc(PyObject *self) {
    Py_XDECREF(((begun *)self)->callable);
    Py_TYPE(self)->tp_free(self);
}

static PyTypeObject begun_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "function",
    .tp_basicsize = sizeof(begun),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_call = begun_call,
    .tp_repr = begun_repr,
    .tp_dealloc = begun_dealloc,
};

/* The same arguments with the first one wrapped; a new reference. What is not to be wrapped is as it was. */
static PyObject *with_begun(PyObject *arguments) {
    bool is_usual = sn_sampling_now.ring && PyTuple_GET_SIZE(arguments) && PyCallable_Check(PyTuple_GET_ITEM(arguments, 0));
    begun *wrapped = is_usual ? PyObject_New(begun, &begun_type) : NULL;
    PyObject *changed = wrapped ? PyTuple_GetSlice(arguments, 0, PyTuple_GET_SIZE(arguments)) : NULL;
    if (wrapped) wrapped->callable = Py_NewRef(PyTuple_GET_ITEM(arguments, 0));
    /* A slice of all is the tuple itself. */
    if (changed == arguments) {
        Py_DECREF(changed);
        changed = PyTuple_New(PyTuple_GET_SIZE(arguments));
        for (Py_ssize_t i = 0; changed && i < PyTuple_GET_SIZE(arguments); i++)
            PyTuple_SET_ITEM(changed, i, Py_NewRef(PyTuple_GET_ITEM(arguments, i)));
    }
    if (changed) {
        PyObject *old = PyTuple_GET_ITEM(changed, 0);
        PyTuple_SET_ITEM(changed, 0, (PyObject *)wrapped);
        Py_DECREF(old);
        return changed;
    }
    Py_XDECREF((PyObject *)wrapped);
    PyErr_Clear();
    return Py_NewRef(arguments);
}

static PyObject *led_start(PyObject *module, PyObject *arguments) {
    PyObject *given = with_begun(arguments);
    PyObject *result = start_itself(module, given);
    Py_DECREF(given);
    return result;
}

static PyObject *led_start_joinable(PyObject *module, PyObject *arguments, PyObject *names) {
    PyObject *given = with_begun(arguments);
    PyObject *result = SN_AS(PyCFunctionWithKeywords, start_joinable_itself)(module, given, names);
    Py_DECREF(given);
    return result;
}

void sn_thread_starts_begin(void) {
    if (!sn_triggers_are_each_threads_own() || PyType_Ready(&begun_type)) return;
    PyObject *module = PyImport_ImportModule("_thread");
    if (module) {
        sn_lead_function(module, "start_new_thread", METH_VARARGS, led_start, &start_itself);
        sn_lead_function(module, "start_joinable_thread", METH_VARARGS | METH_KEYWORDS, SN_AS(PyCFunction, led_start_joinable),
                         &start_joinable_itself);
    }
    PyErr_Clear();
    Py_XDECREF(module);
}
