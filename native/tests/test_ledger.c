/* The ledger of functions, places and crossings: against lists that are searched from the beginning. */
#include "../core/objects/ledger.h"
#include "check.h"

static struct sn_ledger *started(uint32_t limit) {
    static struct sn_ledger ledger;
    CHECK(sn_ledger_start(&ledger, limit));
    return &ledger;
}

static void a_function_is_the_same_when_all_of_it_is(void) {
    struct sn_ledger *ledger = started(100);
    uint32_t f = sn_function_of(ledger, SN_IN_NATIVE, "f", "a.c", 3, "lib");
    CHECK_EQUAL(f, 1);
    CHECK_EQUAL(sn_function_of(ledger, SN_IN_NATIVE, "f", "a.c", 3, "lib"), f);
    CHECK_EQUAL(sn_function_of(ledger, SN_IN_PYTHON, "f", "a.c", 3, "lib"), 2);
    CHECK_EQUAL(sn_function_of(ledger, SN_IN_NATIVE, "g", "a.c", 3, "lib"), 3);
    CHECK_EQUAL(sn_function_of(ledger, SN_IN_NATIVE, "f", "b.c", 3, "lib"), 4);
    CHECK_EQUAL(sn_function_of(ledger, SN_IN_NATIVE, "f", "a.c", 4, "lib"), 5);
    CHECK_EQUAL(sn_function_of(ledger, SN_IN_NATIVE, "f", "a.c", 3, ""), 6);
    CHECK_EQUAL(sn_function_of(ledger, SN_IN_NATIVE, "fa.c", "", 3, "lib"), 7); /* where one text ends matters */
    CHECK(strcmp(ledger->functions[f].name, "f") == 0 && strcmp(ledger->functions[f].file, "a.c") == 0);
    CHECK(strcmp(ledger->functions[f].object, "lib") == 0 && ledger->functions[f].first_line == 3);
    CHECK_EQUAL(ledger->function_count, 8);
}

static void texts_are_copies_also_long_ones(void) {
    struct sn_ledger *ledger = started(10);
    static char text[3 << 20]; /* more than is asked of the system at once */
    memset(text, 'x', sizeof text - 1);
    const char *small = sn_ledger_text(ledger, "small"), *large = sn_ledger_text(ledger, text);
    const char *other = sn_ledger_text(ledger, "other");
    memset(text, 'y', 8);
    CHECK(strcmp(small, "small") == 0 && strcmp(other, "other") == 0);
    CHECK(strlen(large) == sizeof text - 1 && large[0] == 'x');
    CHECK(strcmp(sn_ledger_text(ledger, ""), "") == 0);
}

static void places_are_their_frames_in_order(void) {
    struct sn_ledger *ledger = started(1 << 16);
    enum { MADE = 3000, MOST = 4 };
    static struct { struct sn_frame frames[MOST]; uint32_t count, number; } seen[MADE];
    unsigned distinct = 0;
    uint64_t random = 9;
    for (unsigned step = 0; step < MADE; step++) {
        struct sn_frame frames[MOST];
        uint32_t count = 1 + check_random(&random) % MOST;
        for (uint32_t i = 0; i < count; i++)
            frames[i] = (struct sn_frame){1 + check_random(&random) % 3, check_random(&random) % 3};
        unsigned at = 0;
        while (at < distinct && (seen[at].count != count || memcmp(seen[at].frames, frames, count * sizeof *frames))) at++;
        uint32_t number = sn_place_of(ledger, frames, count);
        if (at == distinct) {
            memcpy(seen[at].frames, frames, sizeof frames);
            seen[at].count = count, seen[at].number = number, distinct++;
            CHECK_EQUAL(number, distinct);
        }
        CHECK_EQUAL(number, seen[at].number);
    }
    CHECK(distinct > 500);
    for (unsigned i = 0; i < distinct; i++) {
        const struct sn_place *place = &ledger->places[seen[i].number];
        CHECK_EQUAL(place->frame_count, seen[i].count);
        CHECK(memcmp(&ledger->frames[place->first_frame], seen[i].frames, seen[i].count * sizeof(struct sn_frame)) == 0);
    }
}

