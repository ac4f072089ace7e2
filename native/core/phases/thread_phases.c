#define _GNU_SOURCE
#include "thread_phases.h"

#include <stdio.h>
#include <unistd.h>

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

void sn_phase_plan_complete(sn_phase_plan *plan) {
    enum { FOR_NS = 100000, LONGEST_NS = 50000 };
    plan->is_simulated = sn_counter_set_is_simulated(&plan->counters);
    plan->has_ticks = sn_ticks_steady();
    plan->ns_per_tick = 1.0;
    plan->longest_ticks = LONGEST_NS;
    if (!plan->has_ticks) return;
    uint64_t ticks = sn_phase_now(plan), began = sn_monotonic_ns(), now = began;
    while (now - began < FOR_NS) now = sn_monotonic_ns();
    plan->ns_per_tick = (double)(now - began) / (double)(sn_phase_now(plan) - ticks);
    plan->longest_ticks = (uint64_t)(LONGEST_NS / plan->ns_per_tick);
}

static inline void read_counters(sn_thread_phases *own, uint64_t *values) {
    const sn_counter_set *set = &own->plan->counters;
    sn_counters_read(&own->counters, set, values, own->log.header->is_multiplexed);
    for (uint32_t i = 0; i < set->count; i++) values[i] -= own->excluded[i];
}

/* New pages are page faults, and allocate: none of it is the program's. */
static uint64_t *grow(sn_thread_phases *own) {
    uint64_t before[SN_MOST_COUNTERS], after[SN_MOST_COUNTERS], began = sn_phase_now(own->plan);
    read_counters(own, before);
    bool has_room = sn_phase_log_grow(&own->log, own->plan->most_bytes);
    read_counters(own, after);
    for (uint32_t i = 0; i < own->plan->counters.count; i++)
        if (own->log.header->source[i] != SN_FROM_THREAD_CLOCK) own->excluded[i] += after[i] - before[i];
    own->grown += sn_phase_now(own->plan) - began;
    if (has_room) return sn_phase_log_next(&own->log);
    own->log.header->dropped++;
    return NULL;
}

static inline uint64_t *make_room(sn_thread_phases *own) {
    return likely(sn_phase_log_has_room(&own->log)) ? sn_phase_log_next(&own->log) : grow(own);
}

/* There was work here since then. Where it took much longer than it does, the thread had no processor meanwhile, as could
 * have happened to the program at any time. */
static inline void take_out(sn_thread_phases *own, uint64_t began, uint64_t grown_before) {
    uint64_t grown = own->grown - grown_before, took = sn_phase_now(own->plan) - began - grown;
    own->taken += grown + (likely(took < own->plan->longest_ticks) ? took : own->plan->longest_ticks);
}

static void write_event(sn_thread_phases *own, uint64_t head) {
    uint64_t *event = make_room(own);
    if (!event) return;
    event[0] = head;
    read_counters(own, event + SN_EVENT_FIXED_WORDS);
    event[1] = sn_phase_now(own->plan);
    event[2] = own->taken;
    sn_phase_log_publish(&own->log);
}

bool sn_thread_phases_begin(sn_thread_phases *own, const sn_phase_plan *plan, uint32_t number) {
    char path[sizeof plan->folder + 64];
    *own = (sn_thread_phases){.plan = plan};
    snprintf(path, sizeof path, "%s/%d-%u.phases", plan->folder, (int)getpid(), number);
    if (!sn_phase_log_begin(&own->log, path, plan->counters.count)) {
        sn_phase_log_end(&own->log);
        return false;
    }
    sn_phase_header *header = own->log.header;
    header->thread = number;
    header->has_ticks = plan->has_ticks;
    sn_counters_begin(&own->counters, &plan->counters, header->source);
    sn_thread_phases_start(own);
    return true;
}

void sn_thread_phases_start(sn_thread_phases *own) {
    sn_phase_header *header = own->log.header;
    own->log.used = header->used = own->taken = own->grown = 0;
    header->start_ticks = sn_phase_now(own->plan);
    header->start_ns = sn_monotonic_ns();
    write_event(own, SN_PHASE_THREAD_BEGIN);
}

void sn_thread_phases_end(sn_thread_phases *own) {
    write_event(own, SN_PHASE_THREAD_END);
    own->log.header->end_ticks = sn_phase_now(own->plan);
    own->log.header->end_ns = sn_monotonic_ns();
}

void sn_thread_phases_close(sn_thread_phases *own) {
    sn_counters_end(&own->counters);
    sn_phase_log_end(&own->log);
}

uint64_t sn_thread_phases_enter(sn_thread_phases *own, uint32_t number, sn_phase_event_kind kind) {
    uint64_t began = sn_phase_now(own->plan), grown = own->grown, *event = make_room(own);
    if (unlikely(!event)) return 0;
    event[0] = (uint64_t)number << 8 | kind;
    read_counters(own, event + SN_EVENT_FIXED_WORDS);
    take_out(own, began, grown);
    uint64_t ended = sn_phase_now(own->plan);
    event[1] = ended;
    event[2] = own->taken;
    sn_phase_log_publish(&own->log);
    return ended;
}

uint64_t sn_thread_phases_leave(sn_thread_phases *own, uint32_t number, sn_phase_event_kind kind) {
    uint64_t began = sn_phase_now(own->plan), grown = own->grown, *event = make_room(own);
    if (unlikely(!event)) return 0;
    event[0] = (uint64_t)number << 8 | kind;
    event[1] = began;
    event[2] = own->taken;
    read_counters(own, event + SN_EVENT_FIXED_WORDS);
    sn_phase_log_publish(&own->log);
    take_out(own, began, grown);
    return began;
}

void sn_thread_phases_time(sn_thread_phases *own, uint32_t number, sn_phase_event_kind kind) {
    uint64_t began = sn_phase_now(own->plan), grown = own->grown, *event = make_room(own);
    if (unlikely(!event)) return;
    event[0] = (uint64_t)number << 8 | kind;
    event[1] = began;
    event[2] = own->taken;
    sn_phase_log_publish(&own->log);
    take_out(own, began, grown);
}

void sn_thread_phases_tell(sn_thread_phases *own, uint32_t number, sn_phase_event_kind kind) {
    uint64_t began = sn_phase_now(own->plan), grown = own->grown;
    write_event(own, (uint64_t)number << 8 | kind);
    take_out(own, began, grown);
}
