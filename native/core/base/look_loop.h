/* Looking at something over and over, at random moments.
 *
 * A thread that wakes on the processor of what it looks at may have to wait until that sleeps, and would see it asleep only.
 * So the scheduler is asked to let it run at once: as a real-time thread where we may, else for short slices, which Linux 6.12
 * and later serve first. How often that did not help is counted. */
#ifndef SONDE_LOOK_LOOP_H
#define SONDE_LOOK_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#define SN_LATE_NS 100000u

typedef struct {
    uint64_t period_ns, random_state;
    uint64_t took;         /* processor time of the last look */
    uint32_t part_of_time; /* looking takes one part in so many of a processor, at most */
    uint64_t rounds, late; /* looks; those that were later than meant by SN_LATE_NS or more */
    bool stopped, is_prompt;
} sn_look_loop;

/* Look, at a moment of CLOCK_MONOTONIC, in nanoseconds. */
typedef void sn_look(void *at, uint64_t now);

/* `period_ns`: mean time from one look to the next, 1 or more; each is drawn from half of it to half more, so that it
 * cannot keep step with what is looked at. */
void sn_look_loop_init(sn_look_loop *loop, uint64_t period_ns);

/* Look for `ns`, or until another thread stops it for good; always in the same thread, which stays a prompt one. At most a
 * tenth of a processor is used for looking, or what `part_of_time` was set to. */
void sn_look_loop_run(sn_look_loop *loop, uint64_t ns, sn_look *look, void *at);
void sn_look_loop_stop(sn_look_loop *loop);

#endif
