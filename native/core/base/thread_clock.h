/* What a thread ran from one look at it to the next, by its own clock, shared out among what was seen of it.
 *
 * Where it was ready both times, halves go to what it ran at each. Where it was at one of them, all goes to that. What it ran
 * between two looks at which it waited is owed to the next at which it runs; of threads that are seldom seen to run, to the
 * next of any of these, as most of them are never seen.
 *
 * Guarantee: what contexts get, what is owed, and what is dropped while the thread runs nothing that counts, add up to what the
 *     clocks have advanced; but that a clock which is more than a tick or two ahead of the time that passes loses the rest.
 */
#ifndef SONDE_THREAD_CLOCK_H
#define SONDE_THREAD_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint64_t ran_ns;   /* what the clock had come to at the last look */
    uint64_t owed_ns;  /* of that, what nobody has got yet */
    uint64_t ready_ns; /* when the thread was seen ready last */
    bool was_ready;    /* at the last look */
} sn_thread_clock;

/* The second of two looks at a thread. */
typedef struct {
    bool is_ready;
    uint64_t ran_ns;         /* its clock */
    uint64_t passed_ns, now; /* since the first, and when the second is */
} sn_clock_look;

/* Who gets what it ran: what was seen at both looks by halves, at the first, at the second. */
typedef enum { SN_SHARE_NOBODY, SN_SHARE_HALVES, SN_SHARE_BEFORE, SN_SHARE_AFTER } sn_share_to;

typedef struct {
    sn_share_to to;
    uint64_t ns;
} sn_clock_share;

/* Whether a thread that is ready now, and waited at the last look, has been woken only, by its clock: it had a processor for less than half
 * of the time that has passed since. */
static inline bool sn_thread_clock_is_woken(const sn_thread_clock *clock, uint64_t ran_ns, uint64_t passed_ns) {
    return !clock->was_ready && ran_ns >= clock->ran_ns && 2 * (ran_ns - clock->ran_ns) < passed_ns;
}

/* As much of what was owed, and of `ran_ns`, as has passed: clocks of others may stand for some milliseconds and then make up. */
uint64_t sn_thread_clock_credited(sn_thread_clock *clock, uint64_t ran_ns, uint64_t passed_ns);

/* What it ran since the look before. `*seldom_ns`: what is owed to threads of its process that seldom run. What the clock had
 * come to stays as it was, see sn_thread_clock_set. */
sn_clock_share sn_thread_clock_share(sn_thread_clock *clock, const sn_clock_look *look, uint64_t *seldom_ns);

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
