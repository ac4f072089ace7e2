/* The time, without what it cost to watch calls. */
#ifndef SONDE_CLOCK_H
#define SONDE_CLOCK_H

#include "processor_time.h"

/* The clock that does not stand still while events are watched. */
static inline uint64_t sn_running_clock(void) {
    return likely(agent.clock == SN_CLOCK_TSC) ? sn_ticks() : sn_monotonic_ns();
}

/* The time, without what watching has cost up to now; a thread of our own may ask. */
static inline uint64_t sn_now(void) {
    uint64_t taken = __atomic_load_n(&agent.header->taken, __ATOMIC_RELAXED);
    uint64_t last = __atomic_load_n(&agent.last, __ATOMIC_RELAXED);
    return sn_clock_now(taken, last, sn_running_clock()) & agent.tick_mask;
}

/* Nothing shorter has a thread wait for a processor, as a rule; some 0.3 ms of a counter, 1 ms of nanoseconds. */
#define SN_LONG_PAUSE (UINT64_C(1) << 20)

uint64_t sn_ticks_in(uint64_t ns);
/* The same after a long pause, or when the clock stands. */
uint64_t sn_now_at_event_slow(uint64_t running, uint64_t cost);

/* The elapsed time of an event that costs so much. */
static inline uint64_t sn_now_at_event(uint64_t cost) {
    uint64_t running = sn_running_clock(), taken = agent.header->taken + cost, passed = running - taken - agent.last;
    if (unlikely(passed >= SN_LONG_PAUSE)) return sn_now_at_event_slow(running, cost);
    agent.header->taken = taken;
    return (agent.last += passed) & agent.tick_mask;
}

/* The time of an event on a thread, by the clock that was chosen. */
static inline uint64_t sn_now_on(sn_thread *thread, uint64_t cost) {
    if (likely(!agent.gap)) return sn_now_at_event(cost);
    sn_processor_clock *clock = &sn_processor_of(thread)->clock;
    uint64_t running = sn_running_clock(), taken = clock->taken + cost, passed = running - taken - thread->cursor.now;
    if (unlikely(passed >= agent.gap)) return sn_processor_event_slow(thread, running, cost);
    clock->taken = taken;
    agent.header->taken += cost;
    return thread->cursor.now + passed;
}

/* The clock of the calling thread begins now. */
static inline void sn_clock_begin(sn_thread *thread) {
    if (agent.sampled) sn_processor_identify(thread);
    if (agent.gap) sn_processor_begin(thread);
    else thread->cursor.now = agent.clock == SN_CLOCK_NONE ? 0 : sn_now();
}

/* What has passed since `began` is none of the program's time. */
static inline void sn_clock_take_out_since(uint64_t began, sn_thread *thread) {
    uint64_t took = sn_running_clock() - began;
    agent.header->taken += took;
    if (agent.gap) sn_processor_of(thread)->clock.taken += took;
}

#endif
