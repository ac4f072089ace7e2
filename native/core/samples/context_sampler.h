/* In which contexts time passes that an agent counts the calls of, sampled from another process.
 *
 * Every so often we look at each thread of the agents (current_context.h), and credit its contexts, in the agent's spool,
 * which is mapped here, with the nanoseconds since the look before: half to what it ran then, half to what it runs now.
 * Nothing of that runs in the measured process, and it never looks at a clock. What is credited survives both processes.
 *
 *   context.ticks          nanoseconds
 *   side.ticks_squares     the variance of that, in squares of nanoseconds
 *
 * Of processor time, a look counts at which the thread has a processor, or wants one; what passed is what its own clock tells,
 * see ../base/thread_clock.h.
 *
 * A hot tree takes contexts out meanwhile: what one has got goes to its caller, by the agent. What is credited in the tenth
 * of a microsecond in which that is done may get lost, and what a context ran last before it was taken out is.
 *
 * Guarantee: as for ../stacks/stack_tree.h: contexts get what passed between looks at which their thread ran something that is
 *     counted, and half of what passed between one at which it did and one at which it did not; what passed from the
 *     beginning of a process to the first look at it, up to two periods, and from the last to its end if it says when that
 *     was. Variances are estimated by the changes.
 * Source: as there.
 * Cost: 2 us for each look at a thread; of processor time 12 for one that is ready, 1 for one that waits.
 */
#ifndef SONDE_CONTEXT_SAMPLER_H
#define SONDE_CONTEXT_SAMPLER_H

#include "../base/cells.h"

typedef struct sn_context_sampler sn_context_sampler;

/* Sums over all threads. */
typedef struct {
    uint64_t looks;      /* at threads that ran something that is counted */
    uint64_t placed_ns;  /* what contexts have got */
    uint64_t unknown_ns; /* what passed in frames that the agent did not know */
    uint64_t lost_ns;    /* what contexts should have got that were taken out meanwhile, or whose cells are not to be had; and
                            what passed before the first look at processes */
    uint64_t rounds, late, first_ns, last_ns; /* of ../base/look_loop.h: late looks see more of what waits than there is */
    uint32_t forbidden;  /* processes whose memory the system does not let us read */
    uint32_t unmapped;   /* spools in the folder that could not be mapped */
} sn_context_sums;

/* NULL when memory is short. `period_ns` as in ../base/look_loop.h. */
sn_context_sampler *sn_context_sampler_create(uint64_t period_ns, bool is_processor);
void sn_context_sampler_destroy(sn_context_sampler *sampler);

/* Look at another process, too. SN_BAD_INPUT: the file at `path` is no spool of an agent whose times are to be sampled, or
 * not yet. */
sn_status sn_context_sampler_add(sn_context_sampler *sampler, const char *path);

/* Look at the processes of all spools in a folder, those that come later, too: once. */
sn_status sn_context_sampler_watch(sn_context_sampler *sampler, const char *folder);

/* As sn_look_loop_run and sn_look_loop_stop. */
void sn_context_sampler_run(sn_context_sampler *sampler, uint64_t ns);
void sn_context_sampler_stop(sn_context_sampler *sampler);

/* Look at each thread once; `now` of CLOCK_MONOTONIC, in nanoseconds, not less than the last. */
void sn_context_sampler_look(sn_context_sampler *sampler, uint64_t now);

sn_context_sums sn_context_sampler_sums(const sn_context_sampler *sampler);

/* The spool of the process that was added as `number`-th, from 0; NULL: there are not so many. */
const char *sn_context_sampler_path(const sn_context_sampler *sampler, uint32_t number);

/* The variances of the own times of functions, over all of their contexts: of the process that was added as `number`-th, by
 * the number of the function in its spool, (*count,) in squares of nanoseconds. */
const double *sn_context_sampler_squares(const sn_context_sampler *sampler, uint32_t number, uint32_t *count);

#endif
