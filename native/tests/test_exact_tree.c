/* The exact tree: streams of events, merging, and what spools bring. */
#include "check.h"

#include "columns.h"
#include "example_spool.h"

#include <math.h>

typedef struct {
    size_t count;
    uint8_t kind[1024];
    uint32_t thread[1024], function[1024], line[1024];
    uint64_t time_ns[1024];
} stream;

static void add(stream *s, uint8_t kind, uint32_t thread, uint32_t function, uint32_t line, uint64_t time_ns) {
    CHECK(s->count < 1024);
    s->kind[s->count] = kind;
    s->thread[s->count] = thread;
    s->function[s->count] = function;
    s->line[s->count] = line;
    s->time_ns[s->count++] = time_ns;
}

static void enter(stream *s, uint32_t thread, uint32_t function, uint32_t line, uint64_t time_ns) {
    add(s, SN_EVENT_ENTER, thread, function, line, time_ns);
}

static void leave(stream *s, uint32_t thread, uint64_t time_ns) { add(s, SN_EVENT_LEAVE, thread, 0, 0, time_ns); }

static sn_status feed_part(sn_exact_tree *tree, const stream *s, size_t from, size_t count, size_t *consumed) {
    return sn_exact_feed(tree, count, s->kind + from, s->thread + from, s->function + from, s->line + from,
                         s->time_ns + from, consumed);
}

static void feed(sn_exact_tree *tree, const stream *s) {
    size_t consumed;
    CHECK_EQUAL(feed_part(tree, s, 0, s->count, &consumed), SN_OK);
    CHECK_EQUAL(consumed, s->count);
}

static void create(sn_exact_tree *tree) { CHECK_EQUAL(sn_exact_create(tree), SN_OK); }

