/* Making room in a slab forest that is full, by removing what was taken rarely.
 *
 * A node stands for the ids that lead to it, and each time that it counts is one time for all sequences of up to k ids
 * that these end with. When a node is removed, its count goes to the node of the upper slab that stands for the longest
 * end of its ids: all sequences that are not longer keep these times, and the longer ones lose them. What a node was given
 * so is written down: a sequence lacks at most what the nodes for its own ends were given. Nodes right below a routine
 * stay, and are made where there are none, so that single paths lose nothing.
 *
 * Activations that are under way keep numbers of nodes. One of them, which is being counted, keeps its nodes; others are
 * cut: what they do next is counted as if they began again.
 *
 * Source: D'Elia, thesis, names pruning of branches as future work, and no algorithm. Links are the failure function of Aho and
 * Corasick's automaton.
 * Guarantee: counted <= true <= counted + floor + (n - 1) cuts + n dropped, for each sequence of n ids; n = 1: counted =
 * true, if nothing was dropped.
 * Guarantee: no sequence is counted more often than one that it begins or ends with.
 * Cost: O(k n) expected for n nodes, of which each time at least a sixteenth becomes free; 25 bytes for each node while it
 * lasts, and 8 from the first time on.
 */
#ifndef SONDE_SLAB_PRUNING_H
#define SONDE_SLAB_PRUNING_H

#include "slab_forest.h"

/* Remove nodes of a forest that has no room, but not those of an activation (NULL: there is none). Where hardly any can be
 * removed, or there is no memory for it, it is not to be tried again: the forest prunes no more. */
void sn_slab_prune(sn_slab_forest *forest, const sn_slab_activation *keep);

#endif
