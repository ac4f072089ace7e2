#include "slab_forest.h"

#include "slab_pruning.h"

#include <stdatomic.h>
#include <stdlib.h>

/* Nodes come in steps of whole cells: eight in three. */
#define STEP_NODES 8u
#define STEP_CELLS (STEP_NODES * sizeof(sn_slab_node) / SN_CELL_BYTES)

static_assert(STEP_CELLS * SN_CELL_BYTES == STEP_NODES * sizeof(sn_slab_node), "no gap between steps");

/* The smallest range that sn_cells_create reserves. */
#define LEAST_CELLS (UINT64_C(1) << 14)

bool sn_slab_has_room(sn_slab_forest *forest, uint64_t nodes) {
    nodes = nodes > forest->unused ? nodes - forest->unused : 0;
    if (forest->used + nodes > forest->most) return false;
    while (forest->used + nodes > forest->room) {
        if (!sn_cells_take(&forest->cells, STEP_CELLS)) return false;
        forest->room += STEP_NODES;
        sn_cells_publish(&forest->cells);
    }
    return true;
}

sn_status sn_slab_create(sn_slab_forest *forest, int file, uint32_t k, uint64_t most) {
    *forest = (sn_slab_forest){.k = k, .used = SN_SLAB_TOP, .room = SN_SLAB_TOP};
    if (!k) return SN_BAD_INPUT;
    if (most > SN_SLAB_MOST_NODES) most = SN_SLAB_MOST_NODES;
    forest->most = SN_SLAB_TOP + 1 + most;
    uint64_t cells = SN_HEADER_CELLS + (most / STEP_NODES + 1) * STEP_CELLS + LEAST_CELLS;
    sn_status status = sn_cells_create(&forest->cells, file, cells);
    if (status != SN_OK) return status;
    forest->nodes = (sn_slab_node *)forest->cells.base;
    if (!sn_slab_has_room(forest, 1)) {
        sn_slab_destroy(forest);
        return SN_NO_SPACE;
    }
    forest->nodes[forest->used++].id = k;
    return SN_OK;
}

void sn_slab_destroy(sn_slab_forest *forest) {
    sn_sibling_index_free(&forest->index);
    free(forest->given);
    sn_cells_destroy(&forest->cells);
}

/* Which of two siblings has an id, by a mask: that it is one of them can be predicted, which one often cannot, and a branch
 * would cost more than the whole search. The second one, if neither has it. */
static inline uint32_t either(const sn_slab_node *nodes, uint32_t one, uint32_t other, uint64_t id) {
    return other ^ ((one ^ other) & -(uint32_t)(nodes[one].id == id));
}

/* What is not one of the first two children: by the index, or along the ring. 0: there is no such child. */
static __attribute__((noinline)) uint32_t seek_child(const sn_slab_forest *forest, uint32_t parent, uint32_t first,
                                                     uint32_t second, uint64_t id) {
    const sn_slab_node *nodes = forest->nodes;
    if (nodes[parent].next & SN_SLAB_WIDE) return sn_sibling_index_find(&forest->index, nodes, parent, id);
    while ((second = sn_slab_sibling(forest, second)) != first)
        if (nodes[second].id == id) return second;
    return 0;
}

static inline uint32_t find_child(const sn_slab_forest *forest, uint32_t parent, uint64_t id) {
    const sn_slab_node *nodes = forest->nodes;
    uint32_t first = nodes[parent].child;
    if (!first) return 0;
    uint32_t second = sn_slab_sibling(forest, first);
    uint32_t found = either(nodes, first, second, id);
    return nodes[found].id == id ? found : seek_child(forest, parent, first, second, id);
}

uint32_t sn_slab_find(const sn_slab_forest *forest, uint32_t parent, uint64_t id) { return find_child(forest, parent, id); }

static uint32_t count_children(const sn_slab_forest *forest, uint32_t parent) {
    uint32_t first = forest->nodes[parent].child, child = first, count = 0;
    if (!first) return 0;
    do {
        count++;
    } while ((child = sn_slab_sibling(forest, child)) != first);
    return count;
}

