/* Counts by word within objects: against a list of all accesses that is searched from the beginning. */
#include "../core/objects/field_counts.h"
#include "check.h"

static struct sn_field_counts *started(uint32_t limit) {
    static struct sn_field_counts counts;
    counts = (struct sn_field_counts){0};
    CHECK(sn_field_counts_start(&counts, limit));
    return &counts;
}

static void a_row_is_of_a_type_and_a_place(void) {
    struct sn_field_counts *counts = started(100);
    uint32_t hint = 0, other = 0;
    CHECK_EQUAL(sn_fields_of(counts, 7, SN_NO_PLACE, &hint), 1);
    CHECK_EQUAL(sn_fields_of(counts, 7, 3, &hint), 2);
    CHECK_EQUAL(sn_fields_of(counts, 8, SN_NO_PLACE, &hint), 3);
    CHECK_EQUAL(hint, 3);
    CHECK_EQUAL(sn_fields_of(counts, 7, 3, &hint), 2);
    CHECK_EQUAL(sn_fields_of(counts, 7, SN_NO_PLACE, &other), 1);
    CHECK_EQUAL(counts->rows[2].type, 7);
    CHECK_EQUAL(counts->rows[2].place, 3);
    CHECK_EQUAL(counts->count, 4);
}

static void what_has_no_space_is_number_0_and_what_is_there_stays(void) {
    struct sn_field_counts *counts = started(3);
    uint32_t hint = 0;
    CHECK_EQUAL(sn_fields_of(counts, 5, 1, &hint), 1);
    CHECK_EQUAL(sn_fields_of(counts, 6, 1, &hint), 2);
    CHECK_EQUAL(sn_fields_of(counts, 7, 1, &hint), 0);
    CHECK_EQUAL(sn_fields_of(counts, 6, 1, &hint), 2);
    CHECK_EQUAL(sn_fields_of(counts, 5, 1, &hint), 1);
}

static void every_offset_is_of_the_field_that_begins_at_it_or_before_it(void) {
    struct sn_field_counts *counts = started(100);
    static const uint32_t rests[] = {SN_WORDS * SN_WORD_BYTES, 0, 24, 40};
    uint32_t hint = 0;
    for (uint32_t i = 0; i < sizeof rests / sizeof *rests; i++) {
        struct sn_fields *fields = &counts->rows[sn_fields_of(counts, i, SN_NO_PLACE, &hint)];
        fields->rest = rests[i];
        for (int64_t offset = -SN_WORDS_BEFORE * SN_WORD_BYTES; offset < 2000; offset++) {
            uint32_t index = (uint32_t)(sn_field_at(fields, offset) - fields->fields);
            int32_t begins = sn_field_offset(fields, index);
            CHECK(index < SN_FIELDS && begins <= offset);
            if (offset >= (int64_t)rests[i])
                CHECK_EQUAL(index, SN_FIELD_REST);
            else
                CHECK(offset - begins < SN_WORD_BYTES && begins % SN_WORD_BYTES == 0);
        }
        CHECK(sn_field_at(fields, -1000) == &fields->fields[0]); /* before all that is told apart */
        CHECK(sn_field_at(fields, INT64_MAX) == &fields->fields[SN_FIELD_REST]);
    }
}

static void counts_are_those_of_a_list_of_accesses(void) {
    enum { STEPS = 20000, TYPES = 5, PLACES = 3, WORDS = 70 };
    struct sn_field_counts *counts = started(TYPES * PLACES); /* one type and place has no space */
    static struct { uint32_t type, place; int64_t offset; bool kept; } made[STEPS];
    uint64_t random = 5, lost = 0;
    uint32_t hint = 0;
    for (unsigned step = 0; step < STEPS; step++) {
        made[step].type = check_random(&random) % TYPES, made[step].place = check_random(&random) % PLACES;
        made[step].offset = (int64_t)(check_random(&random) % (8 * WORDS)) - 32;
        uint32_t row = sn_fields_of(counts, made[step].type, made[step].place, &hint);
        if ((made[step].kept = row != 0))
            sn_field_at(&counts->rows[row], made[step].offset)->misses[0]++;
        else
            lost++;
    }
    CHECK(lost > 0);
    uint64_t all = 0;
    for (uint32_t row = 1; row < counts->count; row++)
        for (uint32_t index = 0; index < SN_FIELDS; index++) {
            const struct sn_fields *fields = &counts->rows[row];
            int32_t begins = sn_field_offset(fields, index);
            uint64_t wanted = 0;
            for (unsigned step = 0; step < STEPS; step++)
                wanted += made[step].type == fields->type && made[step].place == fields->place &&
                          made[step].offset >= begins && (index == SN_FIELD_REST || made[step].offset < begins + 8);
            CHECK_EQUAL(fields->fields[index].misses[0], wanted);
            all += wanted;
        }
    CHECK_EQUAL(all + lost, STEPS);
}

CHECK_MAIN(TEST(a_row_is_of_a_type_and_a_place), TEST(what_has_no_space_is_number_0_and_what_is_there_stays),
           TEST(every_offset_is_of_the_field_that_begins_at_it_or_before_it), TEST(counts_are_those_of_a_list_of_accesses))
