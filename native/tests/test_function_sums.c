/* Sums by function: recursion, what is refused, and no recursion of its own. */
#include "check.h"

#include "../core/contexts/function_sums.h"

#include <stdlib.h>

enum { FUNCTIONS = 3 };

typedef struct {
    int64_t contexts[FUNCTIONS], calls[FUNCTIONS], total_calls[FUNCTIONS], self_ns[FUNCTIONS], total_ns[FUNCTIONS];
} room;

static sn_status sum(size_t rows, const int64_t *parent, const int64_t *function, const int64_t *own,
                     const int64_t *total, room *found) {
    const sn_tree_columns tree = {parent, function, own, total, own, total, rows, FUNCTIONS};
    const sn_function_sums sums = {found->contexts, found->calls, found->total_calls, found->self_ns,
                                   found->total_ns};
    return sn_sum_by_function(&tree, &sums);
}

/* 0 calls 1 calls 0 calls 2; 0 calls 2 as well. */
static void recursion_is_counted_once(void) {
    const int64_t parent[] = {-1, 0, 1, 2, 0}, function[] = {0, 1, 0, 2, 2}, own[] = {1, 2, 4, 8, 16},
                  total[] = {31, 14, 12, 8, 16};
    room found;
    CHECK_EQUAL(sum(5, parent, function, own, total, &found), SN_OK);
    CHECK(found.contexts[0] == 2 && found.contexts[1] == 1 && found.contexts[2] == 2);
    CHECK(found.calls[0] == 5 && found.calls[1] == 2 && found.calls[2] == 24);
    CHECK(found.total_ns[0] == 31 && found.total_ns[1] == 14 && found.total_ns[2] == 24);
}

static void roots_are_counted_each(void) {
    const int64_t parent[] = {-1, -1}, function[] = {2, 2}, own[] = {1, 2}, total[] = {1, 2};
    room found;
    CHECK_EQUAL(sum(2, parent, function, own, total, &found), SN_OK);
    CHECK(found.total_calls[2] == 3 && found.contexts[0] == 0);
}

static void nothing_is_a_tree(void) {
    room found;
    CHECK_EQUAL(sum(0, NULL, NULL, NULL, NULL, &found), SN_OK);
    CHECK(found.calls[0] == 0 && found.total_ns[2] == 0);
}

static void what_is_no_tree_is_refused(void) {
    const int64_t zeros[] = {0, 0}, none[] = {-1, 1}, low[] = {-2, 0}, high[] = {0, FUNCTIONS}, below[] = {0, -1},
                  roots[] = {-1, -1}, most[] = {INT64_MAX, 1};
    room found;
    CHECK_EQUAL(sum(2, zeros, zeros, zeros, zeros, &found), SN_BAD_INPUT); /* its own parent */
    CHECK_EQUAL(sum(2, none, zeros, zeros, zeros, &found), SN_BAD_INPUT);
    CHECK_EQUAL(sum(2, low, zeros, zeros, zeros, &found), SN_BAD_INPUT);
    CHECK_EQUAL(sum(2, roots, high, zeros, zeros, &found), SN_BAD_INPUT);
    CHECK_EQUAL(sum(2, roots, below, zeros, zeros, &found), SN_BAD_INPUT);
    CHECK_EQUAL(sum(2, roots, zeros, most, zeros, &found), SN_BAD_INPUT); /* does not fit */
}

static void deep_stacks_are_walked(void) {
    enum { DEEP = 1000000 };
    int64_t *parent = malloc(DEEP * sizeof *parent), *function = calloc(DEEP, sizeof *function),
            *ones = malloc(DEEP * sizeof *ones);
    for (int64_t row = 0; row < DEEP; row++) parent[row] = row - 1, ones[row] = 1;
    room found;
    CHECK_EQUAL(sum(DEEP, parent, function, ones, ones, &found), SN_OK);
    CHECK(found.calls[0] == DEEP && found.total_calls[0] == 1);
    free(parent);
    free(function);
    free(ones);
}

CHECK_MAIN(TEST(recursion_is_counted_once), TEST(roots_are_counted_each), TEST(nothing_is_a_tree),
           TEST(what_is_no_tree_is_refused), TEST(deep_stacks_are_walked))
