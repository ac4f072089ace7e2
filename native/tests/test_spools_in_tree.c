/* What spools bring to a tree: exact and hot ones, with damage of all kinds. */
#include "check.h"

#include "columns.h"
#include "example_spool.h"

#include <math.h>

static void create_either(sn_call_tree *tree, bool sided) {
    CHECK_EQUAL(sn_call_tree_create(tree, &(sn_hot_plan){0}, sided), SN_OK);
}

static void create(sn_call_tree *tree) { create_either(tree, false); }
static void create_sided(sn_call_tree *tree) { create_either(tree, true); }

static void call_once(sn_call_tree *tree, uint32_t function) {
    const uint8_t kind[2] = {SN_EVENT_ENTER, SN_EVENT_LEAVE};
    const uint32_t thread[2] = {0}, functions[2] = {function, 0}, line[2] = {0};
    const uint64_t time[2] = {0};
    sn_events events = {kind, thread, functions, line, time};
    size_t consumed;
    CHECK_EQUAL(sn_call_tree_feed(tree, &events, 0, 2, &consumed), SN_OK);
}

static void read_columns(columns *c, const sn_call_tree *tree) {
    CHECK(columns_read(c, tree));
    CHECK(columns_valid(c));
}

static void check_row(const columns *c, uint64_t row, int64_t parent, int64_t function, int64_t line, int64_t calls,
                      int64_t self_ns, int64_t total_ns) {
    CHECK(row < c->rows);
    CHECK_EQUAL(c->parent[row], parent);
    CHECK_EQUAL(c->function[row], function);
    CHECK_EQUAL(c->call_line[row], line);
    CHECK_EQUAL(c->calls[row], calls);
    CHECK_EQUAL(c->self_ns[row], self_ns);
    CHECK_EQUAL(c->total_ns[row], total_ns);
}

/* The example, added to `tree` under a map that swaps two of its functions. */
static void add_example(sn_call_tree *tree, const example_spool *example, uint32_t functions, double ns_per_tick,
                        uint64_t end_ticks) {
    sn_spool_file spool;
    CHECK_EQUAL(sn_spool_file_from(&spool, example->cells.base, example_size(example)), SN_OK);
    const uint32_t map[EXAMPLE_FUNCTIONS] = {1, 0, 2};
    CHECK_EQUAL(sn_call_tree_add_spool(tree, &spool, map, functions, ns_per_tick, end_ticks, false), SN_OK);
    sn_spool_file_close(&spool);
}

static void a_spool_brings_its_contexts(void) {
    example_spool example;
    sn_call_tree tree;
    columns c;
    CHECK(example_create(&example, -1, SN_METRIC_NONE));
    create(&tree);
    add_example(&tree, &example, EXAMPLE_FUNCTIONS, 2.0, EXAMPLE_END_TICKS);
    CHECK_EQUAL(tree.orphans, 0);
    CHECK_EQUAL(tree.calls, 8);
    CHECK_EQUAL(tree.ns, 1800 + 1200);
    read_columns(&c, &tree);
    CHECK_EQUAL(c.rows, 5);
    check_row(&c, 0, -1, 1, 0, 1, 800, 1800);
    check_row(&c, 1, 0, 0, 7, 3, 600, 1000);
    check_row(&c, 2, -1, 0, 0, 1, 1200, 1200); /* it still ran: from 400 up to the end */
    check_row(&c, 3, 1, 0, 9, 2, 400, 400);
    check_row(&c, 4, 0, 2, 8, 1, 0, 0);
    columns_free(&c);
    add_example(&tree, &example, EXAMPLE_FUNCTIONS, 2.0, EXAMPLE_END_TICKS);
    read_columns(&c, &tree);
    CHECK_EQUAL(c.rows, 5);
    check_row(&c, 1, 0, 0, 7, 6, 1200, 2000);
    columns_free(&c);
    sn_call_tree_destroy(&tree);
    example_destroy(&example);
}

