/* Where a CPython keeps what waiting consists of: tasks and futures of asyncio's C part, suspended coroutines, types.
 *
 * None of it is told by the interpreter, and the C part has no headers; a test compares it with what tasks of each version have.
 */
#ifndef SONDE_TASK_LAYOUT_H
#define SONDE_TASK_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

enum { SN_WORD = 8 };

/* What has not moved from 3.11 to 3.15: offsets in bytes. */
enum {
    SN_TYPE_NAME_AT = 24, SN_TYPE_SIZE_AT = 32, SN_TYPE_FLAGS_AT = 168, SN_TYPE_BASE_AT = 256, SN_TYPE_HEAD = 264,
    SN_FUTURE_CALLBACK = 24, SN_FUTURE_CALLBACKS = 40, /* the first, and a list of the others */
    SN_HOLDS_AT = 16,     /* weak references, cells, iterators of futures, steps of asynchronous generators: the one object */
    SN_BOUND_TO = 24,     /* methods, and functions written in C */
    SN_PARTIAL_ARGUMENTS = 24,
    SN_CLOSURE = 72,      /* of a function: a tuple of cells */
    SN_SIZE_AT = 16, SN_LIST_ITEMS = 24,
    SN_SET_MASK = 32, SN_SET_TABLE = 40, SN_SET_ENTRY = 16,
    SN_FRAME_STACK_SIZE = 64, /* in a frame, up to 3.13: of locals, and values on the stack of the interpreter's loop */
    SN_STATE_BEFORE_FRAME = 5, /* in a coroutine: its state, so many bytes before its frame */
};

/* How instances keep values of their attributes: where a pointer before them says; the same, with a mark; in themselves. */
typedef enum { SN_VALUES_POINTED_TO, SN_VALUES_MARKED, SN_VALUES_INSIDE } sn_values_kept;

typedef struct {
    uint32_t future_state; /* of a future, or a task: 0 as long as it is pending */
    int8_t created;        /* states of coroutines: they have not begun; they are suspended; they await something */
    int8_t suspended, awaits, executes; /* those that have ended have a greater state */
    uint8_t resumes[3];    /* where that is the same state: the instructions, one of which comes next; 0: no more */
    sn_values_kept values;
    uint8_t tuple_items;   /* where they begin */
    uint8_t awaited_depth; /* which value from the top of a stack what is awaited is: 1 is the one on top */
    bool is_stack_pointed_to; /* in a frame, behind the instruction: where its stack ends, not how much there is on it */
} sn_task_layout;

/* False: nobody has written it down for this version, as in PY_VERSION_HEX. */
bool sn_task_layout_of(uint32_t version, sn_task_layout *layout);

#endif
