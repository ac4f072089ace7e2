/* Lines that threads share, against what they are by definition: for each access, who stored since this thread's last. */
#include "../core/objects/line_sharing.h"
#include "check.h"

#include <stdlib.h>

enum { THREADS = 4, BYTES = 256, STEPS = 4000 };

struct step {
    uint32_t address, size, thread;
    bool store;
};

/* Of a line, by looking back from each access. */
static uint64_t transfers_of(const struct step *steps, unsigned count, uint64_t line) {
    uint64_t found = 0;
    for (unsigned i = 0; i < count; i++) {
        if (steps[i].address / 64 > line || (steps[i].address + steps[i].size - 1) / 64 < line) continue;
        for (unsigned j = i; j-- > 0;) {
            if (steps[j].address / 64 > line || (steps[j].address + steps[j].size - 1) / 64 < line) continue;
            if (steps[j].thread == steps[i].thread) break;
            if (!steps[j].store) continue;
            found++;
            break;
        }
    }
    return found;
}

static void transfers_and_bytes_are_those_of_the_definition(void) {
    static struct step steps[STEPS];
    srand(17);
    for (unsigned round = 0; round < 20; round++) {
        struct sn_line_sharing sharing = {0};
        CHECK(sn_line_sharing_start(&sharing, 100, 10000));
        for (uint32_t thread = 1; thread <= THREADS; thread++) sn_thread_begins(&sharing, thread);
        for (unsigned i = 0; i < STEPS; i++) {
            struct step *step = &steps[i];
            *step = (struct step){(uint32_t)(rand() % (BYTES - 16)), 1u << rand() % 5, 1 + (uint32_t)rand() % THREADS,
                                  rand() % (round + 2) == 0};
            struct sn_line_use use = {.address = step->address, .size = step->size, .thread = step->thread,
                                      .place = 1 + (uint32_t)rand() % 3, .group = 1, .store = step->store};
            sn_line_used(&sharing, &use);
        }
        for (unsigned number = 1; number < sharing.line_count; number++) {
            const struct sn_used_line *line = &sharing.lines[number];
            uint64_t loaded[THREADS + 1] = {0}, stored[THREADS + 1] = {0}, told_loaded[THREADS + 1] = {0},
                     told_stored[THREADS + 1] = {0};
            for (unsigned i = 0; i < STEPS; i++)
                for (uint32_t at = steps[i].address; at < steps[i].address + steps[i].size; at++)
                    if (at / 64 == line->line) (steps[i].store ? stored : loaded)[steps[i].thread] |= UINT64_C(1) << at % 64;
            for (uint32_t at = line->accesses; at; at = sharing.accesses[at].next) {
                told_loaded[sharing.accesses[at].thread] |= sharing.accesses[at].loaded;
                told_stored[sharing.accesses[at].thread] |= sharing.accesses[at].stored;
            }
            for (unsigned thread = 1; thread <= THREADS; thread++)
                CHECK(loaded[thread] == told_loaded[thread] && stored[thread] == told_stored[thread]);
            CHECK(line->transfers == transfers_of(steps, STEPS, line->line));
            CHECK(line->transfers <= sn_line_most_transfers(&sharing, line, false));
        }
        CHECK(sharing.line_count == 5 && !sharing.lost);
    }
}

