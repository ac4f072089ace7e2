#include "child_index.h"

#include <stdlib.h>

#define FIRST_ROOM 64u

static uint64_t home_of(uint64_t parent) {
    uint64_t x = parent * UINT64_C(0x9E3779B97F4A7C15);
    return x ^ x >> 32;
}

/* Where the table of a parent is, or would be. */
static uint64_t place_of(const sn_child_index *index, uint64_t parent) {
    uint64_t mask = index->room - 1, at = home_of(parent) & mask;
    while (index->tables[at].parent && index->tables[at].parent != parent) at = (at + 1) & mask;
    return at;
}

/* Whether what is at home in `home` may move from `from` back to the gap: it does not lie behind the gap. */
static bool fills_gap(uint64_t home, uint64_t gap, uint64_t from, uint64_t mask) {
    return ((from - home) & mask) >= ((from - gap) & mask);
}

const sn_child_table *sn_child_index_table(const sn_child_index *index, uint64_t parent) {
    return &index->tables[place_of(index, parent)];
}

void sn_child_index_free(sn_child_index *index) {
    for (uint64_t at = 0; at < index->room; at++) free(index->tables[at].slots);
    free(index->tables);
    *index = (sn_child_index){0};
}

size_t sn_child_index_bytes(const sn_child_index *index) {
    size_t bytes = index->room * sizeof *index->tables;
    for (uint64_t at = 0; at < index->room; at++) bytes += index->tables[at].room * sizeof(sn_child_slot);
    return bytes;
}

static bool grow(sn_child_index *index) {
    sn_child_index grown = {.room = index->room ? 2 * index->room : FIRST_ROOM, .used = index->used};
    grown.tables = calloc(grown.room, sizeof *grown.tables);
    if (!grown.tables) return false;
    for (uint64_t at = 0; at < index->room; at++)
        if (index->tables[at].parent) grown.tables[place_of(&grown, index->tables[at].parent)] = index->tables[at];
    free(index->tables);
    *index = grown;
    return true;
}

bool sn_child_index_begin(sn_child_index *index, uint64_t parent) {
    if ((index->used + 1) * 2 > index->room && !grow(index)) return false;
    sn_child_table table = {.parent = parent, .room = FIRST_ROOM, .slots = calloc(FIRST_ROOM, sizeof *table.slots)};
    if (!table.slots) return false;
    index->tables[place_of(index, parent)] = table;
    index->used++;
    return true;
}

void sn_child_index_end(sn_child_index *index, uint64_t parent) {
    uint64_t mask = index->room - 1, gap = place_of(index, parent);
    free(index->tables[gap].slots);
    for (uint64_t at = (gap + 1) & mask; index->tables[at].parent; at = (at + 1) & mask) {
        if (!fills_gap(home_of(index->tables[at].parent), gap, at, mask)) continue;
        index->tables[gap] = index->tables[at];
        gap = at;
    }
    index->tables[gap] = (sn_child_table){0};
    index->used--;
}

static void put(sn_child_table *table, sn_child_slot slot) {
    uint32_t at = slot.hash;
    while (table->slots[at & (table->room - 1)].child) at++;
    table->slots[at & (table->room - 1)] = slot;
}

static bool grow_table(sn_child_table *table) {
    sn_child_table grown = *table;
    grown.room *= 2;
    grown.slots = grown.room ? calloc(grown.room, sizeof *grown.slots) : NULL;
    if (!grown.slots) return false;
    for (uint32_t at = 0; at < table->room; at++)
        if (table->slots[at].child) put(&grown, table->slots[at]);
    free(table->slots);
    *table = grown;
    return true;
}

bool sn_child_index_add(sn_child_index *index, uint64_t parent, uint32_t hash, uint32_t child) {
    sn_child_table *table = &index->tables[place_of(index, parent)];
    if ((uint64_t)(table->used + 1) * 2 > table->room && !grow_table(table)) return false;
    put(table, (sn_child_slot){hash, child});
    table->used++;
    return true;
}

void sn_child_index_remove(sn_child_index *index, uint64_t parent, uint32_t hash, uint32_t child) {
    sn_child_table *table = &index->tables[place_of(index, parent)];
    sn_child_slot *slots = table->slots;
    uint32_t mask = table->room - 1, gap = hash & mask;
    while (slots[gap].child != child) gap = (gap + 1) & mask;
    for (uint32_t at = (gap + 1) & mask; slots[at].child; at = (at + 1) & mask) {
        if (!fills_gap(slots[at].hash & mask, gap, at, mask)) continue;
        slots[gap] = slots[at];
        gap = at;
    }
    slots[gap].child = 0;
    table->used--;
}
