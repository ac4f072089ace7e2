#include "slab_pruning.h"

#include <stdlib.h>

/* In `level`, of nodes that stay whatever they count; others have the number of bits of the largest count from there on. */
#define STAYS UINT8_MAX
#define LEVELS 65u

/* By number of the node, but `order`, which has all of them, each behind its parent. */
typedef struct {
    sn_slab_forest *forest;
    uint32_t *order, *parent, *depth;
    uint32_t *link;   /* the longest end of the node's ids, but all of them, that stays in the upper slab */
    uint64_t *lacking; /* what sequences that end with the node's ids may lack, and with any end of these */
    uint8_t *level;
    uint64_t count;
    uint8_t least; /* the lowest level that stays */
} pruning;

static bool goes(const pruning *p, uint32_t node) { return p->level[node] < p->least; }

static bool is_upper(const pruning *p, uint32_t node) { return p->depth[node] < p->forest->k; }

static void list_children(pruning *p, uint32_t parent) {
    uint32_t first = p->forest->nodes[parent].child, child = first;
    if (!first) return;
    do {
        p->parent[child] = parent;
        p->depth[child] = parent == SN_SLAB_TOP ? 0 : p->depth[parent] + 1;
        p->order[p->count++] = child;
        child = sn_slab_sibling(p->forest, child);
    } while (child != first);
}

static void list_nodes(pruning *p) {
    list_children(p, SN_SLAB_TOP);
    for (uint64_t at = 0; at < p->count; at++) list_children(p, p->order[at]);
}

static uint8_t bits(uint64_t count) { return count ? (uint8_t)(64 - __builtin_clzll(count)) : 0; }

/* What goes: half of the nodes if there are so many, those with the smallest counts. False when hardly any can. */
static bool choose(pruning *p, const sn_slab_activation *keep) {
    uint64_t at_level[LEVELS] = {0}, found = 0;
    for (uint64_t at = 0; at < p->count; at++) {
        uint32_t node = p->order[at];
        bool stays = p->depth[node] < 2 || (keep && (node == keep->top || node == keep->bottom));
        p->level[node] = stays ? STAYS : bits(p->forest->nodes[node].count);
    }
    for (uint64_t at = p->count; at--;) {
        uint32_t node = p->order[at], above = p->parent[node];
        if (p->level[node] < LEVELS) at_level[p->level[node]]++;
        if (above != SN_SLAB_TOP && p->level[above] < p->level[node]) p->level[above] = p->level[node];
    }
    while (p->least < LEVELS && found < (p->count + 1) / 2) found += at_level[p->least++];
    return found && found >= p->count / 16;
}

/* Every node's link: the failure function of a set of words, here those that stay in the upper slab (Aho, Corasick 1975).
 * That of a routine is 0, and a routine is what nodes are linked to of whose ids no end stays. */
static void link_nodes(pruning *p) {
    for (uint64_t at = 0; at < p->count; at++) {
        uint32_t node = p->order[at], end = 0, last = p->parent[node];
        uint32_t from = p->depth[node] ? p->link[last] : 0;
        for (; from && !end; from = p->link[from]) {
            bool has_upper = p->depth[from] + 1 < p->forest->k;
            uint32_t child = has_upper ? sn_slab_find(p->forest, from, p->forest->nodes[node].id) : 0;
            if (child && !goes(p, child)) end = child;
            last = from;
        }
        p->link[node] = !p->depth[node] ? 0 : end ? end : last;
    }
}

/* Take what goes out of a ring, store by store, so that it is one at any moment. */
static void unlink_children(pruning *p, uint32_t parent) {
    sn_slab_forest *forest = p->forest;
    sn_slab_node *nodes = forest->nodes;
    uint32_t first = nodes[parent].child, stays = first;
    if (!first) return;
    while (goes(p, stays) && sn_slab_sibling(forest, stays) != first) stays = sn_slab_sibling(forest, stays);
    if (goes(p, stays)) {
        nodes[parent].child = 0;
        return;
    }
    nodes[parent].child = stays;
    for (uint32_t before = stays, child; (child = sn_slab_sibling(forest, before)) != stays;) {
        if (goes(p, child)) sn_slab_unlink(forest, before);
        else before = child;
    }
}

