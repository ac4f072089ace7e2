/* The runtime of compiled advice by itself; a platform of the test's own takes what it writes. */
#include "../core/advice/advice_runtime.h"

#include "check.h"

static char results[1 << 20];
static size_t results_used;

void sn_result_line(const char *fields) {
    results_used += (size_t)snprintf(results + results_used, sizeof results - results_used, "%s\n", fields);
}

static char written[1 << 20];
static size_t written_used, written_limit = sizeof written;

int sn_output_open(const char *name) { return strcmp(name, "denied") == 0 ? -1 : 3; }

long sn_output_write(int output, const void *bytes, unsigned long size) {
    if (output != 3 || written_used >= written_limit) return -1;
    size_t now = size < 1000 ? size : 1000; /* never all at once */
    if (now > written_limit - written_used) now = written_limit - written_used;
    memcpy(written + written_used, bytes, now);
    written_used += now;
    return (long)now;
}

static const char *const type_names[] = {"Node", "app.Node", "app.LogNode", "Node.Part", "stack: main thread", "stack: x: stack"};
static uint32_t known_types, name_questions;

int sn_type_name(uint32_t type, char *name, uint32_t room) {
    name_questions++;
    if (type >= known_types) return 0;
    snprintf(name, room, "%s", type_names[type]);
    return 1;
}

uint64_t sn_object_about(const int64_t *object, uint32_t *place) {
    *place = (uint32_t)object[1];
    return (uint64_t)object[0];
}

static const int64_t edges[] = {INT64_MIN, INT64_MIN + 1, -65, -3, -2, -1, 0, 1, 2, 3, 64, INT64_MAX - 1, INT64_MAX};
enum { EDGES = sizeof edges / sizeof *edges };

static void division_rounds_down(void) {
    for (int i = 0; i < EDGES; i++)
        for (int j = 0; j < EDGES; j++) {
            __int128 a = edges[i], b = edges[j];
            if (b == 0) continue;
            __int128 down = a / b - (a % b != 0 && (a < 0) != (b < 0));
            CHECK_EQUAL(sn_floor_div(edges[i], edges[j]), (int64_t)down);
            CHECK_EQUAL(sn_mod(edges[i], edges[j]), (int64_t)(a - down * b));
        }
}

static void arithmetic_wraps(void) {
    CHECK_EQUAL(sn_add(INT64_MAX, 1), INT64_MIN);
    CHECK_EQUAL(sn_sub(INT64_MIN, 1), INT64_MAX);
    CHECK_EQUAL(sn_mul(INT64_MAX, 2), -2);
    CHECK_EQUAL(sn_abs(INT64_MIN), INT64_MIN);
    CHECK_EQUAL(sn_shift_left(1, 63), INT64_MIN);
    CHECK_EQUAL(sn_shift_left(1, 64), 0);
    CHECK_EQUAL(sn_shift_right(-5, 1), -3);
    CHECK_EQUAL(sn_shift_right(-5, INT64_MAX), -1);
}

static void integers_and_floats_are_compared_exactly(void) {
    CHECK_EQUAL(sn_compare(INT64_MAX, 0x1p63), -1);
    CHECK_EQUAL(sn_compare(INT64_MIN, -0x1p63), 0);
    CHECK_EQUAL(sn_compare((1LL << 53) + 1, 0x1p53), 1);
    CHECK_EQUAL(sn_compare(-1, -1.5), 1);
    CHECK_EQUAL(sn_compare(1, 1.5), -1);
    CHECK_EQUAL(sn_compare(0, __builtin_inf()), -1);
    CHECK_EQUAL(sn_compare(0, -__builtin_inf()), 1);
    CHECK_EQUAL(sn_compare(0, __builtin_nan("")), 2);
    CHECK(!sn_is_whole(0x1p63));
    CHECK(sn_is_whole(-0x1p63));
    CHECK(!sn_is_whole(__builtin_nan("")));
}

