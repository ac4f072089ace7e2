/* What threads run, shared out by their clocks. */
#include "check.h"

#include "../core/base/thread_clock.h"

enum { MS = 1000000 };

static void what_threads_run_is_given_out_or_owed_and_nothing_else(void) {
    enum { THREADS = 3 };
    uint64_t random = 12345, seldom = 0, ran = 0, now[THREADS] = {MS, MS, MS}, got[SN_SHARE_AFTER + 1] = {0};
    sn_thread_clock clocks[THREADS] = {{0}};
    for (int i = 0; i < 20000; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u; /* Knuth, see fuzz_python_lines.c */
        unsigned which = (unsigned)(random >> 33) % THREADS;
        uint64_t passed = (random >> 40) % (which ? 3 * MS : 900 * MS) + 1, more = passed * (random >> 50 & 63) / 63;
        sn_thread_clock *clock = &clocks[which];
        bool is_ready = (random >> 57 & 3) == 0, was_ready = clock->was_ready;
        now[which] += passed;
        ran += more;
        const sn_clock_look look = {is_ready, clock->ran_ns + more, passed, now[which]};
        sn_clock_share share = sn_thread_clock_share(clock, &look, &seldom);
        CHECK_EQUAL(share.to, was_ready && is_ready ? SN_SHARE_HALVES
                              : was_ready           ? SN_SHARE_BEFORE
                              : is_ready            ? SN_SHARE_AFTER
                                                    : SN_SHARE_NOBODY);
        sn_thread_clock_set(clock, is_ready, look.ran_ns, look.now);
        got[share.to] += share.ns;
        uint64_t known = got[SN_SHARE_HALVES] + got[SN_SHARE_BEFORE] + got[SN_SHARE_AFTER] + seldom;
        for (int k = 0; k < THREADS; k++) known += clocks[k].owed_ns;
        CHECK_EQUAL(known, ran);
        CHECK_EQUAL(got[SN_SHARE_NOBODY], 0);
    }
    CHECK(got[SN_SHARE_HALVES] && got[SN_SHARE_BEFORE] && got[SN_SHARE_AFTER]);
}

static void a_clock_that_stands_and_makes_up_gives_no_more_than_passes(void) {
    sn_thread_clock late = {.was_ready = true};
    CHECK_EQUAL(sn_thread_clock_credited(&late, 4 * MS, MS), MS);
    CHECK_EQUAL(sn_thread_clock_credited(&late, 0, MS), MS);
    CHECK_EQUAL(late.owed_ns, 2 * MS);
    CHECK_EQUAL(sn_thread_clock_credited(&late, 500 * (uint64_t)MS, MS), MS);
    CHECK_EQUAL(late.owed_ns, 20 * MS); /* and no more than a tick or two is owed */
}

static void who_was_woken_only_has_hardly_run(void) {
    const sn_thread_clock waited = {.ran_ns = 10 * MS}, ran = {.ran_ns = 10 * MS, .was_ready = true};
    CHECK(sn_thread_clock_is_woken(&waited, 10 * MS, MS));
    CHECK(sn_thread_clock_is_woken(&waited, 10 * MS + MS / 2 - 1, MS));
    CHECK(!sn_thread_clock_is_woken(&waited, 10 * MS + MS / 2, MS)); /* it runs without the lock */
    CHECK(!sn_thread_clock_is_woken(&waited, 9 * MS, MS));           /* the clock is another one */
    CHECK(!sn_thread_clock_is_woken(&ran, 10 * MS, MS));             /* it has just given the lock away, and goes on */
}

static void threads_without_a_clock_share_that_of_their_process(void) {
    sn_process_clock process = {0};
    sn_thread_clock clock = {.ran_ns = 10 * MS, .owed_ns = 5};
    sn_process_clock_look(&process, 10 * MS);
    process.ready = 2;
    sn_process_clock_look(&process, 14 * MS);
    CHECK_EQUAL(sn_process_clock_part(&process, &clock, false, 9 * MS), 9 * MS); /* nobody knows when it began to run */
    CHECK_EQUAL(clock.owed_ns, 0);
    CHECK_EQUAL(sn_process_clock_part(&process, &clock, true, 9 * MS), 2 * MS);
    CHECK_EQUAL(sn_process_clock_part(&process, &clock, true, MS), MS);
    CHECK_EQUAL(clock.owed_ns, MS);
    sn_thread_clock_set(&clock, true, 15 * MS, MS); /* the clock is another one */
    CHECK_EQUAL(sn_process_clock_part(&process, &clock, true, MS), MS);
    CHECK_EQUAL(clock.owed_ns, 0);
}

CHECK_MAIN(TEST(what_threads_run_is_given_out_or_owed_and_nothing_else),
           TEST(a_clock_that_stands_and_makes_up_gives_no_more_than_passes),
           TEST(who_was_woken_only_has_hardly_run), TEST(threads_without_a_clock_share_that_of_their_process))
