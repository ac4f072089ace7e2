/* The frame on top of a thread of another process, and the part of the stack that it is in: both at one moment, as far as that goes.
 *
 * The part is read before and after the pointer to the frame on top, by one system call, where frames that have ended stay as they
 * were: what is the same both times was there at the moment between. Each piece of such a call takes 0.4 us, and a call that
 * begins between the first part and the pointer is not in the first.
 *
 * From 3.14 on frames that end are cleared. So the part is read twice and the pointer then: a frame that was there both times and is on
 * top has not ended. That is done three times, in one call, each time with the part before: what has begun meanwhile is there
 * at the next, a microsecond later.
 */
#ifndef SONDE_STACK_TOP_H
#define SONDE_STACK_TOP_H

#include "python_stack.h"

enum { SN_MOST_PARTS = 4, SN_PAGE = 4096 };

typedef struct {
    uint64_t low, high; /* of the part: a page, and the rest of the frame on top */
    unsigned second, part_count;
    uint64_t tops[SN_MOST_PARTS]; /* behind each but the first: which frame was on top */
    uint8_t parts[SN_MOST_PARTS][2 * SN_PAGE + SN_CODE_HEAD];
} sn_stack_top;

/* Find the frame on top, and read its part twice or more: `hint->top` is that frame then. Also the words of the thread's lock. READ,
 * EMPTY, TORN: it was somewhere else each time; `*failed`: what became of reading. */
sn_stack_result sn_stack_top_read(sn_stack_top *top, const sn_memory_reader *memory, const sn_python_layout *layout,
                                  sn_stack_thread *thread, sn_stack_hint *hint, sn_read_result *failed);

/* Take the next two of these readings, and the frame that was on top then; false if there are none. */
bool sn_stack_top_next(sn_stack_top *top, const sn_python_layout *layout, sn_stack_hint *hint);

static inline const uint8_t *sn_stack_top_first(const sn_stack_top *top) { return top->parts[top->second - 1]; }
static inline const uint8_t *sn_stack_top_second(const sn_stack_top *top) { return top->parts[top->second]; }

#endif
