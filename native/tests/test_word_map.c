/* The table of words: against a plain list of pairs. */
#include "../core/base/word_map.h"
#include "check.h"

enum { KEYS = 700, STEPS = 200000 };

static void an_empty_one_has_nothing(void) {
    struct sn_word_map map = {0};
    CHECK_EQUAL(sn_word_get(&map, 0), 0);
    sn_word_remove(&map, 7);
    CHECK_EQUAL(map.used, 0);
}

static void every_key_is_one_also_zero_and_the_largest(void) {
    struct sn_word_map map = {0};
    CHECK(sn_word_set(&map, 0, 5) && sn_word_set(&map, UINT64_MAX, UINT32_MAX));
    CHECK_EQUAL(sn_word_get(&map, 0), 5);
    CHECK_EQUAL(sn_word_get(&map, UINT64_MAX), UINT32_MAX);
    CHECK(sn_word_set(&map, 0, 6));
    CHECK_EQUAL(sn_word_get(&map, 0), 6);
    CHECK_EQUAL(map.used, 2);
}

/* `count` keys that want the same place of a map of 1,024 entries, the last but one: runs of them go around the end. */
static void find_colliding(uint64_t *keys, unsigned count) {
    uint64_t key = 0;
    for (unsigned found = 0; found < count; key++)
        if (sn_word_home(key, 1023) == 1022) keys[found++] = key;
}

static void check_same(const struct sn_word_map *map, const uint64_t *keys, const uint32_t *values, unsigned count) {
    uint64_t used = 0;
    for (unsigned i = 0; i < count; i++) {
        CHECK_EQUAL(sn_word_get(map, keys[i]), values[i]);
        used += values[i] != 0;
    }
    CHECK_EQUAL(map->used, used);
}

static void random_changes(const uint64_t *keys, unsigned count, unsigned steps, uint64_t random) {
    static uint32_t values[KEYS];
    struct sn_word_map map = {0};
    for (unsigned step = 0; step < steps; step++) {
        unsigned i = check_random(&random) % count;
        if (check_random(&random) % 5 < 3) {
            values[i] = (uint32_t)check_random(&random) | 1;
            CHECK(sn_word_set(&map, keys[i], values[i]));
        } else {
            values[i] = 0;
            sn_word_remove(&map, keys[i]);
        }
        if (step % (steps / 200) == 0) check_same(&map, keys, values, count);
    }
    check_same(&map, keys, values, count);
}

static void colliding_keys_survive_each_others_removal(void) {
    uint64_t keys[60];
    find_colliding(keys, 60);
    random_changes(keys, 60, 20000, 3);
}

static void keys_like_addresses_are_kept_while_it_grows(void) {
    uint64_t keys[KEYS], random = 11;
    for (unsigned i = 0; i < KEYS; i++) keys[i] = i % 2 ? 16 * i : check_random(&random);
    random_changes(keys, KEYS, STEPS, 17);
}

static void it_is_never_more_than_half_full(void) {
    struct sn_word_map map = {0};
    for (uint64_t key = 1; key <= 100000; key++) {
        CHECK(sn_word_set(&map, key << 4, (uint32_t)key));
        CHECK(2 * map.used <= map.mask + 1);
    }
    for (uint64_t key = 1; key <= 100000; key++) CHECK_EQUAL(sn_word_get(&map, key << 4), key);
}

CHECK_MAIN(TEST(an_empty_one_has_nothing), TEST(every_key_is_one_also_zero_and_the_largest),
           TEST(colliding_keys_survive_each_others_removal), TEST(keys_like_addresses_are_kept_while_it_grows),
           TEST(it_is_never_more_than_half_full))
