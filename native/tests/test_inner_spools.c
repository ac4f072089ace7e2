/* What was called from the contexts of a spool, put below them. */
#include "check.h"

#include "columns.h"
#include "example_spool.h"

#include "../core/contexts/outer_record.h"
#include "../probes/probes.h"

enum { INNER_FUNCTIONS = 4, FIRST = SN_PROBES_OUTERS };
enum { WORK = 1, STOP, MOVED_TO_WORK, SAME_AS_THAT, ROUND, AND_ROUND, FAR, NONE, BEYOND };

typedef struct {
    sn_cells cells;
    sn_hot_tree hot;
} inner;

static void inner_create(inner *made) {
    CHECK_EQUAL(sn_cells_create(&made->cells, -1, 1u << 16), SN_OK);
    CHECK_EQUAL(sn_hot_create(&made->hot, &made->cells, &(sn_hot_plan){0}, false), SN_OK);
}

static void inner_destroy(inner *made) {
    sn_hot_free(&made->hot);
    sn_cells_destroy(&made->cells);
}

static sn_context *called(inner *made, sn_context *parent, uint32_t function, uint32_t line, uint64_t calls) {
    uint64_t key = (uint64_t)(function + 1) << 32 | line;
    sn_context *context = sn_tree_add(&made->hot.tree, parent, key, line, function);
    CHECK(context);
    context->calls = calls;
    return context;
}

/* A context of the interpreter's, and the line in it, in which a function took so many ticks. */
static sn_context *from(inner *made, sn_context *parent, uint32_t number, uint32_t line, uint64_t ticks) {
    sn_context *context = called(made, called(made, parent, SN_PROBES_OUTER, number, 0), SN_PROBES_OUTER_LINE, line, 0);
    context->ticks = ticks;
    return context;
}

static void number_contexts(example_spool *example) {
    uint64_t work = (uint64_t)((uint8_t *)example->work - example->cells.base) / SN_CELL_BYTES;
    uint64_t stop = (uint64_t)((uint8_t *)example->stop - example->cells.base) / SN_CELL_BYTES;
    const uint64_t words[] = {work, stop, SN_OUTER_MOVED | work, SN_OUTER_MOVED | SN_OUTER_IS_NUMBER | MOVED_TO_WORK,
                              SN_OUTER_IS_NUMBER | AND_ROUND, SN_OUTER_IS_NUMBER | ROUND, 99999, 0};
    const char *text[4] = {(const char *)words};
    const uint32_t number[4] = {1}, length[4] = {sizeof words};
    CHECK(sn_cells_record(&example->cells, SN_RECORD_OUTER, number, text, length));
}

static void add(sn_call_tree *tree, const example_spool *example, inner *made, uint32_t times, sn_status expected) {
    sn_spool_file spool, inner_file;
    CHECK_EQUAL(sn_spool_file_from(&spool, example->cells.base, example_size(example)), SN_OK);
    sn_cells_publish(&made->cells);
    CHECK_EQUAL(sn_spool_file_from(&inner_file, made->cells.base, made->cells.used * SN_CELL_BYTES), SN_OK);
    const uint32_t map[EXAMPLE_FUNCTIONS] = {1, 0, 2}, inner_map[INNER_FUNCTIONS] = {0, 0, 10, 11};
    const sn_inner_spool one = {&inner_file, inner_map, INNER_FUNCTIONS}, given[2] = {one, one};
    CHECK_EQUAL(sn_call_tree_add_spools(tree, &spool, map, EXAMPLE_FUNCTIONS, 2.0, EXAMPLE_END_TICKS, given, times),
                expected);
    sn_spool_file_close(&spool);
    sn_spool_file_close(&inner_file);
}

/* The row of a function called from a line of a context; the number of rows if there is none. */
static uint64_t row_of(const columns *c, uint64_t parent, int64_t function, int64_t line) {
    uint64_t row = 0;
    while (row < c->rows && (c->parent[row] != (int64_t)parent || c->function[row] != function || c->call_line[row] != line))
        row++;
    return row;
}

static void check_calls(const columns *c, uint64_t parent, int64_t function, int64_t line, int64_t calls, int64_t ns) {
    uint64_t row = row_of(c, parent, function, line);
    CHECK(row < c->rows);
    if (row == c->rows) return;
    CHECK_EQUAL(c->calls[row], calls);
    CHECK_EQUAL(c->self_ns[row], ns);
    if (function >= 10) CHECK_EQUAL(c->error[row], 0);
}