/* All orders of few accesses: none has more transfers, and where two threads take turns one has as many. */
static void the_bound_holds_in_any_order(void) {
    for (unsigned stores = 0; stores < 64; stores++) {
        uint64_t most = 0, bound = 0;
        for (unsigned threads = 0; threads < 64; threads++) {
            if (__builtin_popcount(threads) != 3) continue;
            struct step steps[6];
            struct sn_line_sharing sharing = {0};
            CHECK(sn_line_sharing_start(&sharing, 4, 16));
            sn_thread_begins(&sharing, 1), sn_thread_begins(&sharing, 2);
            unsigned of_thread[2] = {0, 3};
            for (unsigned i = 0; i < 6; i++) {
                unsigned thread = threads >> i & 1, which = of_thread[thread]++;
                steps[i] = (struct step){0, 8, thread + 1, stores >> which & 1};
                struct sn_line_use use = {.size = 8, .thread = thread + 1, .place = 1, .store = steps[i].store};
                sn_line_used(&sharing, &use);
            }
            uint64_t found = transfers_of(steps, 6, 0);
            if (found > most) most = found;
            bound = sn_line_most_transfers(&sharing, &sharing.lines[1], false);
            CHECK(found <= bound);
        }
        if (stores == 63) CHECK(most == bound && bound == 5);
        if (!stores) CHECK(!bound);
    }
}

/* Two threads store to one line 100 times each, and load each other's bytes once. */
static void other_bytes_are_told_from_the_same(void) {
    struct sn_line_sharing sharing = {0};
    CHECK(sn_line_sharing_start(&sharing, 3, 30));
    sn_thread_begins(&sharing, 1), sn_thread_begins(&sharing, 2);
    for (uint32_t i = 0; i < 202; i++) {
        uint32_t thread = 1 + i % 2;
        bool store = i < 200;
        struct sn_line_use use = {.address = 8 * (store ? thread : 3 - thread), .size = 8, .thread = thread,
                                  .place = 1 + store, .store = store};
        sn_line_used(&sharing, &use);
    }
    CHECK(sharing.line_count == 2 && sharing.lines[1].transfers == 200);
    CHECK(sn_line_most_transfers(&sharing, &sharing.lines[1], false) == 200);
    struct sn_line_sharing apart = {0};
    CHECK(sn_line_sharing_start(&apart, 3, 30));
    sn_thread_begins(&apart, 1), sn_thread_begins(&apart, 2);
    for (uint32_t i = 0; i < 201; i++) {
        uint32_t thread = 1 + i % 2;
        struct sn_line_use use = {.address = 8 * (i < 200 ? thread : 3), .size = 8, .thread = thread, .place = 1,
                                  .store = i < 200};
        sn_line_used(&apart, &use);
    }
    CHECK(sn_line_most_transfers(&apart, &apart.lines[1], false) == 200);
    CHECK(sn_line_most_transfers(&apart, &apart.lines[1], true) == 0);
}

/* What one thread leaves, another one that begins later is given once. */
static void threads_that_were_never_alive_together_pass_a_line_on_once(void) {
    struct sn_line_sharing sharing = {0};
    CHECK(sn_line_sharing_start(&sharing, 3, 30));
    sn_thread_begins(&sharing, 1);
    for (uint32_t thread = 2; thread < 5; thread++) {
        sn_thread_begins(&sharing, thread);
        for (uint32_t i = 0; i < 100; i++) {
            struct sn_line_use use = {.size = 8, .thread = thread, .place = 1, .store = true};
            sn_line_used(&sharing, &use);
        }
        sn_thread_ends(&sharing, thread);
    }
    CHECK(sharing.lines[1].transfers == 2);
    CHECK(sn_line_most_transfers(&sharing, &sharing.lines[1], false) == 3);
}

static void what_there_is_no_space_for_is_counted(void) {
    struct sn_line_sharing sharing = {0};
    CHECK(sn_line_sharing_start(&sharing, 3, 3));
    for (uint32_t i = 0; i < 4; i++) {
        struct sn_line_use use = {.address = 64 * i, .size = 8, .thread = 1, .place = 1};
        sn_line_used(&sharing, &use);
    }
    CHECK(sharing.lost == 2);
}

CHECK_MAIN(TEST(transfers_and_bytes_are_those_of_the_definition), TEST(the_bound_holds_in_any_order),
           TEST(threads_that_were_never_alive_together_pass_a_line_on_once),
           TEST(other_bytes_are_told_from_the_same), TEST(what_there_is_no_space_for_is_counted))
