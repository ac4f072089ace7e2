/* Tree edits against Selkow's table as he gives it: whole, for every pair of nodes, by recursion. */
#include "check.h"

#include "../core/trees/leaf_edits.h"
#include "../core/trees/tree_edits.h"

#include <string.h>

#define MOST 1024

typedef struct {
    int32_t sizes[MOST], labels[MOST], groups[MOST];
    sn_tree tree;
} example;

typedef struct {
    int32_t left[2 * MOST], right[2 * MOST];
    sn_edits edits;
} room;

static sn_status find(const example *left, const example *right, room *found) {
    found->edits = (sn_edits){found->left, found->right, 0, 0};
    return sn_tree_edits(&left->tree, &right->tree, &found->edits);
}

/* A random tree: each node is below one of the last `reach` nodes of the path to the one before. */
static void grow(example *into, size_t count, uint64_t labels, uint64_t groups, uint64_t reach, uint64_t *random) {
    size_t path[MOST] = {0}, depth = 1;
    into->tree = (sn_tree){into->sizes, into->labels, into->groups, count};
    for (size_t i = 0; i < count; i++) {
        into->sizes[i] = 1;
        into->labels[i] = (int32_t)(check_random(random) % labels);
        into->groups[i] = groups ? into->labels[i] % (int32_t)groups : -1;
        if (i == 0) continue;
        size_t up = check_random(random) % reach;
        depth = up < depth ? depth - up : 1;
        for (size_t k = 0; k < depth; k++) into->sizes[path[k]]++;
        path[depth++] = i;
    }
}

static int64_t least(int64_t x, int64_t y) { return x < y ? x : y; }

static int64_t relabelling(const sn_tree *left, int32_t a, const sn_tree *right, int32_t b) {
    if (left->labels[a] == right->labels[b]) return 0;
    return left->groups[a] >= 0 && left->groups[a] == right->groups[b] ? 1 : SN_NOTHING_ALIKE;
}

static int32_t child_count(const sn_tree *tree, int32_t node) {
    int32_t count = 0;
    for (int32_t at = node + 1; at < node + tree->sizes[node]; at += tree->sizes[at]) count++;
    return count;
}

static int32_t child(const sn_tree *tree, int32_t node, int32_t number) {
    int32_t at = node + 1;
    while (number-- > 0) at += tree->sizes[at];
    return at;
}

static int64_t cost_of(const sn_tree *left, int32_t a, const sn_tree *right, int32_t b);

/* The table of two nodes; to be freed. Cell (i, j) is at i * (columns + 1) + j. */
static int64_t *table_of(const sn_tree *left, int32_t a, const sn_tree *right, int32_t b) {
    int32_t rows = child_count(left, a), columns = child_count(right, b), width = columns + 1;
    int64_t *table = calloc((size_t)(rows + 1) * (size_t)width, sizeof *table);
    for (int32_t i = 0; i <= rows; i++)
        for (int32_t j = 0; j <= columns; j++) {
            int64_t *cell = table + i * width + j;
            *cell = i || j ? INT64_MAX : 0;
            if (j) *cell = least(*cell, cell[-1] + right->sizes[child(right, b, j - 1)]);
            if (i) *cell = least(*cell, cell[-width] + left->sizes[child(left, a, i - 1)]);
            if (!i || !j) continue;
            int64_t match = cost_of(left, child(left, a, i - 1), right, child(right, b, j - 1));
            *cell = least(*cell, cell[-width - 1] + match);
        }
    return table;
}

static int64_t cost_of(const sn_tree *left, int32_t a, const sn_tree *right, int32_t b) {
    int64_t *table = table_of(left, a, right, b);
    int64_t cost = table[(child_count(left, a) + 1) * (child_count(right, b) + 1) - 1] + relabelling(left, a, right, b);
    free(table);
    return cost;
}

