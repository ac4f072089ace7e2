/* A clock that stands still for as long as it takes to watch an event.
 *
 * Every event is known to cost so much, on the average; its cost is owed by the clock, which stands until it is
 * paid: then times between events are those of the program, whatever is made of them (a tree, a trace). An event
 * may cost less than it is thought to: what is owed is bounded, or a long computation would pay for a million of them.
 *
 * Guarantee: the clock never goes back, and never gains on the one it is made from; what it has lost is `taken`, and at
 *     most the sum of the costs. It owes at most SN_MOST_OWED times the last cost.
 */
#ifndef SONDE_STOPPED_CLOCK_H
#define SONDE_STOPPED_CLOCK_H

#include <stdint.h>

#define SN_MOST_OWED 4u

/* The time without an event. `taken`: what the clock has lost; `last`: what it has shown. */
static inline uint64_t sn_clock_now(uint64_t taken, uint64_t last, uint64_t running) {
    uint64_t now = running - taken;
    return (int64_t)(now - last) < 0 ? last : now;
}

/* The time of an event, at `running` of the clock that does not stand, which has cost `cost`. */
static inline uint64_t sn_clock_event(uint64_t *taken, uint64_t *last, uint64_t running, uint64_t cost) {
    uint64_t now = running - *taken - cost, most = SN_MOST_OWED * cost;
    *taken += cost;
    if ((int64_t)(now - *last) >= 0) return *last = now;
    if (*last - now > most) *taken -= *last - now - most;
    return *last;
}

#endif
