/* In which contexts time passes, sampled from another process.
 *
 * Every so often we look at each thread with probes (../../probes/probes.h): its word, which is read out of its memory,
 * says which context it is in, and that context's `ticks`, in its spool, which is mapped here, get the nanoseconds since
 * the last look at this thread. Nothing runs in the measured process, and it never looks at a clock.
 *
 *   cursor, in the spool -> address of the thread's word, number of the thread     mapped
 *   word -> context                                                               process_vm_readv
 *
 * Of processor time, contexts get what the thread's clock (../base/thread_schedule.h) has advanced. It is shared out among
 * the contexts in which the thread was seen to run, by what had passed before those looks: not given to what runs at the
 * next look, which is later in what a thread does between two waits than where it passed.
 *
 * Guarantee: all that is got by contexts and outside them is what passed, or what the clock advanced, but for `lost_ns` and
 *     what passed since the last look. What a context is expected to get is what passed in it, as far as the moments of
 *     looks do not depend on the program (../base/look_loop.h). Of processor time, it is its share of what passed while the
 *     thread was ready, in 64 looks at which it was: a thread that waits for a processor cannot be told from one that has
 *     it, nor one that begins to run in the ten microseconds from our waking to our reading its state.
 * Cost: of elapsed time, 2 us for each look at a thread; of processor time 1 us for one that waits, 12 for one that is ready.
 */
#ifndef SONDE_CURSOR_SAMPLER_H
#define SONDE_CURSOR_SAMPLER_H

#include "../base/cells.h"

typedef struct sn_cursor_sampler sn_cursor_sampler;

/* Sums over all threads. */
typedef struct {
    uint64_t looks;      /* at threads that live */
    uint64_t missed;     /* at threads whose memory, or clock, was not there; they are looked at no more */
    uint64_t placed_ns;  /* what contexts have got */
    uint64_t outside_ns; /* what passed where no code with probes ran, or calls whose contexts had no room */
    uint64_t lost_ns;    /* from the beginning of threads to the first look, from the last to their end: at most so much;
                            and what is not shared out yet */
    uint64_t rounds, late; /* of ../base/look_loop.h: late looks see more of what waits than there is */
    uint32_t forbidden;  /* processes whose memory the system does not let us read */
} sn_sampled_times;

/* NULL when memory is short. `period_ns` as in ../base/look_loop.h. */
sn_cursor_sampler *sn_cursor_sampler_create(uint64_t period_ns, bool is_processor);
void sn_cursor_sampler_destroy(sn_cursor_sampler *sampler);

/* Look at another thread, too. SN_BAD_INPUT: the file at `path` is no spool of probes whose times come from outside, or
 * not yet. */
sn_status sn_cursor_sampler_add(sn_cursor_sampler *sampler, const char *path);

/* As sn_look_loop_run and sn_look_loop_stop. */
void sn_cursor_sampler_run(sn_cursor_sampler *sampler, uint64_t ns);
void sn_cursor_sampler_stop(sn_cursor_sampler *sampler);

/* Look at each thread once; `now` of CLOCK_MONOTONIC, in nanoseconds, not less than the last. */
void sn_cursor_sampler_look(sn_cursor_sampler *sampler, uint64_t now);

/* The last look: what is not yet shared out is. */
void sn_cursor_sampler_finish(sn_cursor_sampler *sampler, uint64_t now);

sn_sampled_times sn_cursor_sampler_sums(const sn_cursor_sampler *sampler);

#endif
