/* SN_PYTHON: offsets from the headers of the interpreter that the agent is built for. */
#include "agent.h"

#include "internal/pycore_code.h"
#include "internal/pycore_dict.h"
#include "internal/pycore_frame.h"
#if PY_VERSION_HEX >= 0x030E0000
#include "internal/pycore_interpframe_structs.h"
#endif
#include "internal/pycore_gc.h"

#include <stddef.h>
#include <structmember.h>

#define OWNER_SIZE sizeof(((_PyInterpreterFrame *)0)->owner)
_Static_assert(OWNER_SIZE == 1, "the tool reads one byte");
_Static_assert(sizeof(_Py_CODEUNIT) == 2, "the tool counts code units of two bytes");
_Static_assert(sizeof(Py_ssize_t) == 8 && sizeof(void *) == 8, "all that the tool reads is 64 bits");
_Static_assert(sizeof(((PyCodeObject *)0)->co_firstlineno) == 4, "the tool reads a 32-bit line");
_Static_assert(sizeof(((PyCodeObject *)0)->co_flags) == 4, "the tool reads 32 bits of flags");
_Static_assert(sizeof(((PyTypeObject *)0)->tp_flags) == 8, "the tool reads 64 bits of flags");
_Static_assert(sizeof(((PyASCIIObject *)0)->state) == 4, "the tool reads 32 bits of state");

static const struct sn_python_layout layout = {
    .version = SN_PYTHON_LAYOUT_VERSION,
    .python = PY_VERSION_HEX,
#if PY_VERSION_HEX >= 0x030D0000
    .frame_by_cframe = 0,
    .thread_frame = offsetof(PyThreadState, current_frame),
    .frame_code = offsetof(_PyInterpreterFrame, f_executable),
    .frame_instruction = offsetof(_PyInterpreterFrame, instr_ptr),
#else
    .frame_by_cframe = 1,
    .thread_frame = offsetof(PyThreadState, cframe),
    .cframe_frame = offsetof(_PyCFrame, current_frame),
    .frame_code = offsetof(_PyInterpreterFrame, f_code),
    .frame_instruction = offsetof(_PyInterpreterFrame, prev_instr),
#endif
    .thread_chunk = offsetof(PyThreadState, datastack_chunk),
    .chunk_size = offsetof(_PyStackChunk, size),
    .chunk_previous = offsetof(_PyStackChunk, previous),
    .frame_previous = offsetof(_PyInterpreterFrame, previous),
    .frame_owner = offsetof(_PyInterpreterFrame, owner),
#if PY_VERSION_HEX >= 0x030E0000
    .owner_not_python = FRAME_OWNED_BY_INTERPRETER,
#elif PY_VERSION_HEX >= 0x030C0000
    .owner_not_python = FRAME_OWNED_BY_CSTACK,
#else
    .owner_not_python = 255,
#endif
    .code_name = offsetof(PyCodeObject, co_name),
    .code_qualname = offsetof(PyCodeObject, co_qualname),
    .code_filename = offsetof(PyCodeObject, co_filename),
    .code_first_line = offsetof(PyCodeObject, co_firstlineno),
    .code_line_table = offsetof(PyCodeObject, co_linetable),
    .code_instructions = offsetof(PyCodeObject, co_code_adaptive),
    .code_flags = offsetof(PyCodeObject, co_flags),
    .text_state = offsetof(PyASCIIObject, state),
    .text_length = offsetof(PyASCIIObject, length),
    .text_hash = offsetof(PyASCIIObject, hash),
    .text_ascii = sizeof(PyASCIIObject),
    .text_compact = sizeof(PyCompactUnicodeObject),
    .bytes_length = offsetof(PyVarObject, ob_size),
    .bytes_data = offsetof(PyBytesObject, ob_sval),
    .type_name = offsetof(PyTypeObject, tp_name),
    .type_flags = offsetof(PyTypeObject, tp_flags),
    .type_basic_size = offsetof(PyTypeObject, tp_basicsize),
    .object_count = offsetof(PyObject, ob_refcnt),
    .object_type = offsetof(PyObject, ob_type),
    .sizeof_head = sizeof(PyGC_Head),
    .list_items = offsetof(PyListObject, ob_item),
    .list_allocated = offsetof(PyListObject, allocated),
    .dict_keys = offsetof(PyDictObject, ma_keys),
    .dict_values = offsetof(PyDictObject, ma_values),
    .set_table = offsetof(PySetObject, table),
#if PY_VERSION_HEX >= 0x030F0000
    .bytearray_bytes = offsetof(PyByteArrayObject, ob_bytes_object),
#else
    .bytearray_bytes = offsetof(PyByteArrayObject, ob_bytes),
#endif
    .type_item_size = offsetof(PyTypeObject, tp_itemsize),
    .type_members = offsetof(PyTypeObject, tp_members),
    .type_dict = offsetof(PyTypeObject, tp_dictoffset),
    .type_weak_references = offsetof(PyTypeObject, tp_weaklistoffset),
    .member_name = offsetof(PyMemberDef, name),
    .member_offset = offsetof(PyMemberDef, offset),
    .sizeof_member = sizeof(PyMemberDef),
    .keys_log2_index_bytes = offsetof(PyDictKeysObject, dk_log2_index_bytes),
    .keys_count = offsetof(PyDictKeysObject, dk_nentries),
    .keys_indices = offsetof(PyDictKeysObject, dk_indices),
    .sizeof_keys_entry = sizeof(PyDictUnicodeEntry),
    .type_base = offsetof(PyTypeObject, tp_base),
    .type_keys = offsetof(PyHeapTypeObject, ht_cached_keys),
#if PY_VERSION_HEX >= 0x030D0000
    .values_before = 0, /* they are inside of the instance */
    .values_inside = offsetof(PyDictValues, values),
#elif PY_VERSION_HEX >= 0x030C0000
    .values_before = 3 * sizeof(void *), /* _PyObject_DictOrValuesPointer */
    .values_mark = 1,
#else
    .values_before = 4 * sizeof(void *), /* _PyObject_ValuesPointer */
#endif
};

void sn_tell_layout(void) {
    struct sn_python_layout told = layout;
    told.code_type = (uint64_t)(uintptr_t)&PyCode_Type;
    told.type_type = (uint64_t)(uintptr_t)&PyType_Type;
    told.list_type = (uint64_t)(uintptr_t)&PyList_Type;
    told.dict_type = (uint64_t)(uintptr_t)&PyDict_Type;
    told.set_type = (uint64_t)(uintptr_t)&PySet_Type;
    told.frozenset_type = (uint64_t)(uintptr_t)&PyFrozenSet_Type;
    told.bytearray_type = (uint64_t)(uintptr_t)&PyByteArray_Type;
    told.text_type = (uint64_t)(uintptr_t)&PyUnicode_Type;
#if PY_VERSION_HEX >= 0x030F0000
    told.frozendict_type = (uint64_t)(uintptr_t)&PyFrozenDict_Type;
    told.lent_type = (uint64_t)(uintptr_t)&PyBytes_Type;
#endif
    sn_tell(SN_PYTHON, (uint64_t)(uintptr_t)&told, 0, 0, 0, 0);
}
