/* A calling context tree as an analysis: fed with events or spools, merged, read out.
 *
 * Exact or hot (hot_tree.h). Contexts are known by function numbers that mean the same in
 * everything that is merged; times are in the unit in which they are fed.
 */
#ifndef SONDE_CALL_TREE_H
#define SONDE_CALL_TREE_H

#include "burst_gate.h"
#include "hot_tree.h"
#include "spool_file.h"

typedef struct {
    sn_cells cells;
    sn_hot_tree hot;
    sn_cursor **cursors;    /* by thread number */
    uint32_t cursor_count;
    uint64_t unmatched;     /* leaves without an enter: counted, otherwise ignored */
    uint64_t dropped, dropped_ns; /* calls that found no room, and their time, which is in their callers' totals:
                               the tree has too few nodes for the stack */
    uint64_t orphans;       /* cells of damaged spools whose parent, function or values cannot be */
    uint64_t calls, ns;     /* what spools brought, summed up: never more than an int64 holds */
    uint64_t floors;        /* exact trees: sum of the floors of the hot trees that were added; a
                               context's error is this less what its `error` field says */
    uint64_t errors;        /* a bound of that: never more than an int64 holds, whatever spools say */
} sn_call_tree;

typedef struct {
    int64_t *parent, *function, *call_line, *calls, *total_calls, *self_ns, *total_ns, *error;
    double *calls_squares, *ticks_squares; /* or NULL */
} sn_columns;

typedef struct {
    const uint8_t *kind;
    const uint32_t *thread, *function, *line;
    const uint64_t *time;
} sn_events;

/* `sided`: hot trees are to be added to an exact one. */
sn_status sn_call_tree_create(sn_call_tree *tree, const sn_hot_plan *plan, bool sided);
void sn_call_tree_destroy(sn_call_tree *tree);

/* Feed one event; SN_NO_MEMORY, or SN_BAD_INPUT as below. */
sn_status sn_call_tree_event(sn_call_tree *tree, const sn_event *event);

/* Feed events `from` up to `to`. kind: sn_event_kind; function and line matter for ENTER and FOUND
 * only; times are below 2^63, and do not decrease within a thread. SN_BAD_INPUT: the event at
 * `*consumed` has an unknown kind, a later time, or a thread number of SN_THREAD_LIMIT or more; it
 * and what follows it were not counted. */
#define SN_THREAD_LIMIT (1u << 20)
sn_status sn_call_tree_feed(sn_call_tree *tree, const sn_events *events, size_t from, size_t to, size_t *consumed);

/* Add the contexts of a spool to an exact tree, one with sides if the spool's is hot. `function_map`
 * gives the number of each of its functions; `end_ticks` is when those that run ended. `apart`: bases (hot_tree.h)
 * become contexts, from line 0; else each thread is added as if it had a spool of its own, with the floor of this one.
 * Guarantee:
 * the calls and the times of all spools together fit into the columns, whatever the spools say; what
 * does not is an orphan. */
sn_status sn_call_tree_add_spool(sn_call_tree *tree, const sn_spool_file *spool, const uint32_t *function_map,
                                 uint32_t functions, double ns_per_tick, uint64_t end_ticks, bool apart);

/* A spool of code that was called from the contexts of another spool (../../probes/probes.h): exact, and its ticks are of the
 * other one's clock. */
typedef struct {
    const sn_spool_file *spool;
    const uint32_t *function_map; /* its first two stand for contexts of the other one */
    uint32_t functions;
} sn_inner_spool;

/* The same, with what was called from the contexts of the spool put below them, or, where these were pruned, below what is
 * left of their callers; what was called from none that is known, below none. The spool has no bases. SN_BAD_INPUT: an inner
 * one is not exact; nothing was added. */
sn_status sn_call_tree_add_spools(sn_call_tree *tree, const sn_spool_file *spool, const uint32_t *function_map,
                                  uint32_t functions, double ns_per_tick, uint64_t end_ticks,
                                  const sn_inner_spool *inner, uint32_t inner_count);

/* Add all of `from`, whose function i is `function_map[i]` here. Both are exact, or both are hot by
 * the same metric. SN_BAD_INPUT: they are not, or there is a function beyond the map; nothing was
 * added. */
sn_status sn_call_tree_merge(sn_call_tree *into, const sn_call_tree *from, const uint32_t *function_map,
                             uint32_t functions);

/* Rows that sn_call_tree_columns will write at most. */
uint64_t sn_call_tree_rows(const sn_call_tree *tree);

/* Write the columns, parents before children: in order of creation, or, from a tree with sides,
 * depth first by function and line. Contexts without calls and time at or below them are left out.
 * Activations that run count up to the last event of their thread. Times are multiplied by
 * `ns_per_tick`. Returns the number of rows written, or SN_NO_ROW when memory ran out. */
uint64_t sn_call_tree_columns(const sn_call_tree *tree, double ns_per_tick, const sn_columns *columns);

#endif
