/* What must be true of a hot tree at any moment, by itself and beside an exact tree of the same stream. */
#ifndef SONDE_HOT_INVARIANTS_H
#define SONDE_HOT_INVARIANTS_H

#include "../core/contexts/call_tree.h"

#include <stdlib.h>
#include <string.h>

/* Each of these returns NULL, or what is not true. */
typedef const char *hot_problem;

#define HOT_TRUE(condition)                                                                                           \
    do {                                                                                                              \
        if (!(condition)) return #condition;                                                                          \
    } while (0)

/* The ways to keep a tree hot. */
typedef enum { SAVING, BY_CALLS, BY_TIME, HOT_WAYS } hot_way;

static inline sn_hot_plan hot_plan(hot_way way, uint32_t counters, uint64_t nodes_limit) {
    return (sn_hot_plan){.metric = way == BY_TIME ? SN_METRIC_TIME : SN_METRIC_CALLS,
                         .space_saving = way == SAVING,
                         .counters = counters,
                         .nodes_limit = nodes_limit};
}

static inline uint64_t hot_value(const sn_hot_tree *hot, const sn_context *context) {
    return hot->metric == SN_METRIC_TIME ? context->ticks : context->calls;
}

static inline bool hot_is_current(const sn_hot_tree *hot, const sn_context *context) {
    for (const sn_cursor *cursor = hot->cursors; cursor; cursor = cursor->next)
        if (cursor->current == context) return true;
    return false;
}

/* By the ring, not by the index. */
static inline sn_context *hot_child(const sn_context *parent, uint64_t key, uint32_t line) {
    sn_context *child = parent->child;
    if (child) do {
            if (child->key == key && sn_line_of(child) == line) return child;
        } while ((child = child->next) != parent->child);
    return NULL;
}

/* The rings below `parent`, both ways round; the index of wide parents; counts what is there. */
static inline hot_problem hot_check_below(sn_hot_tree *hot, sn_context *parent, uint64_t *nodes, uint64_t *monitored) {
    sn_context *front = parent->child, *child = front;
    if (!child) {
        HOT_TRUE(!(parent->call_line & SN_WIDE));
        return NULL;
    }
    do {
        HOT_TRUE(child->parent == parent && sn_is_context(child->key));
        HOT_TRUE(sn_side_of(child)->tag == SN_TAG_SIDE && sn_side_of(child->next)->previous == child);
        HOT_TRUE(child->child || !(child->call_line & SN_COLD) || hot_is_current(hot, child));
        HOT_TRUE(sn_tree_find(&hot->tree, parent, child->key, sn_line_of(child)) == child);
        HOT_TRUE(++*nodes <= hot->tree.nodes);
        *monitored += !(child->call_line & SN_COLD);
        hot_problem problem = hot_check_below(hot, child, nodes, monitored);
        if (problem) return problem;
        child = child->next;
    } while (child != front);
    parent->child = front; /* looking has moved it */
    return NULL;
}

/* Structure: rings, index, removed cells, the queue, who may be cold. `further` cells are of records. */
static inline hot_problem hot_check_beside_records(sn_hot_tree *hot, uint64_t further) {
    uint64_t nodes = 0, monitored = 0, removed = 0, threads = 0;
    hot_problem problem = hot_check_below(hot, hot->root, &nodes, &monitored);
    if (problem) return problem;
    HOT_TRUE(nodes == hot->tree.nodes && nodes <= hot->nodes_limit);
    HOT_TRUE(!(hot->root->call_line & SN_COLD) && hot->root->key == SN_TAG_ROOT && !hot->root->parent);
    for (; removed < hot->tree.removed_count; removed++) HOT_TRUE(hot->tree.removed[removed]->key == SN_TAG_FREE);
    for (const sn_cursor *cursor = hot->cursors; cursor; cursor = cursor->next, threads++) {
        HOT_TRUE(cursor->tag == SN_TAG_CURSOR);
        for (const sn_context *at = cursor->current; at != hot->root; at = at->parent) HOT_TRUE(sn_is_context(at->key));
    }
    uint64_t places = nodes + removed + 1 + hot->tree.chunk_left; /* the root has one, too */
    HOT_TRUE(places % SN_CHUNK == 0 && hot->tree.cells->used == SN_HEADER_CELLS + 2 * places + threads + further);
    const sn_queue *queue = &hot->queue;
    if (!hot->space_saving) HOT_TRUE(monitored == nodes && !queue->count); /* nothing is cold, or a victim */
    else HOT_TRUE(queue->count == monitored && queue->count <= hot->counters);
    for (uint32_t slot = 0; slot < queue->count; slot++) {
        const sn_context *context = queue->contexts[slot];
        HOT_TRUE(sn_is_context(context->key) && !(context->call_line & SN_COLD));
        HOT_TRUE(queue->seen[slot] <= sn_upper_bound(context, false));
        for (uint32_t other = 0; other < slot; other++) HOT_TRUE(queue->contexts[other] != context);
    }
    HOT_TRUE(!(hot->header->changes & 1));
    return NULL;
}