static void ranges_have_as_many_rounds_as_steps_fit(void) {
    CHECK_EQUAL(sn_rounds(0, 10, 3), 4);
    CHECK_EQUAL(sn_rounds(0, 9, 3), 3);
    CHECK_EQUAL(sn_rounds(10, 0, -3), 4);
    CHECK_EQUAL(sn_rounds(0, 0, 1), 0);
    CHECK_EQUAL(sn_rounds(1, 0, 1), 0);
    CHECK(sn_rounds(INT64_MIN, INT64_MAX, 1) == UINT64_MAX);
    CHECK_EQUAL(sn_rounds(INT64_MAX, INT64_MIN, INT64_MIN), 2);
}

static void a_table_keeps_its_rows_where_they_are(void) {
    struct sn_table table = {.name = "t", .kinds = "int,int,int", .columns = "a,b", .cells = 2, .limit = 100000};
    CHECK(sn_table_start(&table));
    int64_t *first = sn_table_row(&table, 7, -7, 0);
    first[1] = 42;
    uint64_t state = 1;
    static int64_t keys[50000][3];
    for (int i = 0; i < 50000; i++) {
        keys[i][0] = (int64_t)check_random(&state);
        keys[i][1] = (int64_t)(check_random(&state) % 3);
        keys[i][2] = (int64_t)(check_random(&state) % 5) << 32;
        sn_table_row(&table, keys[i][0], keys[i][1], keys[i][2])[0] += i;
    }
    for (int i = 0; i < 50000; i++) {
        CHECK(sn_table_has(&table, keys[i][0], keys[i][1], keys[i][2]));
        CHECK_EQUAL(sn_table_row(&table, keys[i][0], keys[i][1], keys[i][2])[0], i);
    }
    CHECK(sn_table_row(&table, 7, -7, 0) == first);
    CHECK(!sn_table_has(&table, 7, -7, 1));
    CHECK_EQUAL(first[1], 42);
    CHECK_EQUAL(table.rows, 50001);
    CHECK_EQUAL(table.refused, 0);
}

static void a_full_table_counts_what_it_refuses(void) {
    struct sn_table table = {.name = "t", .kinds = "type", .columns = "a", .cells = 1, .limit = 3};
    CHECK(sn_table_start(&table));
    for (int64_t key = 0; key < 5; key++) sn_table_row(&table, key, 0, 0)[0] = key + 10;
    CHECK_EQUAL(sn_table_row(&table, 4, 0, 0)[0], 0);
    sn_result_table(&table);
    CHECK(strncmp(results, "counts\tt\ttype\ta\t3\n", 18) == 0);
    CHECK(strstr(results, "row\tt\t-\t10\n") && strstr(results, "row\tt\t0\t11\n") && strstr(results, "row\tt\t1\t12\n"));
}

/* All pairs and triples of small numbers, as methods with lines and types are: a slow bitmap says what is in it. */
static void a_set_has_what_was_added_and_nothing_else(void) {
    enum { SIDE = 24 };
    static bool added[SIDE][SIDE][SIDE];
    struct sn_table set = {.name = "s", .kinds = "method,int,type", .columns = "", .limit = 1000};
    CHECK(sn_table_start(&set));
    uint64_t state = 3;
    uint32_t count = 0, refused = 0;
    for (int i = 0; i < 3000; i++) {
        int64_t a = (int64_t)(check_random(&state) % SIDE), b = (int64_t)(check_random(&state) % SIDE);
        int64_t c = (int64_t)(check_random(&state) % SIDE);
        CHECK_EQUAL(sn_table_has(&set, a, b, c), added[a][b][c]);
        (void)sn_table_row(&set, a, b, c);
        if (added[a][b][c]) continue;
        if (count == 1000) refused++;
        else count++, added[a][b][c] = true;
    }
    for (int64_t a = 0; a < SIDE; a++)
        for (int64_t b = 0; b < SIDE; b++)
            for (int64_t c = 0; c < SIDE; c++) CHECK_EQUAL(sn_table_has(&set, a, b, c), added[a][b][c]);
    CHECK_EQUAL(set.rows, 1000);
    CHECK_EQUAL(set.refused, refused);
}

