/* The calling context tree: first child, next sibling; "first" is the child used last.
 *
 * A context is one cell. In a tree from which contexts are removed again, a second cell holds what is
 * rarely needed (sn_side): contexts come in chunks of SN_CHUNK cells, and their sides in the next so many
 * cells. Side by side, the two would leave half of the cache's sets to the sides.
 *
 * Source: Ammons, Ball, Larus, PLDI 1997 (the tree); D'Elia, PhD thesis, section 5.1.1
 * (representation and page-based allocation).
 * Differs: siblings form a ring, a new one behind the child that was used before it, and the
 * search begins at the child used last. Programs mostly repeat what they did before, in the same
 * order: the child wanted next is then the same one or its neighbour, whereas moving to the front
 * puts it last. A search changes no links of the ring. Parents with many children get a hash table besides
 * (child_index.h), so that entering a context takes expected constant time for any number of siblings.
 * benches/bench_core.py compares the two.
 */
#ifndef SONDE_CONTEXT_TREE_H
#define SONDE_CONTEXT_TREE_H

#include "../base/cells.h"
#include "child_index.h"

typedef struct sn_context {
    uint64_t key;    /* what runs: address of a code object or C function; odd: freed, see below */
    struct sn_context *parent, *child, *next; /* child: the one used last; next: around the ring of siblings */
    uint64_t calls;  /* activations, since the context was made */
    uint64_t ticks;  /* ticks outside callees, since the context was made */
    uint64_t error;  /* calls, or ticks, that it may have had before it was made; hot_tree.h */
    uint32_t function;  /* number of the FUNCTION record */
    uint32_t call_line; /* line in the caller; highest bits: SN_WIDE, set on the caller's own cell, SN_COLD, and SN_BASE */
} sn_context;

/* What a context has besides when contexts come and go. */
typedef struct {
    uint64_t tag;         /* SN_TAG_SIDE */
    sn_context *previous; /* around the ring of siblings */
    uint64_t pruned_calls, pruned_ticks; /* of contexts below that were removed */
    uint64_t burst_calls, burst_ticks;   /* `calls` and `ticks` when the last burst ended */
    double calls_squares, ticks_squares; /* sums over the bursts of the squares of what each brought */
} sn_side;

static_assert(sizeof(sn_context) == SN_CELL_BYTES, "context layout");
static_assert(sizeof(sn_side) == SN_CELL_BYTES, "side layout");

#define SN_WIDE 0x80000000u          /* this context's children are in the index */
#define SN_COLD 0x40000000u          /* not monitored; see hot_tree.h */
#define SN_BASE 0x20000000u          /* a thread: what it runs is below; see hot_tree.h */
#define SN_LINE_MASK 0x1fffffffu
/* A parent with more children than this is wide. */
#define SN_SCAN 16
/* Siblings of a wide parent that are looked at before the index is asked: the one used last and its neighbour. */
#define SN_SCAN_WIDE 2

/* Contexts that are taken from the store at once, when they have sides. */
#define SN_CHUNK 64u

typedef struct {
    sn_cells *cells;
    sn_context *chunk;  /* the rest of a chunk, with sides */
    uint32_t chunk_left;
    sn_child_index index;
    sn_context **removed; /* contexts whose cells can be used again, the last removed on top */
    uint64_t removed_count, removed_room;
    uint64_t nodes;      /* contexts in the tree, the root left out */
    bool sided;          /* every context has a side, and can be removed */
    void (*on_removal)(sn_context *context); /* told before a context is removed; or NULL */
} sn_tree;

/* Key of a context whose code object was freed: cannot equal an address. */
static inline uint64_t sn_dead_key(uint32_t function) { return (uint64_t)function << 1 | 1u; }

/* Whether a cell with this first word is a context, the root left out. */
static inline bool sn_is_context(uint64_t key) { return key & 1 || key > SN_TAG_LAST; }

static inline uint32_t sn_line_of(const sn_context *context) { return context->call_line & SN_LINE_MASK; }

/* Only in a tree with sides. */
static inline sn_side *sn_side_of(const sn_context *context) { return (sn_side *)(context + SN_CHUNK); }

void sn_tree_init(sn_tree *tree, sn_cells *cells, bool sided);
void sn_tree_free(sn_tree *tree); /* the index only; contexts belong to the cells */

/* A new root, or NULL when there is no room. */
sn_context *sn_tree_root(sn_tree *tree);

/* The child of `parent` with this key and line, now the one used last; NULL when there is none.
 * Cost: O(1) expected. */
sn_context *sn_tree_find(sn_tree *tree, sn_context *parent, uint64_t key, uint32_t line);

/* A new child of `parent`; NULL when there is no room. The caller has made sure by
 * sn_tree_find that there is none such. `line` may be SN_BASE. */
sn_context *sn_tree_add(sn_tree *tree, sn_context *parent, uint64_t key, uint32_t line, uint32_t function);

/* Take a context without children out of a tree with sides; its cells will be used again.
 * Cost: O(1) amortised. */
void sn_tree_remove(sn_tree *tree, sn_context *leaf);

/* The next context at or after `*cell`, in order of the cells, and `*cell` past it; NULL at the end. */
sn_context *sn_tree_next(const sn_tree *tree, uint64_t *cell);

/* Give a context another key (its code object was freed, or came back). */
void sn_tree_rekey(sn_tree *tree, sn_context *context, uint64_t key);

/* The fast path of sn_tree_find: the child used last, unless it is cold. */
static inline sn_context *sn_tree_front(const sn_context *parent, uint64_t key, uint32_t line) {
    sn_context *front = parent->child;
    return front && front->key == key && (front->call_line & ~SN_WIDE) == line ? front : NULL;
}

#endif
