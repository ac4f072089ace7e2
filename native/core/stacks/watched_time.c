#include "watched.h"

#include <string.h>

void sn_watched_settle(sn_stack_sampler *sampler, sn_watched_thread *w, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        uint64_t ns = w->clock.gaps[i].got_ns;
        sn_stack_tree_credit(&sampler->tree, &w->trail, w->ends[i], ns);
        sn_stack_trail_add(&w->trail, w->ends[i], ns);
    }
    sn_thread_clock_settled(&w->clock, count);
    memmove(w->ends, w->ends + count, w->clock.count * sizeof *w->ends);
}

/* Share out what a thread ran by its own clock. */
static void share_out(sn_stack_sampler *sampler, sn_watched_process *t, sn_watched_thread *w, sn_context *context, bool is_ready, uint64_t now) {
    const sn_clock_look look = {is_ready, w->clock_ns, now - w->looked, now};
    sn_clock_share share = sn_thread_clock_share(&w->clock, &look, &t->seldom_ns);
    if (share.to == SN_SHARE_GAP) w->ends[w->clock.count - 1] = context;
    sn_watched_settle(sampler, w, share.final);
    if (share.to == SN_SHARE_GAP) return;
    sn_context *to = share.to == SN_SHARE_BEFORE ? w->trail.last : context;
    if (share.to && to) sn_stack_tree_credit_after(&sampler->tree, NULL, to, share.ns);
    sn_stack_trail_add(&w->trail, context, 0);
}

/* The same by the time that has passed, and the clock of the process. */
static void share_out_passed(sn_stack_sampler *sampler, sn_watched_process *t, sn_watched_thread *w, sn_context *context, uint64_t now) {
    uint64_t passed = now - w->looked;
    bool is_ready_at_both = t->has_clock && w->trail.last && context;
    uint64_t ns = sn_process_clock_part(&t->process, &w->clock, is_ready_at_both, passed);
    if (w->was_skipped) sn_stack_tree_credit_after(&sampler->tree, w->trail.last, context, ns);
    else sn_stack_tree_credit(&sampler->tree, &w->trail, context, ns);
    sn_stack_trail_add(&w->trail, context, w->was_skipped ? 0 : ns);
}

void sn_watched_note(sn_stack_sampler *sampler, sn_watched_process *t, sn_watched_thread *w, sn_context *context, bool is_ready, uint64_t now) {
    bool has_passed = w->was_seen && now > w->looked, is_by_clock = t->has_clock && w->has_clock;
    if (!has_passed || !is_by_clock) sn_watched_settle(sampler, w, w->clock.count);
    if (has_passed && is_by_clock) share_out(sampler, t, w, context, is_ready, now);
    else if (has_passed) share_out_passed(sampler, t, w, context, now);
    else sn_stack_trail_add(&w->trail, context, 0);
    w->was_skipped = false;
    w->looked = now;
    sn_thread_clock_set(&w->clock, is_ready, is_by_clock ? w->clock_ns : t->process.ran_ns, now);
    if (!w->was_seen) w->clock.ready_ns = now;
    w->was_seen = true;
    sn_target_thread *thread = &sampler->threads[w->number];
    if (!thread->first_ns) thread->first_ns = now;
    thread->last_ns = now;
}
