/* Looking at something over and over, at random moments. */
#ifndef SONDE_LOOK_LOOP_H
#define SONDE_LOOK_LOOP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint64_t period_ns, random_state;
    uint64_t took; /* how long the last look was */
    bool stopped;
} sn_look_loop;

/* Look, at a moment of CLOCK_MONOTONIC, in nanoseconds. */
typedef void sn_look(void *at, uint64_t now);

/* `period_ns`: mean time from one look to the next, 1 or more; each is drawn from half of it to half more, so that it
 * cannot keep step with what is looked at. */
void sn_look_loop_init(sn_look_loop *loop, uint64_t period_ns);

/* Look for `ns`, or until another thread stops it for good. At most a tenth of the time is spent on looking. */
void sn_look_loop_run(sn_look_loop *loop, uint64_t ns, sn_look *look, void *at);
void sn_look_loop_stop(sn_look_loop *loop);

#endif
