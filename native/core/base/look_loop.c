#include "look_loop.h"

#include "ticks.h"
#include "xorshift.h"

#include <errno.h>
#include <time.h>

/* Looking takes one part in so many of the time, at most. */
#define SHARE_OF_TIME 10u

void sn_look_loop_init(sn_look_loop *loop, uint64_t period_ns) {
    *loop = (sn_look_loop){.period_ns = period_ns, .random_state = sn_monotonic_ns() | 1};
}

void sn_look_loop_run(sn_look_loop *loop, uint64_t ns, sn_look *look, void *at) {
    uint64_t now = sn_monotonic_ns(), end = now + ns;
    while (now < end && !__atomic_load_n(&loop->stopped, __ATOMIC_RELAXED)) {
        uint64_t next = now + loop->period_ns / 2 + sn_xorshift64(&loop->random_state) % (loop->period_ns + 1);
        if (next < now + SHARE_OF_TIME * loop->took) next = now + SHARE_OF_TIME * loop->took;
        struct timespec until = {(time_t)(next / 1000000000u), (long)(next % 1000000000u)};
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {}
        uint64_t woken = sn_monotonic_ns();
        look(at, woken);
        now = sn_monotonic_ns();
        loop->took = now - woken;
    }
}

void sn_look_loop_stop(sn_look_loop *loop) { __atomic_store_n(&loop->stopped, true, __ATOMIC_RELAXED); }
