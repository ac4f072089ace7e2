/* Two trees in preorder, looked at once: are they trees, where are the children, which subtrees are equal. */
#ifndef SONDE_TREE_SHAPE_H
#define SONDE_TREE_SHAPE_H

#include "tree_edits.h"

typedef struct {
    sn_tree tree;
    /* Children of node i: kids[first[i]] up to kids[first[i + 1] - 1], which is not a child but what follows the last
     * one, so that each child ends where the next one begins. */
    uint32_t *first, *kids;
    uint32_t *classes; /* of the subtree: equal for equal ones of either tree */
} sn_shape;

/* SN_BAD_INPUT as for sn_tree_edits. To be destroyed also after a failure. */
sn_status sn_shapes_create(sn_shape shapes[2], const sn_tree *left, const sn_tree *right);
void sn_shapes_destroy(sn_shape shapes[2]);

static inline uint32_t sn_child_count(const sn_shape *shape, uint32_t node) {
    return shape->first[node + 1] - shape->first[node] - 1;
}

static inline const uint32_t *sn_children(const sn_shape *shape, uint32_t node) {
    return shape->kids + shape->first[node];
}

/* Equal, or of one group. */
static inline bool sn_are_alike(const sn_tree *left, uint32_t a, const sn_tree *right, uint32_t b) {
    return left->labels[a] == right->labels[b] || (left->groups[a] >= 0 && left->groups[a] == right->groups[b]);
}

#endif
