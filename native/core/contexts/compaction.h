/* Making room in a hot tree: the lightest contexts are pruned, many at once.
 *
 * Contexts are added until the tree has so many nodes; then those are pruned whose upper bounds are at most three quarters of
 * total / counters, unless something below them stays or they run. When that leaves too many, the tree may have twice as many
 * nodes, up to its limit; so it may at once where fewer than four calls a node were made since the last compaction, as most of
 * what is pruned then is made again soon (up to six nodes a counter); at the limit those stay that are among the heaviest, four
 * times as many as counters. So memory follows the program: where few contexts hold most of the weight, few nodes are kept, and
 * they stay in the cache.
 *
 *   floor <= total / counters, if the limit is six times the counters or more, and callers do not fill it
 *
 * One way to prune may raise the floor to three quarters of that, the other by a quarter, all in all
 * (docs/notes/weighted-space-saving.md).
 *
 * Cost: O(nodes) for a compaction, after which at least a quarter of the nodes are free, or a sixteenth at
 *     the limit: O(1) amortised for each context made, nothing for those that are in the tree.
 * Source: Misra, Gries, 1982, whose counters are the upper bounds less the floor; Manku, Motwani, VLDB 2002,
 *     who prune what is light so far.
 * Differs: weights, a tree, a limit; nothing is subtracted, the floor rises instead.
 */
#ifndef SONDE_COMPACTION_H
#define SONDE_COMPACTION_H

#include "hot_contexts.h"

/* Prune until there is room for another node. False: what runs takes all the nodes, or memory is short. */
bool sn_hot_compact(sn_hot_tree *hot);

#endif
