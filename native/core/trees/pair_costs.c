#include "pair_costs.h"

#include <stdlib.h>

/* Pairs of children for each pair of classes, at least. */
#define WORTH 4u
/* Pairs of classes, at most: 4 MiB. */
#define MOST_PAIRS ((size_t)1 << 20)

sn_status sn_pair_costs_create(sn_pair_costs *pairs, size_t left_nodes, size_t right_nodes) {
    pairs->numbers = calloc(left_nodes + right_nodes, sizeof *pairs->numbers);
    pairs->rows = malloc(left_nodes * sizeof *pairs->rows);
    pairs->columns = malloc(right_nodes * sizeof *pairs->columns);
    return pairs->numbers && pairs->rows && pairs->columns ? SN_OK : SN_NO_MEMORY;
}

void sn_pair_costs_destroy(sn_pair_costs *pairs) {
    free(pairs->numbers);
    free(pairs->rows);
    free(pairs->columns);
    free(pairs->costs);
}

/* How many classes there are. */
static size_t number(uint32_t *numbers, const sn_shape *shape, const uint32_t *children, uint32_t count,
                     uint32_t *found) {
    uint32_t classes = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t *of_class = &numbers[shape->classes[children[k]]];
        if (!*of_class) *of_class = ++classes;
        found[k] = *of_class - 1;
    }
    for (uint32_t k = 0; k < count; k++) numbers[shape->classes[children[k]]] = 0;
    return classes;
}

void sn_pair_costs_begin(sn_pair_costs *pairs, const sn_shape *left, const uint32_t *of_a, uint32_t rows,
                         const sn_shape *right, const uint32_t *of_b, uint32_t columns) {
    free(pairs->costs);
    pairs->costs = NULL;
    size_t of_rows = number(pairs->numbers, left, of_a, rows, pairs->rows);
    pairs->width = number(pairs->numbers, right, of_b, columns, pairs->columns);
    size_t count = of_rows * pairs->width; /* at most SN_LARGEST_PRODUCT */
    if (!count || count > MOST_PAIRS || count > (size_t)rows * columns / WORTH) return;
    pairs->costs = malloc(count * sizeof *pairs->costs);
    for (size_t k = 0; pairs->costs && k < count; k++) pairs->costs[k] = SN_COST_IS_BOUND;
}
