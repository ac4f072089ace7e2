/* How to edit one ordered tree into another, most cheaply, when only whole subtrees come and go.
 *
 * Selkow's 1-degree edit distance (Information Processing Letters 6(6), 1977), with the edits themselves. Nodes keep
 * their depth: a node is matched with one whose parents are matched, or goes with its whole subtree. The roots are
 * always matched.
 */
#ifndef SONDE_TREE_EDITS_H
#define SONDE_TREE_EDITS_H

#include "../base/cells.h"

/* Pairs of nodes that are compared at most: two trees of 10,000 nodes. */
#define SN_LARGEST_PRODUCT ((uint64_t)10000 * 10000)

/* What it costs to match the roots if they have nothing in common. Of other nodes no two such are ever matched: to
 * delete the one and insert the other costs their sizes, which are less. */
#define SN_NOTHING_ALIKE INT64_C(1000000000)

/* A tree: its nodes in preorder. */
typedef struct {
    const int32_t *sizes;  /* of the subtree, the node counted */
    const int32_t *labels; /* equal for equal nodes; 0 .. nodes of both trees - 1 */
    const int32_t *groups; /* nodes of one may be matched at a cost of 1; equal nodes are of one; the same range;
                            * negative: of none */
    size_t count;
} sn_tree;

/* The edits, in preorder: of a node of both trees, of a subtree that is deleted (`right` is -1), or of one that is
 * inserted (`left` is -1); what is in such a subtree is not listed. The caller owns the arrays. */
typedef struct {
    int32_t *left, *right; /* node numbers; room: nodes of both trees */
    size_t count;
    int64_t cost;
} sn_edits;

/* The cheapest edits. A subtree costs its size, a match of unequal nodes of a group 1. Of several that are equally
 * cheap, those that come of going through children from the last to the first and inserting where one can, else
 * deleting, else matching.
 * SN_BAD_INPUT: sizes that are those of no tree, numbers beyond their range, equal nodes of several groups, no nodes,
 * too many pairs of nodes. */
sn_status sn_tree_edits(const sn_tree *left, const sn_tree *right, sn_edits *edits);

#endif