static void what_runs_counts_up_to_the_end_unless_it_has_ended(void) {
    const struct {
        uint64_t now, end, ticks;
    } cases[] = {{400, 1000, 600}, {400, 400, 0}, {400, 399, 0}, {0, 1000, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        example_spool example;
        sn_call_tree tree;
        columns c;
        CHECK(example_create(&example, -1, SN_METRIC_NONE));
        example.busy->now = cases[i].now; /* 0: its thread has ended */
        create(&tree);
        add_example(&tree, &example, EXAMPLE_FUNCTIONS, 1.0, cases[i].end);
        read_columns(&c, &tree);
        check_row(&c, 2, -1, 0, 0, 1, (int64_t)cases[i].ticks, (int64_t)cases[i].ticks);
        columns_free(&c);
        sn_call_tree_destroy(&tree);
        example_destroy(&example);
    }
}

static void a_cursor_that_points_anywhere_brings_no_time(void) {
    example_spool example;
    CHECK(example_create(&example, -1, SN_METRIC_NONE));
    sn_context *const targets[] = {(sn_context *)example.cells.base, example.hot.root, (sn_context *)example.idle, NULL,
                                   (sn_context *)((uint8_t *)example.main + 8), example.main + 1000};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        sn_call_tree tree;
        example.busy->current = targets[i];
        create(&tree);
        add_example(&tree, &example, EXAMPLE_FUNCTIONS, 1.0, EXAMPLE_END_TICKS);
        CHECK_EQUAL(tree.ns, 900);
        CHECK_EQUAL(tree.orphans, 0);
        sn_call_tree_destroy(&tree);
    }
    example_destroy(&example);
}

static int64_t row_of(const columns *c, int64_t parent, int64_t function, int64_t line) {
    for (uint64_t i = 0; i < c->rows; i++)
        if (c->parent[i] == parent && c->function[i] == function && c->call_line[i] == line) return (int64_t)i;
    return -1;
}

/* Errors of the example's contexts, in the order of the struct. */
static void check_errors(const columns *c, const int64_t wanted[5]) {
    int64_t main = row_of(c, -1, 1, 0), work = row_of(c, main, 0, 7);
    const int64_t rows[5] = {main, work, row_of(c, work, 0, 9), row_of(c, main, 2, 8), row_of(c, -1, 0, 0)};
    for (int i = 0; i < 5; i++) {
        CHECK(rows[i] >= 0);
        CHECK_EQUAL(c->error[rows[i]], wanted[i]);
    }
}

static void a_hot_spool_brings_its_contexts_with_what_was_pruned_and_errors(void) {
    example_spool example;
    sn_call_tree tree;
    columns c;
    CHECK(example_create(&example, -1, SN_METRIC_CALLS));
    CHECK(example.again < example.work); /* its caller comes later in the file */
    create_sided(&tree);
    add_example(&tree, &example, EXAMPLE_FUNCTIONS, 2.0, EXAMPLE_END_TICKS);
    CHECK_EQUAL(tree.orphans, 0);
    CHECK_EQUAL(tree.calls, 8 + 5 + 7);
    CHECK_EQUAL(tree.ns, 1800 + 1200 + 120 + 160);
    CHECK_EQUAL(tree.floors, 4);
    CHECK(columns_read(&c, &tree) && columns_add_up(&c, true) && columns_positive(&c) && columns_depth_first(&c));
    CHECK_EQUAL(c.rows, 5);
    check_row(&c, 0, -1, 0, 0, 1, 1200, 1200);
    check_row(&c, 1, -1, 1, 0, 1, 800, 1920);
    check_row(&c, 2, 1, 0, 7, 3, 600, 1000);
    check_row(&c, 3, 2, 0, 9, 2, 400, 400);
    check_row(&c, 4, 1, 2, 8, 1, 0, 0);
    CHECK_EQUAL(c.total_calls[1], 7 + 5);
    CHECK_EQUAL(c.calls_squares[2], 5);
    CHECK_EQUAL(c.ticks_squares[2], 4 * 50000);
    check_errors(&c, (const int64_t[]){0, 1, 2, 3, 4});
    CHECK_EQUAL(sn_side_of(tree.hot.root)->pruned_calls, 7);
    CHECK_EQUAL(sn_side_of(tree.hot.root)->pruned_ticks, 160);
    columns_free(&c);
    sn_call_tree_destroy(&tree);
    example_destroy(&example);
}

