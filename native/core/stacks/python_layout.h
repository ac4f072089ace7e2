/* Where a CPython keeps its threads, frames and code objects: what another process must know to read them.
 *
 * From 3.13 on an interpreter tells it itself: debug_offsets.h. For 3.11 and 3.12 it is written down here, for 64-bit Linux
 * as these are usually built; a test compares it with the headers.
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
    /* In a task of asyncio its coroutine, behind which its name comes; in the state of a thread the task that it runs, 0 where
     * the module keeps that itself. Both 0 until asyncio_offsets.h has told them, where it does. */
    uint32_t task_coroutine, state_task;
    /* Where tasks are in lists: in a task where it is linked, in the state of a thread and in an interpreter the lists. Else 0. */
    uint32_t task_node, state_tasks, interpreter_tasks;
    uint32_t interpreter_collecting; /* whether it collects garbage */
    /* The lock of an interpreter: in _PyRuntime, or in the interpreter a pointer to it; the other one is 0. */
    uint32_t runtime_lock, interpreter_lock;
    /* In it: who has it or had it last, whether somebody has it; from where on there is what threads wait at. */
    uint32_t lock_holder, lock_locked, lock_conditions, lock_bytes;
    uint32_t state_next, state_native_id, state_interpreter; /* in the state of a thread */
    uint32_t state_frame;                 /* the frame on top, or what holds it */
    uint32_t held_frame;                  /* in what holds it; SN_NO_HOLDER: nothing does */
    uint32_t frame_code, frame_instruction, frame_previous, frame_owner, frame_bytes;
    uint32_t frame_tags; /* bits of frame_code that are no part of the address: from 3.14 on it is a tagged reference */
    /* Without a global lock threads may run copies of a code object's instructions: in a frame, the number of the copy; in a
     * code object, where there is a list of them. Both 0 where there are none. */
    uint32_t frame_copy, code_copies;
    bool clears_frames; /* a frame that ends has no code any more, from 3.14 on; before, its memory stays as it was */
    uint32_t owner_c; /* from here on owners are C functions: such a frame stands for no code */
    uint32_t frame_entry; /* whether C code has called it, where no frame of an owner_c says so; else 0 */
    uint32_t code_flags, code_first_line, code_file, code_name, code_line_table, code_instructions;
    uint32_t object_type, object_size, bytes_data;
    uint32_t type_name; /* in a type; 0: it is not told */
    uint32_t text_length, text_state, text_ascii, text_compact; /* the last two: where characters begin */
    uint32_t text_shift; /* bits of a text's state that come before what they are elsewhere */
    bool is_free_threaded; /* a build without a global lock */
} sn_python_layout;

/* The layout of a version, as in PY_VERSION_HEX, without the interpreter's own word; false where there is none. */
bool sn_python_layout_of(uint32_t version, sn_python_layout *layout);

#endif
