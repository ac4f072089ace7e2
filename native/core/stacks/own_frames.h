/* The Python stack of the calling thread, read in a signal handler: wherever that has interrupted the interpreter.
 *
 * The thread stands still meanwhile, so that what is read once is right. But it may stand in the middle of a call or a
 * return, where the pointer to the frame on top, or that from a frame to its caller, is not written yet. So nothing is
 * followed that may lead nowhere:
 *
 *   frames in the parts of the thread's own stack of frames are read as they lie: that memory is there
 *   others (of generators, and of calls from C, which are on its C stack) are read by the system, which says if there is
 *     nothing
 *
 * and a stack is only believed if callers lie below callees in each part, and if it begins with a call from C.
 *
 * No memory is allocated, nothing is locked.
 */
#ifndef SONDE_OWN_FRAMES_H
#define SONDE_OWN_FRAMES_H

#include "memory_reader.h"
#include "python_stack.h"
#include "sample_ring.h"

/* A part of a thread's stack of frames, as CPython has it (_PyStackChunk) from 3.11 to 3.13. */
typedef struct sn_frame_part {
    struct sn_frame_part *previous;
    size_t bytes, top;
    uint8_t data[];
} sn_frame_part;

/* Where the thread is. */
typedef struct {
    uint64_t top;              /* address of the frame on top; 0: none */
    const sn_frame_part *part; /* the one in use */
    uint64_t part_top;         /* up to where that is used */
} sn_own_stack;

enum { SN_OWN_WINDOW = 2048 };

typedef struct {
    sn_ring_frame frames[SN_MOST_FRAMES]; /* innermost first */
    uint8_t window[SN_OWN_WINDOW];        /* memory elsewhere */
    uint64_t window_low, window_bytes;
} sn_own_walker;

/* `elsewhere` reads what may not be there. The result is READ, EMPTY, TORN or TOO_DEEP. */
sn_stack_result sn_own_frames(sn_own_walker *walker, const sn_memory_reader *elsewhere, const sn_python_layout *layout,
                              const sn_own_stack *stack, uint32_t *count);

#endif
