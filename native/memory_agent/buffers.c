/* SN_BUFFER: memory that objects own which were made before the allocators were hooked. */
#include "agent.h"

#include "internal/pycore_dict.h"

static void tell(const void *memory, size_t size) {
    if (memory && size) sn_tell(SN_BUFFER, (uint64_t)(uintptr_t)memory, size, 0, 0, 0);
}

static void tell_table(const PyDictObject *dict) {
    const PyDictKeysObject *keys = dict->ma_keys;
    size_t entries = (size_t)(keys->dk_usable + keys->dk_nentries);
    size_t entry = keys->dk_kind == DICT_KEYS_GENERAL ? sizeof(PyDictKeyEntry) : sizeof(PyDictUnicodeEntry);
    if (entries) tell(keys, sizeof *keys + ((size_t)1 << keys->dk_log2_index_bytes) + entries * entry);
}

void sn_tell_buffers(PyObject *object) {
    if (PyList_Check(object)) {
        const PyListObject *list = (PyListObject *)object;
        if (list->allocated > 0) tell(list->ob_item, (size_t)list->allocated * sizeof *list->ob_item);
    } else if (PyDict_Check(object)) {
        tell_table((PyDictObject *)object);
    } else if (PyAnySet_Check(object)) {
        const PySetObject *set = (PySetObject *)object;
        if (set->table != set->smalltable) tell(set->table, (size_t)(set->mask + 1) * sizeof *set->table);
    } else if (PyByteArray_Check(object)) {
        const PyByteArrayObject *array = (PyByteArrayObject *)object;
        tell(array->ob_bytes, (size_t)array->ob_alloc);
    }
}
