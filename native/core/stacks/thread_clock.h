/* What a thread ran from one look at it to the next, by its own clock, shared out among what was seen of it.
 *
 * Where it was ready both times, halves go to what it ran at each. Where it was at one of them, all goes to that. What it ran
 * between two looks at which it waited is owed to the next at which it runs; of threads that are seldom seen to run, to the
 * next of any of these, as most of them are never seen.
 *
 * Guarantee: what contexts get, what is owed, and what is dropped while the thread runs no Python function, add up to what the
 *     clocks have advanced; but that a clock which is more than a tick or two ahead of the time that passes loses the rest.
 */
#ifndef SONDE_THREAD_CLOCK_H
#define SONDE_THREAD_CLOCK_H

#include "stack_tree.h"

typedef struct {
    uint64_t ran_ns;   /* what the clock had come to at the last look */
    uint64_t owed_ns;  /* of that, what nobody has got yet */
    uint64_t ready_ns; /* when the thread was seen ready last */
    bool was_ready;    /* at the last look */
} sn_thread_clock;

/* Two looks at a thread: what it ran at each, NULL for nothing that counts. */
typedef struct {
    sn_context *before, *after;
    bool is_ready;              /* at the second */
    uint64_t ran_ns;            /* its clock at the second */
    uint64_t passed_ns, now;    /* from the first to the second, and when that is */
} sn_two_looks;

/* Whether a thread that is ready now, and waited at the last look, has been woken only, by its clock: it had a processor for less than half
 * of the time that has passed since. */
static inline bool sn_thread_clock_is_woken(const sn_thread_clock *clock, uint64_t ran_ns, uint64_t passed_ns) {
    return !clock->was_ready && ran_ns >= clock->ran_ns && 2 * (ran_ns - clock->ran_ns) < passed_ns;
}

/* As much of what was owed, and of `ran_ns`, as has passed: clocks of others may stand for some milliseconds and then make up. */
uint64_t sn_thread_clock_credited(sn_thread_clock *clock, uint64_t ran_ns, uint64_t passed_ns);

/* Give what it ran to contexts. `*seldom_ns`: what is owed to threads of its process that seldom run. The clock itself stays
 * as it was. */
void sn_thread_clock_share_out(sn_thread_clock *clock, const sn_two_looks *looks, uint64_t *seldom_ns, sn_stack_tree *tree);

#endif