static void read_columns(columns *c, const sn_exact_tree *tree) {
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

/* Random calls and returns on three threads, with ends that match nothing. */
static stream random_stream(uint64_t seed) {
    stream s = {0};
    uint64_t now = 0;
    while (s.count < 1024) {
        uint64_t dice = check_random(&seed);
        now += dice >> 50 & 15;
        if (dice & 1) enter(&s, dice >> 1 & 3, dice >> 3 & 63, dice >> 9 & 3, now);
        else add(&s, dice >> 12 & 1 ? SN_EVENT_LEAVE : SN_EVENT_UNWIND, dice >> 1 & 3, 0, 0, now);
    }
    return s;
}

static void an_empty_tree_has_no_rows(void) {
    sn_exact_tree tree;
    columns c;
    create(&tree);
    feed(&tree, &(stream){0});
    CHECK_EQUAL(sn_exact_rows(&tree), 0);
    read_columns(&c, &tree);
    CHECK_EQUAL(c.rows, 0);
    columns_free(&c);
    sn_exact_destroy(&tree);
}

static void calls_and_times_add_up_along_the_tree(void) {
    sn_exact_tree tree;
    columns c;
    stream s = {0};
    enter(&s, 0, 5, 0, 100);
    enter(&s, 0, 6, 3, 110);
    enter(&s, 0, 6, 4, 120); /* recursion is a context of its own */
    leave(&s, 0, 150);
    leave(&s, 0, 155);
    enter(&s, 0, 6, 3, 160);
    leave(&s, 0, 170);
    add(&s, SN_EVENT_UNWIND, 0, 0, 0, 200);
    create(&tree);
    feed(&tree, &s);
    read_columns(&c, &tree);
    CHECK_EQUAL(c.rows, 3);
    check_row(&c, 0, -1, 5, 0, 1, 45, 100);
    check_row(&c, 1, 0, 6, 3, 2, 25, 55);
    check_row(&c, 2, 1, 6, 4, 1, 30, 30);
    CHECK_EQUAL(c.total_calls[0], 4);
    columns_free(&c);
    sn_exact_destroy(&tree);
}

static void ends_that_match_nothing_are_counted_and_ignored(void) {
    sn_exact_tree tree;
    columns c;
    stream s = {0};
    leave(&s, 0, 10);
    enter(&s, 0, 1, 0, 20);
    leave(&s, 0, 30);
    add(&s, SN_EVENT_UNWIND, 0, 0, 0, 40);
    leave(&s, 1, 50);
    create(&tree);
    feed(&tree, &s);
    CHECK_EQUAL(tree.unmatched, 3);
    read_columns(&c, &tree);
    CHECK_EQUAL(c.rows, 1);
    check_row(&c, 0, -1, 1, 0, 1, 10, 10);
    columns_free(&c);
    sn_exact_destroy(&tree);
}

static void running_activations_count_up_to_their_threads_last_event(void) {
    sn_exact_tree tree;
    columns c, again;
    stream s = {0};
    enter(&s, 0, 1, 0, 0);
    enter(&s, 1, 1, 0, 1000); /* the same context, on another thread */
    enter(&s, 0, 2, 1, 10);
    leave(&s, 0, 15);
    enter(&s, 0, 3, 1, 20);
    enter(&s, 1, 1, 9, 1100);
    leave(&s, 1, 1200);
    create(&tree);
    feed(&tree, &s);
    read_columns(&c, &tree);
    CHECK_EQUAL(c.rows, 4);
    check_row(&c, 0, -1, 1, 0, 2, 15 + 100, 20 + 200);
    check_row(&c, 1, 0, 2, 1, 1, 5, 5);
    check_row(&c, 2, 0, 3, 1, 1, 0, 0);
    check_row(&c, 3, 0, 1, 9, 1, 100, 100);
    read_columns(&again, &tree); /* reading changes nothing */
    CHECK(columns_equal(&c, &again));
    columns_free(&c);
    columns_free(&again);
    s = (stream){0};
    leave(&s, 0, 50);
    feed(&tree, &s);
    read_columns(&c, &tree);
    check_row(&c, 2, 0, 3, 1, 1, 30, 30);
    columns_free(&c);
    sn_exact_destroy(&tree);
}

static void a_clock_that_steps_back_stands_still(void) {
    sn_exact_tree tree;
    columns c;
    stream s = {0};
    enter(&s, 0, 1, 0, 100);
    enter(&s, 0, 2, 0, 90);
    leave(&s, 0, 95);
    leave(&s, 0, 130);
    create(&tree);
    feed(&tree, &s);
    read_columns(&c, &tree);
    check_row(&c, 0, -1, 1, 0, 1, 30, 30);
    check_row(&c, 1, 0, 2, 0, 1, 0, 0);
    columns_free(&c);
    sn_exact_destroy(&tree);
}

static void an_event_that_cannot_be_stops_before_it(void) {
    const struct {
        uint8_t kind;
        uint32_t thread;
        uint64_t time_ns;
    } bad[] = {{0, 0, 5},  {4, 0, 5}, {255, 0, 5}, {SN_EVENT_ENTER, SN_THREAD_LIMIT, 5}, {SN_EVENT_LEAVE, UINT32_MAX, 5},
               {SN_EVENT_ENTER, 0, UINT64_C(1) << 63}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sn_exact_tree tree;
        columns c;
        stream s = {0};
        size_t consumed;
        enter(&s, 0, 1, 0, 2);
        add(&s, bad[i].kind, bad[i].thread, 1, 0, bad[i].time_ns);
        enter(&s, 0, 2, 0, 9);
        create(&tree);
        CHECK_EQUAL(feed_part(&tree, &s, 0, s.count, &consumed), SN_BAD_INPUT);
        CHECK_EQUAL(consumed, 1);
        read_columns(&c, &tree);
        CHECK_EQUAL(c.rows, 1);
        check_row(&c, 0, -1, 1, 0, 1, 0, 0);
        columns_free(&c);
        sn_exact_destroy(&tree);
    }
}

static void times_too_large_to_add_up_wrap_around(void) {
    sn_exact_tree tree;
    columns c;
    stream s = {0};
    for (uint32_t thread = 0; thread < 3; thread++) {
        enter(&s, thread, 1, 0, 0);
        leave(&s, thread, INT64_MAX);
    }
    create(&tree);
    feed(&tree, &s);
    read_columns(&c, &tree);
    CHECK_EQUAL((uint64_t)c.total_ns[0], 3 * (uint64_t)INT64_MAX);
    columns_free(&c);
    sn_exact_destroy(&tree);
}

static void any_chunking_gives_the_same_columns(void) {
    for (uint64_t seed = 1; seed < 20; seed++) {
        stream s = random_stream(seed);
        sn_exact_tree whole, parts;
        columns a, b;
        create(&whole);
        create(&parts);
        feed(&whole, &s);
        for (size_t from = 0, size, consumed; from < s.count; from += size) {
            size = check_random(&seed) % 7;
            if (size > s.count - from) size = s.count - from;
            CHECK_EQUAL(feed_part(&parts, &s, from, size, &consumed), SN_OK);
        }
        read_columns(&a, &whole);
        read_columns(&b, &parts);
        CHECK(columns_equal(&a, &b) && columns_positive(&a));
        CHECK_EQUAL(whole.unmatched, parts.unmatched);
        columns_free(&a);
        columns_free(&b);
        sn_exact_destroy(&whole);
        sn_exact_destroy(&parts);
    }
}

static void recursion_may_be_deep(void) {
    enum { DEPTH = 300 * 1000 };
    sn_exact_tree tree;
    columns c;
    create(&tree);
    stream s = {0};
    for (int i = 0; i < 1000; i++) enter(&s, 0, 1, 2, 0);
    for (int i = 0; i < DEPTH / 1000; i++) feed(&tree, &s);
    s.count = 0;
    for (int i = 0; i < 1000; i++) leave(&s, 0, 1);
    for (int i = 0; i < DEPTH / 1000; i++) feed(&tree, &s);
    CHECK_EQUAL(tree.unmatched, 0);
    read_columns(&c, &tree);
    CHECK_EQUAL(c.rows, DEPTH);
    CHECK_EQUAL(c.total_calls[0], DEPTH);
    CHECK_EQUAL(c.self_ns[DEPTH - 1], 1);
    columns_free(&c);
    sn_exact_destroy(&tree);
}

static void a_parent_may_have_any_number_of_children(void) {
    enum { CHILDREN = 100 * 1000 };
    sn_exact_tree tree;
    columns c;
    create(&tree);
    for (int round = 0; round < 3; round++)
        for (uint32_t i = 0; i < CHILDREN; i += 500) {
            stream s = {0};
            for (uint32_t j = i; j < i + 500; j++) enter(&s, 0, j, 1, 0), leave(&s, 0, 0);
            feed(&tree, &s);
        }
    read_columns(&c, &tree);
    CHECK_EQUAL(c.rows, CHILDREN);
    for (int64_t i = 0; i < CHILDREN; i++) CHECK(c.calls[i] == 3 && c.function[i] == i);
    columns_free(&c);
    sn_exact_destroy(&tree);
}

static void identity(uint32_t *map, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) map[i] = i;
}

