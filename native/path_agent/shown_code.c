#include "shown_code.h"

#include <stdbool.h>

#if PY_VERSION_HEX >= 0x030C0000
#define request_index PyUnstable_Eval_RequestCodeExtraIndex
#define get_extra PyUnstable_Code_GetExtra
#define set_extra PyUnstable_Code_SetExtra
#else
#define request_index _PyEval_RequestCodeExtraIndex
#define get_extra _PyCode_GetExtra
#define set_extra _PyCode_SetExtra
#endif

#define UNIT_BYTES 2u

static Py_ssize_t shown_index = -1;

static sn_shown *kept_with(PyObject *code) {
    void *of = NULL;
    return PyCode_Check(code) && !get_extra(code, shown_index, &of) ? of : NULL;
}

static void free_shown(void *object) {
    sn_shown *of = object;
    if (of->original) {
        sn_shown *theirs = kept_with(of->original);
        if (theirs) theirs->rewritten = NULL;
        Py_DECREF(of->original);
        Py_DECREF(of->origins);
    }
    PyMem_Free(of);
}

const sn_shown *sn_shown_of(PyObject *code) {
    const sn_shown *of = kept_with(code);
    return of && of->original ? of : NULL;
}

PyObject *sn_rewritten_of(PyObject *code) {
    const sn_shown *of = kept_with(code);
    return of ? of->rewritten : NULL;
}

int32_t sn_origin_of(const sn_shown *shown, long offset) {
    size_t unit = (size_t)offset / UNIT_BYTES;
    size_t units = (size_t)PyBytes_GET_SIZE(shown->origins) / sizeof(int32_t);
    return unit < units ? ((const int32_t *)PyBytes_AS_STRING(shown->origins))[unit] : (int32_t)offset;
}

/* Getters, and their types. */
enum {
    FUNCTION_CODE,
    FRAME_CODE,
    FRAME_OFFSET,
    FRAME_LINE,
#if PY_VERSION_HEX >= 0x030C0000
    GENERATOR_CODE,
    COROUTINE_CODE,
    ASYNC_GENERATOR_CODE,
#endif
    GETTERS
};

static struct {
    PyTypeObject *type;
    const char *name;
    PyGetSetDef *definition;
    getter real;
} getters[GETTERS] = {
    {&PyFunction_Type, "__code__", NULL, NULL},
    {&PyFrame_Type, "f_code", NULL, NULL},
    {&PyFrame_Type, "f_lasti", NULL, NULL},
    {&PyFrame_Type, "f_lineno", NULL, NULL},
#if PY_VERSION_HEX >= 0x030C0000
    {&PyGen_Type, "gi_code", NULL, NULL},
    {&PyCoro_Type, "cr_code", NULL, NULL},
    {&PyAsyncGen_Type, "ag_code", NULL, NULL},
#endif
};

static PyObject *code_to_show(PyObject *code) {
    const sn_shown *of = sn_shown_of(code);
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
    const sn_shown *of = sn_shown_of(code);
    if (!of || offset < 0) return offset;
    int32_t origin = sn_origin_of(of, offset);
    return origin >= 0 ? origin : origin == SN_NO_ORIGIN ? 0 : ~origin;
}

static PyObject *frame_offset(PyObject *object, void *closure) {
    PyObject *offset = getters[FRAME_OFFSET].real(object, closure);
    PyObject *code = offset ? getters[FRAME_CODE].real(object, NULL) : NULL;
    if (code) Py_SETREF(offset, PyLong_FromLong(shown_offset(code, PyLong_AsLong(offset))));
    Py_XDECREF(code);
    return offset;
}

/* Probes may have no line, but who traces single instructions takes none for one. */
static PyObject *frame_line(PyObject *object, void *closure) {
    PyObject *line = getters[FRAME_LINE].real(object, closure);
    PyObject *code = line && Py_IsNone(line) ? getters[FRAME_CODE].real(object, NULL) : NULL;
    const sn_shown *of = code ? sn_shown_of(code) : NULL;
    PyObject *offset = of ? frame_offset(object, NULL) : NULL;
    int original = offset ? PyCode_Addr2Line((PyCodeObject *)of->original, (int)PyLong_AsLong(offset)) : -1;
    if (original >= 0) Py_SETREF(line, PyLong_FromLong(original));
    Py_XDECREF(offset);
    Py_XDECREF(code);
    return line;
}

