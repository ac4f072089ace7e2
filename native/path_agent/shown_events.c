#include "shown_events.h"

#include "shown_code.h"

#if PY_VERSION_HEX >= 0x030C0000

#include "../cpython/frames.h"

#include <stdbool.h>
#include <stddef.h>

/* What the arguments behind the code and the offset of an event are, and which of rewritten code are of probes. */
typedef enum { PLAIN, OF_LINE, OF_WAY, OF_INSTRUCTION, OF_HANDLER, OF_RERAISE, OF_UNWINDING } event_kind;

static const struct {
    const char *name;
    event_kind kind;
} special_events[] = {
    {"LINE", OF_LINE},       {"BRANCH", OF_WAY},           {"JUMP", OF_WAY}, {"INSTRUCTION", OF_INSTRUCTION},
    {"RERAISE", OF_RERAISE}, {"EXCEPTION_HANDLED", OF_HANDLER}, {"PY_UNWIND", OF_UNWINDING},
};
enum { SPECIAL_EVENTS = sizeof special_events / sizeof *special_events };

static long bits[SPECIAL_EVENTS];

/* Stands in for a callback of the program. */
typedef struct {
    PyObject_HEAD
    vectorcallfunc call;
    PyObject *callback;
    event_kind kind;
} stand_in;

static void free_stand_in(PyObject *object) {
    Py_XDECREF(((stand_in *)object)->callback);
    PyObject_Free(object);
}

static PyTypeObject stand_in_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "sonde.monitoring_callback",
    .tp_basicsize = sizeof(stand_in),
    .tp_dealloc = free_stand_in,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_vectorcall_offset = offsetof(stand_in, call),
    .tp_call = PyVectorcall_Call,
};

/* An offset of rewritten code, as one of the original. False where it is of no instruction, and stands for none. */
static bool originally(const sn_shown *shown, PyObject *offset, PyObject **original, bool *is_probe) {
    int32_t origin = sn_origin_of(shown, PyLong_AsLong(offset));
    *is_probe = origin < 0;
    if (origin == SN_NO_ORIGIN) return false;
    *original = PyLong_FromLong(origin < 0 ? ~origin : origin);
    return *original != NULL;
}

/* Where the exception was raised that leaves by a probe: the frame has come back to that. */
static bool originally_raised(const sn_shown *shown, PyObject *code, PyObject **original) {
    const sn_frame *frame = sn_frame_top(sn_thread_state());
    if (sn_frame_executable(frame) != code) return false;
    int32_t origin = sn_origin_of(shown, (long)(sn_frame_instruction(frame, code) * sizeof(_Py_CODEUNIT)));
    *original = origin < 0 ? NULL : PyLong_FromLong(origin);
    return *original != NULL;
}

enum { CODE, OFFSET, FURTHER, MOST_ARGUMENTS = 4 };

static PyObject *call_stand_in(PyObject *object, PyObject *const *given, size_t flags, PyObject *names) {
    const stand_in *self = (const stand_in *)object;
    size_t count = (size_t)PyVectorcall_NARGS(flags);
    const sn_shown *shown = count > OFFSET && count <= MOST_ARGUMENTS ? sn_shown_of(given[CODE]) : NULL;
    if (!shown) return PyObject_Vectorcall(self->callback, given, flags, names);
    PyObject *room[1 + MOST_ARGUMENTS], **arguments = room + 1, *offset = NULL, *way = NULL, *result = NULL;
    for (size_t i = 0; i < count; i++) arguments[i] = given[i];
    arguments[CODE] = shown->original;
    bool is_probe = false, is_way_of_probe, is_shown = true;
    if (self->kind != OF_LINE) {
        is_shown = originally(shown, given[OFFSET], &offset, &is_probe) && !(is_probe && self->kind != OF_HANDLER);
        if (!is_shown && self->kind == OF_UNWINDING) is_shown = originally_raised(shown, given[CODE], &offset);
        if (offset) arguments[OFFSET] = offset;
    }
    if (is_shown && self->kind == OF_WAY && count > FURTHER) {
        is_shown = originally(shown, given[FURTHER], &way, &is_way_of_probe);
        if (way) arguments[FURTHER] = way;
    }
    if (is_shown) result = PyObject_Vectorcall(self->callback, arguments, count | PY_VECTORCALL_ARGUMENTS_OFFSET, names);
    else if (!PyErr_Occurred()) result = Py_NewRef(Py_None);
    Py_XDECREF(offset);
    Py_XDECREF(way);
    return result;
}

