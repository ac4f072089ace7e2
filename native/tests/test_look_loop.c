/* How often is looked, and that it takes little time. */
#include "check.h"

#include "../core/base/look_loop.h"

#include <time.h>

enum { MOST = 1000 };

typedef struct {
    uint64_t took_ns; /* each look, of processor time */
    unsigned count, stop_after;
    uint64_t moments[MOST];
    sn_look_loop loop;
} seen;

static uint64_t ran_ns(void) {
    struct timespec ran;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran);
    return (uint64_t)ran.tv_sec * 1000000000u + (uint64_t)ran.tv_nsec;
}

static void look(void *at, uint64_t now) {
    seen *s = at;
    CHECK(s->count < MOST);
    s->moments[s->count++] = now;
    for (uint64_t before = ran_ns(); ran_ns() < before + s->took_ns;) {}
    if (s->count == s->stop_after) sn_look_loop_stop(&s->loop);
}

static void looks_are_apart_by_half_a_period_at_least(void) {
    seen s = {.stop_after = 50};
    sn_look_loop_init(&s.loop, 1000000);
    sn_look_loop_run(&s.loop, UINT64_MAX / 2, look, &s);
    CHECK_EQUAL(s.count, 50);
    CHECK_EQUAL(s.loop.rounds, 50);
    CHECK(s.loop.late <= 50);
    for (unsigned i = 1; i < s.count; i++) CHECK(s.moments[i] - s.moments[i - 1] >= 500000);
    sn_look_loop_run(&s.loop, UINT64_MAX / 2, look, &s); /* it was stopped for good */
    CHECK_EQUAL(s.count, 50);
}

static void looking_takes_a_tenth_of_a_processor_at_most(void) {
    seen s = {.took_ns = 2000000};
    sn_look_loop_init(&s.loop, 1);
    for (int i = 0; i < 10; i++) sn_look_loop_run(&s.loop, 1000000, look, &s); /* what a look took is known the next time */
    CHECK_EQUAL(s.count, 10);
    for (unsigned i = 1; i < s.count; i++) CHECK(s.moments[i] - s.moments[i - 1] >= 11 * s.took_ns);
}

static void for_no_time_nothing_is_looked_at(void) {
    seen s = {0};
    sn_look_loop_init(&s.loop, 1);
    sn_look_loop_run(&s.loop, 0, look, &s);
    CHECK_EQUAL(s.count, 0);
}

CHECK_MAIN(TEST(looks_are_apart_by_half_a_period_at_least), TEST(looking_takes_a_tenth_of_a_processor_at_most),
           TEST(for_no_time_nothing_is_looked_at))