/* Two children are looked at before the index is asked. Where there is no memory, others are found along the ring. */
void sn_slab_index_children(sn_slab_forest *forest, uint32_t parent) {
    sn_slab_node *nodes = forest->nodes;
    uint32_t count = count_children(forest, parent), child = nodes[parent].child;
    nodes[parent].next &= ~SN_SLAB_WIDE;
    if (count <= 2 || !sn_sibling_index_reserve(&forest->index, nodes, count)) return;
    for (; count--; child = sn_slab_sibling(forest, child))
        sn_sibling_index_add(&forest->index, parent, nodes[child].id, child);
    nodes[parent].next |= SN_SLAB_WIDE;
}

void sn_slab_forget_index(sn_slab_forest *forest) { sn_sibling_index_clear(&forest->index); }

/* There is room. 0 when the index cannot grow. */
uint32_t sn_slab_add(sn_slab_forest *forest, uint32_t parent, uint64_t id) {
    sn_slab_node *nodes = forest->nodes, *above = &nodes[parent];
    uint32_t child = forest->free ? forest->free : (uint32_t)forest->used, first = above->child;
    bool is_wide = above->next & SN_SLAB_WIDE;
    if (is_wide && !sn_sibling_index_reserve(&forest->index, nodes, 1)) return 0;
    if (forest->free) {
        forest->free = nodes[child].next;
        forest->unused--;
    } else {
        forest->used++;
    }
    nodes[child] = (sn_slab_node){.id = id, .next = first ? sn_slab_sibling(forest, first) : child};
    atomic_signal_fence(memory_order_release);
    if (first) nodes[first].next = child | (nodes[first].next & SN_SLAB_WIDE);
    above->child = child;
    if (is_wide) sn_sibling_index_add(&forest->index, parent, id, child);
    else sn_slab_index_children(forest, parent);
    return child;
}

void sn_slab_unlink(sn_slab_forest *forest, uint32_t before) {
    sn_slab_node *nodes = forest->nodes;
    uint32_t child = sn_slab_sibling(forest, before);
    nodes[before].next = sn_slab_sibling(forest, child) | (nodes[before].next & SN_SLAB_WIDE);
}

void sn_slab_free(sn_slab_forest *forest, uint32_t node) {
    forest->nodes[node] = (sn_slab_node){.next = forest->free};
    forest->free = node;
    forest->unused++;
}

static uint32_t child_of(sn_slab_forest *forest, uint32_t parent, uint64_t id) {
    uint32_t child = find_child(forest, parent, id);
    if (child) forest->nodes[parent].child = child;
    if (child) return child;
    if (forest->prunes && !sn_slab_has_room(forest, 1)) sn_slab_prune(forest, NULL);
    return sn_slab_has_room(forest, 1) ? sn_slab_add(forest, parent, id) : 0;
}

static uint64_t missing(uint32_t top, uint32_t bottom_above, uint32_t bottom) {
    return (uint64_t)!top + (bottom_above && !bottom);
}

/* Make what the forest lacks for an id of an activation. False when there is no room for all of it. */
static __attribute__((noinline)) bool make_children(sn_slab_forest *forest, sn_slab_activation a, uint32_t above,
                                                    uint32_t *top, uint32_t bottom_above, uint32_t *bottom, uint64_t id) {
    if (!above) return false;
    if (forest->prunes && !sn_slab_has_room(forest, missing(*top, bottom_above, *bottom))) {
        sn_slab_prune(forest, &a);
        *top = find_child(forest, above, id);
        *bottom = bottom_above ? find_child(forest, bottom_above, id) : 0;
    }
    if (!sn_slab_has_room(forest, missing(*top, bottom_above, *bottom))) return false;
    if (bottom_above && !*bottom) *bottom = sn_slab_add(forest, bottom_above, id);
    if (!*top) *top = sn_slab_add(forest, above, id);
    return *top && (!bottom_above || *bottom);
}

