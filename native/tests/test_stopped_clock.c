/* The clock that stands still while events are watched. */
#include "../core/base/stopped_clock.h"
#include "check.h"

typedef struct {
    uint64_t taken, last, running;
} clock_state;

/* The program runs for so long, then an event takes `took` to watch, and is thought to cost `cost`. */
static uint64_t after(clock_state *c, uint64_t ran, uint64_t took, uint64_t cost) {
    c->running += ran + took;
    return sn_clock_event(&c->taken, &c->last, c->running, cost);
}

static void events_that_cost_what_they_are_thought_to_take_no_time(void) {
    clock_state c = {.running = 1000, .last = 1000};
    CHECK_EQUAL(after(&c, 50, 20, 20), 1050);
    CHECK_EQUAL(after(&c, 0, 20, 20), 1050);
    CHECK_EQUAL(after(&c, 7, 20, 20), 1057);
    CHECK_EQUAL(c.taken, 60);
}

static void nothing_is_taken_out_for_events_that_cost_nothing(void) {
    clock_state c = {.running = 1000, .last = 1000};
    for (uint64_t i = 1; i < 100; i++) CHECK_EQUAL(after(&c, i, 3, 0), c.running);
    CHECK_EQUAL(c.taken, 0);
}

static void what_one_event_cost_too_little_the_next_pays(void) {
    clock_state c = {.running = 1000, .last = 1000};
    CHECK_EQUAL(after(&c, 0, 15, 20), 1000);
    CHECK_EQUAL(after(&c, 0, 25, 20), 1000);
    CHECK_EQUAL(after(&c, 9, 20, 20), 1009);
}

static void a_million_cheap_events_do_not_eat_up_a_long_computation(void) {
    clock_state c = {0};
    for (int i = 0; i < 1000000; i++) after(&c, 0, 10, 20);
    uint64_t before = c.last;
    CHECK(after(&c, 5000, 20, 20) - before >= 5000 - SN_MOST_OWED * 20);
}

static void it_never_goes_back_nor_gains_and_loses_no_more_than_the_costs(void) {
    clock_state c = {.running = 5, .last = 5};
    uint64_t random = 1, costs = 0, previous = 5;
    for (int i = 0; i < 200000; i++) {
        check_random(&random);
        uint64_t cost = random >> 60, took = random >> 56 & 31, ran = random % 97 ? random >> 52 & 7 : random >> 44 & 4095;
        uint64_t now = after(&c, ran, took, cost);
        costs += cost;
        CHECK(now >= previous && now <= c.running && c.taken <= costs);
        CHECK((int64_t)(now - (c.running - c.taken)) <= (int64_t)(SN_MOST_OWED * cost));
        CHECK(sn_clock_now(c.taken, c.last, c.running) == now);
        previous = now;
    }
}

CHECK_MAIN(TEST(events_that_cost_what_they_are_thought_to_take_no_time), TEST(nothing_is_taken_out_for_events_that_cost_nothing),
           TEST(what_one_event_cost_too_little_the_next_pays), TEST(a_million_cheap_events_do_not_eat_up_a_long_computation),
           TEST(it_never_goes_back_nor_gains_and_loses_no_more_than_the_costs))
