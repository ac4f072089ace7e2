/* In which context a thread of an agent is, read from another process at one moment.
 *
 * An agent that sees calls begin and end shows it in the thread's cursor. One that only sees them begin shows the frames of
 * the contexts that were entered (shown_stack.h), of which the innermost may have ended: then the frame on top of the
 * interpreter's own stack is read, which is one of them as a rule, else has been called by one of them.
 *
 *   the frame on top                     process_vm_readv
 *   its context                          the shown stack, in the spool that is mapped here
 *   its code, and the frame on top again, process_vm_readv
 *
 * A frame may have the address of one that has ended, and not be shown yet. It is shown after some 50 ns, sooner than a
 * reading is over: so the stack is looked at after the frame on top was read. What takes longer, as the first call of a
 * function, shows in another function's code, with nothing changed from one reading to the next: then the caller is it.
 * Nothing else is read twice, and no reading that finds a context is thrown away: what calls most would be, where functions
 * are shorter than a reading. One that finds none is tried again.
 *
 * Guarantee: a context that is found was on top of what the agent showed within the readings, some 2 us, or called what was.
 *     Of frames that the agent does not know (what a greenlet was switched to, before its next call) there is none.
 * Cost: 0.5 us; of shown stacks 1.5 us, and O(depth) where the frame on top is not one of the last.
 */
#ifndef SONDE_CURRENT_CONTEXT_H
#define SONDE_CURRENT_CONTEXT_H

#include "../contexts/watched_spool.h"
#include "../lines/frame_layout.h"

typedef enum {
    SN_CONTEXT_FOUND = 0,
    SN_CONTEXT_NONE,      /* nothing runs that is counted */
    SN_CONTEXT_UNKNOWN,   /* frames that the agent does not know */
    SN_CONTEXT_OVER,      /* the process has ended, or is another program */
    SN_CONTEXT_FORBIDDEN, /* the system does not let us read its memory */
} sn_context_result;

/* Where things were found the last time; all zero at first. */
typedef struct {
    uint64_t holder;
    uint32_t index;
} sn_context_hint;

/* `cursor`: its cell. `*context`: an address of the agent's process, of a cell that is a context. */
sn_context_result sn_current_context(sn_watched_spool *spool, const sn_frame_layout *layout, uint32_t cursor,
                                     sn_context_hint *hint, uint64_t *context);

#endif