static inline hot_problem hot_check(sn_hot_tree *hot) { return hot_check_beside_records(hot, 0); }

/* Values and errors below `here`, whose exact twin is `truth`; `here` is NULL where the hot tree has
 * nothing. `dropped` is what may be missing everywhere because there was no room. */
static inline hot_problem hot_check_bounds_below(const sn_hot_tree *hot, const sn_context *here, const sn_context *truth,
                                                 uint64_t dropped, uint64_t *found) {
    const sn_context *twin = truth->child, *front = twin;
    if (!twin) return NULL;
    do {
        const sn_context *child = here ? hot_child(here, twin->key, sn_line_of(twin)) : NULL;
        uint64_t exact = hot_value(hot, twin);
        if (child) {
            uint64_t value = hot_value(hot, child);
            ++*found;
            HOT_TRUE(child->function == twin->function);
            HOT_TRUE(child->calls <= twin->calls && child->ticks <= twin->ticks);
            HOT_TRUE(exact <= value + child->error + dropped);
            HOT_TRUE(child->error <= hot->header->floor);
        } else {
            HOT_TRUE(exact <= hot->header->floor + dropped);
        }
        hot_problem problem = hot_check_bounds_below(hot, child, twin, dropped, found);
        if (problem) return problem;
        twin = twin->next;
    } while (twin != front);
    return NULL;
}

/* Totals of the contexts below, with what was pruned. */
static inline void hot_sum(const sn_context *at, bool sided, bool is_root, uint64_t *calls, uint64_t *ticks) {
    *calls += (is_root ? 0 : at->calls) + (sided ? sn_side_of(at)->pruned_calls : 0);
    *ticks += (is_root ? 0 : at->ticks) + (sided ? sn_side_of(at)->pruned_ticks : 0);
    const sn_context *child = at->child;
    if (child) do hot_sum(child, sided, false, calls, ticks);
        while ((child = child->next) != at->child);
}

/* A hot tree beside the exact tree of the same stream. Guarantees of hot_tree.h: bounds of what is listed and
 * what is not, nothing lost, and a floor of at most total / counters when `unlimited`: the limit on the nodes
 * was not reached, and nothing was merged. */
static inline hot_problem hot_check_beside(const sn_call_tree *hot, const sn_call_tree *exact, bool unlimited) {
    const sn_hot_tree *tree = &hot->hot;
    bool by_time = tree->metric == SN_METRIC_TIME;
    uint64_t calls = 0, ticks = 0, all_calls = 0, all_ticks = 0, found = 0;
    hot_sum(tree->root, true, true, &calls, &ticks);
    hot_sum(exact->hot.root, false, true, &all_calls, &all_ticks);
    HOT_TRUE(calls + hot->dropped == all_calls);
    HOT_TRUE(ticks == all_ticks && hot->dropped_ns <= ticks);
    HOT_TRUE(hot->unmatched == exact->unmatched);
    uint64_t dropped = by_time ? hot->dropped_ns : hot->dropped;
    hot_problem problem = hot_check_bounds_below(tree, tree->root, exact->hot.root, dropped, &found);
    if (problem) return problem;
    HOT_TRUE(found == tree->tree.nodes);
    if (unlimited) {
        HOT_TRUE(tree->header->floor <= (by_time ? all_ticks : all_calls) / tree->counters);
        HOT_TRUE(!hot->dropped && !hot->dropped_ns);
    }
    return NULL;
}

#endif