static void the_members_of_a_set_are_told(void) {
    struct sn_table set = {.name = "s", .kinds = "type,int,int", .columns = "", .limit = 1};
    CHECK(sn_table_start(&set));
    (void)sn_table_row(&set, 5, -6, 7);
    (void)sn_table_row(&set, 5, -6, 8);
    sn_result_table(&set);
    CHECK(strcmp(results, "set\ts\ttype,int,int\t1\nmember\ts\t4,-6,7\n") == 0);
}

static void objects_are_told_of_that_results_name(void) {
    int64_t objects[3][3] = {{100, 7, 0}, {101, 0, 0}, {102, 9, 0}}; /* number, place of birth, handle */
    struct sn_table met = {.cells = SN_OBJECT_CELLS, .limit = 2};
    struct sn_table set = {.name = "s", .kinds = "int,object", .columns = "", .limit = 9};
    CHECK(sn_table_start(&met) && sn_table_start(&set));
    for (int i = 0; i < 3; i++) sn_object_meet(&met, &objects[i][2], objects[i], 5);
    objects[0][0] = 55; /* it was noted once */
    sn_object_meet(&met, &objects[0][2], objects[0], 6);
    for (int i = 0; i < 3; i++) CHECK_EQUAL(objects[i][2], 101 + i);
    sn_objects_told = &met;
    (void)sn_table_row(&set, 102, objects[0][2], 0); /* the int is no object, whatever its value */
    sn_result_table(&set);
    sn_result_field("last", "object", objects[2][2]); /* there was no room for it */
    sn_result_field("none", "object", 0);
    sn_result_objects(&met);
    sn_result_objects(&met);
    CHECK(strcmp(results, "set\ts\tint,object\t0\nmember\ts\t102,100\nfield\tlast\tobject\t102\n"
                          "field\tnone\tobject\t-\nobject\t100\t5\t7\n") == 0);
}

static void a_type_is_asked_for_its_name_once(void) {
    struct sn_type_names asked = {.names = {"Node", "stack", "main thread", "stack: main thread", "x", "No"}, .count = 6};
    static const unsigned expected[] = {1, 1, 0, 0, 2 | 4 | 8, 2};
    CHECK(sn_type_names_start(&asked));
    CHECK(!sn_type_is(&asked, 0, 0));
    CHECK(!sn_type_is(&asked, 1, 0)); /* not known yet */
    known_types = 6;
    for (int turn = 0; turn < 2; turn++)
        for (int64_t type = 0; type < 6; type++)
            for (uint32_t name = 0; name < 6; name++)
                CHECK_EQUAL(sn_type_is(&asked, type + 1, name), expected[type] >> name & 1);
    CHECK_EQUAL(name_questions, 1 + 6);
    CHECK(!sn_type_is(&asked, 7, 0));
    CHECK(!sn_type_is(&asked, INT64_C(1) << 31, 0)); /* beyond all tables */
}

static void a_histogram_has_bins_that_double(void) {
    struct sn_table table = {.name = "h", .kinds = "-", .cells = SN_HISTOGRAM_CELLS, .limit = 10};
    CHECK(sn_table_start(&table));
    const int64_t values[] = {-5, 0, 1, 2, 3, 4, INT64_MAX};
    for (int i = 0; i < 7; i++) sn_histogram_add(sn_table_row(&table, 0, 0, 0), values[i]);
    sn_result_table(&table);
    CHECK(strcmp(results, "histogram\th\t-\t-\t0\nbins\th\t-\t7,-9223372036854775804,-5,9223372036854775807\t"
                          "0:2,1:1,2:2,3:1,63:1\n") == 0);
}

static void numbers_are_printed_as_by_python(void) {
    struct sn_output output = {.name = "o", .file = "f"};
    sn_output_start(&output);
    sn_print_number(&output, INT64_MIN, 'd', false, ' ', 0);
    sn_print_text(&output, "|", 1);
    sn_print_number(&output, 255, 'x', true, '0', 8);
    sn_print_text(&output, "|", 1);
    sn_print_number(&output, -255, 'X', true, ' ', 8);
    sn_print_text(&output, "|", 1);
    sn_print_number(&output, -7, 'd', true, '0', 4);
    sn_print_truth(&output, true);
    sn_print_end(&output);
    sn_result_output(&output);
    CHECK(strcmp(written, "-9223372036854775808|0x0000ff|   -0XFF|-007True\n") == 0);
    CHECK(strcmp(results, "output\to\tf\t1\t0\n") == 0);
}

