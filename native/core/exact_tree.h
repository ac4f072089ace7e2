/* The exact calling context tree as an analysis: fed with events or spools, merged, read out.
 *
 * Contexts are known by function numbers that mean the same in everything that is merged;
 * times are nanoseconds, kept exclusive.
 */
#ifndef SONDE_EXACT_TREE_H
#define SONDE_EXACT_TREE_H

#include "context_tree.h"
#include "spool_file.h"

typedef enum { SN_EVENT_ENTER = 1, SN_EVENT_LEAVE = 2, SN_EVENT_UNWIND = 3 } sn_event_kind;

typedef struct {
    sn_cells cells;
    sn_tree tree;
    sn_context *root;       /* one for all threads: their trees are merged as they grow */
    struct sn_stack *stacks; /* by thread number */
    uint32_t stack_count;
    uint64_t unmatched;     /* leaves without an enter: counted, otherwise ignored */
    uint64_t orphans;       /* cells of damaged spools whose parent, function or values cannot be */
    uint64_t calls, ns;     /* what spools brought, summed up: never more than an int64 holds */
} sn_exact_tree;

typedef struct {
    int64_t *parent, *function, *call_line, *calls, *total_calls, *self_ns, *total_ns;
} sn_columns;

sn_status sn_exact_create(sn_exact_tree *tree);
void sn_exact_destroy(sn_exact_tree *tree);

/* Feed `count` events. kind: sn_event_kind; function and line matter for ENTER only; time in
 * nanoseconds below 2^63, not decreasing within a thread. SN_BAD_INPUT: the event at `*consumed`
 * has an unknown kind, a later time, or a thread number of SN_THREAD_LIMIT or more; it and what
 * follows it were not counted. */
#define SN_THREAD_LIMIT (1u << 20)
sn_status sn_exact_feed(sn_exact_tree *tree, size_t count, const uint8_t *kind, const uint32_t *thread,
                        const uint32_t *function, const uint32_t *line, const uint64_t *time_ns, size_t *consumed);

/* Add the contexts of a spool. `function_map` gives the number of each of its functions;
 * `end_ticks` closes activations that were running. Guarantee: the calls and the times of all
 * spools together fit into the columns, whatever the spools say; what does not is an orphan. */
sn_status sn_exact_add_spool(sn_exact_tree *tree, const sn_spool_file *spool, const uint32_t *function_map,
                             uint32_t functions, double ns_per_tick, uint64_t end_ticks);

/* Add all of `from`, whose function i is `function_map[i]` here. SN_BAD_INPUT: a function
 * beyond the map; nothing was added. */
sn_status sn_exact_merge(sn_exact_tree *into, const sn_exact_tree *from, const uint32_t *function_map,
                         uint32_t functions);

/* Rows that sn_exact_columns will write at most. */
uint64_t sn_exact_rows(const sn_exact_tree *tree);
/* Write the columns, parents before children; contexts without calls and time are left out.
 * Activations that run count up to the last event of their thread.
 * Returns the number of rows written, or SN_NO_ROW when memory ran out. */
uint64_t sn_exact_columns(const sn_exact_tree *tree, const sn_columns *columns);

#endif
