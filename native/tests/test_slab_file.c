/* Forests of paths read from the bytes of a file, whole, damaged, and cut off. */
#include "check.h"
#include "grams_model.h"

#include "../core/paths/slab_file.h"

#include "../core/base/xorshift.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { ROOM = 1 << 12, K = 4, IDS = 600 };

static size_t bytes_of(const sn_slab_forest *forest) { return sn_cells_header(&forest->cells)->used * SN_CELL_BYTES; }

static void feed(sn_slab_forest *forest, size_t count) {
    uint64_t state = 7;
    sn_slab_activation a;
    for (size_t i = 0; i < count; i++) {
        if (i % 50 == 0) sn_slab_begin(forest, (uint32_t)(i / 200), &a);
        sn_slab_next(forest, &a, sn_xorshift64(&state) % 3);
    }
}

static void equal_rows(const sn_slab_forest *one, const sn_slab_forest *other) {
    sn_path_rows rows[2];
    CHECK_EQUAL(sn_path_rows_make(one, 1, ROOM, &rows[0]), SN_OK);
    CHECK_EQUAL(sn_path_rows_make(other, 1, ROOM, &rows[1]), SN_OK);
    CHECK_EQUAL(rows[0].rows, rows[1].rows);
    CHECK(!memcmp(rows[0].parent, rows[1].parent, rows[0].rows * sizeof *rows[0].parent));
    CHECK(!memcmp(rows[0].id, rows[1].id, rows[0].rows * sizeof *rows[0].id));
    CHECK(!memcmp(rows[0].count, rows[1].count, rows[0].rows * sizeof *rows[0].count));
    for (int i = 0; i < 2; i++) sn_path_rows_free(&rows[i]);
}

static void a_forest_is_read_as_it_was(void) {
    sn_slab_forest forest, read;
    CHECK_EQUAL(sn_slab_create(&forest, -1, K, ROOM), SN_OK);
    feed(&forest, IDS);
    CHECK_EQUAL(sn_slab_over(&read, forest.cells.base, bytes_of(&forest), K), SN_OK);
    equal_rows(&forest, &read);
    sn_slab_destroy(&forest);
}

static void damage_is_refused_or_read_to_an_end(void) {
    sn_slab_forest forest, read;
    CHECK_EQUAL(sn_slab_create(&forest, -1, K, ROOM), SN_OK);
    feed(&forest, IDS);
    size_t size = bytes_of(&forest), refused = 0;
    uint8_t *copy = malloc(size);
    uint64_t state = 3;
    for (int round = 0; round < 400; round++) {
        memcpy(copy, forest.cells.base, size);
        for (int i = 0; i < 3; i++) copy[sn_xorshift64(&state) % size] = (uint8_t)sn_xorshift64(&state);
        sn_status status = sn_slab_over(&read, copy, size - sn_xorshift64(&state) % 200, K);
        if (status == SN_OK) {
            sn_path_rows rows;
            CHECK_EQUAL(sn_path_rows_make(&read, 1, ROOM, &rows), SN_OK);
            sn_path_rows_free(&rows);
        } else {
            CHECK_EQUAL(status, SN_BAD_INPUT);
            refused++;
        }
    }
    CHECK(refused);
    free(copy);
    sn_slab_destroy(&forest);
}

static void what_is_no_forest_is_refused(void) {
    sn_slab_forest read;
    static const uint8_t nothing[SN_HEADER_CELLS * SN_CELL_BYTES + SN_CELL_BYTES];
    CHECK_EQUAL(sn_slab_over(&read, nothing, 0, K), SN_BAD_INPUT);
    CHECK_EQUAL(sn_slab_over(&read, nothing, sizeof nothing, K), SN_BAD_INPUT);
}

CHECK_MAIN(TEST(a_forest_is_read_as_it_was), TEST(damage_is_refused_or_read_to_an_end),
           TEST(what_is_no_forest_is_refused))