static inline void take_path(sn_slab_forest *forest, sn_slab_activation *a, uint64_t id) {
    sn_slab_node *nodes = forest->nodes;
    bool begins = !a->position;
    uint32_t above = begins ? a->routine : a->top;
    uint32_t below = !begins ? a->bottom : forest->k > 1 ? a->top : 0;
    uint32_t bottom = below ? find_child(forest, below, id) : 0;
    uint32_t top = above ? find_child(forest, above, id) : 0;
    if (__builtin_expect(!top || (below && !bottom), 0)) {
        bool made = make_children(forest, *a, above, &top, below, &bottom, id);
        a->epoch = forest->epoch;
        if (!made) {
            nodes[SN_SLAB_TOP].count++;
            a->top = a->bottom = a->position = 0;
            return;
        }
    }
    nodes[above].child = top;
    if (below) nodes[below].child = bottom;
    nodes[below ? bottom : top].count++;
    a->top = top;
    a->bottom = bottom;
    if (++a->position >= forest->k - 1) a->position = 0;
}

static __attribute__((noinline)) void take_new_root(sn_slab_forest *forest, sn_slab_activation *a, uint64_t id,
                                                    sn_slab_root *root) {
    take_path(forest, a, id);
    if (a->top) *root = (sn_slab_root){.id = id, .routine = a->routine, .node = a->top};
}

/* k = 1. Which of a routine's paths comes can often not be predicted, but that it came lately can. */
static inline void take_root(sn_slab_forest *forest, sn_slab_activation *a, uint64_t id) {
    sn_slab_root *root = &forest->roots[(id + a->routine * UINT64_C(157)) % SN_SLAB_ROOTS];
    if (__builtin_expect(root->id == id && root->routine == a->routine && root->node, 1)) forest->nodes[root->node].count++;
    else take_new_root(forest, a, id, root);
}

void sn_slab_begin(sn_slab_forest *forest, uint32_t routine, sn_slab_activation *activation) {
    *activation = (sn_slab_activation){.routine = child_of(forest, SN_SLAB_TOP, routine), .epoch = forest->epoch};
    if (activation->routine) forest->nodes[activation->routine].count++;
}

/* Of what an activation was in, nodes may have gone since: it begins again. */
static __attribute__((noinline)) void cut(sn_slab_forest *forest, sn_slab_activation *activation) {
    if (activation->top) sn_cells_header(&forest->cells)->resyncs++;
    *activation = (sn_slab_activation){.routine = activation->routine, .epoch = forest->epoch};
}

void sn_slab_next(sn_slab_forest *forest, sn_slab_activation *activation, uint64_t id) {
    if (__builtin_expect(activation->epoch != forest->epoch, 0)) cut(forest, activation);
    if (forest->k == 1) take_root(forest, activation, id);
    else take_path(forest, activation, id);
}

static void take_paths(sn_slab_forest *forest, sn_slab_activation *open, const uint64_t *ids, size_t count) {
    if (open->epoch != forest->epoch) cut(forest, open);
    sn_slab_activation a = *open;
    if (forest->k == 1)
        for (size_t i = 0; i < count; i++) take_root(forest, &a, ids[i]);
    else
        for (size_t i = 0; i < count; i++) take_path(forest, &a, ids[i]);
    *open = a;
}

sn_status sn_slab_stream(sn_slab_forest *forest, sn_slab_activation *open, const sn_path_stream *stream) {
    uint64_t from = 0;
    for (size_t i = 0; i < stream->activations; from = stream->begins[i++])
        if (stream->begins[i] < from || stream->begins[i] > stream->count) return SN_BAD_INPUT;
    from = 0;
    for (size_t i = 0; i < stream->activations; from = stream->begins[i++]) {
        take_paths(forest, open, stream->ids + from, stream->begins[i] - from);
        sn_slab_begin(forest, stream->routines[i], open);
    }
    take_paths(forest, open, stream->ids + from, stream->count - from);
    return SN_OK;
}
