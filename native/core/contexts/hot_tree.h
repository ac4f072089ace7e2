/* The hot calling context tree: the contexts with the most calls, or the most time, and their callers.
 *
 *   value  <=  true  <=  value + error     for every context in the tree
 *              true  <=  floor             for every other one
 *   floor  <=  total / counters            if `nodes_limit` is large enough (compaction.h)
 *
 * where `value` is what was counted since the context was made, and `floor` is the largest upper
 * bound of all that were given up. The proofs are in docs/notes/weighted-space-saving.md.
 *
 *   compaction     contexts are added, and now and then the lightest are pruned, many at once
 *                  (compaction.h)
 *   space-saving   by calls only: at most `counters` contexts are monitored; when one more is to be,
 *                  the one with the least upper bound makes way for it (victim_queue.h). A context that is
 *                  not monitored is cold; it stays as long as something below it is in the tree or it is
 *                  running, and is then pruned. It is what the document describes, and slower.
 *   exact          everything is kept
 *
 * What a pruned context has counted goes to its caller, as counted below it.
 *
 * Threads are kept apart by contexts below the root that stand for them, bases (SN_BASE): a thread's cursor is never
 * above its base. They count nothing, whatever their own fields say, and stay in the tree; a context is then known by
 * its thread besides, and the bounds are those of such contexts.
 *
 * Cost: O(1) amortised for each event.
 * Source: D'Elia, PhD thesis, section 3.1.3, Algorithm 1; Metwally, Agrawal, El Abbadi, ICDT 2005.
 * Differs: weights; contexts keep what they counted apart from what they may have missed; what is
 * pruned goes to the caller, so that inclusive values are conserved; a limit on the nodes.
 */
#ifndef SONDE_HOT_TREE_H
#define SONDE_HOT_TREE_H

#include "hot_contexts.h"

/* SN_NO_MEMORY when there is no room for the root. `sided` is implied by any plan but an exact one. */
sn_status sn_hot_create(sn_hot_tree *hot, sn_cells *cells, const sn_hot_plan *plan, bool sided);
void sn_hot_free(sn_hot_tree *hot); /* the cells stay */

/* A cursor at the root, or NULL when there is no room. Behind it are `further` cells of its owner's, zeros, which readers
 * take for free. */
sn_cursor *sn_hot_cursor(sn_hot_tree *hot, uint64_t further);

/* A new child of `parent`, which is current on some thread, for an activation that begins (`called`)
 * or was found running; of the root, with the line SN_BASE, a base. NULL when there is no room. */
sn_context *sn_hot_add(sn_hot_tree *hot, sn_context *parent, uint64_t key, uint32_t line, uint32_t function, bool called);

/* A cold child that is about to be called. */
void sn_hot_call_cold(sn_hot_tree *hot, sn_context *context);

/* Leave everything that runs on a thread, but for its base; no time is credited. */
void sn_hot_lose(sn_hot_tree *hot, sn_cursor *cursor);

/* Make the tree fit again into its counters and nodes, after contexts were added from elsewhere. */
void sn_hot_shrink(sn_hot_tree *hot);

/* Space-saving: begin to monitor a context whose bounds are right already; false when memory is short. */
bool sn_hot_monitor(sn_hot_tree *hot, sn_context *context);

/* A burst has ended: note for every context what it brought. */
void sn_hot_end_burst(sn_hot_tree *hot);

/* Time up to `now` belongs to what runs. */
static inline void sn_hot_credit(sn_cursor *cursor, uint64_t now) {
    cursor->current->ticks += now - cursor->now; /* the own ticks of root and bases mean nothing and are not read */
    cursor->now = now;
}

/* The same when what is seen stands for more: its time counts `weight` times. */
static inline void sn_hot_credit_weighted(sn_cursor *cursor, uint64_t now, uint32_t weight) {
    cursor->current->ticks += weight * (now - cursor->now);
    cursor->now = now;
}

#endif
