/* The clock of what a thread ran: elapsed time, less what it waited, for something or for a processor.
 *
 * To ask the system how long a thread ran is too dear for every event. But a thread that does not run leaves a gap
 * between two of its events: so only at the end of a gap as long as `gap` the system is asked, and what the thread
 * did not run since it was asked last is taken out of that gap. The clock of each thread is a stopped clock
 * (stopped_clock.h) of its own.
 *
 * Guarantee: the clock never goes back, and never gains on the one it is made from. Where events cost nothing, it shows
 *     between two askings what the thread ran, or the gaps that were too short to ask if that is more: so what is shown
 *     beyond what the thread ran is at most what it waited in those, each shorter than `gap`.
 */
#ifndef SONDE_PROCESSOR_CLOCK_H
#define SONDE_PROCESSOR_CLOCK_H

#include "stopped_clock.h"

#include <stdbool.h>

typedef struct {
    uint64_t taken;        /* ticks that the clock has lost: what the thread waited, and what watching cost */
    uint64_t running;      /* when the system was asked last, by the clock that does not stand, */
    uint64_t processor_ns; /* and how long the thread had run by then */
} sn_processor_clock;

/* Whether to ask before the time of an event is told; a clock that stands does not need to. */
static inline bool sn_processor_gap(const sn_processor_clock *clock, uint64_t last, uint64_t running, uint64_t gap) {
    return (int64_t)(running - clock->taken - last) >= (int64_t)gap;
}

/* Take out what the thread waited since it was asked last, when it had run for `processor_ns` and now has run `ran` ticks
 * more; not more than what has passed since `last`, which the clock has shown. */
static inline void sn_processor_asked(sn_processor_clock *clock, uint64_t last, uint64_t running, uint64_t processor_ns,
                                      uint64_t ran) {
    uint64_t elapsed = running - clock->running, passed = running - clock->taken - last;
    uint64_t waited = elapsed > ran ? elapsed - ran : 0;
    if ((int64_t)passed > 0) clock->taken += waited < passed ? waited : passed;
    clock->running = running;
    clock->processor_ns = processor_ns;
}

#endif