/* The functions of sys.monitoring whose place is taken. */
enum { REGISTER_CALLBACK, SET_LOCAL_EVENTS, FUNCTIONS };
typedef PyObject *(*fast_function)(PyObject *, PyObject *const *, Py_ssize_t);

static struct {
    const char *name;
    fast_function real;
} functions[FUNCTIONS] = {{"register_callback", NULL}, {"set_local_events", NULL}};

static PyObject *new_stand_in(PyObject *event, PyObject *callback) {
    stand_in *new = PyObject_New(stand_in, &stand_in_type);
    if (!new) return NULL;
    new->call = call_stand_in;
    new->callback = Py_NewRef(callback);
    new->kind = PLAIN;
    long bit = PyLong_Check(event) ? PyLong_AsLong(event) : 0;
    if (bit == -1) PyErr_Clear(); /* the real function says so */
    for (int i = 0; i < SPECIAL_EVENTS; i++)
        if (bits[i] && bit == bits[i]) new->kind = special_events[i].kind;
    return (PyObject *)new;
}

static PyObject *register_callback(PyObject *module, PyObject *const *given, Py_ssize_t count) {
    enum { TOOL, EVENT, CALLBACK, ARGUMENTS };
    if (count != ARGUMENTS) return functions[REGISTER_CALLBACK].real(module, given, count);
    PyObject *theirs = Py_IsNone(given[CALLBACK]) ? Py_NewRef(Py_None) : new_stand_in(given[EVENT], given[CALLBACK]);
    if (!theirs) return NULL;
    PyObject *arguments[ARGUMENTS] = {given[TOOL], given[EVENT], theirs};
    PyObject *before = functions[REGISTER_CALLBACK].real(module, arguments, count);
    Py_DECREF(theirs);
    if (before && Py_IS_TYPE(before, &stand_in_type)) Py_SETREF(before, Py_NewRef(((stand_in *)before)->callback));
    return before;
}

static PyObject *set_local_events(PyObject *module, PyObject *const *given, Py_ssize_t count) {
    enum { TOOL, OF_CODE, EVENTS, ARGUMENTS };
    PyObject *done = functions[SET_LOCAL_EVENTS].real(module, given, count);
    PyObject *rewritten = done && count == ARGUMENTS ? sn_rewritten_of(given[OF_CODE]) : NULL;
    if (!rewritten) return done;
    PyObject *arguments[ARGUMENTS] = {given[TOOL], rewritten, given[EVENTS]};
    Py_SETREF(done, functions[SET_LOCAL_EVENTS].real(module, arguments, count));
    return done;
}

static const fast_function replacements[FUNCTIONS] = {register_callback, set_local_events};

static int find_events(PyObject *module) {
    PyObject *events = PyObject_GetAttrString(module, "events");
    for (int i = 0; events && i < SPECIAL_EVENTS; i++) {
        PyObject *bit = PyObject_GetAttrString(events, special_events[i].name);
        if (bit) bits[i] = PyLong_AsLong(bit);
        Py_XDECREF(bit);
    }
    Py_XDECREF(events);
    return PyErr_Occurred() ? -1 : 0;
}

int sn_shown_events_begin(void) {
    PyObject *module = PySys_GetObject("monitoring");
    if (!module) return PyErr_SetString(PyExc_RuntimeError, "there is no sys.monitoring"), -1;
    if (PyType_Ready(&stand_in_type) || find_events(module)) return -1;
    PyMethodDef *definitions[FUNCTIONS];
    for (int i = 0; i < FUNCTIONS; i++) {
        PyObject *function = PyObject_GetAttrString(module, functions[i].name);
        if (!function) return -1;
        bool is_known = PyCFunction_CheckExact(function) && PyCFunction_GET_FLAGS(function) == METH_FASTCALL;
        definitions[i] = is_known ? ((PyCFunctionObject *)function)->m_ml : NULL;
        Py_DECREF(function);
        if (!is_known) return PyErr_Format(PyExc_RuntimeError, "sys.monitoring.%s is another", functions[i].name), -1;
    }
    for (int i = 0; i < FUNCTIONS; i++) {
        functions[i].real = (fast_function)(void (*)(void))definitions[i]->ml_meth;
        definitions[i]->ml_meth = (PyCFunction)(void (*)(void))replacements[i];
    }
    return 0;
}

#else

int sn_shown_events_begin(void) { return 0; }

#endif
