/* The clock by which times are counted: slow cases.
 *
 * On a busy machine a thread waits for a processor now and then, and where it has to is a matter of chance: as likely
 * within the cost of watching as that has a share in its processor time. So this share of the wait is taken out, too.
 * Waits for anything else are the program's own.
 */
#define _GNU_SOURCE
#include "clock.h"

#include <sys/resource.h>

/* What was known of the thread after its last long pause. */
static _Thread_local struct {
    uint64_t running, taken, processor_ns;
    long blocked; /* how often it has waited for something else than a processor */
} before;

uint64_t sn_ticks_in(uint64_t ns) {
    if (agent.clock != SN_CLOCK_TSC) return ns;
    double elapsed = (double)(sn_monotonic_ns() - agent.header->start_ns);
    return elapsed > 0 ? (uint64_t)((double)ns * (double)(sn_ticks() - agent.header->start_ticks) / elapsed) : 0;
}

static uint64_t nanoseconds_of(struct timeval time) {
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

/* Ticks of the pause that has just ended that the cost of watching was kept from running. */
static uint64_t share_of_wait(uint64_t running) {
    struct rusage usage;
    if (getrusage(RUSAGE_THREAD, &usage)) return 0;
    uint64_t processor_ns = nanoseconds_of(usage.ru_utime) + nanoseconds_of(usage.ru_stime), share = 0;
    if (before.running && usage.ru_nvcsw == before.blocked) {
        uint64_t elapsed = running - before.running, ran = sn_ticks_in(processor_ns - before.processor_ns);
        uint64_t cost = agent.header->taken - before.taken;
        if (ran && elapsed > ran && cost < ran) share = (uint64_t)((double)(elapsed - ran) * (double)cost / (double)ran);
    }
    before.running = running;
    before.processor_ns = processor_ns;
    before.blocked = usage.ru_nvcsw;
    before.taken = agent.header->taken + share;
    return share;
}

uint64_t sn_now_at_event_slow(uint64_t running, uint64_t cost) {
    uint64_t passed = running - agent.header->taken - cost - agent.last;
    if (cost && (int64_t)passed > 0) {
        uint64_t share = share_of_wait(running);
        agent.header->taken += share < passed ? share : passed;
    }
    return sn_clock_event(&agent.header->taken, &agent.last, running, cost) & agent.tick_mask;
}