static void what_has_no_space_is_number_0_and_what_is_there_stays(void) {
    struct sn_ledger *ledger = started(4);
    char name[2] = "a";
    for (; *name < 'd'; ++*name) CHECK_EQUAL(sn_function_of(ledger, SN_IN_NATIVE, name, "", 0, ""), *name - 'a' + 1);
    CHECK_EQUAL(sn_function_of(ledger, SN_IN_NATIVE, "d", "", 0, ""), 0);
    CHECK_EQUAL(sn_function_of(ledger, SN_IN_NATIVE, "b", "", 0, ""), 2);
    struct sn_frame frames[4] = {{1, 1}, {1, 2}, {1, 3}, {1, 4}};
    CHECK_EQUAL(sn_place_of(ledger, frames, 2), 1);
    CHECK_EQUAL(sn_place_of(ledger, frames, 3), 0); /* one frame is left */
    CHECK_EQUAL(sn_place_of(ledger, frames, 1), 2);
    CHECK_EQUAL(sn_place_of(ledger, frames, 4), 0);
    CHECK_EQUAL(sn_place_of(ledger, frames, 2), 1);
}

static void crossings_are_counted_by_depth(void) {
    struct sn_ledger *ledger = started(200);
    enum { PLACES = 20, TYPES = 20, STEPS = 50000 };
    static uint64_t wanted[PLACES][TYPES][SN_LEVELS];
    static uint64_t sampled[PLACES][TYPES][2]; /* loads, stores */
    static uint32_t order[PLACES][TYPES]; /* the how many-th that was seen */
    uint32_t seen = 0;
    uint64_t random = 21, lost = 0;
    uint32_t hint = 0; /* as of a place that misses on ever other types */
    for (unsigned step = 0; step < STEPS; step++) {
        uint32_t place = check_random(&random) % PLACES, type = check_random(&random) % TYPES;
        unsigned depth = 1 + check_random(&random) % (SN_LEVELS + 1); /* deeper than there are levels, too */
        bool is_kept = sn_ledger_cross(ledger, place, type, depth, &hint);
        if (!order[place][type]) order[place][type] = ++seen;
        CHECK_EQUAL(is_kept, order[place][type] <= 199);
        bool stores = check_random(&random) % 3 == 0, is_sampled = check_random(&random) % 8 == 0;
        if (is_sampled) CHECK_EQUAL(sn_ledger_sample(ledger, place, type, stores, &hint), is_kept);
        if (is_sampled && order[place][type] <= 199) sampled[place][type][stores]++;
        if (order[place][type] > 199)
            lost++;
        else
            for (unsigned i = 0; i < depth && i < SN_LEVELS; i++) wanted[place][type][i]++;
    }
    CHECK_EQUAL(ledger->crossing_count, 200);
    CHECK_EQUAL(ledger->crossings_lost, lost);
    for (uint32_t i = 1; i < ledger->crossing_count; i++) {
        const struct sn_crossing *crossing = &ledger->crossings[i];
        CHECK_EQUAL(order[crossing->place][crossing->type], i);
        CHECK(memcmp(crossing->misses, wanted[crossing->place][crossing->type], sizeof crossing->misses) == 0);
        CHECK_EQUAL(crossing->sampled_loads, sampled[crossing->place][crossing->type][0]);
        CHECK_EQUAL(crossing->sampled_stores, sampled[crossing->place][crossing->type][1]);
    }
}

CHECK_MAIN(TEST(a_function_is_the_same_when_all_of_it_is), TEST(texts_are_copies_also_long_ones),
           TEST(places_are_their_frames_in_order), TEST(what_has_no_space_is_number_0_and_what_is_there_stays),
           TEST(crossings_are_counted_by_depth))
