/* SN_TYPE: the classes there are, by their full names.
 *
 * For `object.__subclasses__()` the interpreter makes a list, which is freed at once; no Python code runs.
 */
#include "agent.h"

#include "address_set.h"

#include <string.h>

enum { ROOM = 1024 }; /* bytes of a name, the NUL included; longer ones are cut */

/* Types whose dead instances are kept to be used again without the allocator: exactly these, not their subclasses.
 * In 3.11 to 3.13 the same; 3.14 and 3.15 each keep more. Small integers and single characters, which live for ever, are another thing. */
static bool is_free_listed(const PyTypeObject *type) {
    static const char *const names[] = {"async_generator_asend", "async_generator_wrapped_value"};
    if (type == &PyFloat_Type || type == &PyTuple_Type || type == &PyList_Type || type == &PyDict_Type ||
        type == &PySlice_Type || type == &PyContext_Type)
        return true;
#if PY_VERSION_HEX >= 0x030E0000
    if (type == &PyLong_Type || type == &PyListIter_Type || type == &PyTupleIter_Type ||
        type == &PyRange_Type || type == &PyRangeIter_Type || type == &PyCFunction_Type || type == &PyCMethod_Type ||
        type == &PyMethod_Type)
        return true;
#endif
#if PY_VERSION_HEX >= 0x030F0000
    if (type == &PyComplex_Type) return true;
#endif
    if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(type->tp_name, names[i])) return true;
    return false;
}

/* What the class statement wrote into the namespace. No look-up: that might call what the program wrote. */
static PyObject *module_of(PyTypeObject *type) {
    Py_ssize_t position = 0;
    PyObject *key, *value;
    if (!type->tp_dict) return NULL;
    while (PyDict_Next(type->tp_dict, &position, &key, &value))
        if (PyUnicode_CheckExact(key) && !PyUnicode_CompareWithASCIIString(key, "__module__"))
            return PyUnicode_Check(value) ? value : NULL;
    return NULL;
}

/* Append, never in the middle of a character. */
static size_t append(char *name, size_t length, const char *text) {
    size_t more = strlen(text);
    if (more > ROOM - 1 - length) {
        more = ROOM - 1 - length;
        while (more && ((unsigned char)text[more] & 0xc0) == 0x80) more--;
    }
    memcpy(name + length, text, more);
    name[length + more] = 0;
    return length + more;
}

static void append_text(char *name, PyObject *module, PyObject *qualname) {
    size_t length = 0;
    const char *text = module ? PyUnicode_AsUTF8(module) : NULL;
    if (text && strcmp(text, "builtins")) length = append(name, append(name, 0, text), ".");
    text = PyUnicode_AsUTF8(qualname);
    append(name, length, text ? text : "?");
    PyErr_Clear(); /* surrogates */
}

void sn_tell_type(PyTypeObject *type) {
    char name[ROOM];
    uint64_t flags = is_free_listed(type) ? SN_TYPE_FREE_LISTED : 0;
#if PY_VERSION_HEX >= 0x030C0000
    if (type == &PyDict_Type) flags |= SN_TYPE_RAISED; /* for those who watch dicts */
#endif
    if (type->tp_flags & Py_TPFLAGS_TYPE_SUBCLASS) flags |= SN_TYPE_OF_TYPES;
    if (type->tp_flags & Py_TPFLAGS_HEAPTYPE)
        append_text(name, module_of(type), ((PyHeapTypeObject *)type)->ht_qualname);
    else
        append(name, 0, strncmp(type->tp_name, "builtins.", 9) ? type->tp_name : type->tp_name + 9);
    sn_tell(SN_TYPE, (uint64_t)(uintptr_t)type, (uint64_t)(uintptr_t)name, flags, 0, 0);
}

void sn_tell_types(void) {
    sn_address_set types;
    if (!sn_address_set_create(&types)) return;
    sn_address_set_add(&types, (uintptr_t)&PyBaseObject_Type);
    for (size_t next = 0; next < types.count; next++) {
        PyTypeObject *type = (PyTypeObject *)types.list[next];
        sn_tell_type(type);
        PyObject *subclasses = PyObject_CallMethod((PyObject *)&PyType_Type, "__subclasses__", "O", type);
        for (Py_ssize_t i = 0; subclasses && PyList_CheckExact(subclasses) && i < PyList_GET_SIZE(subclasses); i++)
            sn_address_set_add(&types, (uintptr_t)PyList_GET_ITEM(subclasses, i));
        Py_XDECREF(subclasses);
        PyErr_Clear();
    }
    sn_address_set_destroy(&types);
}