static const uint64_t top = UINT64_MAX;

static void calls_hang_below_the_contexts_that_they_were_made_from(void) {
    for (int metric = SN_METRIC_NONE; metric <= SN_METRIC_CALLS; metric++)
        for (uint32_t times = 1; times <= 2; times++) {
            example_spool example;
            inner made;
            sn_call_tree tree;
            columns c;
            CHECK(example_create(&example, -1, (sn_metric)metric));
            number_contexts(&example);
            inner_create(&made);
            sn_context *entered = called(&made, from(&made, made.hot.root, WORK, 12, 50), FIRST, 0, 5);
            called(&made, entered, FIRST + 1, 3, 7);
            called(&made, from(&made, made.hot.root, MOVED_TO_WORK, 13, 10), FIRST, 0, 1);
            called(&made, from(&made, made.hot.root, SAME_AS_THAT, 14, 20), FIRST, 0, 3);
            /* It calls back, and is called from there again. */
            called(&made, from(&made, entered, STOP, 20, 0), FIRST, 0, 2);
            /* A thread that the interpreter knows nothing of. */
            called(&made, made.hot.root, FIRST + 1, 0, 9);
            CHECK_EQUAL(sn_call_tree_create(&tree, &(sn_hot_plan){0}, metric != SN_METRIC_NONE), SN_OK);
            add(&tree, &example, &made, times, SN_OK);
            CHECK_EQUAL(tree.orphans, 0);
            CHECK(columns_read(&c, &tree));
            CHECK(metric != SN_METRIC_NONE || columns_valid(&c));
            CHECK_EQUAL(c.rows, 5 + 5);
            uint64_t main = row_of(&c, top, 1, 0), work = row_of(&c, main, 0, 7);
            check_calls(&c, work, 10, 12, 5 * times, 100 * times);
            check_calls(&c, row_of(&c, work, 10, 12), 11, 3, 7 * times, 0);
            check_calls(&c, work, 10, 0, 4 * times, 60 * times);
            check_calls(&c, row_of(&c, main, 2, 8), 10, 20, 2 * times, 0);
            check_calls(&c, top, 11, 0, 9 * times, 0);
            check_calls(&c, work, 0, 9, 2, 400);
            columns_free(&c);
            sn_call_tree_destroy(&tree);
            inner_destroy(&made);
            example_destroy(&example);
        }
}

static void what_was_called_from_a_context_that_is_not_there_is_nobodys_callee(void) {
    example_spool example;
    inner made;
    sn_call_tree tree;
    columns c;
    CHECK(example_create(&example, -1, SN_METRIC_NONE));
    number_contexts(&example);
    inner_create(&made);
    const uint32_t unknown[] = {0, ROUND, FAR, NONE, BEYOND, 1u << 28};
    for (uint32_t i = 0; i < 6; i++) called(&made, from(&made, made.hot.root, unknown[i], 12, 0), FIRST, 0, 1);
    called(&made, made.hot.root, 77, 0, 1); /* in no map */
    CHECK_EQUAL(sn_call_tree_create(&tree, &(sn_hot_plan){0}, false), SN_OK);
    add(&tree, &example, &made, 1, SN_OK);
    CHECK_EQUAL(tree.orphans, 1);
    CHECK(columns_read(&c, &tree));
    CHECK_EQUAL(c.rows, 1 + 5);
    check_calls(&c, top, 10, 12, 6, 0);
    columns_free(&c);
    sn_call_tree_destroy(&tree);
    inner_destroy(&made);
    example_destroy(&example);
}

static void one_that_is_not_exact_is_refused(void) {
    example_spool example;
    inner made;
    sn_call_tree tree;
    CHECK(example_create(&example, -1, SN_METRIC_NONE));
    inner_create(&made);
    made.hot.header->metric = SN_METRIC_CALLS;
    CHECK_EQUAL(sn_call_tree_create(&tree, &(sn_hot_plan){0}, false), SN_OK);
    add(&tree, &example, &made, 1, SN_BAD_INPUT);
    CHECK_EQUAL(tree.calls, 0);
    sn_call_tree_destroy(&tree);
    inner_destroy(&made);
    example_destroy(&example);
}

CHECK_MAIN(TEST(calls_hang_below_the_contexts_that_they_were_made_from),
           TEST(what_was_called_from_a_context_that_is_not_there_is_nobodys_callee),
           TEST(one_that_is_not_exact_is_refused))
