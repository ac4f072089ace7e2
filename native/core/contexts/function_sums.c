#include "function_sums.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1 };

typedef struct {
    int64_t *first_child, *next_sibling; /* by row */
    int64_t *active;                     /* by function: how often it is above the row that is looked at */
} walk;

static bool add(int64_t *sum, int64_t value) { return !__builtin_add_overflow(*sum, value, sum); }

static bool is_tree(const sn_tree_columns *tree) {
    for (size_t row = 0; row < tree->rows; row++) {
        int64_t parent = tree->parent[row], function = tree->function[row];
        if (parent < NONE || parent >= (int64_t)row || function < 0 || (uint64_t)function >= tree->functions)
            return false;
    }
    return true;
}

static bool sum_own(const sn_tree_columns *tree, const sn_function_sums *sums) {
    bool fits = true;
    for (size_t row = 0; row < tree->rows; row++) {
        int64_t function = tree->function[row];
        sums->contexts[function]++;
        fits &= add(&sums->calls[function], tree->calls[row]) & add(&sums->self_ns[function], tree->self_ns[row]);
    }
    return fits;
}

static void link_children(const sn_tree_columns *tree, const walk *links) {
    for (size_t row = 0; row < tree->rows; row++) links->first_child[row] = links->next_sibling[row] = NONE;
    for (size_t row = tree->rows; row-- > 0;) {
        int64_t parent = tree->parent[row];
        if (parent == NONE) continue;
        links->next_sibling[row] = links->first_child[parent];
        links->first_child[parent] = (int64_t)row;
    }
}

/* Depth first, without recursion: stacks are deep. */
static bool sum_below(const sn_tree_columns *tree, const walk *at, int64_t root, const sn_function_sums *sums) {
    const int64_t *function = tree->function;
    bool fits = true;
    for (int64_t row = root;;) {
        if (!at->active[function[row]]++)
            fits &= add(&sums->total_calls[function[row]], tree->total_calls[row]) &
                    add(&sums->total_ns[function[row]], tree->total_ns[row]);
        if (at->first_child[row] != NONE) {
            row = at->first_child[row];
            continue;
        }
        at->active[function[row]]--;
        while (row != root && at->next_sibling[row] == NONE) {
            row = tree->parent[row];
            at->active[function[row]]--;
        }
        if (row == root) return fits;
        row = at->next_sibling[row];
    }
}

sn_status sn_sum_by_function(const sn_tree_columns *tree, const sn_function_sums *sums) {
    int64_t *const columns[] = {sums->contexts, sums->calls, sums->total_calls, sums->self_ns, sums->total_ns};
    for (size_t i = 0; i < sizeof columns / sizeof *columns && tree->functions; i++)
        memset(columns[i], 0, tree->functions * sizeof **columns);
    if (!is_tree(tree)) return SN_BAD_INPUT;
    if (!tree->rows) return SN_OK;
    walk links = {malloc(tree->rows * sizeof(int64_t)), malloc(tree->rows * sizeof(int64_t)),
                  calloc(tree->functions, sizeof(int64_t))};
    sn_status status = SN_NO_MEMORY;
    if (links.first_child && links.next_sibling && links.active) {
        link_children(tree, &links);
        bool fits = sum_own(tree, sums);
        for (size_t row = 0; row < tree->rows; row++)
            if (tree->parent[row] == NONE) fits &= sum_below(tree, &links, (int64_t)row, sums);
        status = fits ? SN_OK : SN_BAD_INPUT;
    }
    free(links.first_child);
    free(links.next_sibling);
    free(links.active);
    return status;
}
