/* What matching the children of one node with those of another costs, as far as it is known, by their classes.
 *
 * The children of a wide node are often of few classes: then a cell of the table finds here, at once, what it would
 * have to look up by hash. */
#ifndef SONDE_PAIR_COSTS_H
#define SONDE_PAIR_COSTS_H

#include "tree_shape.h"

/* Of a cost: it is not less than that. */
#define SN_COST_IS_BOUND ((uint32_t)1 << 31)

typedef struct {
    uint32_t *numbers;         /* of a class, from 1 on, while they are given; else 0 */
    uint32_t *rows, *columns;  /* number of each child's class, from 0 on */
    uint32_t *costs;           /* of a row's class and a column's; NULL: none are kept */
    size_t width;
} sn_pair_costs;

/* Room for the children of any node. SN_NO_MEMORY: to be destroyed all the same. */
sn_status sn_pair_costs_create(sn_pair_costs *pairs, size_t left_nodes, size_t right_nodes);
void sn_pair_costs_destroy(sn_pair_costs *pairs);

/* Begin anew, for these children: nothing is known of any pair. Keeps nothing where that is not worth it, or memory
 * runs out. */
void sn_pair_costs_begin(sn_pair_costs *pairs, const sn_shape *left, const uint32_t *of_a, uint32_t rows,
                         const sn_shape *right, const uint32_t *of_b, uint32_t columns);

#endif