static void merging_equals_feeding_both(void) {
    uint32_t map[64];
    identity(map, 64);
    for (uint64_t seed = 1; seed < 20; seed++) {
        stream first = random_stream(seed), second = random_stream(seed + 100);
        for (size_t i = 0; i < second.count; i++) second.thread[i] += 10; /* threads of their own */
        sn_exact_tree both, merged, other;
        columns a, b, before, after;
        create(&both);
        create(&merged);
        create(&other);
        feed(&both, &first);
        feed(&both, &second);
        feed(&merged, &first);
        feed(&other, &second);
        read_columns(&before, &other);
        CHECK_EQUAL(sn_exact_merge(&merged, &other, map, 64), SN_OK);
        read_columns(&after, &other);
        CHECK(columns_equal(&before, &after)); /* the other stays as it is */
        read_columns(&a, &both);
        read_columns(&b, &merged);
        CHECK(columns_equal(&a, &b));
        CHECK_EQUAL(merged.unmatched, both.unmatched);
        columns *all[] = {&a, &b, &before, &after};
        for (int i = 0; i < 4; i++) columns_free(all[i]);
        sn_exact_destroy(&both);
        sn_exact_destroy(&merged);
        sn_exact_destroy(&other);
    }
}

static void merging_renumbers_functions(void) {
    sn_exact_tree into, from;
    columns c;
    stream s = {0};
    enter(&s, 0, 0, 0, 0);
    enter(&s, 0, 1, 5, 10);
    leave(&s, 0, 30);
    leave(&s, 0, 100);
    create(&into);
    create(&from);
    feed(&into, &s);
    feed(&from, &s);
    CHECK_EQUAL(sn_exact_merge(&into, &from, (uint32_t[]){1, 0}, 2), SN_OK);
    CHECK_EQUAL(sn_exact_merge(&into, &from, (uint32_t[]){0, 0}, 2), SN_OK); /* two functions may become one */
    read_columns(&c, &into);
    CHECK_EQUAL(c.rows, 5);
    check_row(&c, 0, -1, 0, 0, 2, 160, 200);
    check_row(&c, 1, 0, 1, 5, 1, 20, 20);
    check_row(&c, 2, -1, 1, 0, 1, 80, 100);
    check_row(&c, 3, 2, 0, 5, 1, 20, 20);
    check_row(&c, 4, 0, 0, 5, 1, 20, 20);
    columns_free(&c);
    sn_exact_destroy(&into);
    sn_exact_destroy(&from);
}

