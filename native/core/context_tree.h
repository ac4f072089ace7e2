/* The calling context tree: first child, next sibling; "first" is the child used last.
 *
 * A context is one cell. Its parent was created before it and lies before it in the
 * store, which is all that a reader needs to rebuild the tree.
 *
 * Source: Ammons, Ball, Larus, PLDI 1997 (the tree); D'Elia, PhD thesis, section 5.1.1
 * (representation and page-based allocation).
 * Differs: siblings form a ring, a new one behind the child that was used before it, and the
 * search begins at the child used last. Programs mostly repeat what they did before, in the same
 * order: the child wanted next is then the same one or its neighbour, whereas moving to the front
 * puts it last. A search changes no links of the ring. Parents with many children get a hash index besides, so that entering a
 * context takes expected constant time for any number of siblings. benches/bench_core.py
 * compares the two.
 */
#ifndef SONDE_CONTEXT_TREE_H
#define SONDE_CONTEXT_TREE_H

#include "cells.h"

typedef struct sn_context {
    uint64_t key;    /* what runs: address of a code object or C function; odd: freed, see below */
    struct sn_context *parent, *child, *next; /* child: the one used last; next: around the ring of siblings */
    uint64_t calls;  /* activations */
    uint64_t ticks;  /* inclusive ticks of the activations that ended */
    uint64_t entered; /* tick at which the running activation began, 0 when none; roots: last tick seen */
    uint32_t function; /* number of the FUNCTION record */
    uint32_t call_line; /* line in the caller; highest bit: SN_WIDE, set on the caller's own cell */
} sn_context;

static_assert(sizeof(sn_context) == SN_CELL_BYTES, "context layout");

#define SN_WIDE 0x80000000u          /* this context's children are in the index */
#define SN_LINE_MASK 0x7fffffffu
/* Siblings looked at before the index is asked, or built. Scanning this many costs about as
 * much as one probe of a table that is not in the cache. */
#define SN_SCAN 16

typedef struct {
    sn_cells *cells;
    sn_context **slots; /* open addressing, power-of-two size, at most half full */
    uint64_t slot_count, slot_used;
    uint64_t slot_stale; /* of those used: the key has changed since, or is there twice */
} sn_tree;

/* Key of a context whose code object was freed: cannot equal an address. */
static inline uint64_t sn_dead_key(uint32_t function) { return (uint64_t)function << 1 | 1u; }

static inline uint32_t sn_line_of(const sn_context *context) { return context->call_line & SN_LINE_MASK; }

void sn_tree_init(sn_tree *tree, sn_cells *cells);
void sn_tree_free(sn_tree *tree); /* the index only; contexts belong to the cells */

/* A new root, or NULL when there is no room. */
sn_context *sn_tree_root(sn_tree *tree);

/* The child of `parent` with this key and line, now the one used last; NULL when there is none.
 * Cost: O(1) expected. */
sn_context *sn_tree_find(sn_tree *tree, sn_context *parent, uint64_t key, uint32_t line);

/* A new child of `parent`; NULL when there is no room. The caller has made sure by
 * sn_tree_find that there is none such. */
sn_context *sn_tree_add(sn_tree *tree, sn_context *parent, uint64_t key, uint32_t line, uint32_t function);

/* Give a context another key (its code object was freed, or came back). */
void sn_tree_rekey(sn_tree *tree, sn_context *context, uint64_t key);

/* The fast path of sn_tree_find: the child used last. */
static inline sn_context *sn_tree_front(const sn_context *parent, uint64_t key, uint32_t line) {
    sn_context *front = parent->child;
    return front && front->key == key && sn_line_of(front) == line ? front : NULL;
}

#endif
