#define _GNU_SOURCE
#include "processor_time.h"

#include "clock.h"
#include "threads.h"

#include <pthread.h>

/* What asking costs is at most so small a part of the gap that it ends: a fortieth. A cheaper asking would let a shorter
 * wait be seen; a thread that waits seldom does so for less than it takes to switch to another one and back, some 5 us. */
#define ASKINGS_PER_GAP 40u
#define TRIALS 31u

/* Asking by number takes longer than for oneself. */
static uint64_t processor_ns(const sn_thread *thread) {
    int64_t id = __atomic_load_n(&sn_processor_of(thread)->id, __ATOMIC_RELAXED);
    if (thread == sn_thread_here) return sn_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    return id ? sn_clock_ns((clockid_t)id) : 0;
}

uint64_t sn_processor_gap_ticks(void) {
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < TRIALS; i++) {
        uint64_t before = sn_running_clock();
        if (!sn_clock_ns(CLOCK_THREAD_CPUTIME_ID)) return 0;
        uint64_t took = sn_running_clock() - before;
        if (took < least) least = took;
    }
    return ASKINGS_PER_GAP * (least ? least : 1);
}

void sn_processor_identify(sn_thread *thread) {
    clockid_t id;
    if (pthread_getcpuclockid(pthread_self(), &id)) id = 0;
    __atomic_store_n(&sn_processor_of(thread)->id, id, __ATOMIC_RELAXED);
}

void sn_processor_begin(sn_thread *thread) {
    sn_processor_identify(thread);
    sn_processor_restart(thread);
}

void sn_processor_restart(sn_thread *thread) {
    uint64_t running = sn_running_clock();
    sn_processor_of(thread)->clock = (sn_processor_clock){.running = running, .processor_ns = processor_ns(thread)};
    thread->cursor.now = running;
}

/* A thread that the system does not know has ended, and had no time since. */
static void told(sn_thread *thread, uint64_t last, uint64_t running, uint64_t ns) {
    sn_processor_clock *clock = &sn_processor_of(thread)->clock;
    uint64_t ran = ns > clock->processor_ns ? sn_ticks_in(ns - clock->processor_ns) : 0;
    sn_processor_asked(clock, last, running, ns, ran);
}

uint64_t sn_processor_event_slow(sn_thread *thread, uint64_t running, uint64_t cost) {
    sn_processor_clock *clock = &sn_processor_of(thread)->clock;
    uint64_t last = thread->cursor.now;
    if (sn_processor_gap(clock, last, running - cost, agent.gap)) told(thread, last, running, processor_ns(thread));
    uint64_t before = clock->taken, now = sn_clock_event(&clock->taken, &last, running, cost);
    agent.header->taken += clock->taken - before;
    return now;
}

/* A thread that ends sets its time to 0 at any moment. */
static void credit_until(sn_thread *thread, uint64_t running, uint64_t ns) {
    uint64_t last = __atomic_load_n(&thread->cursor.now, __ATOMIC_RELAXED);
    if (!last) return;
    told(thread, last, running, ns);
    uint64_t now = sn_clock_now(sn_processor_of(thread)->clock.taken, last, running);
    thread->cursor.current->ticks += (agent.bursts.interval_ns ? agent.bursts.weight : 1) * (now - last);
    thread->cursor.now = now;
}

void sn_processor_credit_all(void) {
    for (sn_cursor *cursor = agent.hot.cursors; cursor; cursor = cursor->next) {
        sn_thread *thread = (sn_thread *)cursor;
        if (cursor->current != agent.hot.root) credit_until(thread, sn_running_clock(), processor_ns(thread));
    }
}

/* Cursors are never taken away, only put in front. */
static const sn_cursor *all_cursors(void) { return __atomic_load_n(&agent.hot.cursors, __ATOMIC_ACQUIRE); }

void sn_processor_note_due(void) {
    for (const sn_cursor *cursor = all_cursors(); cursor; cursor = cursor->next) {
        const sn_thread *thread = (const sn_thread *)cursor;
        __atomic_store_n(&sn_processor_of(thread)->due_ns, processor_ns(thread), __ATOMIC_RELAXED);
    }
}

void sn_processor_note_stop(void) {
    for (const sn_cursor *cursor = all_cursors(); cursor; cursor = cursor->next) {
        const sn_thread *thread = (const sn_thread *)cursor;
        __atomic_store_n(&sn_processor_of(thread)->stopped_ns, processor_ns(thread), __ATOMIC_RELAXED);
    }
}

void sn_processor_credit_until_stop(sn_thread *thread, uint64_t running) {
    uint64_t ns = __atomic_load_n(&sn_processor_of(thread)->stopped_ns, __ATOMIC_RELAXED);
    if (ns && running > sn_processor_of(thread)->clock.running) credit_until(thread, running, ns);
}

double sn_processor_share_since_due(const sn_thread *thread, uint64_t elapsed_ns) {
    uint64_t then = __atomic_load_n(&sn_processor_of(thread)->due_ns, __ATOMIC_RELAXED), ns = processor_ns(thread);
    if (!then || ns < then || !elapsed_ns) return 0;
    double share = (double)(ns - then) / (double)elapsed_ns;
    return share < 1 ? share : 1;
}
