#include "hot_tree.h"

#include "compaction.h"

#include <string.h>

/* So many nodes are kept before the first compaction: 4 MiB. A program with fewer contexts, as most have,
 * is counted exactly; for a larger one, it makes no difference to the speed (benches/bench_hot.py). */
#define FIRST_NODES 32768u

sn_status sn_hot_create(sn_hot_tree *hot, sn_cells *cells, const sn_hot_plan *plan, bool sided) {
    sn_metric metric = plan->metric;
    *hot = (sn_hot_tree){.metric = metric,
                         .space_saving = plan->space_saving && metric == SN_METRIC_CALLS,
                         .counters = plan->counters,
                         .nodes_limit = metric == SN_METRIC_NONE ? UINT64_MAX : plan->nodes_limit};
    hot->nodes_now = hot->nodes_limit < FIRST_NODES ? hot->nodes_limit : FIRST_NODES;
    sn_tree_init(&hot->tree, cells, sided || metric != SN_METRIC_NONE);
    sn_queue_init(&hot->queue);
    hot->header = sn_cells_header(cells);
    hot->header->metric = metric;
    hot->header->counters = metric == SN_METRIC_NONE ? 0 : plan->counters;
    hot->root = sn_tree_root(&hot->tree);
    return hot->root ? SN_OK : SN_NO_MEMORY;
}

void sn_hot_free(sn_hot_tree *hot) {
    sn_tree_free(&hot->tree);
    sn_queue_free(&hot->queue);
}

sn_cursor *sn_hot_cursor(sn_hot_tree *hot, uint64_t further) {
    sn_cursor *cursor = sn_cells_take(hot->tree.cells, 1 + further);
    if (!cursor) return NULL;
    cursor->current = hot->root;
    cursor->next = hot->cursors;
    cursor->tag = SN_TAG_CURSOR;
    __atomic_store_n(&hot->cursors, cursor, __ATOMIC_RELEASE); /* for those that look without being a writer */
    sn_cells_publish(hot->tree.cells);
    return cursor;
}

/* The victim goes on as a cold context, if anything holds it. */
static void evict(sn_hot_tree *hot, sn_context *victim) {
    uint64_t upper = sn_upper_bound(victim, false);
    if (upper > hot->header->floor) hot->header->floor = upper;
    victim->call_line |= SN_COLD;
    sn_hot_prune(hot, victim);
}

static void take_least(sn_hot_tree *hot) {
    uint32_t slot = sn_queue_least(&hot->queue);
    sn_context *victim = hot->queue.contexts[slot];
    sn_queue_take(&hot->queue, slot);
    evict(hot, victim);
}

/* Make sure that one more context may be made. */
static bool make_room(sn_hot_tree *hot) {
    if (!hot->space_saving) return hot->tree.nodes < hot->nodes_now || sn_hot_compact(hot);
    while (hot->tree.nodes >= hot->nodes_limit && hot->queue.count) take_least(hot);
    return hot->tree.nodes < hot->nodes_limit;
}

bool sn_hot_monitor(sn_hot_tree *hot, sn_context *context) {
    context->call_line &= ~SN_COLD;
    if (sn_queue_add(&hot->queue, context)) return true;
    context->call_line |= SN_COLD;
    return false;
}

/* Monitor a context; `counted` of its value is what it had before now. */
static void monitor(sn_hot_tree *hot, sn_context *context, uint64_t counted) {
    context->call_line &= ~SN_COLD; /* first, so that the victim's pruning leaves it alone */
    bool replace = hot->queue.count == hot->counters;
    uint32_t slot = 0;
    if (replace) {
        slot = sn_queue_least(&hot->queue);
        evict(hot, hot->queue.contexts[slot]);
    }
    uint64_t floor = hot->header->floor;
    if (floor > counted && floor - counted > context->error) context->error = floor - counted;
    if (replace)
        sn_queue_replace(&hot->queue, slot, context);
    else if (!sn_queue_add(&hot->queue, context))
        context->call_line |= SN_COLD; /* out of memory: its bounds are right, but nothing keeps it */
}

sn_context *sn_hot_add(sn_hot_tree *hot, sn_context *parent, uint64_t key, uint32_t line, uint32_t function, bool called) {
    if (hot->metric == SN_METRIC_NONE) return sn_tree_add(&hot->tree, parent, key, line, function);
    if (!make_room(hot)) return NULL;
    /* Between changes, since the cells may have been another context's. */
    sn_hot_begin_change(hot);
    sn_context *child = sn_tree_add(&hot->tree, parent, key, line, function);
    if (!child && hot->tree.nodes) {
        /* The store is full: make do with the nodes that there are. */
        sn_hot_end_change(hot);
        hot->nodes_limit = hot->tree.nodes;
        if (hot->nodes_now > hot->nodes_limit) hot->nodes_now = hot->nodes_limit;
        if (!make_room(hot)) return NULL;
        sn_hot_begin_change(hot);
        child = sn_tree_add(&hot->tree, parent, key, line, function);
    }
    if (child) {
        child->error = hot->header->floor;
        if (hot->space_saving) child->call_line |= SN_COLD;
    }
    sn_hot_end_change(hot);
    if (child && called && hot->space_saving) monitor(hot, child, 0);
    return child;
}

void sn_hot_call_cold(sn_hot_tree *hot, sn_context *context) { monitor(hot, context, context->calls); }

void sn_hot_lose(sn_hot_tree *hot, sn_cursor *cursor) {
    cursor->skipped = 0;
    while (!sn_hot_is_base(hot, cursor->current)) sn_hot_leave(hot, cursor);
}

void sn_hot_shrink(sn_hot_tree *hot) {
    if (hot->metric != SN_METRIC_NONE && !hot->space_saving && hot->tree.nodes > hot->nodes_now) sn_hot_compact(hot);
    while (hot->queue.count && (hot->queue.count > hot->counters || hot->tree.nodes > hot->nodes_limit)) take_least(hot);
}

void sn_hot_end_burst(sn_hot_tree *hot) {
    sn_context *context;
    for (uint64_t cell = SN_HEADER_CELLS; (context = sn_tree_next(&hot->tree, &cell));) {
        sn_side *side = sn_side_of(context);
        double calls = (double)(context->calls - side->burst_calls), ticks = (double)(context->ticks - side->burst_ticks);
        side->calls_squares += calls * calls;
        side->ticks_squares += ticks * ticks;
        side->burst_calls = context->calls;
        side->burst_ticks = context->ticks;
    }
}
