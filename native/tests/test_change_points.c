/* Change points: what is found, where, and what is refused. That the search finds the best partition, and the same as
 * its twin, is for the tests in Python. */
#include "check.h"

#include "../core/series/change_points.h"

#include <math.h>

#define MOST 4096

typedef struct {
    int64_t points[MOST], offsets[MOST], drifts[MOST];
    double levels[2 * MOST], spreads[2 * MOST], alike[MOST];
} room;

static sn_status find(const double *values, const int64_t *offsets, size_t series, room *found) {
    const sn_changes changes = {found->points, found->offsets, found->levels,
                                found->spreads, found->drifts, found->alike};
    return sn_change_points(values, offsets, series, 0, &changes);
}

static size_t find_one(const double *values, int64_t n, room *found) {
    const int64_t offsets[] = {0, n};
    CHECK_EQUAL(find(values, offsets, 1, found), SN_OK);
    CHECK_EQUAL(found->offsets[0], 0);
    return (size_t)found->offsets[1];
}

/* Between 0 and 1. */
static double draw(uint64_t *state) { return (double)(check_random(state) >> 11) / (double)(UINT64_C(1) << 53); }

static void a_step_is_found_where_it_is(void) {
    static room found;
    double values[60];
    uint64_t state = 1;
    for (int i = 0; i < 60; i++) values[i] = (i < 25 ? 7 : 5) + draw(&state);
    CHECK_EQUAL(find_one(values, 60, &found), 1);
    CHECK_EQUAL(found.points[0], 25);
    CHECK(fabs(found.levels[0] - 7.5) < 0.3 && fabs(found.levels[1] - 5.5) < 0.3);
    CHECK(found.spreads[0] > 0.2 && found.spreads[0] < 0.9);
    CHECK_EQUAL(found.drifts[0], -1);
}

static void one_slow_first_value_is_a_head(void) {
    static room found;
    double values[60];
    uint64_t state = 2;
    for (int i = 0; i < 60; i++) values[i] = draw(&state) + (i == 0 ? 20 : 0);
    CHECK_EQUAL(find_one(values, 60, &found), 1);
    CHECK_EQUAL(found.points[0], 1);
    for (int i = 0; i < 60; i++) values[i] = draw(&state) + (i == 30 ? 20 : 0);
    CHECK_EQUAL(find_one(values, 60, &found), 0);
}

static void a_slope_is_a_drift(void) {
    static room found;
    double values[100];
    uint64_t state = 3;
    for (int i = 0; i < 100; i++) values[i] = draw(&state) + 0.03 * i;
    find_one(values, 100, &found);
    CHECK_EQUAL(found.drifts[0], 0);
}

static void constant_values_and_few_of_them_have_no_changes(void) {
    static room found;
    double values[100] = {0};
    for (int64_t n = 0; n <= 100; n++) {
        CHECK_EQUAL(find_one(values, n, &found), 0);
        CHECK(found.levels[0] == 0 && found.spreads[0] == 0 && found.drifts[0] == -1 && found.alike[0] == 0);
    }
    const double few[] = {9, 9, 9, 1, 1, 1, 1};
    CHECK_EQUAL(find_one(few, 7, &found), 0);
}

static void many_series_are_as_each_by_itself(void) {
    static room all, one;
    static double values[MOST];
    int64_t offsets[101] = {0};
    uint64_t state = 4;
    for (int i = 0; i < 100; i++) {
        int64_t n = i % 7 == 0 ? 0 : (int64_t)(check_random(&state) % 60);
        offsets[i + 1] = offsets[i] + n;
        CHECK(offsets[i + 1] < MOST - 100);
        double level = 0;
        for (int64_t at = offsets[i]; at < offsets[i + 1]; at++) {
            if (draw(&state) < 0.05) level += 4 * draw(&state) - 2;
            values[at] = level + floor(8 * draw(&state)) / 8; /* with ties */
        }
    }
    CHECK_EQUAL(find(values, offsets, 100, &all), SN_OK);
    CHECK(all.offsets[100] > 50);
    for (int i = 0; i < 100; i++) {
        int64_t count = (int64_t)find_one(values + offsets[i], offsets[i + 1] - offsets[i], &one), at = all.offsets[i];
        CHECK_EQUAL(all.offsets[i + 1] - at, count);
        CHECK(!memcmp(all.points + at, one.points, (size_t)count * sizeof *one.points));
        CHECK(!memcmp(all.levels + at + i, one.levels, (size_t)(count + 1) * sizeof *one.levels));
        CHECK(!memcmp(all.spreads + at + i, one.spreads, (size_t)(count + 1) * sizeof *one.spreads));
        CHECK(all.drifts[i] == one.drifts[0] && all.alike[i] == one.alike[0]);
    }
}

static void long_series_with_many_changes_are_cut_into_parts(void) {
    static room found;
    static double values[MOST];
    uint64_t state = 5;
    for (int i = 0; i < MOST; i++) values[i] = draw(&state) + 3 * (i / 64 % 2);
    size_t count = find_one(values, MOST, &found);
    CHECK(count >= 60 && count <= 80);
    for (size_t i = 1; i < count; i++) CHECK(found.points[i] >= found.points[i - 1] + (int64_t)SN_LEAST_PART);
}

static void what_cannot_be_used_is_refused(void) {
    static room found;
    const sn_changes changes = {found.points, found.offsets, found.levels, found.spreads, found.drifts, found.alike};
    double values[20] = {0};
    const int64_t good[] = {0, 10, 20}, descending[] = {0, 12, 10}, late[] = {1, 10, 20}, negative[] = {0, -1, 20};
    CHECK_EQUAL(find(values, good, 2, &found), SN_OK);
    CHECK_EQUAL(find(values, good, 0, &found), SN_OK);
    CHECK_EQUAL(find(values, descending, 2, &found), SN_BAD_INPUT);
    CHECK_EQUAL(find(values, late, 2, &found), SN_BAD_INPUT);
    CHECK_EQUAL(find(values, negative, 2, &found), SN_BAD_INPUT);
    const double penalties[] = {-1, NAN, INFINITY}, bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        CHECK_EQUAL(sn_change_points(values, good, 2, penalties[i], &changes), SN_BAD_INPUT);
        values[19] = bad[i];
        CHECK_EQUAL(find(values, good, 2, &found), SN_BAD_INPUT);
        values[19] = 0;
    }
}

static void huge_and_tiny_values_are_ranked_like_others(void) {
    static room found;
    double values[40];
    uint64_t state = 6;
    for (int i = 0; i < 40; i++) values[i] = (i < 20 ? 1e300 : 1e-300) * (1 + draw(&state));
    CHECK_EQUAL(find_one(values, 40, &found), 1);
    CHECK_EQUAL(found.points[0], 20);
}

CHECK_MAIN(TEST(a_step_is_found_where_it_is), TEST(one_slow_first_value_is_a_head), TEST(a_slope_is_a_drift),
           TEST(constant_values_and_few_of_them_have_no_changes), TEST(many_series_are_as_each_by_itself),
           TEST(long_series_with_many_changes_are_cut_into_parts), TEST(what_cannot_be_used_is_refused),
           TEST(huge_and_tiny_values_are_ranked_like_others))
