/* The frame on top of a thread of another process, and the part of the stack that it is in: both at one moment, as far as that goes.
 *
 * One system call reads the part, the pointer to the frame on top, and the part again. Each piece of such a call takes 0.4 us, so
 * that calls begin and end between them. The pointer is read once: which frame is on top is decided by it alone. Two readings of the
 * part that agree then tell what runs in that frame. Were it read again whenever the two nearest do not agree, callers would
 * get the time of short calls: a caller on top always agrees with itself, a call only while it lasts.
 *
 * Up to 3.13 frames that have ended stay as they were, and a caller may have gone on since: so one of the two is read before the
 * pointer, the other one after it. When a stack is read again, it is read three times after it.
 *
 * From 3.14 on frames that end are cleared: what has code is being run. So any two readings tell, and the part is read twice
 * before the pointer, and twice after it: a call that returns, and is made again, agrees with itself, too.
 */
#ifndef SONDE_STACK_TOP_H
#define SONDE_STACK_TOP_H

#include "python_stack.h"

enum { SN_MOST_PARTS = 4, SN_PAGE = 4096 };

typedef struct {
    uint64_t low, high; /* of the part: a page, and the rest of the frame on top */
    unsigned taken, other, part_count; /* which reading is taken, and with which it is compared */
    uint8_t parts[SN_MOST_PARTS][2 * SN_PAGE + SN_CODE_HEAD];
} sn_stack_top;

/* Find the frame on top, and read its part twice or more: `hint->top` is that frame then. Also the words of the thread's lock. READ,
 * EMPTY, TORN: it was somewhere else each time; `*failed`: what became of reading. `is_again`: not for the first time. */
sn_stack_result sn_stack_top_read(sn_stack_top *top, const sn_memory_reader *memory, const sn_python_layout *layout,
                                  sn_stack_thread *thread, sn_stack_hint *hint, bool is_again, sn_read_result *failed);

static inline const uint8_t *sn_stack_top_taken(const sn_stack_top *top) { return top->parts[top->taken]; }
static inline const uint8_t *sn_stack_top_other(const sn_stack_top *top) { return top->parts[top->other]; }

#endif
