#include "shown_code.h"

#if PY_VERSION_HEX < 0x030C0000

#include <stdbool.h>

typedef struct {
    PyObject *original;
    PyObject *origins; /* bytes */
} shown;

static Py_ssize_t shown_index = -1;

static void free_shown(void *object) {
    shown *of = object;
    Py_DECREF(of->original);
    Py_DECREF(of->origins);
    PyMem_Free(of);
}

static const shown *shown_of(PyObject *code) {
    void *of = NULL;
    return PyCode_Check(code) && !_PyCode_GetExtra(code, shown_index, &of) ? of : NULL;
}

/* Getters, and their types. */
enum { FUNCTION_CODE, FRAME_CODE, FRAME_OFFSET, GETTERS };

static struct {
    PyTypeObject *type;
    const char *name;
    PyGetSetDef *definition;
    getter real;
} getters[GETTERS] = {
    {&PyFunction_Type, "__code__", NULL, NULL},
    {&PyFrame_Type, "f_code", NULL, NULL},
    {&PyFrame_Type, "f_lasti", NULL, NULL},
};

static PyObject *code_to_show(PyObject *code) {
    const shown *of = shown_of(code);
    return Py_NewRef(of ? of->original : code);
}

static PyObject *shown_code(int which, PyObject *object, void *closure) {
    PyObject *code = getters[which].real(object, closure);
    if (code) Py_SETREF(code, code_to_show(code));
    return code;
}

static PyObject *function_code(PyObject *object, void *closure) { return shown_code(FUNCTION_CODE, object, closure); }
static PyObject *frame_code(PyObject *object, void *closure) { return shown_code(FRAME_CODE, object, closure); }

static long shown_offset(PyObject *code, long offset) {
    const shown *of = shown_of(code);
    if (!of || offset < 0) return offset;
    size_t unit = (size_t)offset / 2, units = (size_t)PyBytes_GET_SIZE(of->origins) / sizeof(int32_t);
    return unit < units ? ((const int32_t *)PyBytes_AS_STRING(of->origins))[unit] : offset;
}

static PyObject *frame_offset(PyObject *object, void *closure) {
    PyObject *offset = getters[FRAME_OFFSET].real(object, closure);
    PyObject *code = offset ? getters[FRAME_CODE].real(object, NULL) : NULL;
    if (code) Py_SETREF(offset, PyLong_FromLong(shown_offset(code, PyLong_AsLong(offset))));
    Py_XDECREF(code);
    return offset;
}

static const getter replacements[GETTERS] = {function_code, frame_code, frame_offset};

static PyObject *traceback_offset(PyObject *object, void *closure) {
    (void)closure;
    const PyTracebackObject *traceback = (const PyTracebackObject *)object;
    PyObject *code = getters[FRAME_CODE].real((PyObject *)traceback->tb_frame, NULL);
    PyObject *offset = code ? PyLong_FromLong(shown_offset(code, traceback->tb_lasti)) : NULL;
    Py_XDECREF(code);
    return offset;
}

/* Coroutines and asynchronous generators begin like generators. */
static PyObject *generator_code(PyObject *object, void *closure) {
    (void)closure;
    return code_to_show((PyObject *)((PyGenObject *)object)->gi_code);
}

/* Members, whose places getters take. */
enum { MEMBERS = 4 };

static struct {
    PyTypeObject *type;
    PyGetSetDef definition;
    PyObject *member; /* what was there */
} members[MEMBERS] = {
    {&PyTraceBack_Type, {"tb_lasti", traceback_offset, NULL, NULL, NULL}, NULL},
    {&PyGen_Type, {"gi_code", generator_code, NULL, NULL, NULL}, NULL},
    {&PyCoro_Type, {"cr_code", generator_code, NULL, NULL, NULL}, NULL},
    {&PyAsyncGen_Type, {"ag_code", generator_code, NULL, NULL, NULL}, NULL},
};

static int replace_members(void) {
    for (int which = 0; which < MEMBERS; which++) {
        PyObject *dict = members[which].type->tp_dict, *new;
        PyObject *member = PyDict_GetItemString(dict, members[which].definition.name);
        if (!member) return PyErr_Format(PyExc_RuntimeError, "no member %s", members[which].definition.name), -1;
        new = PyDescr_NewGetSet(members[which].type, &members[which].definition);
        if (!new) return -1;
        members[which].member = Py_NewRef(member);
        int failed = PyDict_SetItemString(dict, members[which].definition.name, new);
        Py_DECREF(new);
        PyType_Modified(members[which].type);
        if (failed) return -1;
    }
    return 0;
}

static void put_back(void) {
    for (int which = 0; which < GETTERS; which++)
        if (getters[which].definition) getters[which].definition->get = getters[which].real;
    for (int which = 0; which < MEMBERS; which++) {
        if (!members[which].member) continue;
        PyDict_SetItemString(members[which].type->tp_dict, members[which].definition.name, members[which].member);
        PyType_Modified(members[which].type);
    }
}

int sn_shown_code_begin(void) {
    shown_index = _PyEval_RequestCodeExtraIndex(free_shown);
    if (shown_index < 0) {
        PyErr_SetString(PyExc_RuntimeError, "nothing can be kept with code objects");
        return -1;
    }
    for (int which = 0; which < GETTERS; which++) {
        PyObject *found = PyDict_GetItemString(getters[which].type->tp_dict, getters[which].name);
        if (!found || !Py_IS_TYPE(found, &PyGetSetDescr_Type)) {
            PyErr_Format(PyExc_RuntimeError, "%s has no getter %s", getters[which].type->tp_name, getters[which].name);
            put_back();
            return -1;
        }
        getters[which].definition = ((PyGetSetDescrObject *)found)->d_getset;
        getters[which].real = getters[which].definition->get;
        getters[which].definition->get = replacements[which];
    }
    if (!replace_members()) return 0;
    put_back();
    return -1;
}

PyObject *sn_show_as(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *code, *original, *origins;
    if (!PyArg_ParseTuple(arguments, "O!O!S", &PyCode_Type, &code, &PyCode_Type, &original, &origins)) return NULL;
    shown *new = PyMem_Malloc(sizeof *new);
    if (!new) return PyErr_NoMemory();
    *new = (shown){Py_NewRef(original), Py_NewRef(origins)};
    if (_PyCode_SetExtra(code, shown_index, new)) {
        free_shown(new);
        return NULL;
    }
    Py_RETURN_NONE;
}

#endif
