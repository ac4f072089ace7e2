/* The slab forest as an automaton: one node says how far an activation has come, and its child what is next.
 *
 * The current node of the lower slab determines that of the upper one: its path is a chunk and what followed, the latter
 * is the path of the other. So the node that an id is counted in is all that an activation has to keep; in its first chunk
 * that is a node of the upper slab, before its first id the routine. What the nodes of the upper slab are is written down
 * beside the forest, and needed only where a node is made, or is not the one that the last id led to.
 *
 * What follows what is written down once more, for compiled code to look at before it calls anything. Nodes have rows: some
 * words of 32 bits right behind each, whose are what the next ids lead to. From most nodes these are the children; the last
 * ones of the lower slab have none, and there it is what children of the nodes are that they stand for in the upper slab. What a
 * word says is the code's to choose, as is how many there are; they are 0 to begin with. Of the forest's numbers of nodes,
 * those in rows are none.
 *
 * Source: D'Elia, thesis, 3.2.3, Algorithm 4, as of slab_forest.h.
 * Differs: one cursor in place of two, and a position that is known by the node.
 * Guarantee: the forest, its counts and what is dropped are those of `sn_slab_next`.
 * Cost: 4 bytes for each node beside those of the forest, and those of its row.
 */
#ifndef SONDE_SLAB_STATES_H
#define SONDE_SLAB_STATES_H

#include "slab_forest.h"

/* The widest row, and how many nodes take the place of one with a row of so many words of 32 bits. */
#define SN_SLAB_ROW 16u
#define SN_SLAB_PLACES(row) (1 + ((row) * sizeof(uint32_t) + sizeof(sn_slab_node) - 1) / sizeof(sn_slab_node))

typedef struct {
    sn_slab_forest forest;
    uint32_t *links; /* by number of the node, what the .c says */
    uint32_t *roots, routines; /* of each routine, the node */
} sn_slab_states;

/* A node with the widest row, to which nothing is written: in its state an activation begins, too, of whatever routine. Those
 * of the routines, with their rows, are behind it. */
#define SN_SLAB_LIMBO (SN_SLAB_TOP + 1)
#define SN_SLAB_FIRST (SN_SLAB_LIMBO + (uint32_t)SN_SLAB_PLACES(SN_SLAB_ROW))

/* An empty forest of routines that have not been entered; `most` and `file` as in `sn_slab_create`, routines aside. Their
 * nodes, with rows of such widths, lie one behind the other from SN_SLAB_FIRST on. Who enters one adds to its count, and
 * begins in the state of its node. SN_BAD_INPUT when k is 0 or there are too many. */
sn_status sn_slab_states_create(sn_slab_states *states, int file, uint32_t k, uint64_t most, uint32_t routines,
                                const uint32_t *rows);
void sn_slab_states_destroy(sn_slab_states *states);

/* Of a node, or one in its row, the node. */
uint32_t sn_slab_row_of(const sn_slab_states *states, uint32_t node);

/* Count an id in the state that it leads to, and return that; if it is made, it has a row of `row` words.
 * Where there is no room the id is dropped, and the state is that in limbo. */
uint32_t sn_slab_follow(sn_slab_states *states, uint32_t state, uint64_t id, uint32_t routine, uint32_t row);

#endif
