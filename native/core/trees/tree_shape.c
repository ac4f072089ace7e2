#include "tree_shape.h"

#include <stdlib.h>
#include <string.h>

/* Fill `first` and `kids`; false if the sizes are those of no tree. From the last node to the first, so that what is
 * below a node has been found right before it is walked over: then a node is walked over from its parent only. */
static bool find_children(sn_shape *shape, uint64_t most_number) {
    const sn_tree *tree = &shape->tree;
    int64_t count = (int64_t)tree->count;
    if (tree->sizes[0] != count) return false;
    for (int64_t i = count; i-- > 0;) {
        int64_t end = i + tree->sizes[i], at = i + 1;
        if (tree->sizes[i] < 1 || end > count) return false;
        uint32_t children = 0;
        for (; at < end; at += tree->sizes[at]) children++;
        if (at != end) return false;
        if (tree->labels[i] < 0 || (uint64_t)tree->labels[i] >= most_number) return false;
        if (tree->groups[i] >= 0 && (uint64_t)tree->groups[i] >= most_number) return false;
        shape->first[i] = children;
    }
    uint32_t used = 0;
    for (int64_t i = 0; i < count; i++) {
        shape->first[i] = used;
        int64_t at = i + 1;
        for (; at < i + tree->sizes[i]; at += tree->sizes[at]) shape->kids[used++] = (uint32_t)at;
        shape->kids[used++] = (uint32_t)at;
    }
    shape->first[count] = used;
    return true;
}

/* Whether equal nodes are of one group. */
static sn_status check_groups(const sn_shape shapes[2]) {
    size_t numbers = shapes[0].tree.count + shapes[1].tree.count;
    int32_t *groups = calloc(numbers, sizeof *groups); /* 0: not seen; -1: none; else the group + 1 */
    if (!groups) return SN_NO_MEMORY;
    sn_status status = SN_OK;
    for (int side = 0; side < 2; side++) {
        const sn_tree *tree = &shapes[side].tree;
        for (size_t i = 0; i < tree->count; i++) {
            int32_t group = tree->groups[i] < 0 ? -1 : tree->groups[i] + 1, *of_label = &groups[tree->labels[i]];
            if (*of_label && *of_label != group) status = SN_BAD_INPUT;
            *of_label = group;
        }
    }
    free(groups);
    return status;
}

static bool is_equal(const sn_shape *one, uint32_t a, const sn_shape *other, uint32_t b) {
    uint32_t children = sn_child_count(one, a);
    if (one->tree.labels[a] != other->tree.labels[b] || children != sn_child_count(other, b)) return false;
    const uint32_t *of_one = sn_children(one, a), *of_other = sn_children(other, b);
    for (uint32_t k = 0; k < children; k++)
        if (one->classes[of_one[k]] != other->classes[of_other[k]]) return false;
    return true;
}

static uint64_t mixed(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15); /* 2^64 / golden ratio */
    return hash ^ hash >> 29;
}

/* Number the subtrees of both: children first, each by its label and the classes of its children. */
static bool find_classes(sn_shape shapes[2]) {
    size_t nodes = shapes[0].tree.count + shapes[1].tree.count, room = 16;
    while (room < 2 * nodes) room *= 2;
    uint32_t *seen = calloc(room, sizeof *seen); /* 1 + number of a node; those of the right tree come after the left */
    if (!seen) return false;
    uint32_t classes = 0, offsets[2] = {0, (uint32_t)shapes[0].tree.count};
    for (int side = 0; side < 2; side++) {
        sn_shape *shape = &shapes[side];
        for (uint32_t i = (uint32_t)shape->tree.count; i-- > 0;) {
            uint64_t hash = mixed(0, (uint32_t)shape->tree.labels[i]);
            const uint32_t *children = sn_children(shape, i);
            for (uint32_t k = sn_child_count(shape, i); k-- > 0;) hash = mixed(hash, shape->classes[children[k]]);
            size_t at = hash & (room - 1);
            for (;; at = (at + 1) & (room - 1)) {
                if (!seen[at]) {
                    seen[at] = 1 + offsets[side] + i;
                    shape->classes[i] = classes++;
                    break;
                }
                uint32_t node = seen[at] - 1;
                const sn_shape *other = &shapes[node >= offsets[1]];
                uint32_t number = node - (node >= offsets[1] ? offsets[1] : 0);
                if (is_equal(shape, i, other, number)) {
                    shape->classes[i] = other->classes[number];
                    break;
                }
            }
        }
    }
    free(seen);
    return true;
}

sn_status sn_shapes_create(sn_shape shapes[2], const sn_tree *left, const sn_tree *right) {
    memset(shapes, 0, 2 * sizeof *shapes);
    if (!left->count || !right->count || left->count > SN_LARGEST_PRODUCT / right->count) return SN_BAD_INPUT;
    for (int side = 0; side < 2; side++) {
        sn_shape *shape = &shapes[side];
        shape->tree = side ? *right : *left;
        shape->first = malloc((shape->tree.count + 1) * sizeof *shape->first);
        shape->kids = malloc(2 * shape->tree.count * sizeof *shape->kids);
        shape->classes = malloc(shape->tree.count * sizeof *shape->classes);
        if (!shape->first || !shape->kids || !shape->classes) return SN_NO_MEMORY;
        if (!find_children(shape, left->count + right->count)) return SN_BAD_INPUT;
    }
    sn_status status = check_groups(shapes);
    if (status == SN_OK && !find_classes(shapes)) status = SN_NO_MEMORY;
    return status;
}

void sn_shapes_destroy(sn_shape shapes[2]) {
    for (int side = 0; side < 2; side++) {
        free(shapes[side].first);
        free(shapes[side].kids);
        free(shapes[side].classes);
    }
}
