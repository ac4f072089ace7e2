/* Objects from birth to death: some histories by hand, and long random ones against brute force (lives_model.h). */
#include "check.h"
#include "lives_model.h"

enum { BASE = 0x10000, REGION_GROUP = 3 };

static struct sn_lives *started(void) {
    static struct sn_lives lives;
    CHECK(sn_lives_start(&lives, 5000, 20, 0));
    for (uint32_t i = 1; i <= 4; i++) CHECK_EQUAL(sn_group_of(&lives, 10 + i, i), i);
    return &lives;
}

static void access_it(struct sn_lives *lives, uint64_t address, uint64_t clock, unsigned missed) {
    uint32_t number = sn_object_at(&lives->map, address);
    lives->uses[number].accesses++;
    lives->uses[number].last = clock;
    for (unsigned i = 0; i < missed; i++) lives->objects[number].misses[i]++;
}

static struct sn_group settled_group(const struct sn_lives *lives, uint32_t number) {
    static struct sn_group copies[20];
    static struct sn_top_object top[SN_TOP_OBJECTS];
    uint32_t count;
    sn_lives_settled(lives, copies, top, &count);
    return copies[number];
}

static void a_lifetime_is_from_birth_to_the_last_access_not_to_the_end(void) {
    struct sn_lives *lives = started();
    uint32_t one = sn_object_born(lives, BASE, 48, 1, SN_TYPED, 100);
    access_it(lives, BASE + 47, 101, 2);
    access_it(lives, BASE, 109, 0);
    CHECK_EQUAL(settled_group(lives, 1).lifetimes, 9); /* if it ended now */
    CHECK_EQUAL(lives->groups[1].lifetimes, 0);        /* but it has not */
    sn_object_freed(lives, one, 0);
    const struct sn_group *group = &lives->groups[1];
    CHECK_EQUAL(group->lifetimes, 9);
    CHECK_EQUAL(group->lives[4], 1); /* [8, 16) */
    CHECK_EQUAL(group->accesses, 2);
    CHECK_EQUAL(group->misses[0] + group->misses[1] + group->misses[2], 2);
    CHECK_EQUAL(group->bytes, 48);
    CHECK(lives->alive == 0 && lives->born == 1 && group->freed == 1);
}

static void what_is_never_used_is_in_bin_0(void) {
    struct sn_lives *lives = started();
    sn_object_freed(lives, sn_object_born(lives, BASE, 16, 1, SN_TYPED, 7), 0);
    sn_object_born(lives, BASE, 16, 1, SN_TYPED, 7);
    CHECK_EQUAL(settled_group(lives, 1).lives[0], 2);
    CHECK_EQUAL(lives->groups[1].lives[0], 1);
}

static void bins_are_powers_of_two(void) {
    CHECK_EQUAL(sn_life_bin(0), 0);
    CHECK_EQUAL(sn_life_bin(1), 1);
    for (unsigned bin = 2; bin < SN_LIFE_BINS; bin++) {
        CHECK_EQUAL(sn_life_bin(UINT64_C(1) << (bin - 1)), bin);
        CHECK_EQUAL(sn_life_bin((UINT64_C(1) << (bin - 1)) - 1), bin - 1);
    }
    CHECK_EQUAL(sn_life_bin(UINT64_MAX), 64);
}

static void the_next_in_a_kept_block_is_another_object(void) {
    struct sn_lives *lives = started();
    uint32_t number = sn_object_born(lives, BASE, 24, 1, SN_TYPED | SN_REVIVES, 0);
    access_it(lives, BASE, 3, 1);
    sn_object_sleeps(lives, number, 3);
    CHECK(lives->alive == 0 && lives->groups[1].freed == 1);
    access_it(lives, BASE, 4, 1); /* by the free list */
    sn_object_revives(lives, number, 2, 5);
    access_it(lives, BASE, 6, 1);
    sn_object_freed(lives, number, 0);
    CHECK_EQUAL(lives->groups[1].accesses, 2);
    CHECK_EQUAL(lives->groups[1].lifetimes, 3); /* the sleep is no life */
    CHECK_EQUAL(lives->groups[2].accesses, 1);
    CHECK_EQUAL(lives->groups[2].lifetimes, 1);
    CHECK_EQUAL(lives->born, 2);
    CHECK_EQUAL(lives->top_count, 2);
    CHECK(lives->top[0].object.number + lives->top[1].object.number == 3);
}

