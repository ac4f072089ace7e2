/* SN_OBJECT: what exists when the agent begins.
 *
 * The collector knows the containers; what they hold is found as it does, by tp_traverse, and by hand where that
 * leaves out what cannot be in a cycle: the keys of dicts, the names and constants of code, what static types have.
 * Not found: what only C code holds, e.g. strings that are interned for later.
 * No reference count changes for good, no Python code runs, and what is remembered is in memory of our own.
 */
#include "agent.h"

#include "../core/requests/array_layouts.h"
#include "address_set.h"

#include "internal/pycore_dict.h"
#include "internal/pycore_gc.h"
#include "internal/pycore_interp.h"
#include "internal/pycore_object.h"

#define _PY_DATETIME_IMPL /* the structures alone */
#include <datetime.h>

#include <string.h>

typedef struct {
    sn_address_set objects, types;
} walk;

static int visit(PyObject *object, void *argument) {
    walk *w = argument;
    if (!object) return 0;
    sn_address_set_add(&w->objects, (uintptr_t)object);
    return 0;
}

#if PY_VERSION_HEX >= 0x030C0000

static int visit_tracked(PyObject *object, void *argument) {
    visit(object, argument);
    return 1; /* go on */
}

static void visit_containers(walk *w) { PyUnstable_GC_VisitObjects(visit_tracked, w); }

#else

static void visit_generation(walk *w, PyGC_Head *head) {
    for (PyGC_Head *at = _PyGCHead_NEXT(head); at != head; at = _PyGCHead_NEXT(at)) visit((PyObject *)(at + 1), w);
}

static void visit_containers(walk *w) {
    struct _gc_runtime_state *gc = &PyInterpreterState_Get()->gc;
    for (int i = 0; i < NUM_GENERATIONS; i++) visit_generation(w, &gc->generations[i].head);
    visit_generation(w, &gc->permanent_generation.head);
}

#endif

static void visit_code(walk *w, const PyCodeObject *code) {
    PyObject *const parts[] = {code->co_consts,          code->co_names,    code->co_exceptiontable,
                               code->co_localsplusnames, code->co_filename, code->co_localspluskinds,
                               code->co_name,            code->co_qualname, code->co_linetable};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) visit(parts[i], w);
#if PY_VERSION_HEX >= 0x030C0000
    const _PyCoCached *cached = code->_co_cached;
    PyObject *const kept[] = {cached ? cached->_co_code : NULL, cached ? cached->_co_varnames : NULL,
                              cached ? cached->_co_cellvars : NULL, cached ? cached->_co_freevars : NULL};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) visit(kept[i], w);
#else
    visit(code->_co_code, w);
#endif
}

static void visit_static_type(walk *w, PyTypeObject *type) {
    visit((PyObject *)type->tp_base, w);
    visit(type->tp_bases, w);
    visit(type->tp_mro, w);
#if PY_VERSION_HEX >= 0x030C0000
    if (!type->tp_dict && !(type->tp_flags & Py_TPFLAGS_READY)) return;
    PyObject *namespace = PyType_GetDict(type);
    visit(namespace, w);
    Py_XDECREF(namespace);
#else
    visit(type->tp_dict, w);
    visit(type->tp_cache, w);
#endif
}

static void visit_type(walk *w, PyTypeObject *type) {
    if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) {
        PyHeapTypeObject *heap = (PyHeapTypeObject *)type;
        visit(heap->ht_name, w);
        visit(heap->ht_qualname, w);
        visit(heap->ht_slots, w);
    } else {
        visit_static_type(w, type);
    }
#if PY_VERSION_HEX >= 0x030C0000
    if (type->tp_flags & _Py_TPFLAGS_STATIC_BUILTIN) return; /* it is no pointer */
#endif
    visit((PyObject *)type->tp_subclasses, w);
}

static bool is_descriptor(const PyTypeObject *type) {
    return type == &PyMethodDescr_Type || type == &PyMemberDescr_Type || type == &PyGetSetDescr_Type ||
           type == &PyClassMethodDescr_Type || type == &PyWrapperDescr_Type;
}

/* An array of NumPy, which the collector does not know to hold anything: whose data it shows. */
static void visit_base(walk *w, PyObject *object) {
    const PyTypeObject *type = Py_TYPE(object);
    while (type && type->tp_basicsize >= SN_NDARRAY_BYTES && strcmp(type->tp_name, "numpy.ndarray")) type = type->tp_base;
    if (type && type->tp_basicsize >= SN_NDARRAY_BYTES) visit(*(PyObject **)((char *)object + SN_NDARRAY_BASE), w);
}

