/* C functions and Python functions of one stack, in one.
 *
 * CPython runs Python functions in a loop, `_PyEval_EvalFrameDefault`: once for each call from C code, and what Python functions
 * call of each other in the same turn of it. Each such entry keeps something on the C stack (an `_PyCFrame` in 3.11, from 3.12 on a
 * frame of its own) that the Python frames lead to. So both are on one stack, and the order of addresses is that of calls:
 *
 *      C frames           stack          entries         merged
 *      memcpy             7f00                           memcpy
 *      list_sort          7f20                           list_sort
 *      the loop           7f80  7fa0 --> entry 2         key, sorts      (Python, entry 2)
 *      object_vacall      8000
 *      the loop           8010  8060 --> entry 1         main, <module>  (Python, entry 1)
 *      main               80f0
 *
 * A frame with an entry in it is the loop, whatever symbols say. What the interpreter calls on its way from one function to the
 * next says nothing of the program, and is left out; so is what is outside the outermost Python function.
 *
 * Guarantee: all Python frames are in the result, in their order; of C frames those that are neither loop nor glue and have not
 *     all Python frames below them, in their order; a C frame is below those Python frames whose entries are above it in memory, if
 *     entries are known: then and if they grow from each to its caller.
 * Else loops stand for entries, in their order.
 */
#ifndef SONDE_MERGED_STACK_H
#define SONDE_MERGED_STACK_H

#include "../stacks/stack_tree.h"

typedef enum {
    SN_FRAME_FUNCTION,
    SN_FRAME_LOOP, /* the interpreter's */
    SN_FRAME_GLUE, /* of the interpreter, between functions */
} sn_frame_role;

/* A C frame: the stack from `stack` up to that of its caller is its own. */
typedef struct {
    uint64_t stack;
    sn_seen_frame seen;
    sn_frame_role role;
} sn_c_frame;

/* Of the Python functions, outermost first: `entry` is the number of the call from C, in `entries`. */
typedef struct {
    sn_seen_frame seen;
    uint32_t entry;
} sn_python_frame;

typedef struct {
    const sn_c_frame *c; /* innermost first */
    uint32_t c_count;
    bool is_cut; /* the last one has callers that are not known */
    const sn_python_frame *python;
    uint32_t python_count;
    const uint64_t *entries; /* outermost first: addresses on the C stack, 0: not known */
    uint32_t entry_count;
} sn_two_stacks;

/* Write the merged stack, outermost first: (c_count + python_count,) of room. Returns how many frames it has. */
uint32_t sn_merge_stacks(const sn_two_stacks *stacks, sn_seen_frame *merged);

#endif
