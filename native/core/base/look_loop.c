#define _GNU_SOURCE
#include "look_loop.h"

#include "ticks.h"
#include "xorshift.h"

#include <errno.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Looking takes one part in so many of a processor at most, if nobody says more. */
#define PART_OF_TIME 10u
/* The least that the scheduler takes. */
#define SLICE_NS 100000u

void sn_look_loop_init(sn_look_loop *loop, uint64_t period_ns) {
    *loop = (sn_look_loop){.period_ns = period_ns, .random_state = sn_monotonic_ns() | 1, .part_of_time = PART_OF_TIME};
}

/* As sched_setattr(2) has it. */
typedef struct {
    uint32_t bytes, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t slice_ns, deadline, period;
} attributes;

static void become_prompt(void) {
    const struct sched_param least = {.sched_priority = 1};
    prctl(PR_SET_TIMERSLACK, 1ul); /* or our timers would go off with the program's */
    if (!sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &least)) return;
    attributes slice = {
        .bytes = sizeof slice, .policy = SCHED_OTHER, .nice = getpriority(PRIO_PROCESS, 0), .slice_ns = SLICE_NS};
    syscall(SYS_sched_setattr, 0, &slice, 0); /* if that is refused, it is as it was */
}

/* What this thread has run: a look that had to wait for a processor was not longer for that. */
static uint64_t ran_ns(void) {
    struct timespec ran;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran);
    return (uint64_t)ran.tv_sec * 1000000000u + (uint64_t)ran.tv_nsec;
}

void sn_look_loop_run(sn_look_loop *loop, uint64_t ns, sn_look *look, void *at) {
    if (!loop->is_prompt) become_prompt();
    loop->is_prompt = true;
    uint64_t now = sn_monotonic_ns(), end = now + ns, meant = now, least = now;
    while (now < end && !__atomic_load_n(&loop->stopped, __ATOMIC_RELAXED)) {
        uint64_t next = meant + loop->period_ns / 2 + sn_xorshift64(&loop->random_state) % (loop->period_ns + 1);
        if (next < least) next = least;
        if (next < now + loop->part_of_time * loop->took) next = now + loop->part_of_time * loop->took;
        struct timespec until = {(time_t)(next / 1000000000u), (long)(next % 1000000000u)};
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {}
        uint64_t woken = sn_monotonic_ns();
        meant = woken - next < loop->period_ns / 4 ? next : woken; /* a little late is made good, no more */
        least = woken + loop->period_ns / 2;
        uint64_t before = ran_ns();
        loop->rounds++;
        loop->late += woken >= next + SN_LATE_NS;
        look(at, woken);
        loop->took = ran_ns() - before;
        now = sn_monotonic_ns();
    }
}

void sn_look_loop_stop(sn_look_loop *loop) { __atomic_store_n(&loop->stopped, true, __ATOMIC_RELAXED); }