/* Let a node go that nothing leads to, and move its count. */
static void move_count(pruning *p, uint32_t node) {
    sn_slab_forest *forest = p->forest;
    uint64_t id = forest->nodes[node].id, count = forest->nodes[node].count;
    uint32_t target = p->link[node];
    forest->given[node] = 0;
    sn_slab_free(forest, node);
    if (!count) return;
    if (!p->depth[target]) {
        uint32_t routine = target;
        target = sn_slab_find(forest, routine, id);
        if (!target) target = sn_slab_add(forest, routine, id);
    }
    if (!target) { /* there is no memory for the index */
        forest->nodes[SN_SLAB_TOP].count += count;
        return;
    }
    forest->nodes[target].count += count;
    forest->given[target] += count;
}

/* The most that a sequence may lack. */
static uint64_t floor_of(pruning *p) {
    uint64_t floor = 0;
    for (uint64_t at = 0; at < p->count; at++) {
        uint32_t node = p->order[at], end = p->link[node];
        if (goes(p, node) || !is_upper(p, node) || !p->depth[node]) continue;
        p->lacking[node] = p->forest->given[node];
        if (p->depth[end]) {
            p->lacking[node] += p->lacking[end];
        } else if (p->depth[node] > 1) { /* of its ids, the last one may have got a node just now */
            uint32_t root = sn_slab_find(p->forest, end, p->forest->nodes[node].id);
            if (root) p->lacking[node] += p->forest->given[root];
        }
        if (p->lacking[node] > floor) floor = p->lacking[node];
    }
    return floor;
}

static void remove_nodes(pruning *p) {
    uint64_t floor = 0;
    for (uint64_t at = 0; at < p->count; at++)
        if (!goes(p, p->order[at])) unlink_children(p, p->order[at]);
    sn_slab_forget_index(p->forest);
    sn_slab_index_children(p->forest, SN_SLAB_TOP);
    for (uint64_t at = 0; at < p->count; at++)
        if (!goes(p, p->order[at])) sn_slab_index_children(p->forest, p->order[at]);
    for (uint64_t at = 0; at < p->count; at++)
        if (goes(p, p->order[at])) move_count(p, p->order[at]);
    floor = floor_of(p);
    for (uint64_t at = 0; at < p->count; at++) { /* those that were made just now took places of nodes that went */
        uint32_t node = p->order[at];
        if (goes(p, node) && p->forest->given[node] > floor) floor = p->forest->given[node];
    }
    sn_cells_header(&p->forest->cells)->floor = floor;
}

static bool prune(pruning *p, const sn_slab_activation *keep) {
    sn_slab_forest *forest = p->forest;
    size_t nodes = forest->used;
    if (!forest->given) forest->given = calloc(forest->most, sizeof *forest->given);
    p->order = calloc(nodes, sizeof *p->order);
    p->parent = calloc(nodes, sizeof *p->parent);
    p->depth = calloc(nodes, sizeof *p->depth);
    p->link = calloc(nodes, sizeof *p->link);
    p->lacking = calloc(nodes, sizeof *p->lacking);
    p->level = calloc(nodes, sizeof *p->level);
    if (!forest->given || !p->order || !p->parent || !p->depth || !p->link || !p->lacking || !p->level) return false;
    list_nodes(p);
    if (!choose(p, keep)) return false;
    link_nodes(p);
    remove_nodes(p);
    forest->epoch++;
    return p->count - sn_slab_nodes(forest) >= p->count / 16;
}

void sn_slab_prune(sn_slab_forest *forest, const sn_slab_activation *keep) {
    pruning p = {.forest = forest};
    forest->prunes = forest->k > 1 && prune(&p, keep);
    free(p.order);
    free(p.parent);
    free(p.depth);
    free(p.link);
    free(p.lacking);
    free(p.level);
}