static void a_full_disk_loses_lines_and_says_so(void) {
    struct sn_output output = {.name = "o", .file = "a\tb%"};
    written_limit = 100000;
    sn_output_start(&output);
    for (int i = 0; i < 20000; i++) {
        sn_print_text(&output, "0123456789", 10);
        sn_print_end(&output);
    }
    CHECK_EQUAL(written_used, 100000);
    CHECK_EQUAL(output.lines + output.lost, 20000);
    CHECK(output.lost > 0 && output.lines > 0 && output.lines * 11 <= 100000);
    sn_result_output(&output);
    CHECK(strncmp(results, "output\to\ta%09b%25\t", 18) == 0);
}

static void an_output_that_cannot_be_opened_loses_all(void) {
    struct sn_output output = {.name = "o", .file = "denied"};
    sn_output_start(&output);
    sn_print_text(&output, "x", 1);
    sn_print_end(&output);
    sn_result_output(&output);
    CHECK(strcmp(results, "output\to\tdenied\t0\t1\n") == 0);
}

static void what_is_printed_for_the_report_is_bounded(void) {
    struct sn_output printed = {0};
    static char text[SN_PRINTED_LINE];
    memset(text, 'x', sizeof text);
    sn_output_start(&printed);
    for (int i = 0; i < 2000; i++) {
        sn_print_text(&printed, text, sizeof text);
        sn_print_end(&printed);
    }
    CHECK(printed.lost > 0);
    CHECK_EQUAL(printed.lost + printed.waiting, 2000);
    CHECK(printed.used <= SN_PRINTED_BYTES);
}

static void only_the_first_fault_is_told(void) {
    struct sn_faults faults = {0};
    sn_result_fault(&faults);
    CHECK_EQUAL(results_used, 0);
    sn_fault(&faults, 12, SN_ENDLESS_LOOP);
    sn_fault(&faults, 13, SN_DIVISION_BY_ZERO);
    sn_result_fault(&faults);
    CHECK(strcmp(results, "fault\tendless-loop\t12\n") == 0);
}

static void a_cache_counts_by_level(void) {
    struct sn_tool_cache cache = {.name = "c", .level = {{1024, 2, 32}, {4096, 4, 64}}, .levels = 2};
    CHECK(sn_tool_cache_start(&cache));
    struct sn_location loc = {.address = 0, .size = 8, .load = 1};
    CHECK_EQUAL(sn_tool_cache_access(&cache, &loc), 2);
    loc.address = 32;
    CHECK_EQUAL(sn_tool_cache_access(&cache, &loc), 1);
    CHECK_EQUAL(sn_tool_cache_access(&cache, &loc), 0);
    sn_result_cache(&cache);
    CHECK(strcmp(results, "cache\tc\t3\t2,1\n") == 0);
    struct sn_tool_cache wrong = {.name = "w", .level = {{1000, 2, 32}}, .levels = 1};
    CHECK(!sn_tool_cache_start(&wrong));
}

CHECK_MAIN(TEST(division_rounds_down), TEST(arithmetic_wraps), TEST(integers_and_floats_are_compared_exactly),
           TEST(ranges_have_as_many_rounds_as_steps_fit), TEST(a_table_keeps_its_rows_where_they_are),
           TEST(a_full_table_counts_what_it_refuses), TEST(a_set_has_what_was_added_and_nothing_else),
           TEST(the_members_of_a_set_are_told), TEST(objects_are_told_of_that_results_name),
           TEST(a_type_is_asked_for_its_name_once), TEST(a_histogram_has_bins_that_double),
           TEST(numbers_are_printed_as_by_python), TEST(a_full_disk_loses_lines_and_says_so),
           TEST(an_output_that_cannot_be_opened_loses_all), TEST(what_is_printed_for_the_report_is_bounded),
           TEST(only_the_first_fault_is_told), TEST(a_cache_counts_by_level))
