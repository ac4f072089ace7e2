/* The k-iteration path forest: how often each sequence of up to k path ids was taken.
 *
 * A node of it stands for all nodes of the slab forest (slab_forest.h) to which its ids lead from anywhere: level by
 * level, their children are sorted by id, and each run of equal ids is a child. So rows come out depth first, without a
 * search, and the same for the same counts.
 *
 * Source: D'Elia, thesis, 3.2.3, Algorithms 5 and 6.
 * Differs: subtrees are joined all at once, not one after the other.
 * Guarantee: a row for each sequence of up to k ids that was taken at least `least` times, with its true number.
 * Cost: O(k n) for n nodes of the slab forest, since ids are sorted by their digits; 32 bytes for each node that is
 * being joined, 24 for each row.
 */
#ifndef SONDE_PATH_FOREST_H
#define SONDE_PATH_FOREST_H

#include "slab_forest.h"

/* Columns, a row each. Routines have parent -1: the number of the routine as id, its activations as count. */
typedef struct {
    int64_t *parent; /* stands before its children */
    uint64_t *id;
    uint64_t *count;
    size_t rows, room;
} sn_path_rows;

/* Make the rows of a forest, routines and ids ascending, of sequences taken at least `least` times; all routines are
 * there. SN_NO_SPACE when there are more than `most` rows, SN_NO_MEMORY. `rows` is to be freed in any case. */
sn_status sn_path_rows_make(const sn_slab_forest *forest, uint64_t least, size_t most, sn_path_rows *rows);
void sn_path_rows_free(sn_path_rows *rows);

#endif