static void what_was_there_before_has_no_lifetime_but_accesses(void) {
    struct sn_lives *lives = started();
    uint32_t number = sn_object_born(lives, BASE, 24, 1, SN_TYPED | SN_UNBORN, 0);
    access_it(lives, BASE, 8, 0);
    sn_object_freed(lives, number, 0);
    CHECK(lives->groups[1].accesses == 1 && lives->groups[1].lifetimes == 0);
    CHECK(lives->groups[1].born == 0 && lives->groups[1].freed == 0 && lives->groups[1].bytes == 0);
    for (unsigned bin = 0; bin < SN_LIFE_BINS; bin++) CHECK_EQUAL(lives->groups[1].lives[bin], 0);
}

static void every_object_under_a_new_one_is_gone(void) {
    struct sn_lives *lives = started();
    sn_object_born(lives, BASE, 32, 1, SN_TYPED, 0);
    sn_object_born(lives, BASE + 64, 32, 1, SN_TYPED, 0);
    sn_object_born(lives, BASE + 96, 32, 1, SN_TYPED, 0);
    uint32_t over = sn_object_born(lives, BASE + 16, 96, 2, SN_TYPED, 1);
    CHECK_EQUAL(lives->alive, 1);
    CHECK_EQUAL(lives->groups[1].freed, 3);
    for (uint64_t at = BASE; at < BASE + 128; at += 16)
        CHECK_EQUAL(sn_object_at(&lives->map, at), at >= BASE + 16 && at < BASE + 112 ? over : 0);
}

static void a_region_is_behind_what_is_freed_and_never_ends(void) {
    struct sn_lives *lives = started();
    uint32_t region = sn_region_new(lives, REGION_GROUP);
    CHECK(sn_object_map_fill(&lives->map, BASE, 256, region));
    uint32_t number = sn_object_born(lives, BASE + 32, 64, 1, SN_TYPED, 0);
    access_it(lives, BASE, 1, 1);
    sn_object_freed(lives, number, region);
    for (uint64_t at = BASE; at < BASE + 256; at += 16) CHECK_EQUAL(sn_object_at(&lives->map, at), region);
    access_it(lives, BASE + 32, 2, 1);
    CHECK(settled_group(lives, REGION_GROUP).accesses == 2 && settled_group(lives, REGION_GROUP).misses[0] == 2);
    CHECK(settled_group(lives, REGION_GROUP).born == 0);
    CHECK_EQUAL(lives->born, 1);
}

static void a_region_has_more_misses_than_32_bits(void) {
    struct sn_lives *lives = started();
    uint32_t region = sn_region_new(lives, REGION_GROUP);
    lives->objects[region].misses[0] = UINT32_MAX;
    sn_object_map_fill(&lives->map, BASE, 16, region);
    access_it(lives, BASE, 1, 1);
    CHECK(settled_group(lives, REGION_GROUP).misses[0] == UINT64_C(1) << 32);
}

static void moved_objects_keep_what_they_did(void) {
    struct sn_lives *lives = started();
    uint32_t number = sn_object_born(lives, BASE, 32, 1, SN_TYPED, 0);
    sn_object_born(lives, BASE + 64, 16, 2, SN_TYPED, 0);
    access_it(lives, BASE, 1, 1);
    sn_object_moved(lives, number, BASE + 16, 128, 0); /* over its old place, and the other */
    CHECK_EQUAL(lives->groups[2].freed, 1);
    CHECK_EQUAL(sn_object_at(&lives->map, BASE), 0);
    CHECK_EQUAL(sn_object_at(&lives->map, BASE + 64), number);
    access_it(lives, BASE + 143, 9, 0);
    sn_object_freed(lives, number, 0);
    CHECK(lives->groups[1].accesses == 2 && lives->groups[1].lifetimes == 9 && lives->groups[1].bytes == 128);
}

