/* The cheapest edits of one list of leaves into another, 64 cells of the table at a time. */
#ifndef SONDE_LEAF_EDITS_H
#define SONDE_LEAF_EDITS_H

#include "tree_shape.h"

/* Where, in the table of all pairs of beginnings, the last step of a cheapest way may be to insert, or to delete. */
typedef struct {
    uint64_t *insert, *remove; /* column after column, the first left out; bit i - 1 of a column: row i */
    size_t words;              /* of each column */
} sn_leaf_table;

/* Edit the leaves `a` up to `a + rows` of one tree into `b` up to `b + columns` of the other; both not 0.
 * `table`: filled if there is one, else NULL; then to be destroyed, also after a failure. */
sn_status sn_leaf_edits(const sn_tree *left, uint32_t a, uint32_t rows, const sn_tree *right, uint32_t b,
                        uint32_t columns, int32_t *cost, sn_leaf_table *table);
void sn_leaf_table_destroy(sn_leaf_table *table);

static inline bool sn_is_marked(const uint64_t *marks, size_t words, uint32_t row, uint32_t column) {
    return marks[(size_t)(column - 1) * words + (row - 1) / 64] >> ((row - 1) % 64) & 1;
}

#endif
