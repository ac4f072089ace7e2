/* Where stacks change faster than they can be read from another processor, samples are taken on the thread's own: it stands still meanwhile.
 *
 * A stack takes some microseconds to read, and where functions below coroutines, or deep in libraries, take as long, half of all are not
 * whole: what is told then is what changes slowly. On its own processor a thread waits until the sampler sleeps again, which costs it
 * some 20 us for each sample, and each stack is whole.
 *
 * Only processors on which the sampler may run anyway; not where it is woken too late there, since the scheduler lets it wait until
 * the program sleeps (../base/look_loop.h); not more often than 1,000 times a second; not where threads are stopped anyway.
 */
#define _GNU_SOURCE
#include "watched.h"

#include <assert.h>
#include <sched.h>

/* Stacks that are counted before that is decided. */
enum { WINDOW = 64 };
/* One in so many that is not whole is too many; so is one late sample in so many. */
enum { NOT_WHOLE = 8, LATE = 4 };
enum { LEAST_PERIOD_NS = 900000 };

static_assert(sizeof(cpu_set_t) <= sizeof((sn_still){0}.before), "a set of processors");

static bool move_to(sn_still *still, int processor) {
    cpu_set_t *before = (cpu_set_t *)(void *)still->before, one;
    if (!still->moved && sched_getaffinity(0, sizeof *before, before)) return false;
    if (processor >= CPU_SETSIZE || !CPU_ISSET(processor, before)) return false;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    if (sched_setaffinity(0, sizeof one, &one)) return false;
    still->moved = 1 + processor;
    return true;
}

void sn_still_return(sn_still *still) {
    if (still->moved) sched_setaffinity(0, sizeof(cpu_set_t), (const cpu_set_t *)(const void *)still->before);
    still->moved = 0;
}

void sn_watched_still(sn_stack_sampler *sampler, const sn_watched_process *t, sn_watched_thread *w) {
    sn_still *still = &sampler->still;
    if (!t->is_fast || still->is_over || still->round == sampler->loop.rounds) return;
    if (!w->processor) w->processor = 1 + sn_thread_schedule_processor(&w->schedule);
    if (!w->processor) return; /* it has just ended */
    if (w->processor != still->moved) {
        still->round = sampler->loop.rounds; /* once for each look at all threads: moving takes as long as reading */
        still->is_over = !move_to(still, w->processor - 1);
    }
    if (!still->is_over) sampler->sums.still++;
}

/* Whether samples come late since the sampler was moved: it is not let in on that processor. */
static bool is_late(sn_stack_sampler *sampler) {
    sn_still *still = &sampler->still;
    uint64_t rounds = sampler->loop.rounds - still->rounds, late = sampler->loop.late - still->late;
    still->rounds = sampler->loop.rounds;
    still->late = sampler->loop.late;
    return still->moved && late * LATE > rounds;
}

void sn_watched_is_whole(sn_stack_sampler *sampler, sn_watched_process *t, sn_watched_thread *w, bool is_whole) {
    if (t->native || sampler->still.is_over || sampler->loop.period_ns < LEAST_PERIOD_NS) return;
    t->tried++;
    t->not_whole += !is_whole;
    if (!is_whole) w->processor = 0; /* it may have another one by now */
    if (t->tried < WINDOW) return;
    if (is_late(sampler)) {
        sampler->still.is_over = true;
        sn_still_return(&sampler->still);
    }
    t->is_fast |= t->not_whole * NOT_WHOLE > t->tried;
    t->tried = t->not_whole = 0;
}
