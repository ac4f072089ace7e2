/* Path ids as text: what is an id, and where reading ends. */
#include "check.h"

#include "../core/paths/path_text.h"

/* What is read of a text that lies in memory of just its size, into such memory. */
static void check_ids(const char *text, size_t used, size_t count, const uint64_t *ids) {
    size_t size = strlen(text), found = 0;
    char *copy = malloc(size + 1);
    uint64_t *read = malloc(count * sizeof *read + 1);
    CHECK(copy && read);
    memcpy(copy, text, size);
    char *exact = realloc(copy, size ? size : 1);
    CHECK(exact);
    CHECK_EQUAL(sn_path_text_ids(exact, size, read, count, &found), used);
    CHECK_EQUAL(found, count);
    for (size_t i = 0; i < count; i++) CHECK(read[i] == ids[i]);
    if (count) CHECK(sn_path_text_ids(exact, size, read, count - 1, &found) < used && found == count - 1);
    uint64_t more[8];
    CHECK_EQUAL(sn_path_text_ids(exact, size, more, 8, &found), used);
    CHECK_EQUAL(found, count);
    free(exact);
    free(read);
}

static void ids_are_read_up_to_what_is_none(void) {
    static const uint64_t ids[] = {7, 0, 42};
    check_ids("", 0, 0, ids);
    check_ids("7\n0\n42\n", 7, 3, ids);
    check_ids("7\r\n0\n42\r\n", 9, 3, ids);
    check_ids("7\n0\n42", 4, 2, ids);
    check_ids("7\n0\n42\r", 4, 2, ids);
    check_ids("7\n*\n0\n", 2, 1, ids);
    check_ids("7\n\n0\n", 2, 1, ids);
    check_ids("7\n-1\n", 2, 1, ids);
    check_ids("7\n0 \n", 2, 1, ids);
    check_ids("7\n0\r0\n", 2, 1, ids);
    check_ids("7\n/\n", 2, 1, ids);
    check_ids("7\n:\n", 2, 1, ids);
    check_ids("* f\n7\n", 0, 0, ids);
}

static void ids_have_64_bits(void) {
    static const uint64_t largest[] = {UINT64_MAX, UINT64_C(9999999999999999999), 1};
    check_ids("18446744073709551615\n9999999999999999999\n00000000000000000001\n", 21 + 20 + 21, 3, largest);
    check_ids("18446744073709551616\n", 0, 0, largest);
    check_ids("18446744073709551620\n", 0, 0, largest);
    check_ids("99999999999999999999\n", 0, 0, largest);
    check_ids("000000000000000000001\n", 0, 0, largest);
    check_ids("184467440737095516150\n", 0, 0, largest);
}

CHECK_MAIN(TEST(ids_are_read_up_to_what_is_none), TEST(ids_have_64_bits))
