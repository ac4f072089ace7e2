#include "sibling_index.h"

#include "slab_forest.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_POWER 6u

static uint64_t slots_of(const sn_sibling_index *index) { return index->slots ? UINT64_C(1) << index->power : 0; }

static uint64_t home_of(const sn_sibling_index *index, uint32_t parent, uint64_t id) {
    uint64_t mixed = id * UINT64_C(0x9E3779B97F4A7C15) + parent;
    return (mixed ^ mixed >> 32) * UINT64_C(0xD6E8FEB86659FD93) >> (64 - index->power);
}

void sn_sibling_index_free(sn_sibling_index *index) {
    free(index->slots);
    *index = (sn_sibling_index){0};
}

size_t sn_sibling_index_bytes(const sn_sibling_index *index) { return slots_of(index) * sizeof *index->slots; }

void sn_sibling_index_clear(sn_sibling_index *index) {
    if (index->slots) memset(index->slots, 0, sn_sibling_index_bytes(index));
    index->used = 0;
}

bool sn_sibling_index_reserve(sn_sibling_index *index, const sn_slab_node *nodes, uint64_t more) {
    sn_sibling_index grown = {.power = index->slots ? index->power : FIRST_POWER};
    if ((index->used + more) * 2 <= slots_of(index)) return true;
    while ((index->used + more) * 2 > UINT64_C(1) << grown.power) grown.power++;
    grown.slots = calloc(UINT64_C(1) << grown.power, sizeof *grown.slots);
    if (!grown.slots) return false;
    for (uint64_t at = 0; at < slots_of(index); at++) {
        sn_sibling_slot slot = index->slots[at];
        if (slot.child) sn_sibling_index_add(&grown, slot.parent, nodes[slot.child].id, slot.child);
    }
    free(index->slots);
    *index = grown;
    return true;
}

void sn_sibling_index_add(sn_sibling_index *index, uint32_t parent, uint64_t id, uint32_t child) {
    uint64_t mask = slots_of(index) - 1, at = home_of(index, parent, id);
    while (index->slots[at].child) at = (at + 1) & mask;
    index->slots[at] = (sn_sibling_slot){parent, child};
    index->used++;
}

uint32_t sn_sibling_index_find(const sn_sibling_index *index, const sn_slab_node *nodes, uint32_t parent, uint64_t id) {
    uint64_t mask = slots_of(index) - 1, at = home_of(index, parent, id);
    for (sn_sibling_slot slot; (slot = index->slots[at]).child; at = (at + 1) & mask)
        if (slot.parent == parent && nodes[slot.child].id == id) return slot.child;
    return 0;
}