static void visit_what_it_holds(walk *w, PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    if (PyObject_IS_GC(object) && type->tp_traverse) type->tp_traverse(object, visit, w);
    if (sn_is_dict(object)) {
        Py_ssize_t position = 0;
        PyObject *key;
        while (PyDict_Next(object, &position, &key, NULL)) visit(key, w);
    } else if (PyCode_Check(object)) {
        visit_code(w, (PyCodeObject *)object);
    } else if (PyType_Check(object)) {
        visit_type(w, (PyTypeObject *)object);
    } else if (PyWeakref_Check(object)) {
        PyObject *to = ((PyWeakReference *)object)->wr_object;
        visit(to == Py_None ? NULL : to, w);
    } else if (is_descriptor(type)) {
        visit(((PyDescrObject *)object)->d_name, w);
        visit(((PyDescrObject *)object)->d_qualname, w);
    } else {
        visit_base(w, object);
    }
}

static size_t text_size(PyObject *text) {
    if (!PyUnicode_IS_COMPACT(text)) return (size_t)Py_TYPE(text)->tp_basicsize;
    size_t characters = (size_t)PyUnicode_GET_LENGTH(text) + 1;
    if (PyUnicode_IS_ASCII(text)) return sizeof(PyASCIIObject) + characters;
    return sizeof(PyCompactUnicodeObject) + characters * PyUnicode_KIND(text);
}

static size_t digits(PyObject *number) {
#if PY_VERSION_HEX >= 0x030C0000
    size_t count = ((PyLongObject *)number)->long_value.lv_tag >> 3;
#else
    size_t count = (size_t)Py_ABS(Py_SIZE(number));
#endif
    return count ? count : 1;
}

/* Those without a time zone have no room for one. */
static size_t time_size(PyObject *object, size_t size) {
    const char *name = Py_TYPE(object)->tp_name;
    if (size == sizeof(PyDateTime_Time) && !strcmp(name, "datetime.time") && !((PyDateTime_Time *)object)->hastzinfo)
        return sizeof(_PyDateTime_BaseTime);
    if (size == sizeof(PyDateTime_DateTime) && !strcmp(name, "datetime.datetime") && !((PyDateTime_DateTime *)object)->hastzinfo)
        return sizeof(_PyDateTime_BaseDateTime);
    return size;
}

/* Bytes from the object's address on, as sys.getsizeof counts them, without what lies in other blocks. */
static size_t size_of(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    if (PyUnicode_Check(object)) return text_size(object);
    if (PyBool_Check(object)) return sizeof(PyLongObject); /* its type claims to have room for digits behind that */
    if (PyType_Check(object) && !PyType_HasFeature((PyTypeObject *)object, Py_TPFLAGS_HEAPTYPE))
        return sizeof(PyTypeObject);
    size_t size = time_size(object, (size_t)type->tp_basicsize);
    if (type->tp_itemsize) {
        Py_ssize_t items = PyLong_Check(object) ? (Py_ssize_t)digits(object) : Py_SIZE(object);
        size = (size_t)_PyObject_VAR_SIZE(type, items > 0 ? items : 0);
    }
#if PY_VERSION_HEX >= 0x030D0000
    if (type->tp_flags & Py_TPFLAGS_INLINE_VALUES) size += _PyInlineValuesSize(type);
#endif
    return size;
}

/* Bytes before it: the collector's, and those of what instances of classes always have. */
static size_t head_of(PyObject *object) {
    return PyObject_IS_GC(object) ? _PyType_PreHeaderSize(Py_TYPE(object)) : 0;
}

/* Those that are always there, whoever holds them: single characters and bytes, small integers. */
static void visit_singletons(walk *w) {
    for (int value = -_PY_NSMALLNEGINTS; value < _PY_NSMALLPOSINTS; value++) {
        char byte = (char)value;
        bool has_byte = value >= 0 && value < 256;
        PyObject *const made[] = {PyLong_FromLong(value), has_byte ? PyUnicode_FromOrdinal(value) : NULL,
                                  has_byte ? PyBytes_FromStringAndSize(&byte, 1) : NULL};
        for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
            visit(made[i], w);
            Py_XDECREF(made[i]);
        }
    }
}

static void tell_object(walk *w, PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    if (sn_address_set_add(&w->types, (uintptr_t)type)) {
        sn_tell_type(type);
        visit((PyObject *)type, w);
    }
    size_t head = head_of(object);
    sn_tell_buffers(object);
    sn_tell(SN_OBJECT, (uint64_t)(uintptr_t)object - head, size_of(object) + head, (uint64_t)(uintptr_t)type, 0, 0);
}

void sn_tell_objects(void) {
    walk w;
    if (!sn_address_set_create(&w.objects)) return;
    if (sn_address_set_create(&w.types)) {
        visit_containers(&w);
        visit_singletons(&w);
        for (size_t next = 0; next < w.objects.count; next++) {
            PyObject *object = (PyObject *)w.objects.list[next];
            tell_object(&w, object);
            visit_what_it_holds(&w, object);
        }
        sn_address_set_destroy(&w.types);
    }
    sn_address_set_destroy(&w.objects);
}