/* Check that the edits from `at` on are those of `a` and `b`; where those of what comes next begin. */
static size_t check_listed(const sn_tree *left, int32_t a, const sn_tree *right, int32_t b, const sn_edits *edits,
                           size_t at) {
    int32_t i = child_count(left, a), j = child_count(right, b), width = j + 1, steps[2 * MOST], count = 0;
    int64_t *table = table_of(left, a, right, b);
    CHECK_EQUAL(edits->left[at], a);
    CHECK_EQUAL(edits->right[at++], b);
    while (i || j) {
        int64_t *cell = table + i * width + j;
        int step = 2;
        if (j && *cell == cell[-1] + right->sizes[child(right, b, j - 1)]) step = 0;
        else if (i && *cell == cell[-width] + left->sizes[child(left, a, i - 1)]) step = 1;
        steps[count++] = step;
        i -= step != 0;
        j -= step != 1;
    }
    free(table);
    while (count-- > 0) {
        CHECK(at < edits->count);
        int32_t c = steps[count] ? child(left, a, i++) : -1, d = steps[count] == 1 ? -1 : child(right, b, j++);
        if (steps[count] == 2) {
            at = check_listed(left, c, right, d, edits, at);
            continue;
        }
        CHECK_EQUAL(edits->left[at], c);
        CHECK_EQUAL(edits->right[at++], d);
    }
    return at;
}

static void check_pair(const example *left, const example *right) {
    static room found;
    CHECK_EQUAL(find(left, right, &found), SN_OK);
    CHECK_EQUAL(found.edits.cost, cost_of(&left->tree, 0, &right->tree, 0));
    CHECK_EQUAL(check_listed(&left->tree, 0, &right->tree, 0, &found.edits, 0), found.edits.count);
}

static void edits_are_those_of_the_whole_table(void) {
    static example left, right;
    uint64_t random = 1;
    for (int round = 0; round < 4000; round++) {
        uint64_t labels = 1 + check_random(&random) % 4, groups = check_random(&random) % (labels + 1);
        uint64_t reach = 1 + check_random(&random) % 6;
        size_t count = 4 + check_random(&random) % 14, other = 4 + check_random(&random) % 14;
        grow(&left, count, labels, groups, reach, &random);
        grow(&right, other, labels, groups, reach, &random);
        check_pair(&left, &right);
    }
}

static void flatten(example *into, size_t count, uint64_t labels, uint64_t groups, uint64_t *random) {
    grow(into, count, labels, groups, 1, random);
    for (size_t i = 0; i < count; i++) into->sizes[i] = i ? 1 : (int32_t)count;
}

/* Long enough for lists of leaves to be compared by the word. */
static void lists_of_leaves_are_compared_rightly(void) {
    static example left, right;
    uint64_t random = 2;
    for (int round = 0; round < 60; round++) {
        uint64_t labels = 2 + check_random(&random) % 30, groups = round % 3 ? check_random(&random) % labels : 0;
        flatten(&left, 66 + check_random(&random) % 130, labels, groups, &random);
        flatten(&right, 66 + check_random(&random) % 130, labels, groups, &random);
        check_pair(&left, &right);
    }
}

/* Below a node that is not a root, too. */
static void lists_of_leaves_below_a_node_are_compared_rightly(void) {
    static example left, right;
    uint64_t random = 3;
    for (int round = 0; round < 60; round++) {
        uint64_t labels = 2 + check_random(&random) % 30, groups = round % 3 ? check_random(&random) % labels : 0;
        example *both[] = {&left, &right};
        for (int side = 0; side < 2; side++) {
            size_t count = 67 + check_random(&random) % 130;
            flatten(both[side], count, labels, groups, &random);
            both[side]->labels[1] = both[side]->labels[0] = 0;
            both[side]->groups[1] = both[side]->groups[0] = groups ? 0 : -1;
            both[side]->sizes[1] = (int32_t)count - 1;
        }
        check_pair(&left, &right);
    }
}

static void equal_trees_are_matched_whole(void) {
    static example tree;
    static room found;
    uint64_t random = 3;
    grow(&tree, MOST, 3, 0, 4, &random);
    CHECK_EQUAL(find(&tree, &tree, &found), SN_OK);
    CHECK_EQUAL(found.edits.cost, 0);
    CHECK_EQUAL(found.edits.count, MOST);
    for (int i = 0; i < MOST; i++) CHECK(found.left[i] == i && found.right[i] == i);
}

