/* Location tables: every kind of entry, and damaged ones. */
#include "check.h"

#include "../core/lines/python_lines.h"

#define LINE(table, first, index) sn_python_line(table, sizeof(table), first, index)

/* An entry's first byte. */
#define ENTRY(kind, units) (uint8_t)(0x80 | (kind) << 3 | ((units) - 1))

static void every_kind_of_entry_moves_the_line_as_it_should(void) {
    const uint8_t table[] = {
        ENTRY(0, 2),  0x11,                        /* 10 */
        ENTRY(11, 1), 4,    9,                     /* 11 */
        ENTRY(12, 3), 4,    9,                     /* 13 */
        ENTRY(13, 1), 2 << 1,                      /* 15 */
        ENTRY(14, 8), 3 << 1 | 1, 1, 0x40 | 5, 1, 2, /* 12 */
        ENTRY(15, 1),                              /* none */
        ENTRY(10, 1), 4,    9,                     /* 12 */
        ENTRY(13, 1), 0x40, 0x40, 1 << 1,          /* 12 + (1 << 12) */
    };
    const uint32_t lines[] = {10, 10, 11, 13, 13, 13, 15, 12, 12, 12, 12, 12, 12, 12, 12, 0, 12, 12 + (1 << 12)};
    const uint32_t count = sizeof lines / sizeof *lines;
    for (uint32_t index = 0; index < count; index++) CHECK_EQUAL(LINE(table, 10, index), lines[index]);
    CHECK_EQUAL(LINE(table, 10, count), 0);
    CHECK_EQUAL(LINE(table, 10, UINT32_MAX), 0);
}

static void no_table_has_no_lines(void) { CHECK_EQUAL(sn_python_line(NULL, 0, 1, 0), 0); }

static void line_0_is_no_line(void) {
    const uint8_t table[] = {ENTRY(13, 1), 1 << 1 | 1, ENTRY(11, 1), 0, 0};
    CHECK_EQUAL(LINE(table, 1, 0), 0);
    CHECK_EQUAL(LINE(table, 1, 1), 1);
}

static void what_lies_behind_the_damage_has_no_line(void) {
    const uint8_t no_entry[] = {0x11, ENTRY(0, 1), 0};
    CHECK_EQUAL(LINE(no_entry, 1, 0), 0);
    const uint8_t cut[] = {ENTRY(0, 1), 0, ENTRY(13, 1), 0x40 | 1};
    CHECK_EQUAL(LINE(cut, 7, 0), 7);
    CHECK_EQUAL(LINE(cut, 7, 1), 0);
    const uint8_t cut_by_next[] = {ENTRY(13, 1), 0x40 | 1, ENTRY(0, 8), 0};
    CHECK_EQUAL(LINE(cut_by_next, 7, 0), 0);
    CHECK_EQUAL(LINE(cut_by_next, 7, 1), 0);
    const uint8_t too_long[] = {ENTRY(13, 1), 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 1, ENTRY(0, 1), 0};
    CHECK_EQUAL(LINE(too_long, 7, 0), 0);
    const uint8_t below_0[] = {ENTRY(13, 1), 8 << 1 | 1, ENTRY(12, 1), 0, 0};
    CHECK_EQUAL(LINE(below_0, 7, 0), 0);
    CHECK_EQUAL(LINE(below_0, 7, 1), 0);
    const uint8_t far[] = {ENTRY(13, 1), 0x7e, 0x7f, 0x7f, 0x7f, 0x7f, 3, ENTRY(11, 1), 0, 0};
    CHECK_EQUAL(LINE(far, 0, 0), INT32_MAX);
    CHECK_EQUAL(LINE(far, 0, 1), 0);
    const uint8_t plain[] = {ENTRY(0, 1), 0};
    CHECK_EQUAL(LINE(plain, UINT32_MAX, 0), 0);
}

CHECK_MAIN(TEST(every_kind_of_entry_moves_the_line_as_it_should), TEST(no_table_has_no_lines), TEST(line_0_is_no_line),
           TEST(what_lies_behind_the_damage_has_no_line))
