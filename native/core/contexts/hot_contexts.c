#include "hot_contexts.h"

/* A linear search: programs have few threads, and contexts are seldom removed. */
bool sn_hot_is_running(const sn_hot_tree *hot, const sn_context *context) {
    for (const sn_cursor *cursor = hot->cursors; cursor; cursor = cursor->next)
        if (cursor->current == context) return true;
    return false;
}

sn_context *sn_hot_take_out(sn_hot_tree *hot, sn_context *context) {
    sn_context *parent = context->parent;
    const sn_side *side = sn_side_of(context);
    sn_side *above = sn_side_of(parent);
    sn_hot_begin_change(hot);
    above->pruned_calls += context->calls + side->pruned_calls;
    above->pruned_ticks += context->ticks + side->pruned_ticks;
    sn_tree_remove(&hot->tree, context);
    sn_hot_end_change(hot);
    return parent;
}

void sn_hot_prune(sn_hot_tree *hot, sn_context *context) {
    while (context->call_line & SN_COLD && !context->child && !sn_hot_is_base(hot, context) &&
           !sn_hot_is_running(hot, context))
        context = sn_hot_take_out(hot, context);
}
