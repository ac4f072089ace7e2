/* Where Python is when code that was compiled in its process begins to run, and how long it ran. */
#ifndef SONDE_OUTER_CONTEXT_H
#define SONDE_OUTER_CONTEXT_H

#include "agent.h"

/* Whether room for more numbers is wanted, which takes the GIL. */
extern bool sn_outer_is_short;
void sn_outer_make_room(void);

/* A context is about to be removed. */
void sn_outer_abandon(const sn_context *context);
void sn_outer_after_fork(void);

/* The number of the context that is current on the calling thread; 0: nothing that is known runs there. If the thread has the
 * GIL, as it has when the interpreter itself calls (`is_interpreter`), also the line that it is in, and its time ends, for now.
 * Else nothing of the tree is changed. */
uint64_t sn_outer_enter(bool is_interpreter, uint32_t *line);
/* Ticks since the last event of the calling thread: the time of what was entered; 0, if it has no GIL. */
uint64_t sn_outer_leave(void);

#endif
