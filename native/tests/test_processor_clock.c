/* The clock of what a thread ran, against a twin that keeps every event. */
#include "../core/base/processor_clock.h"
#include "check.h"

#define GAP 100u
#define EVENTS 4000u

/* What happened until an event: the thread waited and ran for so long, in ticks, and what it ran watched the event too. */
typedef struct {
    uint64_t waited, ran, cost;
} event;

typedef struct {
    sn_processor_clock clock;
    uint64_t last, running, processor, asked;
} thread;

/* As in native/cpython/clock.h: the time of the event. Nanoseconds are ticks here. */
static uint64_t after(thread *t, event e) {
    t->running += e.waited + e.ran;
    t->processor += e.ran;
    if (sn_processor_gap(&t->clock, t->last, t->running - e.cost, GAP)) {
        t->asked++;
        sn_processor_asked(&t->clock, t->last, t->running, t->processor, t->processor - t->clock.processor_ns);
    }
    return sn_clock_event(&t->clock.taken, &t->last, t->running, e.cost);
}

static thread beginning_at(uint64_t running, uint64_t processor) {
    return (thread){.clock = {.running = running, .processor_ns = processor},
                    .last = running, .running = running, .processor = processor};
}

/* The slow twin, for events that cost nothing: it looks back at all events since the last long gap.
 * What a long gap shows is what the thread ran since then, less what the short gaps showed. */
static uint64_t shown_by_twin(const event *events, size_t at) {
    uint64_t length = events[at].waited + events[at].ran;
    if (length < GAP) return length;
    uint64_t ran = events[at].ran, short_gaps = 0;
    for (size_t i = at; i-- > 0 && events[i].waited + events[i].ran < GAP;) {
        ran += events[i].ran;
        short_gaps += events[i].waited + events[i].ran;
    }
    return ran > short_gaps ? ran - short_gaps : 0;
}

static event random_event(uint64_t *random, uint64_t most_cost) {
    uint64_t kind = check_random(random) % 10, length = check_random(random);
    event e = {0};
    if (kind < 6) e.ran = length % (GAP / 2);
    else if (kind < 7) e.waited = length % 30, e.ran = length >> 32 & 15;
    else if (kind < 8) e.ran = length % (50 * GAP);
    else if (kind < 9) e.waited = length % (50 * GAP);
    else e.waited = length % (20 * GAP), e.ran = (length >> 32) % (20 * GAP);
    if (most_cost) e.cost = check_random(random) % most_cost, e.ran += e.cost;
    return e;
}

static void it_shows_what_its_twin_shows(void) {
    static event events[EVENTS];
    uint64_t random = 7;
    for (int run = 0; run < 20; run++) {
        thread t = beginning_at(1000, 77);
        for (size_t i = 0; i < EVENTS; i++) {
            events[i] = random_event(&random, 0);
            uint64_t before = t.last, now = after(&t, events[i]);
            CHECK_EQUAL(now - before, shown_by_twin(events, i));
        }
        CHECK(t.asked > EVENTS / 10 && t.asked < EVENTS / 2);
    }
}

static void who_waits_in_long_gaps_only_has_what_was_run(void) {
    thread t = beginning_at(5, 0);
    uint64_t ran = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        event e = {.waited = i % 3 ? 0 : GAP + i, .ran = i % 50};
        ran += e.ran;
        CHECK_EQUAL(after(&t, e) - 5, ran);
    }
}

static void what_is_shown_too_much_is_what_was_waited_in_short_gaps(void) {
    uint64_t random = 11, waits = 0, ran = 0;
    thread t = beginning_at(0, 0);
    for (int i = 0; i < 200000; i++) {
        event e = random_event(&random, 0);
        if (e.waited + e.ran < GAP) waits += e.waited;
        ran += e.ran;
        after(&t, e);
        CHECK(t.last >= ran && t.last <= ran + waits);
    }
    CHECK(waits > 0);
}

static void it_never_goes_back_nor_gains_and_costs_are_taken_out(void) {
    uint64_t random = 3, waits = 0, ran = 0, costs = 0, previous = 0;
    thread t = beginning_at(0, 0);
    for (int i = 0; i < 200000; i++) {
        event e = random_event(&random, 16);
        waits += e.waited;
        ran += e.ran;
        costs += e.cost;
        uint64_t now = after(&t, e);
        CHECK(now >= previous && now <= t.running && t.clock.taken <= waits + costs);
        CHECK((int64_t)(now - (t.running - t.clock.taken)) <= (int64_t)(SN_MOST_OWED * e.cost));
        previous = now;
    }
    CHECK(previous + costs >= ran);
}

static void a_clock_that_stands_does_not_ask(void) {
    thread t = beginning_at(1000, 0);
    for (int i = 0; i < 10; i++) after(&t, (event){.ran = 1, .cost = 50});
    CHECK_EQUAL(t.last, 1000);
    CHECK_EQUAL(t.asked, 0);
}

static void a_system_whose_clock_runs_ahead_takes_nothing_out(void) {
    sn_processor_clock clock = {.running = 1000};
    sn_processor_asked(&clock, 1000, 1500, 520, 520);
    CHECK_EQUAL(clock.taken, 0);
    CHECK_EQUAL(clock.running, 1500);
}

CHECK_MAIN(TEST(it_shows_what_its_twin_shows), TEST(who_waits_in_long_gaps_only_has_what_was_run),
           TEST(what_is_shown_too_much_is_what_was_waited_in_short_gaps),
           TEST(it_never_goes_back_nor_gains_and_costs_are_taken_out), TEST(a_clock_that_stands_does_not_ask),
           TEST(a_system_whose_clock_runs_ahead_takes_nothing_out))
