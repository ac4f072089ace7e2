/* Where the children of wide parents are found: a hash table for each such parent.
 *
 * One table for all of them would be spread over memory: where nearly every call makes a new context, each search would
 * miss the caches. The table of the parent that is being filled stays there. A slot has the hash of a child beside the
 * number of its cell, so that children which are not wanted are not looked at, and a table grows without looking at any.
 *
 * Cost: O(1) expected for each operation; 16 to 32 bytes for each child.
 */
#ifndef SONDE_CHILD_INDEX_H
#define SONDE_CHILD_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t hash, child; /* child: number of its cell, at least 1; 0: the slot is free */
} sn_child_slot;

typedef struct {
    uint64_t parent; /* number of its cell, at least 1; 0: there is no table here */
    sn_child_slot *slots;
    uint32_t room, used; /* room: a power of two; at most half of it is used */
} sn_child_table;

typedef struct {
    sn_child_table *tables; /* open addressing, by parent */
    uint64_t room, used;    /* likewise */
} sn_child_index;

void sn_child_index_free(sn_child_index *index);
size_t sn_child_index_bytes(const sn_child_index *index);

/* An empty table for a parent that has none; false when memory is short. */
bool sn_child_index_begin(sn_child_index *index, uint64_t parent);
/* Drop the table of a parent. */
void sn_child_index_end(sn_child_index *index, uint64_t parent);

/* Add a child that is not there; false when memory is short. */
bool sn_child_index_add(sn_child_index *index, uint64_t parent, uint32_t hash, uint32_t child);
/* Remove a child that is there. */
void sn_child_index_remove(sn_child_index *index, uint64_t parent, uint32_t hash, uint32_t child);

/* The table of a parent, which has one; good until the index is changed. */
const sn_child_table *sn_child_index_table(const sn_child_index *index, uint64_t parent);

/* The next child with this hash at or after slot `*at`, which goes past it; 0: there is none. Begin with the hash. */
static inline uint32_t sn_child_table_next(const sn_child_table *table, uint32_t hash, uint32_t *at) {
    for (const sn_child_slot *slot; (slot = &table->slots[*at & (table->room - 1)])->child;) {
        ++*at;
        if (slot->hash == hash) return slot->child;
    }
    return 0;
}

#endif
