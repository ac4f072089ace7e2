/* What a thread ran from one look at it to the next, by its own clock, shared out among what was seen of it.
 *
 * The clock of another's thread stands while it runs, and makes up when the thread lets go of its processor, and at ticks of the
 * system, which are some milliseconds apart. So what it advances by is what the thread ran last: it goes to the gaps between the
 * latest looks, backwards, no more to each than has passed in it. A gap before the latest one gets no more when the clock has
 * advanced, and is final.
 *
 * Of a gap at both ends of which the thread was ready, halves go to what it ran at each. Where it was at one of them, all goes
 * to that. What it ran between two looks at which it waited is owed to the next at which it runs; of threads that are seldom seen
 * to run, to the next of any of these, as most of them are never seen.
 *
 * Guarantee: what gaps get, what is owed, and what is dropped while the thread runs nothing that counts, add up to what the
 *     clocks have advanced; but that a clock which is more than a tick or two ahead of the time that passes loses the rest.
 */
#ifndef SONDE_THREAD_CLOCK_H
#define SONDE_THREAD_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum { SN_CLOCK_GAPS = 128 }; /* a tick of the slowest kernel, at 10,000 looks a second, and some */

/* Between two looks at both of which the thread was ready. */
typedef struct {
    uint64_t passed_ns, got_ns;
} sn_clock_gap;

typedef struct {
    uint64_t ran_ns;   /* what the clock had come to at the last look */
    uint64_t owed_ns;  /* of that, what nobody has got yet */
    uint64_t ready_ns; /* when the thread was seen ready last */
    bool was_ready;    /* at the last look */
    uint32_t count;
    sn_clock_gap gaps[SN_CLOCK_GAPS]; /* the latest, that are not settled: oldest first */
} sn_thread_clock;

/* The second of two looks at a thread. */
typedef struct {
    bool is_ready;
    uint64_t ran_ns;         /* its clock */
    uint64_t passed_ns, now; /* since the first, and when the second is */
} sn_clock_look;

/* Who gets what it ran between them: nobody, what was seen at the first, at the second, or at both; in the last case, the gap is
 * one of those that are to be settled. */
typedef enum { SN_SHARE_NOBODY, SN_SHARE_BEFORE, SN_SHARE_AFTER, SN_SHARE_GAP } sn_share_to;

typedef struct {
    uint32_t final; /* of the gaps, the oldest: they are to be settled */
    sn_share_to to; /* after these */
    uint64_t ns;
} sn_clock_share;

/* Whether a thread that is ready now, and waited at the last look, has been woken only, by its clock: it had a processor for less than half
 * of the time that has passed since. */
static inline bool sn_thread_clock_is_woken(const sn_thread_clock *clock, uint64_t ran_ns, uint64_t passed_ns) {
    return !clock->was_ready && ran_ns >= clock->ran_ns && 2 * (ran_ns - clock->ran_ns) < passed_ns;
}

/* As much of what was owed, and of `ran_ns`, as has passed: clocks of others may stand for some milliseconds and then make up. */
uint64_t sn_thread_clock_credited(sn_thread_clock *clock, uint64_t ran_ns, uint64_t passed_ns);

/* Share out what it ran since the look before. `*seldom_ns`: what is owed to threads of its process that seldom run. What the
 * clock had come to stays as it was, see sn_thread_clock_set. */
sn_clock_share sn_thread_clock_share(sn_thread_clock *clock, const sn_clock_look *look, uint64_t *seldom_ns);

/* The oldest gaps are settled: forget them. */
void sn_thread_clock_settled(sn_thread_clock *clock, uint32_t count);

/* The second look is the first of the next two. */
static inline void sn_thread_clock_set(sn_thread_clock *clock, bool is_ready, uint64_t ran_ns, uint64_t now) {
    clock->ran_ns = ran_ns;
    if (is_ready) clock->ready_ns = now;
    clock->was_ready = is_ready;
}

/* The clock of a process, for its threads where the system does not tell their own: it stands while others have the processor. */
typedef struct {
    uint64_t ran_ns;           /* at this look */
    uint32_t ready, was_ready; /* threads that had, or wanted, a processor: at this look, at the last */
} sn_process_clock;

/* Begin a look at all threads. */
static inline void sn_process_clock_look(sn_process_clock *process, uint64_t ran_ns) {
    process->ran_ns = ran_ns;
    process->was_ready = process->ready;
    process->ready = 0;
}

/* What a thread ran of `passed_ns`: if it had, or wanted, a processor then and now, as much of the clock as it shares with
 * others that do; else all that passed. */
uint64_t sn_process_clock_part(const sn_process_clock *process, sn_thread_clock *clock, bool is_ready_at_both, uint64_t passed_ns);

#endif