static void a_merge_with_unknown_functions_adds_nothing(void) {
    sn_exact_tree into, from;
    columns before, after;
    stream s = {0};
    leave(&s, 0, 0);
    enter(&s, 0, 0, 0, 0);
    enter(&s, 0, 7, 0, 0);
    create(&into);
    create(&from);
    feed(&into, &s);
    feed(&from, &s);
    read_columns(&before, &into);
    CHECK_EQUAL(sn_exact_merge(&into, &from, (uint32_t[]){0, 1, 2, 3, 4, 5, 6}, 7), SN_BAD_INPUT);
    read_columns(&after, &into);
    CHECK(columns_equal(&before, &after));
    CHECK_EQUAL(into.unmatched, 1);
    columns_free(&before);
    columns_free(&after);
    sn_exact_destroy(&into);
    sn_exact_destroy(&from);
}

/* The example, added to `tree` under a map that swaps two of its functions. */
static void add_example(sn_exact_tree *tree, const example_spool *example, uint32_t functions, double ns_per_tick,
                        uint64_t end_ticks) {
    sn_spool_file spool;
    CHECK_EQUAL(sn_spool_file_from(&spool, example->cells.base, example_size(example)), SN_OK);
    const uint32_t map[EXAMPLE_FUNCTIONS] = {1, 0, 2};
    CHECK_EQUAL(sn_exact_add_spool(tree, &spool, map, functions, ns_per_tick, end_ticks), SN_OK);
    sn_spool_file_close(&spool);
}

static void a_spool_brings_its_contexts(void) {
    example_spool example;
    sn_exact_tree tree;
    columns c;
    CHECK(example_create(&example, -1));
    create(&tree);
    add_example(&tree, &example, EXAMPLE_FUNCTIONS, 2.0, EXAMPLE_END_TICKS);
    CHECK_EQUAL(tree.orphans, 0);
    CHECK_EQUAL(tree.calls, 8);
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
    sn_exact_destroy(&tree);
    example_destroy(&example);
}

static void callees_that_took_longer_than_their_caller_leave_it_no_time(void) {
    example_spool example;
    sn_exact_tree tree;
    columns c;
    CHECK(example_create(&example, -1));
    example.work->ticks = 903; /* clocks of two cores */
    create(&tree);
    add_example(&tree, &example, EXAMPLE_FUNCTIONS, 1.0, EXAMPLE_END_TICKS);
    read_columns(&c, &tree);
    CHECK(columns_positive(&c));
    check_row(&c, 0, -1, 1, 0, 1, 0, 903);
    columns_free(&c);
    sn_exact_destroy(&tree);
    example_destroy(&example);
}

static void callees_whose_sum_is_too_large_leave_their_caller_no_time(void) {
    example_spool example;
    sn_exact_tree tree;
    columns c;
    CHECK(example_create(&example, -1));
    example.main->ticks = 900 * 1000 * 1000;
    example.work->ticks = example.stop->ticks = UINT64_C(1) << 63; /* together 0, modulo 2^64 */
    create(&tree);
    add_example(&tree, &example, EXAMPLE_FUNCTIONS, 1e-6, EXAMPLE_END_TICKS);
    read_columns(&c, &tree);
    CHECK(columns_positive(&c));
    CHECK_EQUAL(c.self_ns[0], 0);
    columns_free(&c);
    sn_exact_destroy(&tree);
    example_destroy(&example);
}

