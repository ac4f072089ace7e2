/* What threads run, shared out by their clocks. */
#include "check.h"

#include "../core/base/thread_clock.h"

enum { MS = 1000000 };

static void what_threads_run_is_given_out_or_owed_and_nothing_else(void) {
    enum { THREADS = 3 };
    uint64_t random = 12345, seldom = 0, ran = 0, now[THREADS] = {MS, MS, MS}, got[SN_SHARE_GAP + 1] = {0};
    static sn_thread_clock clocks[THREADS];
    for (int i = 0; i < 20000; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u; /* Knuth, see fuzz_python_lines.c */
        unsigned which = (unsigned)(random >> 33) % THREADS;
        uint64_t passed = (random >> 40) % (which ? 3 * MS : 900 * MS) + 1, more = passed * (random >> 50 & 63) / 63;
        if (random >> 56 & 1) more = 0; /* it stands */
        sn_thread_clock *clock = &clocks[which];
        bool is_ready = (random >> 57 & 3) != 0, was_ready = clock->was_ready;
        now[which] += passed;
        ran += more;
        const sn_clock_look look = {is_ready, clock->ran_ns + more, passed, now[which]};
        sn_clock_share share = sn_thread_clock_share(clock, &look, &seldom);
        CHECK_EQUAL(share.to, was_ready && is_ready ? SN_SHARE_GAP
                              : was_ready           ? SN_SHARE_BEFORE
                              : is_ready            ? SN_SHARE_AFTER
                                                    : SN_SHARE_NOBODY);
        for (uint32_t k = 0; k < share.final; k++) {
            CHECK(clock->gaps[k].got_ns <= clock->gaps[k].passed_ns);
            got[SN_SHARE_GAP] += clock->gaps[k].got_ns;
        }
        sn_thread_clock_settled(clock, share.final);
        CHECK(clock->count < SN_CLOCK_GAPS && (is_ready || !clock->count));
        sn_thread_clock_set(clock, is_ready, look.ran_ns, look.now);
        got[share.to] += share.ns;
        uint64_t known = got[SN_SHARE_GAP] + got[SN_SHARE_BEFORE] + got[SN_SHARE_AFTER] + seldom;
        for (int k = 0; k < THREADS; k++) {
            known += clocks[k].owed_ns;
            for (uint32_t gap = 0; gap < clocks[k].count; gap++) known += clocks[k].gaps[gap].got_ns;
        }
        CHECK_EQUAL(known, ran);
        CHECK_EQUAL(got[SN_SHARE_NOBODY], 0);
    }
    CHECK(got[SN_SHARE_GAP] && got[SN_SHARE_BEFORE] && got[SN_SHARE_AFTER]);
}

/* Look at a thread that is ready; returns the final gaps. */
static uint32_t look(sn_thread_clock *clock, uint64_t ran_ns, uint64_t passed_ns) {
    uint64_t seldom = 0;
    const sn_clock_look ready = {true, ran_ns, passed_ns, 0};
    sn_clock_share share = sn_thread_clock_share(clock, &ready, &seldom);
    CHECK_EQUAL(share.to, SN_SHARE_GAP);
    sn_thread_clock_set(clock, true, ran_ns, 0);
    return share.final;
}

static void what_a_clock_makes_up_for_was_run_last(void) {
    static sn_thread_clock clock = {.was_ready = true};
    for (int i = 0; i < 5; i++) CHECK_EQUAL(look(&clock, 0, MS), 0); /* it waits for a processor, and then it runs */
    CHECK_EQUAL(look(&clock, 2 * MS + 5, MS), 5);
    const uint64_t got[] = {0, 0, 0, 5, MS, MS};
    for (int i = 0; i < 6; i++) CHECK_EQUAL(clock.gaps[i].got_ns, got[i]);
    sn_thread_clock_settled(&clock, 5);
    /* The last gap may get more, but has got all that passed. */
    CHECK_EQUAL(look(&clock, 2 * MS + 15, MS), 1);
    CHECK_EQUAL(clock.gaps[0].got_ns, MS);
    CHECK_EQUAL(clock.gaps[1].got_ns, 10);
    CHECK_EQUAL(look(&clock, 4 * MS + 15, MS), 2);
    CHECK_EQUAL(clock.gaps[1].got_ns, MS);
    CHECK_EQUAL(clock.owed_ns, 10); /* that of the gap before, which had got them already */
}

static void a_clock_that_stands_for_long_has_gaps_without_end(void) {
    static sn_thread_clock clock = {.was_ready = true};
    uint32_t final = 0;
    for (int i = 0; i < 3 * SN_CLOCK_GAPS; i++) {
        uint32_t now = look(&clock, 0, MS);
        sn_thread_clock_settled(&clock, now);
        final += now;
    }
    CHECK(final == 2 * SN_CLOCK_GAPS + 1 && clock.count == SN_CLOCK_GAPS - 1);
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

CHECK_MAIN(TEST(what_threads_run_is_given_out_or_owed_and_nothing_else), TEST(what_a_clock_makes_up_for_was_run_last),
           TEST(a_clock_that_stands_for_long_has_gaps_without_end),
           TEST(a_clock_that_stands_and_makes_up_gives_no_more_than_passes),
           TEST(who_was_woken_only_has_hardly_run), TEST(threads_without_a_clock_share_that_of_their_process))
