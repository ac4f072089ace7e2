/* Where nodes of the slab forest are found by parent and id: one hash table for all parents of more than two children.
 *
 * What a search costs is what it misses in the caches: here a slot, and the node, which its finder counts in anyway. (A table for each
 * parent has to be found first, and takes more memory than a few children are worth; rings of siblings are a miss for
 * each of them.)
 *
 * Nothing is removed: after pruning the table is made anew.
 *
 * Cost: O(1) expected for each operation; 16 to 32 bytes for each child that is in it.
 */
#ifndef SONDE_SIBLING_INDEX_H
#define SONDE_SIBLING_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sn_slab_node;

typedef struct {
    uint32_t parent, child; /* child 0: the slot is free */
} sn_sibling_slot;

typedef struct {
    sn_sibling_slot *slots; /* open addressing; NULL: there are none */
    uint32_t power;         /* of two: so many; at most half of them are used */
    uint64_t used;
} sn_sibling_index;

void sn_sibling_index_free(sn_sibling_index *index);
size_t sn_sibling_index_bytes(const sn_sibling_index *index);

/* Forget all; the memory stays. */
void sn_sibling_index_clear(sn_sibling_index *index);

/* Make room for so many more; false when memory is short. `nodes`: by number, for their ids. */
bool sn_sibling_index_reserve(sn_sibling_index *index, const struct sn_slab_node *nodes, uint64_t more);

/* Add a child that is not there; there is room for it. */
void sn_sibling_index_add(sn_sibling_index *index, uint32_t parent, uint64_t id, uint32_t child);

/* The child with this id; 0: it is not there. */
uint32_t sn_sibling_index_find(const sn_sibling_index *index, const struct sn_slab_node *nodes, uint32_t parent,
                               uint64_t id);

#endif
