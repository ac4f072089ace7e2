/* Any bytes as the columns of two trees: refused, or edited into one another, and back at the same cost. */
#include "fuzz.h"

#include "../core/trees/tree_edits.h"

#include <string.h>

#define MOST 256

typedef struct {
    int32_t left[2 * MOST], right[2 * MOST];
    sn_edits edits;
} room;

static sn_status find(const sn_tree *left, const sn_tree *right, room *found) {
    found->edits = (sn_edits){found->left, found->right, 0, 0};
    return sn_tree_edits(left, right, &found->edits);
}

/* All nodes of both trees are accounted for, in order, and the edits cost what they say. */
static void check(const sn_tree *left, const sn_tree *right, const sn_edits *edits) {
    int32_t a = 0, b = 0;
    int64_t cost = 0;
    for (size_t i = 0; i < edits->count; i++) {
        int32_t of_left = edits->left[i], of_right = edits->right[i];
        PROMISE(of_left == (of_left < 0 ? -1 : a) && of_right == (of_right < 0 ? -1 : b) && (of_left & of_right) != -1);
        if (of_right < 0) {
            a += left->sizes[a];
            cost += left->sizes[of_left];
        } else if (of_left < 0) {
            b += right->sizes[b];
            cost += right->sizes[of_right];
        } else {
            bool alike = left->groups[a] >= 0 && left->groups[a] == right->groups[b];
            if (left->labels[a] != right->labels[b]) cost += alike ? 1 : SN_NOTHING_ALIKE;
            PROMISE(i == 0 || alike || left->labels[a] == right->labels[b]);
            a++;
            b++;
        }
    }
    PROMISE((size_t)a == left->count && (size_t)b == right->count && cost == edits->cost);
}

/* Six columns; the first two words say how many nodes each tree has. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static room there, back;
    uint64_t counts[2];
    if (size < sizeof counts) return 0;
    memcpy(counts, bytes, sizeof counts);
    int32_t *columns = malloc(size);
    if (!columns) return 0;
    memcpy(columns, bytes + sizeof counts, size - sizeof counts);
    if (counts[0] <= MOST && counts[1] <= MOST && 12 * (counts[0] + counts[1]) <= size - sizeof counts) {
        int32_t *other = columns + 3 * counts[0];
        const sn_tree left = {columns, columns + counts[0], columns + 2 * counts[0], counts[0]};
        const sn_tree right = {other, other + counts[1], other + 2 * counts[1], counts[1]};
        sn_status status = find(&left, &right, &there);
        PROMISE(status == SN_OK || status == SN_BAD_INPUT);
        PROMISE(find(&right, &left, &back) == status);
        if (status == SN_OK) {
            check(&left, &right, &there.edits);
            check(&right, &left, &back.edits);
            PROMISE(there.edits.cost == back.edits.cost);
        }
    }
    free(columns);
    return 0;
}

static uint64_t next(uint64_t *random) {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

size_t fuzz_example(uint8_t *bytes, size_t space, uint64_t *random) {
    uint64_t counts[2] = {1 + next(random) % MOST, 1 + next(random) % MOST};
    uint64_t labels = 1 + next(random) % 5, reach = 1 + next(random) % 5;
    size_t size = sizeof counts + 12 * (size_t)(counts[0] + counts[1]);
    PROMISE(size <= space);
    memcpy(bytes, counts, sizeof counts);
    int32_t *column = (int32_t *)(void *)(bytes + sizeof counts);
    for (int side = 0; side < 2; side++) {
        int32_t *sizes = column, *of_labels = sizes + counts[side], *of_groups = of_labels + counts[side];
        size_t path[MOST] = {0}, depth = 1;
        for (size_t i = 0; i < counts[side]; i++) {
            sizes[i] = 1;
            of_labels[i] = (int32_t)(i ? next(random) % labels : 0);
            of_groups[i] = of_labels[i] % 4 ? of_labels[i] / 2 : -1;
            if (i == 0) continue;
            size_t up = next(random) % reach;
            depth = up < depth ? depth - up : 1;
            for (size_t k = 0; k < depth; k++) sizes[path[k]]++;
            path[depth++] = i;
        }
        column = of_groups + counts[side];
    }
    return size;
}
