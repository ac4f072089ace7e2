/* What the measured process says to the instrumentation around it, by client requests of Valgrind.
 *
 * Outside Valgrind a request does nothing and answers 0. One takes about 90 ns inside, a few without.
 * docs/client-requests.md is the description for people.
 */
#ifndef SONDE_REQUESTS_H
#define SONDE_REQUESTS_H

#include <stdint.h>

/* Requests of a tool have two letters in their upper half. */
enum { SN_REQUEST_BASE = ('S' << 24) | ('N' << 16) };

enum sn_request {
    SN_WINDOW_OPEN = SN_REQUEST_BASE, /* count from here on; opening twice is opening once */
    SN_WINDOW_CLOSE,                  /* count no more */
    SN_PAUSE,                         /* what this thread does from here on is the agent's own work; nests */
    SN_RESUME,
    SN_OWN_CODE,      /* first address, first address behind: what this code does itself is never counted */
    SN_PYTHON,        /* struct sn_python_layout * */
    SN_THREAD_STATE,  /* PyThreadState *: that of the calling thread */
    SN_TYPE,          /* type object, its name (char *), enum sn_type_flag; again for a better name */
    SN_OBJECT,        /* first byte of its block, size, type object, 1 if it is dead and kept for later: it is there already */
    SN_ALLOCATE,      /* address, size, enum sn_domain, PyThreadState * or 0, return address into the allocating code or 0 */
    SN_REALLOCATE,    /* old address, new address, size, enum sn_domain, return address or 0 */
    SN_FREE,          /* address, enum sn_domain */
    SN_GC_START,      /* generation */
    SN_GC_STOP,       /* generation, objects collected, objects uncollectable */
    SN_CODE_LOAD,     /* address, size, name (char *), number in the loader's own list */
    SN_CODE_UNLOAD,   /* address */
    SN_UNDER_TOOL,    /* answers 1: there is a tool that understands all this */
    SN_BUFFER,        /* address, size: memory of an object that SN_OBJECT is about to tell of; it is there already */
    SN_COUNTS_SO_FAR, /* uint64_t[SN_COUNTS], which is filled: what the calling thread did while it was measured */
};

enum sn_count {
    SN_COUNT_INSTRUCTIONS,
    SN_COUNT_ACCESSES,
    SN_COUNT_FIRST_MISSES,
    SN_COUNT_LAST_MISSES,
    SN_COUNT_BRANCH_MISSES,
    SN_COUNTS,
};

enum sn_type_flag {
    SN_TYPE_FREE_LISTED = 1, /* the interpreter keeps dead instances and revives them without its allocator */
    SN_TYPE_OF_TYPES = 2,    /* its instances are types */
    SN_TYPE_RAISED = 4,      /* with SN_TYPE_FREE_LISTED: what takes a dead one apart counts one reference meanwhile */
};

enum sn_domain {
    SN_DOMAIN_OBJECT = 0, /* PyObject_Malloc: objects, and some blocks that are none */
    SN_DOMAIN_MEMORY = 1, /* PyMem_Malloc: what objects own */
    SN_DOMAIN_C = 2,      /* malloc */
    SN_DOMAIN_NEW = 3,    /* operator new */
};

/* Where things are in this CPython: byte offsets, and a few addresses. All fields are 64 bits. */
enum { SN_PYTHON_LAYOUT_VERSION = 4 };
struct sn_python_layout {
    uint64_t version; /* SN_PYTHON_LAYOUT_VERSION */
    uint64_t python;  /* PY_VERSION_HEX */
    /* PyThreadState; 3.11 and 3.12 reach the frame through a _PyCFrame, `thread_frame` is then the offset of `cframe`. */
    uint64_t frame_by_cframe; /* 1 or 0 */
    uint64_t thread_frame;    /* of `current_frame`, or of `cframe` */
    uint64_t cframe_frame;    /* of `current_frame` in _PyCFrame */
    uint64_t thread_chunk;    /* of `datastack_chunk` */
    uint64_t chunk_size, chunk_previous; /* in _PyStackChunk */
    /* _PyInterpreterFrame */
    uint64_t frame_code;        /* of `f_code` or `f_executable` */
    uint64_t frame_instruction; /* of `prev_instr` or `instr_ptr` */
    uint64_t frame_previous;
    uint64_t frame_owner;       /* of a char */
    uint64_t owner_not_python;  /* value of `owner` of frames that no Python function has; 255: none */
    /* PyCodeObject */
    uint64_t code_name, code_qualname, code_filename, code_first_line, code_line_table, code_instructions, code_flags;
    /* PyUnicodeObject: state bits, length, data of ASCII and of other compact strings */
    uint64_t text_state, text_length, text_hash, text_ascii, text_compact;
    /* PyBytesObject */
    uint64_t bytes_length, bytes_data;
    /* PyTypeObject */
    uint64_t type_name, type_flags, type_basic_size;
    /* PyObject */
    uint64_t object_count, object_type;
    uint64_t sizeof_head; /* PyGC_Head */
    /* Pointers to memory that objects own, and in a list, what is stored when it has another one. */
    uint64_t list_items, list_allocated, dict_keys, dict_values, set_table, bytearray_bytes;
    /* In PyTypeObject: what is where in an instance. */
    uint64_t type_item_size, type_members, type_dict, type_weak_references;
    /* PyMemberDef */
    uint64_t member_name, member_offset, sizeof_member;
    /* PyDictKeysObject with names of attributes; each entry has the name first. */
    uint64_t keys_log2_index_bytes, keys_count, keys_indices, sizeof_keys_entry;
    /* Values within an instance, behind its basic size: from there to the first one; 0: they are never there. */
    uint64_t values_inside;
    /* Before an instance, the pointer to the values of its attributes; 0: there is none. `values_mark`: it is less by 1 then. */
    uint64_t values_before, values_mark;
    uint64_t type_base, type_keys; /* in PyTypeObject and PyHeapTypeObject; of the latter, what its instances share */
    /* Addresses */
    uint64_t code_type, type_type, list_type, dict_type, set_type, frozenset_type, bytearray_type, text_type;
    uint64_t frozendict_type; /* 0: there is none */
    uint64_t lent_type; /* of the object that has the data of a bytearray; 0: its data is a block of its own */
};

#endif
