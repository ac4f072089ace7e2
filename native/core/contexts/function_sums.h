/* Sums over the calling contexts of each function: the flat profile behind a tree. */
#ifndef SONDE_FUNCTION_SUMS_H
#define SONDE_FUNCTION_SUMS_H

#include "../base/cells.h"

#include <stddef.h>
#include <stdint.h>

/* A tree as columns, one row a context; a row's parent, -1 for none, stands before it. */
typedef struct {
    const int64_t *parent, *function, *calls, *total_calls, *self_ns, *total_ns;
    size_t rows, functions;
} sn_tree_columns;

/* One value for each function, all set. What is in a function and below it counts a recursion once: only rows without
 * a row of the same function above them are added. */
typedef struct {
    int64_t *contexts, *calls, *total_calls, *self_ns, *total_ns;
} sn_function_sums;

/* Returns SN_BAD_INPUT when a parent does not stand before its child, a function has no number below `functions`, or a
 * sum does not fit; SN_NO_MEMORY. O(rows + functions) time; 16 bytes for each row and 8 for each function. */
sn_status sn_sum_by_function(const sn_tree_columns *tree, const sn_function_sums *sums);

#endif
