/* SN_BUFFER: memory that objects own which were made before the allocators were hooked. */
#include "agent.h"

#include "internal/pycore_dict.h"

#include <stddef.h>

static void tell(const void *memory, size_t size) {
    if (memory && size) sn_tell(SN_BUFFER, (uint64_t)(uintptr_t)memory, size, 0, 0, 0);
}

static void tell_table(const PyDictObject *dict) {
    const PyDictKeysObject *keys = dict->ma_keys;
    size_t entries = (size_t)(keys->dk_usable + keys->dk_nentries);
    size_t entry = keys->dk_kind == DICT_KEYS_GENERAL ? sizeof(PyDictKeyEntry) : sizeof(PyDictUnicodeEntry);
    if (entries) tell(keys, sizeof *keys + ((size_t)1 << keys->dk_log2_index_bytes) + entries * entry);
}

#if PY_VERSION_HEX >= 0x030F0000
/* The data is that of an object of the type `bytes`. */
static void tell_data(const PyByteArrayObject *array) {
    PyObject *bytes = array->ob_bytes_object;
    if (PyBytes_GET_SIZE(bytes)) tell(bytes, offsetof(PyBytesObject, ob_sval) + (size_t)PyBytes_GET_SIZE(bytes) + 1);
}
#else
static void tell_data(const PyByteArrayObject *array) { tell(array->ob_bytes, (size_t)array->ob_alloc); }
#endif

void sn_tell_buffers(PyObject *object) {
    if (PyList_Check(object)) {
        const PyListObject *list = (PyListObject *)object;
        if (list->allocated > 0) tell(list->ob_item, (size_t)list->allocated * sizeof *list->ob_item);
    } else if (sn_is_dict(object)) {
        tell_table((PyDictObject *)object);
    } else if (PyAnySet_Check(object)) {
        const PySetObject *set = (PySetObject *)object;
        if (set->table != set->smalltable) tell(set->table, (size_t)(set->mask + 1) * sizeof *set->table);
    } else if (PyByteArray_Check(object)) {
        tell_data((PyByteArrayObject *)object);
    }
}
