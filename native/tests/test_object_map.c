/* The map from addresses to objects: against an array with an entry per granule. */
#include "../core/objects/object_map.h"
#include "check.h"

#define TABLE (UINT64_C(1) << SN_TABLE_BITS)
#define LIMIT (UINT64_C(1) << SN_ADDRESS_BITS)

static struct sn_object_map started(void) {
    struct sn_object_map map;
    CHECK(sn_object_map_start(&map));
    return map;
}

static void nothing_lies_anywhere_at_first(void) {
    struct sn_object_map map = started();
    const uint64_t addresses[] = {0, 1, TABLE, LIMIT - 1, LIMIT, UINT64_MAX};
    for (unsigned i = 0; i < sizeof addresses / sizeof *addresses; i++) CHECK_EQUAL(sn_object_at(&map, addresses[i]), 0);
    sn_object_map_set(&map, TABLE, 64, 0); /* and to clear it needs no table */
    CHECK(!map.tables[1]);
}

static void every_byte_of_its_granules_belongs_to_an_object(void) {
    struct sn_object_map map = started();
    CHECK(sn_object_map_set(&map, 0x1008, 0x20, 7)); /* it begins and ends in the middle of granules */
    for (uint64_t at = 0xff0; at < 0x1040; at++) CHECK_EQUAL(sn_object_at(&map, at), at >= 0x1000 && at < 0x1030 ? 7 : 0);
    CHECK(sn_object_map_set(&map, 0x1000, 0, 8));
    CHECK_EQUAL(sn_object_at(&map, 0x1000), 7);
}

static void what_lies_above_the_programs_addresses_belongs_to_nobody(void) {
    struct sn_object_map map = started();
    CHECK(sn_object_map_set(&map, LIMIT - 32, UINT64_MAX, 5));
    CHECK(sn_object_map_set(&map, LIMIT + 32, 64, 6));
    CHECK_EQUAL(sn_object_at(&map, LIMIT - 33), 0);
    CHECK_EQUAL(sn_object_at(&map, LIMIT - 1), 5);
    CHECK_EQUAL(sn_object_at(&map, LIMIT), 0);
    CHECK_EQUAL(sn_object_at(&map, LIMIT + 32), 0);
}

/* A window of granules over the border of two tables. */
enum { GRANULES = 600, STEPS = 4000 };
static const uint64_t FIRST = 5 * TABLE - 16 * GRANULES / 2;

static void it_agrees_with_an_array(void) {
    struct sn_object_map map = started();
    uint32_t wanted[GRANULES] = {0};
    uint64_t random = 5;
    for (unsigned step = 0; step < STEPS; step++) {
        unsigned from = check_random(&random) % GRANULES, count = check_random(&random) % (GRANULES - from);
        uint32_t number = check_random(&random) % 3;
        uint64_t slack = check_random(&random) % 16, at = FIRST + 16 * from + slack;
        uint64_t size = count ? 16 * count - slack - check_random(&random) % (16 - slack) : 0;
        bool only_free = check_random(&random) % 2;
        CHECK((only_free ? sn_object_map_fill : sn_object_map_set)(&map, at, size, number));
        for (unsigned i = from; i < from + count; i++)
            if (!only_free || !wanted[i]) wanted[i] = number;
        for (unsigned i = 0; i < GRANULES; i++)
            CHECK_EQUAL(sn_object_at(&map, FIRST + 16 * i + check_random(&random) % 16), wanted[i]);
    }
}

static void what_nobody_mapped_is_passed_over(void) {
    struct sn_object_map map = started();
    const uint64_t far = UINT64_C(0x7f0000000000);
    CHECK_EQUAL(sn_object_map_next(&map, 5, LIMIT), LIMIT);
    CHECK(sn_object_map_set(&map, 0x1000, 32, 7));
    CHECK(sn_object_map_set(&map, far, 16, 8));
    CHECK_EQUAL(sn_object_map_next(&map, 5, LIMIT), 0x1000);
    CHECK_EQUAL(sn_object_map_next(&map, 0x1018, LIMIT), 0x1018);
    CHECK_EQUAL(sn_object_map_next(&map, 0x1020, LIMIT), far);
    CHECK_EQUAL(sn_object_map_next(&map, 0x1020, far), far);
    CHECK_EQUAL(sn_object_map_next(&map, 0x1020, 0x1030), 0x1030);
    CHECK_EQUAL(sn_object_map_next(&map, far + 16, UINT64_MAX), UINT64_MAX);
}

CHECK_MAIN(TEST(nothing_lies_anywhere_at_first), TEST(what_nobody_mapped_is_passed_over), TEST(every_byte_of_its_granules_belongs_to_an_object),
           TEST(what_lies_above_the_programs_addresses_belongs_to_nobody), TEST(it_agrees_with_an_array))
