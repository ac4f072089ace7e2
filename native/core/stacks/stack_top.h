/* The frame on top of a thread of another process, and the part of the stack that it is in.
 *
 * One system call reads the pointer to the frame on top, the part, the pointer again, and the part again. Each piece of such a call takes
 * 0.3 to 0.9 us, so that calls begin and end between them. The first pointer decides which frame is on top: it is read before
 * anything else, as reading disturbs. If the two processors share no caches, what was read is taken from the
 * program's, and the next call, which writes there, waits until it has that back; meanwhile its caller is on top.
 *
 * The frames of coroutines lie alone, and have no callers any more when they are suspended; a system call for each comes late. So those
 * that were on a stack of late are read between both readings of the part.
 *
 * What runs in the frame is told by the part, which is read next; the other two readings tell whether that is certain: what is the same
 * in both parts, and was on the stack between them. Up to 3.13, a frame that has ended stays as it was until another one comes
 * there. From 3.14 on it has no code any more, but still the instruction that it ran last.
 */
#ifndef SONDE_STACK_TOP_H
#define SONDE_STACK_TOP_H

#include "python_stack.h"

enum { SN_PAGE = 4096 };

/* The frame on top: of each holder that is known, and who the holder is. Without holders, tops[0] is it. */
typedef struct {
    uint64_t holder, tops[SN_HOLDERS];
} sn_seen_top;

/* What is read of a thread whose state is at `state`, for that; returns how many pieces that are, at most 1 + SN_HOLDERS. */
unsigned sn_seen_top_pieces(const sn_python_layout *layout, uint64_t state, const sn_stack_hint *hint, sn_seen_top *to, sn_piece *pieces);

/* The frame on top, once they were read; 0: there is none, or its holder is not among those of the hint. */
uint64_t sn_seen_top_frame(const sn_python_layout *layout, const sn_stack_hint *hint, const sn_seen_top *seen);

typedef struct {
    uint64_t low, high; /* of the part: a page, and the rest of the frame on top */
    uint64_t later;     /* the frame on top between both readings of the part; 0: it is not known */
    uint8_t parts[2][2 * SN_PAGE + SN_CODE_HEAD];
    uint64_t lone[SN_LONE_FRAMES]; /* where these are; 0: no more */
    uint8_t lone_frames[SN_LONE_FRAMES][SN_CODE_HEAD];
} sn_stack_top;

/* Find the frame on top, and read its part twice: `hint->top` is that frame then. Also the words of the thread's lock. READ,
 * EMPTY, TORN: it was somewhere else each time; `*failed`: what became of reading. */
sn_stack_result sn_stack_top_read(sn_stack_top *top, const sn_memory_reader *memory, const sn_python_layout *layout,
                                  sn_stack_thread *thread, sn_stack_hint *hint, sn_read_result *failed);

#endif
