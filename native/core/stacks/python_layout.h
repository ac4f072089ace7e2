/* Where a CPython keeps its threads, frames and code objects: what another process must know to read them.
 *
 * From 3.13 on an interpreter tells it itself, at the beginning of `_PyRuntime` (_Py_DebugOffsets). For 3.11 and 3.12 it
 * is written down here, for 64-bit Linux as these are usually built; a test compares it with the headers.
 */
#ifndef SONDE_PYTHON_LAYOUT_H
#define SONDE_PYTHON_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SN_NO_HOLDER UINT32_MAX
#define SN_NO_OWNER 255u

/* Offsets in bytes, and sizes. */
typedef struct {
    uint32_t runtime_interpreters; /* in _PyRuntime: the first interpreter */
    uint32_t interpreter_next, interpreter_threads;
    uint32_t interpreter_modules; /* sys.modules */
    uint32_t dict_keys, keys_entries; /* in a dictionary; in its keys: from where on there are indices, then entries */
    uint32_t generator_frame; /* in a coroutine */
    uint32_t task_coroutine; /* in a task of asyncio; its name comes next */
    uint32_t interpreter_collecting; /* whether it collects garbage */
    /* The lock of an interpreter: in _PyRuntime, or in the interpreter a pointer to it; the other one is 0. */
    uint32_t runtime_lock, interpreter_lock;
    /* In it: who has it or had it last, whether somebody has it; from where on there is what threads wait at. */
    uint32_t lock_holder, lock_locked, lock_conditions, lock_bytes;
    uint32_t state_next, state_native_id; /* in the state of a thread */
    uint32_t state_frame;                 /* the frame on top, or what holds it */
    uint32_t held_frame;                  /* in what holds it; SN_NO_HOLDER: nothing does */
    uint32_t frame_code, frame_instruction, frame_previous, frame_owner, frame_bytes;
    uint32_t owner_c; /* from here on owners are C functions: such a frame stands for no code */
    uint32_t frame_entry; /* whether C code has called it, where no frame of an owner_c says so; else 0 */
    uint32_t code_flags, code_first_line, code_file, code_name, code_line_table, code_instructions;
    uint32_t object_type, object_size, bytes_data;
    uint32_t text_length, text_state, text_ascii, text_compact; /* the last two: where characters begin */
} sn_python_layout;

enum { SN_OFFSETS_BYTES = 8 * 73 }; /* what is read of _Py_DebugOffsets */

/* The layout of a version, as in PY_VERSION_HEX, without the interpreter's own word; false where there is none. */
bool sn_python_layout_of(uint32_t version, sn_python_layout *layout);

/* The layout that an interpreter tells at the beginning of its _PyRuntime: (SN_OFFSETS_BYTES,). False when that is none of
 * a version that is known, or makes no sense. */
bool sn_python_layout_told(const uint8_t *offsets, sn_python_layout *layout);

#endif
