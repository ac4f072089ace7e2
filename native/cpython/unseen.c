/* What sonde has to do in the middle of the program's Python, and the program's calls do not show.
 *
 * A thread that does it has no cursor meanwhile, so that every hook lets its calls pass. The time that it takes is taken out
 * of all times, if what watching costs is.
 */
#include "unseen.h"

#include "clock.h"

#include <stdlib.h>
#include <string.h>

bool sn_first_call_due;

static PyObject *due; /* what is to be called then */
static char *file_end, *name;

typedef struct {
    sn_thread *thread;
    bool was_unseen;
    uint64_t began;
    PyObject *type, *value, *trace; /* an exception that may be in flight */
} unseen;

static unseen begin(void) {
    unseen is = {.thread = sn_thread_here, .was_unseen = sn_thread_unseen, .began = sn_running_clock()};
    PyErr_Fetch(&is.type, &is.value, &is.trace);
    sn_thread_here = NULL;
    sn_thread_unseen = true;
    return is;
}

static void end(const unseen *was) {
    if (PyErr_Occurred()) PyErr_Clear(); /* the program runs as it would have */
    sn_thread_unseen = was->was_unseen;
    sn_thread_here = was->thread;
    bool takes_out = agent.costs.enter && !agent.bursts.interval_ns; /* between bursts there is nothing to take it out of */
    if (agent.active && takes_out && was->thread) sn_clock_take_out_since(was->began, was->thread);
    PyErr_Restore(was->type, was->value, was->trace);
}

static void call_unseen(PyObject *callable, PyObject *arguments) {
    unseen was = begin();
    PyObject *result = PyObject_Call(callable, arguments, NULL);
    Py_XDECREF(result);
    end(&was);
}

static bool ends_with(const char *text, const char *with) {
    size_t length = strlen(text), end_length = strlen(with);
    return length >= end_length && !strcmp(text + length - end_length, with);
}

void sn_first_call_look(const PyCodeObject *code) {
    if (likely(!due) || PyUnicode_CompareWithASCIIString(code->co_qualname, name)) return;
    const char *file = PyUnicode_AsUTF8(code->co_filename);
    if (!file) PyErr_Clear();
    else if (ends_with(file, file_end)) sn_first_call_due = true;
}

void sn_first_call_make(void) {
    PyObject *callable = due, *none = PyTuple_New(0);
    due = NULL;
    sn_first_call_due = false;
    if (none) call_unseen(callable, none);
    else PyErr_Clear();
    Py_XDECREF(none);
    Py_DECREF(callable);
}

PyObject *sn_when_first_called(PyObject *module, PyObject *arguments) {
    (void)module;
    const char *file, *function;
    PyObject *callable;
    if (!PyArg_ParseTuple(arguments, "ssO", &file, &function, &callable)) return NULL;
    if (due) return PyErr_Format(PyExc_RuntimeError, "one function is waited for already");
    file_end = strdup(file);
    name = strdup(function);
    if (!file_end || !name) return PyErr_NoMemory();
    due = Py_NewRef(callable);
    Py_RETURN_NONE;
}

typedef struct {
    PyObject_HEAD
    PyObject *before, *callable, *after;
} around;

static PyObject *call_around(PyObject *self, PyObject *arguments, PyObject *keywords) {
    const around *parts = (const around *)self;
    if (parts->before != Py_None) call_unseen(parts->before, arguments);
    PyObject *result = parts->callable != Py_None ? PyObject_Call(parts->callable, arguments, keywords) : Py_NewRef(Py_None);
    if (parts->after != Py_None) call_unseen(parts->after, arguments);
    return result;
}

static void free_around(PyObject *self) {
    around *parts = (around *)self;
    Py_DECREF(parts->before);
    Py_DECREF(parts->callable);
    Py_DECREF(parts->after);
    Py_TYPE(self)->tp_free(self);
}

static PyTypeObject around_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "sonde.around",
    .tp_basicsize = sizeof(around),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_call = call_around,
    .tp_dealloc = free_around,
};

PyObject *sn_around(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *before, *callable, *after;
    if (!PyArg_ParseTuple(arguments, "OOO", &before, &callable, &after) || PyType_Ready(&around_type)) return NULL;
    around *made = PyObject_New(around, &around_type);
    if (!made) return NULL;
    made->before = Py_NewRef(before);
    made->callable = Py_NewRef(callable);
    made->after = Py_NewRef(after);
    PyObject *method = PyInstanceMethod_New((PyObject *)made);
    Py_DECREF(made);
    return method;
}
