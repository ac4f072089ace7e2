#include "compaction.h"

#include <stdlib.h>

/* One part in so many of the nodes is to be pruned, or the next compaction would come too soon. */
#define LEAST_SHARE 16
/* Calls for each node from one compaction to the next: with fewer, what is pruned soon comes back. */
#define LEAST_CALLS 4
/* What the bound takes (compaction.h): a tree of more nodes must hold what is heavy. */
#define NODES_PER_COUNTER 6

static uint64_t upper_bound(const sn_hot_tree *hot, const sn_context *context) {
    return sn_upper_bound(context, hot->metric == SN_METRIC_TIME);
}

static void swap(uint64_t *values, size_t a, size_t b) {
    uint64_t value = values[a];
    values[a] = values[b];
    values[b] = value;
}

static uint64_t median(uint64_t a, uint64_t b, uint64_t c) {
    if (a > b) return b > c ? b : a > c ? c : a;
    return a > c ? a : b > c ? c : b;
}

/* The value that has `rank` smaller or equal ones before it when sorted; reorders them. Quickselect with
 * three parts, as many bounds are equal: O(count) expected. */
static uint64_t select_rank(uint64_t *values, size_t count, size_t rank) {
    size_t low = 0, high = count;
    for (;;) {
        uint64_t pivot = median(values[low], values[low + (high - low) / 2], values[high - 1]);
        size_t less = low, at = low, more = high;
        while (at < more) {
            if (values[at] < pivot) swap(values, at++, less++);
            else if (values[at] > pivot) swap(values, at, --more);
            else at++;
        }
        if (rank < less) high = less;
        else if (rank >= more) low = more;
        else return pivot;
    }
}

/* Prune every leaf with at most `bound`, and callers as they become leaves. */
static void prune_up_to(sn_hot_tree *hot, uint64_t bound) {
    sn_context *context;
    for (uint64_t cell = SN_HEADER_CELLS; (context = sn_tree_next(&hot->tree, &cell));)
        while (!sn_hot_is_base(hot, context) && !context->child && upper_bound(hot, context) <= bound &&
               !sn_hot_is_running(hot, context)) {
            uint64_t upper = upper_bound(hot, context);
            if (upper > hot->header->floor) hot->header->floor = upper;
            context = sn_hot_take_out(hot, context);
        }
}

/* All that was counted, whether it is listed or not. */
static uint64_t total_of(const sn_hot_tree *hot, bool by_time) {
    const sn_side *side = sn_side_of(hot->root);
    uint64_t total = by_time ? side->pruned_ticks : side->pruned_calls;
    const sn_context *context;
    for (uint64_t cell = SN_HEADER_CELLS; (context = sn_tree_next(&hot->tree, &cell));) {
        side = sn_side_of(context);
        total += by_time ? side->pruned_ticks : side->pruned_calls;
        if (!sn_hot_is_base(hot, context)) total += by_time ? context->ticks : context->calls;
    }
    return total;
}

/* Let the lightest go, as many as it takes for a tree that may not grow; none when memory is short. */
static void prune_lightest(sn_hot_tree *hot) {
    uint64_t nodes = hot->tree.nodes, enough = nodes / LEAST_SHARE, keep = nodes - nodes / 4;
    uint64_t *bounds = malloc((nodes + 1) * sizeof *bounds);
    if (!bounds) return;
    if (keep > 4 * (uint64_t)hot->counters) keep = 4 * (uint64_t)hot->counters;
    do {
        const sn_context *context;
        size_t count = 0;
        for (uint64_t cell = SN_HEADER_CELLS; (context = sn_tree_next(&hot->tree, &cell));)
            bounds[count++] = upper_bound(hot, context);
        if (keep < count) prune_up_to(hot, select_rank(bounds, count, count - keep - 1));
        /* When that was not enough, callers of what stays are in the way: let less stay. */
        keep /= 2;
    } while ((nodes - hot->tree.nodes < enough || hot->tree.nodes >= hot->nodes_limit) && keep > 0);
    if (hot->tree.nodes >= hot->nodes_limit) prune_up_to(hot, UINT64_MAX);
    free(bounds);
}

/* Whether contexts come so fast that the tree rather grows, if it may. */
static bool outgrows(sn_hot_tree *hot) {
    uint64_t calls = total_of(hot, false), since = calls - hot->calls_then;
    hot->calls_then = calls;
    uint64_t most = NODES_PER_COUNTER * (uint64_t)hot->counters;
    return since < LEAST_CALLS * hot->tree.nodes && hot->nodes_now < hot->nodes_limit && hot->nodes_now < most;
}

static void grow(sn_hot_tree *hot) {
    hot->nodes_now = hot->nodes_now * 2 < hot->nodes_limit ? hot->nodes_now * 2 : hot->nodes_limit;
}

bool sn_hot_compact(sn_hot_tree *hot) {
    if (outgrows(hot)) {
        while (hot->tree.nodes >= hot->nodes_now && hot->nodes_now < hot->nodes_limit) grow(hot);
        if (hot->tree.nodes < hot->nodes_now) return true;
    }
    prune_up_to(hot, total_of(hot, hot->metric == SN_METRIC_TIME) / hot->counters / 4 * 3);
    bool many = hot->tree.nodes > hot->nodes_now - hot->nodes_now / 4, grown = false;
    for (; many && hot->nodes_now < hot->nodes_limit; many = hot->tree.nodes >= hot->nodes_now, grown = true) grow(hot);
    if ((many && !grown) || hot->tree.nodes >= hot->nodes_limit) prune_lightest(hot);
    return hot->tree.nodes < hot->nodes_limit;
}