static void orphans_are_counted_with_all_below_them(void) {
    example_spool example;
    sn_exact_tree tree;
    columns c;
    CHECK(example_create(&example, -1));
    create(&tree);
    add_example(&tree, &example, 1, 1.0, EXAMPLE_END_TICKS); /* two functions are not in the map */
    CHECK_EQUAL(tree.orphans, 4);
    read_columns(&c, &tree);
    CHECK_EQUAL(c.rows, 1);
    columns_free(&c);
    sn_exact_destroy(&tree);

    sn_context *targets[] = {(sn_context *)example.cells.base,                               /* the header */
                             (sn_context *)(example.cells.base + 3 * SN_CELL_BYTES),         /* text */
                             example.work};                                                  /* itself */
    for (int i = 0; i < 3; i++) {
        example.work->parent = targets[i];
        create(&tree);
        add_example(&tree, &example, EXAMPLE_FUNCTIONS, 1.0, EXAMPLE_END_TICKS);
        CHECK_EQUAL(tree.orphans, 2);
        CHECK_EQUAL(tree.calls, 3);
        sn_exact_destroy(&tree);
    }
    example_destroy(&example);
}

static void all_that_follows_a_damaged_record_is_counted(void) {
    example_spool example;
    sn_exact_tree tree;
    CHECK(example_create(&example, -1));
    ((sn_record *)(example.cells.base + SN_HEADER_CELLS * SN_CELL_BYTES))->bytes = UINT32_MAX;
    create(&tree);
    add_example(&tree, &example, EXAMPLE_FUNCTIONS, 1.0, EXAMPLE_END_TICKS);
    CHECK_EQUAL(tree.orphans, example.cells.used - SN_HEADER_CELLS);
    CHECK_EQUAL(sn_exact_rows(&tree), 0);
    sn_exact_destroy(&tree);
    example_destroy(&example);
}

static void values_that_cannot_be_never_overflow(void) {
    const double rates[] = {0.0, -1.0, 1.0, 1e300, 1e-300, NAN, INFINITY, -INFINITY};
    const uint64_t values[] = {0, 1, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX};
    for (int rate = 0; rate < 8; rate++)
        for (int i = 0; i < 125; i++) {
            uint64_t calls = values[i % 5], ticks = values[i / 5 % 5], end = values[i / 25];
            example_spool example;
            sn_exact_tree tree;
            columns c;
            CHECK(example_create(&example, -1));
            example.main->calls = example.again->calls = calls;
            example.work->ticks = example.again->ticks = example.stop->ticks = ticks;
            example.stop->entered = 1;
            create(&tree);
            for (int again = 0; again < 3; again++) add_example(&tree, &example, EXAMPLE_FUNCTIONS, rates[rate], end);
            read_columns(&c, &tree);
            CHECK(columns_positive(&c));
            columns_free(&c);
            sn_exact_destroy(&tree);
            example_destroy(&example);
        }
}

CHECK_MAIN(TEST(an_empty_tree_has_no_rows), TEST(calls_and_times_add_up_along_the_tree),
           TEST(ends_that_match_nothing_are_counted_and_ignored),
           TEST(running_activations_count_up_to_their_threads_last_event), TEST(a_clock_that_steps_back_stands_still),
           TEST(an_event_that_cannot_be_stops_before_it), TEST(times_too_large_to_add_up_wrap_around),
           TEST(any_chunking_gives_the_same_columns), TEST(recursion_may_be_deep),
           TEST(a_parent_may_have_any_number_of_children), TEST(merging_equals_feeding_both),
           TEST(merging_renumbers_functions), TEST(a_merge_with_unknown_functions_adds_nothing),
           TEST(a_spool_brings_its_contexts), TEST(callees_that_took_longer_than_their_caller_leave_it_no_time),
           TEST(callees_whose_sum_is_too_large_leave_their_caller_no_time), TEST(orphans_are_counted_with_all_below_them), TEST(all_that_follows_a_damaged_record_is_counted),
           TEST(values_that_cannot_be_never_overflow))