static void the_floor_of_a_spool_is_the_error_of_what_it_has_not(void) {
    example_spool hot, exact;
    sn_call_tree tree, other;
    columns c;
    CHECK(example_create(&hot, -1, SN_METRIC_CALLS) && example_create(&exact, -1, SN_METRIC_NONE));
    create_sided(&tree);
    call_once(&tree, 7); /* only in the tree */
    add_example(&tree, &hot, EXAMPLE_FUNCTIONS, 1.0, EXAMPLE_END_TICKS);
    add_example(&tree, &exact, EXAMPLE_FUNCTIONS, 1.0, EXAMPLE_END_TICKS); /* knows everything */
    hot.hot.header->floor = 100;
    hot.stop->key = SN_TAG_FREE; /* and this time one is missing */
    add_example(&tree, &hot, EXAMPLE_FUNCTIONS, 1.0, EXAMPLE_END_TICKS);
    CHECK_EQUAL(tree.floors, 104);
    CHECK(columns_read(&c, &tree) && columns_positive(&c));
    CHECK_EQUAL(c.error[row_of(&c, -1, 7, 0)], 104);
    check_errors(&c, (const int64_t[]){0, 2, 4, 3 + 100, 8});
    columns_free(&c);
    uint32_t map[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    create_sided(&other);
    CHECK_EQUAL(sn_call_tree_merge(&other, &tree, map, 8), SN_OK);
    CHECK_EQUAL(sn_call_tree_merge(&other, &tree, map, 8), SN_OK);
    CHECK(columns_read(&c, &other) && columns_positive(&c));
    check_errors(&c, (const int64_t[]){0, 4, 8, 206, 16});
    CHECK_EQUAL(other.floors, 208);
    columns_free(&c);
    sn_call_tree_destroy(&tree);
    sn_call_tree_destroy(&other);
    example_destroy(&hot);
    example_destroy(&exact);
}

/* Two code objects that live at once may have one name, file and line: exec of the same text. */
static void functions_that_are_one_here_have_the_errors_of_both(void) {
    const uint32_t all_one[EXAMPLE_FUNCTIONS] = {0, 0, 0};
    example_spool example;
    sn_spool_file spool;
    sn_call_tree tree;
    columns c;
    CHECK(example_create(&example, -1, SN_METRIC_CALLS));
    example.main->error = 1; /* `main` and `running` are both called from line 0, below the root */
    CHECK_EQUAL(sn_spool_file_from(&spool, example.cells.base, example_size(&example)), SN_OK);
    create_sided(&tree);
    for (int i = 1; i <= 2; i++) {
        CHECK_EQUAL(sn_call_tree_add_spool(&tree, &spool, all_one, EXAMPLE_FUNCTIONS, 1.0, EXAMPLE_END_TICKS, false), SN_OK);
        CHECK(columns_read(&c, &tree) && columns_positive(&c));
        CHECK_EQUAL(c.calls[row_of(&c, -1, 0, 0)], 2 * i);
        CHECK_EQUAL(c.error[row_of(&c, -1, 0, 0)], (1 + 4) * i);
        columns_free(&c);
    }
    sn_call_tree_destroy(&tree);
    example_destroy(&example);
}

static void errors_never_overflow(void) {
    const uint32_t all_one[EXAMPLE_FUNCTIONS] = {0, 0, 0};
    const uint64_t floors[] = {INT64_MAX / 8, INT64_MAX / 2, INT64_MAX - 1, INT64_MAX, UINT64_MAX};
    for (size_t i = 0; i < sizeof floors / sizeof *floors; i++) {
        example_spool example;
        sn_spool_file spool;
        sn_call_tree tree;
        columns c;
        CHECK(example_create(&example, -1, SN_METRIC_CALLS));
        example.hot.header->floor = floors[i];
        example.main->error = example.running->error = example.stop->error = floors[i];
        CHECK_EQUAL(sn_spool_file_from(&spool, example.cells.base, example_size(&example)), SN_OK);
        create_sided(&tree);
        for (int again = 0; again < 9; again++)
            CHECK_EQUAL(sn_call_tree_add_spool(&tree, &spool, all_one, EXAMPLE_FUNCTIONS, 1.0, 0, false), SN_OK);
        CHECK(columns_read(&c, &tree) && columns_positive(&c) && columns_add_up(&c, true));
        columns_free(&c);
        sn_call_tree_destroy(&tree);
        example_destroy(&example);
    }
}

static void errors_by_time_are_in_nanoseconds(void) {
    example_spool example;
    sn_call_tree tree;
    columns c;
    CHECK(example_create(&example, -1, SN_METRIC_TIME));
    create_sided(&tree);
    add_example(&tree, &example, EXAMPLE_FUNCTIONS, 2.5, EXAMPLE_END_TICKS);
    CHECK_EQUAL(tree.floors, 10);
    CHECK(columns_read(&c, &tree) && columns_positive(&c));
    check_errors(&c, (const int64_t[]){0, 3, 5, 8, 10}); /* upwards, as values are rounded down */
    columns_free(&c);
    sn_call_tree_destroy(&tree);
    example_destroy(&example);
}

static void orphans_are_counted_with_all_below_them(void) {
    const sn_metric metrics[] = {SN_METRIC_NONE, SN_METRIC_CALLS};
    for (int m = 0; m < 2; m++) {
        example_spool example;
        sn_call_tree tree;
        columns c;
        CHECK(example_create(&example, -1, metrics[m]));
        create_sided(&tree);
        add_example(&tree, &example, 1, 1.0, EXAMPLE_END_TICKS); /* two functions are not in the map */
        CHECK_EQUAL(tree.orphans, 4);
        CHECK(columns_read(&c, &tree));
        CHECK_EQUAL(c.rows, 1);
        columns_free(&c);
        sn_call_tree_destroy(&tree);

        sn_context *const targets[] = {(sn_context *)example.cells.base,                       /* the header */
                                       (sn_context *)(example.cells.base + example_text_cell(&example) * SN_CELL_BYTES),
                                       (sn_context *)example.idle};                            /* a cursor */
        for (int i = 0; i < 3; i++) {
            example.work->parent = targets[i];
            create_sided(&tree);
            add_example(&tree, &example, EXAMPLE_FUNCTIONS, 1.0, EXAMPLE_END_TICKS);
            CHECK_EQUAL(tree.orphans, 2);
            CHECK_EQUAL(tree.calls, 3 + (m ? 12 : 0));
            sn_call_tree_destroy(&tree);
        }
        example_destroy(&example);
    }
}

static void circles_of_callers_end(void) {
    example_spool example;
    CHECK(example_create(&example, -1, SN_METRIC_CALLS));
    const struct {
        sn_context *context, *parent;
        uint64_t orphans;
    } circles[] = {{example.work, example.work, 2},  /* itself */
                   {example.work, example.again, 2}, /* its callee, which lies before it */
                   {example.main, example.again, 4}, /* a larger one, with `stop` hanging on it */
                   {example.running, (sn_context *)sn_side_of(example.main), 1}};
    for (size_t i = 0; i < sizeof circles / sizeof *circles; i++) {
        sn_call_tree tree;
        columns c;
        sn_context *before = circles[i].context->parent;
        circles[i].context->parent = circles[i].parent;
        create_sided(&tree);
        add_example(&tree, &example, EXAMPLE_FUNCTIONS, 1.0, EXAMPLE_END_TICKS);
        CHECK_EQUAL(tree.orphans, circles[i].orphans);
        CHECK(columns_read(&c, &tree) && columns_positive(&c) && columns_add_up(&c, true));
        columns_free(&c);
        sn_call_tree_destroy(&tree);
        circles[i].context->parent = before;
    }
    example_destroy(&example);
}

static void a_chain_that_lies_backwards_is_placed_in_one_go(void) {
    enum { DEPTH = 100 * 1000 };
    sn_cells cells;
    sn_hot_tree hot;
    sn_context **made = malloc(DEPTH * sizeof *made);
    CHECK(made && sn_cells_create(&cells, -1, 1u << 20) == SN_OK);
    CHECK_EQUAL(sn_hot_create(&hot, &cells, &(sn_hot_plan){SN_METRIC_CALLS, true, 3, 100}, false), SN_OK);
    for (int i = 0; i < DEPTH; i++) CHECK((made[i] = sn_tree_add(&hot.tree, hot.root, 0x10000, (uint32_t)i, 0)));
    for (int i = 0; i < DEPTH; i++) {
        made[i]->parent = i + 1 < DEPTH ? made[i + 1] : hot.root; /* the last is the outermost */
        made[i]->calls = 1;
    }
    sn_spool_file spool;
    sn_call_tree tree;
    columns c;
    CHECK_EQUAL(sn_spool_file_from(&spool, cells.base, cells.used * SN_CELL_BYTES), SN_OK);
    create_sided(&tree);
    CHECK_EQUAL(sn_call_tree_add_spool(&tree, &spool, (uint32_t[]){0}, 1, 1.0, 0, false), SN_OK);
    CHECK_EQUAL(tree.orphans, 0);
    CHECK(columns_read(&c, &tree));
    CHECK_EQUAL(c.rows, DEPTH);
    CHECK_EQUAL(c.total_calls[0], DEPTH);
    CHECK_EQUAL(c.call_line[0], DEPTH - 1);
    columns_free(&c);
    sn_call_tree_destroy(&tree);
    sn_hot_free(&hot);
    sn_cells_destroy(&cells);
    free(made);
}

static void all_that_follows_a_damaged_record_is_counted(void) {
    example_spool example;
    sn_call_tree tree;
    CHECK(example_create(&example, -1, SN_METRIC_NONE));
    uint64_t root = example_cell(&example, example.hot.root);
    CHECK_EQUAL(root, SN_HEADER_CELLS);
    ((sn_record *)(example.cells.base + (root + 1) * SN_CELL_BYTES))->bytes = UINT32_MAX;
    create(&tree);
    add_example(&tree, &example, EXAMPLE_FUNCTIONS, 1.0, EXAMPLE_END_TICKS);
    CHECK_EQUAL(tree.orphans, example.cells.used - root - 1);
    CHECK_EQUAL(sn_call_tree_rows(&tree), 0);
    sn_call_tree_destroy(&tree);
    example_destroy(&example);
}

static void what_was_pruned_at_the_top_of_an_exact_spool_cannot_be(void) {
    example_spool example;
    sn_call_tree tree;
    CHECK(example_create(&example, -1, SN_METRIC_CALLS));
    example.hot.header->metric = SN_METRIC_NONE;
    create(&tree);
    add_example(&tree, &example, EXAMPLE_FUNCTIONS, 1.0, EXAMPLE_END_TICKS);
    CHECK(tree.orphans > 0);
    sn_call_tree_destroy(&tree);
    example_destroy(&example);
}

static void values_that_cannot_be_never_overflow(void) {
    const double rates[] = {0.0, -1.0, 1.0, 1e300, 1e-300, NAN, INFINITY, -INFINITY};
    const uint64_t values[] = {0, 1, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX};
    const sn_metric metrics[] = {SN_METRIC_NONE, SN_METRIC_CALLS, SN_METRIC_TIME};
    for (int m = 0; m < 3; m++)
        for (int rate = 0; rate < 8; rate++)
            for (int i = 0; i < 125; i++) {
                uint64_t calls = values[i % 5], ticks = values[i / 5 % 5], end = values[i / 25];
                example_spool example;
                sn_call_tree tree;
                columns c;
                CHECK(example_create(&example, -1, metrics[m]));
                example.main->calls = example.again->calls = calls;
                example.work->ticks = example.again->ticks = example.stop->ticks = ticks;
                example.busy->now = 1;
                if (m) {
                    example.hot.header->floor = end;
                    example.main->error = ticks;
                    example.running->error = calls;
                    sn_side_of(example.main)->pruned_calls = sn_side_of(example.hot.root)->pruned_ticks = calls;
                    sn_side_of(example.work)->ticks_squares = (double)ticks * 1e290;
                    sn_side_of(example.main)->calls_squares = i % 2 ? NAN : -1.0;
                    sn_side_of(example.again)->calls_squares = i % 2 ? INFINITY : 1e308;
                }
                create_sided(&tree);
                for (int again = 0; again < 3; again++)
                    add_example(&tree, &example, EXAMPLE_FUNCTIONS, rates[rate], end);
                CHECK(columns_read(&c, &tree) && columns_add_up(&c, m > 0));
                CHECK(columns_positive(&c));
                columns_free(&c);
                sn_call_tree_destroy(&tree);
                example_destroy(&example);
            }
}

CHECK_MAIN(TEST(a_spool_brings_its_contexts), TEST(what_runs_counts_up_to_the_end_unless_it_has_ended),
           TEST(a_cursor_that_points_anywhere_brings_no_time),
           TEST(a_hot_spool_brings_its_contexts_with_what_was_pruned_and_errors),
           TEST(the_floor_of_a_spool_is_the_error_of_what_it_has_not),
           TEST(functions_that_are_one_here_have_the_errors_of_both), TEST(errors_never_overflow),
           TEST(errors_by_time_are_in_nanoseconds), TEST(orphans_are_counted_with_all_below_them), TEST(circles_of_callers_end),
           TEST(a_chain_that_lies_backwards_is_placed_in_one_go), TEST(all_that_follows_a_damaged_record_is_counted),
           TEST(what_was_pruned_at_the_top_of_an_exact_spool_cannot_be), TEST(values_that_cannot_be_never_overflow))