static void an_object_is_as_large_as_it_ever_was(void) {
    struct sn_lives *lives = started();
    uint32_t number = sn_object_born(lives, BASE, 32, 1, SN_TYPED, 0);
    sn_object_moved(lives, number, BASE + 256, 512, 0);
    sn_object_moved(lives, number, BASE + 256, 48, 0);
    sn_object_regroup(lives, number, 2);
    CHECK(lives->groups[1].bytes == 0 && lives->groups[2].bytes == 512);
    sn_object_moved(lives, number, BASE + 256, 128, 0);
    CHECK_EQUAL(lives->groups[2].bytes, 512);
    sn_object_cut(lives, number, BASE + 272, 100, 0);
    CHECK_EQUAL(lives->groups[2].bytes, 100);
}

static void the_thousand_with_the_most_misses_are_kept(void) {
    struct sn_lives *lives = started();
    enum { MADE = 3000 };
    uint64_t order[MADE], random = 77;
    for (unsigned i = 0; i < MADE; i++) order[i] = i;
    for (unsigned i = MADE; i-- > 1;) {
        unsigned j = check_random(&random) % (i + 1);
        uint64_t kept = order[i];
        order[i] = order[j], order[j] = kept;
    }
    for (unsigned i = 0; i < MADE; i++) {
        uint32_t number = sn_object_born(lives, BASE + 32 * i, 32, 1, SN_TYPED, 0);
        lives->objects[number].misses[0] = order[i];
        if (i % 3) sn_object_freed(lives, number, 0);
    }
    static struct sn_group copies[20];
    static struct sn_top_object top[SN_TOP_OBJECTS];
    static bool found[MADE];
    uint32_t count;
    sn_lives_settled(lives, copies, top, &count);
    CHECK_EQUAL(count, SN_TOP_OBJECTS);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(!found[top[i].object.misses[0]] && top[i].object.misses[0] >= MADE - SN_TOP_OBJECTS);
        found[top[i].object.misses[0]] = true;
        CHECK_EQUAL(top[i].alive, (top[i].object.number - 1) % 3 == 0);
    }
}

static void what_is_freed_while_nobody_looks_lives_to_the_end(void) {
    struct sn_lives *lives = started();
    uint32_t number = sn_object_born(lives, BASE, 32, 1, SN_TYPED, 0);
    access_it(lives, BASE, 5, 0);
    lives->closed = true;
    sn_object_freed(lives, number, 0);
    CHECK(lives->alive == 1 && lives->groups[1].freed == 0 && lives->groups[1].lifetimes == 5);
    CHECK_EQUAL(sn_object_at(&lives->map, BASE), 0);
}

static void random_histories_are_as_by_brute_force(void) {
    static struct model model;
    static uint8_t history[4 * 12000];
    for (uint64_t random = 1, run = 0; run < 12; run++) {
        for (size_t i = 0; i < sizeof history; i += 8) {
            uint64_t dice = check_random(&random);
            memcpy(history + i, &dice, 8);
        }
        model_problem problem = model_run(&model, history, sizeof history, 3000);
        if (problem) fprintf(stderr, "not true in history %d: %s\n", (int)run, problem);
        CHECK(!problem);
    }
}

CHECK_MAIN(TEST(a_lifetime_is_from_birth_to_the_last_access_not_to_the_end), TEST(what_is_never_used_is_in_bin_0),
           TEST(bins_are_powers_of_two), TEST(the_next_in_a_kept_block_is_another_object),
           TEST(what_was_there_before_has_no_lifetime_but_accesses), TEST(every_object_under_a_new_one_is_gone),
           TEST(a_region_is_behind_what_is_freed_and_never_ends), TEST(a_region_has_more_misses_than_32_bits),
           TEST(moved_objects_keep_what_they_did), TEST(the_thousand_with_the_most_misses_are_kept),
           TEST(an_object_is_as_large_as_it_ever_was),
           TEST(what_is_freed_while_nobody_looks_lives_to_the_end), TEST(random_histories_are_as_by_brute_force))