static void roots_are_matched_whatever_they_are(void) {
    static example left, right;
    static room found;
    uint64_t random = 4;
    grow(&left, 1, 1, 0, 1, &random);
    grow(&right, 1, 1, 0, 1, &random);
    right.labels[0] = 1;
    CHECK_EQUAL(find(&left, &right, &found), SN_OK);
    CHECK_EQUAL(found.edits.cost, SN_NOTHING_ALIKE);
    CHECK_EQUAL(found.edits.count, 1);
    left.groups[0] = right.groups[0] = 1;
    CHECK_EQUAL(find(&left, &right, &found), SN_OK);
    CHECK_EQUAL(found.edits.cost, 1);
}

/* Deep trees need no stack of the machine's: every table here needs the one below it. */
static void chains_may_be_deep(void) {
    enum { DEEP = 10000 };
    static int32_t sizes[DEEP], labels[DEEP], other[DEEP], groups[DEEP], of_left[2 * DEEP], of_right[2 * DEEP];
    for (int i = 0; i < DEEP; i++) {
        sizes[i] = DEEP - i;
        labels[i] = i % 7;
        other[i] = i % 5;
    }
    const sn_tree left = {sizes, labels, groups, DEEP}, right = {sizes, other, groups, DEEP};
    sn_edits edits = {of_left, of_right, 0, 0};
    CHECK_EQUAL(sn_tree_edits(&left, &right, &edits), SN_OK);
    int64_t unequal = 0;
    for (int i = 0; i < DEEP; i++) unequal += labels[i] != other[i];
    CHECK_EQUAL(edits.cost, unequal);
    CHECK_EQUAL(edits.count, DEEP);
}

static void what_is_no_tree_is_refused(void) {
    static example good, bad;
    static room found;
    uint64_t random = 5;
    static const int32_t sizes[][4] = {{3, 2, 1, 1}, {5, 2, 1, 1},  {4, 3, 2, 2},         {4, 0, 2, 1},
                                       {4, 2, 2, 1}, {4, -1, 1, 1}, {4, INT32_MAX, 1, 1}, {4, 1, INT32_MIN, 1}};
    grow(&good, 4, 1, 0, 2, &random);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        grow(&bad, 4, 1, 0, 2, &random);
        memcpy(bad.sizes, sizes[i], sizeof sizes[i]);
        CHECK_EQUAL(find(&good, &bad, &found), SN_BAD_INPUT);
        CHECK_EQUAL(find(&bad, &good, &found), SN_BAD_INPUT);
    }
    grow(&bad, 4, 1, 0, 2, &random);
    bad.tree.count = 0;
    CHECK_EQUAL(find(&good, &bad, &found), SN_BAD_INPUT);
    CHECK_EQUAL(find(&bad, &good, &found), SN_BAD_INPUT);
    static const int32_t numbers[] = {-1, 8, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < 4; i++) {
        grow(&bad, 4, 1, 0, 2, &random);
        bad.labels[2] = numbers[i];
        CHECK_EQUAL(find(&good, &bad, &found), SN_BAD_INPUT);
        bad.labels[2] = 0;
        bad.groups[2] = numbers[i];
        CHECK_EQUAL(find(&good, &bad, &found), numbers[i] < 0 ? SN_OK : SN_BAD_INPUT);
    }
    bad.groups[2] = 1; /* equal nodes, one of them in a group */
    CHECK_EQUAL(find(&good, &bad, &found), SN_BAD_INPUT);
    good.groups[2] = 1;
    CHECK_EQUAL(find(&good, &good, &found), SN_BAD_INPUT);
    bad.tree.count = SN_LARGEST_PRODUCT; /* is never looked at */
    CHECK_EQUAL(find(&good, &bad, &found), SN_BAD_INPUT);
}

CHECK_MAIN(TEST(edits_are_those_of_the_whole_table), TEST(lists_of_leaves_are_compared_rightly),
           TEST(lists_of_leaves_below_a_node_are_compared_rightly), TEST(equal_trees_are_matched_whole),
           TEST(roots_are_matched_whatever_they_are), TEST(chains_may_be_deep), TEST(what_is_no_tree_is_refused))
