/* What a hot tree consists of, and how contexts are taken out of it again. */
#ifndef SONDE_HOT_CONTEXTS_H
#define SONDE_HOT_CONTEXTS_H

#include "victim_queue.h"

/* Threads that are kept apart, at most. */
#define SN_MOST_BASES 256u

/* Where a thread is in the tree. It is a cell too, so that a reader sees what runs. */
typedef struct sn_cursor {
    uint64_t tag;            /* SN_TAG_CURSOR */
    sn_context *current;     /* what runs; the root when nothing does */
    uint64_t now;            /* tick of its last event */
    struct sn_cursor *next;  /* all cursors of a tree */
    uint64_t skipped;        /* activations on top of `current` that found no room */
    uint64_t owner[3];       /* for whom the thread belongs to */
} sn_cursor;

static_assert(sizeof(sn_cursor) == SN_CELL_BYTES, "cursor layout");

/* What a tree is to keep; all zero: everything. */
typedef struct {
    sn_metric metric;
    bool space_saving;    /* by calls only */
    uint32_t counters;    /* at least 1 */
    uint64_t nodes_limit; /* at least 1 */
} sn_hot_plan;

typedef struct {
    sn_tree tree;
    sn_queue queue;
    sn_context *root;
    sn_cursor *cursors;
    sn_header *header;      /* has the floor */
    sn_metric metric;
    bool space_saving;      /* else compaction */
    uint32_t counters;
    uint64_t nodes_limit;
    uint64_t nodes_now;     /* compaction: nodes at which the tree is compacted next, at most the limit */
    uint64_t calls_then;    /* that had been counted at the last one */
} sn_hot_tree;

/* Readers in other processes wait while the count is odd. */
static inline void sn_hot_begin_change(sn_hot_tree *hot) {
    __atomic_store_n(&hot->header->changes, hot->header->changes + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

static inline void sn_hot_end_change(sn_hot_tree *hot) {
    __atomic_store_n(&hot->header->changes, hot->header->changes + 1, __ATOMIC_RELEASE);
}

/* Whether nothing runs where this is current: it is the root, or stands for a thread. */
static inline bool sn_hot_is_base(const sn_hot_tree *hot, const sn_context *context) {
    return context == hot->root || context->call_line & SN_BASE;
}

/* Remove a context that has been left, and those above it, as far as nothing holds them. */
void sn_hot_prune(sn_hot_tree *hot, sn_context *context);

/* Whether some thread is in this very context; its callers have it below them. */
bool sn_hot_is_running(const sn_hot_tree *hot, const sn_context *context);

/* Remove a context that has nothing below it and does not run; what it counted goes to its caller, which is returned. */
sn_context *sn_hot_take_out(sn_hot_tree *hot, sn_context *context);

/* Leave what runs; the caller has made sure that it is not the root. */
static inline void sn_hot_leave(sn_hot_tree *hot, sn_cursor *cursor) {
    sn_context *left = cursor->current;
    cursor->current = left->parent;
    if (__builtin_expect(left->call_line & SN_COLD, 0)) sn_hot_prune(hot, left);
}

#endif
