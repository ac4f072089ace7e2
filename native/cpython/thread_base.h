/* Threads kept apart: below the root of the tree is a context for each, below which is all that the thread runs. */
#ifndef SONDE_THREAD_BASE_H
#define SONDE_THREAD_BASE_H

#include "agent.h"

/* A base (core/contexts/hot_tree.h) for a thread that has none, whose outermost frame is `outermost`, or is not known; NULL
 * when there is no room. Of many threads, the later ones have one base. */
sn_context *sn_thread_base(const sn_frame *outermost);
/* How long the calling thread ran is known: it ends. Without the GIL. */
void sn_thread_base_end(void);
/* The same of all that live. */
void sn_thread_bases_up_to_now(void);
/* Only the forking thread lives, and begins anew. */
void sn_thread_bases_after_fork(void);

#endif
