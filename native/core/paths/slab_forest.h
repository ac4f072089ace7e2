/* The k-slab forest: all sequences of up to k path ids that occur in a stream, at two steps for each id.
 *
 * A stream is cut at activations of routines, and these into chunks of k - 1 ids. The forest is the prefix forest of
 * each chunk with the one behind it: every sequence of up to k ids lies within two chunks that follow one another. Its
 * upper slab has the first of the two chunks, its lower slab the second. path_forest.h makes counts of sequences of it.
 *
 * Everything is one tree: below the top are routines, below these the roots of their trees, then paths. A node is known
 * by the number of its place. Siblings form a ring that its parent enters at the child used last, so that code which is
 * compiled can compare that one by itself; children of parents of more than two are in a hash table besides.
 *
 * Source: D'Elia, thesis, 3.2.3, Algorithm 4; Ausiello et al., k-calling context profiling, OOPSLA 2012.
 * Differs: routines have roots of their own; k may be 1, where the forest is the acyclic profile.
 * Cost: O(1) expected time for each id; at most SN_SLAB_NODE_BYTES for each node.
 * Guarantee: where there was no room for an id, the forest is that of the stream with a mark `*` in its place.
 * Where it prunes, there is room: see slab_pruning.h.
 */
#ifndef SONDE_SLAB_FOREST_H
#define SONDE_SLAB_FOREST_H

#include "../base/cells.h"
#include "sibling_index.h"

typedef struct sn_slab_node {
    uint64_t id;    /* of a path; of a routine, below the top */
    uint64_t count; /* of a routine: its activations */
    uint32_t child; /* the one used last; 0: there is none */
    uint32_t next;  /* the next sibling, round in a ring; see SN_SLAB_WIDE */
} sn_slab_node;

static_assert(sizeof(sn_slab_node) == 24, "node layout");

/* In `next`: the children of this node are in the index. */
#define SN_SLAB_WIDE (UINT32_C(1) << 31)
#define SN_SLAB_MOST_NODES (UINT64_C(1) << 30)

/* Of memory for each node: the node, and what a slot for it in a hash table may come to. */
#define SN_SLAB_NODE_BYTES 64u

/* The header of the cells takes the places of eight nodes; the top is behind it. Its id is k, its count the number of ids
 * for which there was no room, so that a file says all that is to be known of it. */
#define SN_SLAB_TOP ((uint32_t)(SN_HEADER_CELLS * SN_CELL_BYTES / sizeof(sn_slab_node)))

static_assert(SN_SLAB_TOP * sizeof(sn_slab_node) == SN_HEADER_CELLS * SN_CELL_BYTES, "nodes lie side by side");

/* A root that was found lately: where k is 1, nothing else is looked for. */
typedef struct {
    uint64_t id;
    uint32_t routine, node;
} sn_slab_root;

#define SN_SLAB_ROOTS 1024u

typedef struct {
    sn_cells cells;
    sn_slab_node *nodes;  /* by number; the first is SN_SLAB_TOP */
    sn_sibling_index index; /* of the children of parents of more than two */
    uint64_t used, room;  /* numbers that are taken, and for which there is memory */
    uint64_t most;        /* numbers that may be taken */
    uint64_t unused;      /* numbers that are taken, and free again: a list by `next`, from `free` on */
    uint32_t free;
    uint32_t epoch;       /* how often it was pruned */
    uint64_t *given;      /* what nodes were given then, by number; NULL: it never was */
    bool prunes;          /* when it is full, it is pruned */
    uint32_t k;
    sn_slab_root roots[SN_SLAB_ROOTS]; /* k = 1: by routine and id; node 0: none */
} sn_slab_forest;

/* How far one activation has come; its owner keeps it, in a frame or for a thread, and begins with zeros. */
typedef struct {
    uint32_t routine;     /* its node; 0: there was no room for it */
    uint32_t top, bottom; /* the current nodes of both slabs, tau and beta in the source; 0: none */
    uint32_t position;    /* ids in the current chunk; 0: the next one begins a chunk */
    uint32_t epoch;       /* of the forest, when it was there last: else its nodes may mean something else now */
} sn_slab_activation;

/* Ids of activations one after the other. Activation i has the ids from `begins[i]` to where the next begins; those
 * before the first continue what was open. */
typedef struct {
    const uint64_t *ids;
    size_t count;
    const uint64_t *begins; /* ascending, at most `count` */
    const uint32_t *routines;
    size_t activations;
} sn_path_stream;

/* An empty forest of at most `most` nodes, in an empty file (whose owner it becomes) or, for -1, in private memory.
 * SN_BAD_INPUT when k is 0. */
sn_status sn_slab_create(sn_slab_forest *forest, int file, uint32_t k, uint64_t most);
void sn_slab_destroy(sn_slab_forest *forest);

/* A routine begins. */
void sn_slab_begin(sn_slab_forest *forest, uint32_t routine, sn_slab_activation *activation);

/* It has taken a path. */
void sn_slab_next(sn_slab_forest *forest, sn_slab_activation *activation, uint64_t id);

/* Both, for a batch, which may end and go on anywhere. SN_BAD_INPUT when activations do not ascend: nothing was done. */
sn_status sn_slab_stream(sn_slab_forest *forest, sn_slab_activation *open, const sn_path_stream *stream);

/* Nodes but the top. */
static inline uint64_t sn_slab_nodes(const sn_slab_forest *forest) {
    return forest->used - SN_SLAB_TOP - 1 - forest->unused;
}

/* Ids for which there was no room. */
static inline uint64_t sn_slab_dropped(const sn_slab_forest *forest) { return forest->nodes[SN_SLAB_TOP].count; }

/* What pruning has cost: the floor of slab_pruning.h, and how many activations were cut. The file says it, too. */
static inline const sn_header *sn_slab_header(const sn_slab_forest *forest) { return (const sn_header *)forest->nodes; }
static inline uint64_t sn_slab_floor(const sn_slab_forest *forest) { return sn_slab_header(forest)->floor; }
static inline uint64_t sn_slab_cuts(const sn_slab_forest *forest) { return sn_slab_header(forest)->resyncs; }

/* The sibling behind a node; the same node when it has none. */
static inline uint32_t sn_slab_sibling(const sn_slab_forest *forest, uint32_t node) {
    return forest->nodes[node].next & ~SN_SLAB_WIDE;
}

/* For what keeps its place otherwise than in an activation: the child with an id, 0 if there is none; whether there is room
 * for so many nodes; such a child where there is none, but room for it, or 0 when a hash table cannot grow. It is whole before anything leads to it. */
uint32_t sn_slab_find(const sn_slab_forest *forest, uint32_t parent, uint64_t id);
bool sn_slab_has_room(sn_slab_forest *forest, uint64_t nodes);
uint32_t sn_slab_add(sn_slab_forest *forest, uint32_t parent, uint64_t id);

/* For what removes nodes: take the child behind another one out of its ring; let a node be used again that nothing leads to. When all
 * that go are out of their rings, index the children of each node that stays, and of the top, anew. */
void sn_slab_unlink(sn_slab_forest *forest, uint32_t before);
void sn_slab_free(sn_slab_forest *forest, uint32_t node);
void sn_slab_forget_index(sn_slab_forest *forest);
void sn_slab_index_children(sn_slab_forest *forest, uint32_t parent);

#endif