#if PY_VERSION_HEX >= 0x030C0000
static PyObject *generator_code(PyObject *object, void *closure) { return shown_code(GENERATOR_CODE, object, closure); }
static PyObject *coroutine_code(PyObject *object, void *closure) { return shown_code(COROUTINE_CODE, object, closure); }
static PyObject *async_generator_code(PyObject *object, void *closure) {
    return shown_code(ASYNC_GENERATOR_CODE, object, closure);
}

static const getter replacements[GETTERS] = {function_code,  frame_code,     frame_offset,         frame_line,
                                             generator_code, coroutine_code, async_generator_code};
#else
static const getter replacements[GETTERS] = {function_code, frame_code, frame_offset, frame_line};
#endif

static PyObject *traceback_offset(PyObject *object, void *closure) {
    (void)closure;
    const PyTracebackObject *traceback = (const PyTracebackObject *)object;
    PyObject *code = getters[FRAME_CODE].real((PyObject *)traceback->tb_frame, NULL);
    PyObject *offset = code ? PyLong_FromLong(shown_offset(code, traceback->tb_lasti)) : NULL;
    Py_XDECREF(code);
    return offset;
}

#if PY_VERSION_HEX < 0x030C0000
/* Coroutines and asynchronous generators begin like generators. */
static PyObject *generator_code(PyObject *object, void *closure) {
    (void)closure;
    return code_to_show((PyObject *)((PyGenObject *)object)->gi_code);
}
#endif

/* Members, whose places getters take. */
static struct {
    PyTypeObject *type;
    PyGetSetDef definition;
    PyObject *member; /* what was there */
} members[] = {
    {&PyTraceBack_Type, {"tb_lasti", traceback_offset, NULL, NULL, NULL}, NULL},
#if PY_VERSION_HEX < 0x030C0000
    {&PyGen_Type, {"gi_code", generator_code, NULL, NULL, NULL}, NULL},
    {&PyCoro_Type, {"cr_code", generator_code, NULL, NULL, NULL}, NULL},
    {&PyAsyncGen_Type, {"ag_code", generator_code, NULL, NULL, NULL}, NULL},
#endif
};
enum { MEMBERS = sizeof members / sizeof *members };

/* That of a type of the interpreter, which stays. Borrowed. */
static PyObject *dict_of(PyTypeObject *type) {
#if PY_VERSION_HEX >= 0x030C0000
    PyObject *dict = PyType_GetDict(type);
    Py_DECREF(dict);
    return dict;
#else
    return type->tp_dict;
#endif
}

static int replace_members(void) {
    for (int which = 0; which < MEMBERS; which++) {
        PyObject *dict = dict_of(members[which].type), *new;
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
        PyDict_SetItemString(dict_of(members[which].type), members[which].definition.name, members[which].member);
        PyType_Modified(members[which].type);
    }
}

int sn_shown_code_begin(void) {
    shown_index = request_index(free_shown);
    if (shown_index < 0) {
        PyErr_SetString(PyExc_RuntimeError, "nothing can be kept with code objects");
        return -1;
    }
    for (int which = 0; which < GETTERS; which++) {
        PyObject *found = PyDict_GetItemString(dict_of(getters[which].type), getters[which].name);
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

static bool keep_with(PyObject *code, sn_shown what) {
    sn_shown *new = PyMem_Malloc(sizeof *new);
    if (!new) return PyErr_NoMemory(), false;
    *new = what;
    if (!set_extra(code, shown_index, new)) return true;
    PyMem_Free(new);
    return false;
}

PyObject *sn_show_as(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *code, *original, *origins;
    if (!PyArg_ParseTuple(arguments, "O!O!S", &PyCode_Type, &code, &PyCode_Type, &original, &origins)) return NULL;
    if (!keep_with(original, (sn_shown){.rewritten = code})) return NULL;
    if (!keep_with(code, (sn_shown){.original = original, .origins = origins})) return NULL;
    Py_INCREF(original);
    Py_INCREF(origins);
    Py_RETURN_NONE;
}
