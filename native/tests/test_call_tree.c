/* The call tree, exact: streams of events, and merging. What spools bring: test_spools_in_tree.c; hot trees: test_hot_tree.c. */
#include "check.h"

#include "columns.h"

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

static sn_status feed_part(sn_call_tree *tree, const stream *s, size_t from, size_t count, size_t *consumed) {
    sn_events events = {s->kind, s->thread, s->function, s->line, s->time_ns};
    return sn_call_tree_feed(tree, &events, from, from + count, consumed);
}

static void feed(sn_call_tree *tree, const stream *s) {
    size_t consumed;
    CHECK_EQUAL(feed_part(tree, s, 0, s->count, &consumed), SN_OK);
    CHECK_EQUAL(consumed, s->count);
}

static void create_either(sn_call_tree *tree, bool sided) {
    CHECK_EQUAL(sn_call_tree_create(tree, &(sn_hot_plan){0}, sided), SN_OK);
}

static void create(sn_call_tree *tree) { create_either(tree, false); }
static void create_sided(sn_call_tree *tree) { create_either(tree, true); }

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

/* Random calls and returns on four threads, with ends that match nothing. */
static stream random_stream(uint64_t seed) {
    stream s = {0};
    uint64_t now = 0;
    while (s.count < 1024) {
        uint64_t dice = check_random(&seed);
        now += dice >> 50 & 15;
        if (dice & 1) enter(&s, dice >> 1 & 3, dice >> 3 & 63, dice >> 9 & 3, now);
        else add(&s, dice >> 12 & 1 ? SN_EVENT_LEAVE : SN_EVENT_UNWIND, dice >> 1 & 3, 0, 0, now);
        if ((dice >> 13 & 31) == 0 && s.count < 1024) add(&s, SN_EVENT_FOUND, dice >> 1 & 3, dice >> 20 & 63, 0, now);
        if ((dice >> 18 & 63) == 0 && s.count < 1024) add(&s, SN_EVENT_LOST, dice >> 1 & 3, 0, 0, now);
    }
    return s;
}

static void an_empty_tree_has_no_rows(void) {
    sn_call_tree tree;
    columns c;
    create(&tree);
    feed(&tree, &(stream){0});
    CHECK_EQUAL(sn_call_tree_rows(&tree), 0);
    read_columns(&c, &tree);
    CHECK_EQUAL(c.rows, 0);
    columns_free(&c);
    sn_call_tree_destroy(&tree);
}

static void calls_and_times_add_up_along_the_tree(void) {
    sn_call_tree tree;
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
    sn_call_tree_destroy(&tree);
}

static void ends_that_match_nothing_are_counted_and_ignored(void) {
    sn_call_tree tree;
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
    sn_call_tree_destroy(&tree);
}

static void running_activations_count_up_to_their_threads_last_event(void) {
    sn_call_tree tree;
    columns c, again;
    stream s = {0};
    enter(&s, 0, 1, 0, 0);
    enter(&s, 1, 1, 0, 1000); /* the same context, on another thread */
    enter(&s, 0, 2, 1, 10);
    leave(&s, 0, 15);
    enter(&s, 0, 3, 1, 20);
    enter(&s, 1, 1, 9, 1100);
    leave(&s, 1, 1200);
    enter(&s, 1, 9, 9, 1200); /* no time yet: a call all the same */
    create(&tree);
    feed(&tree, &s);
    read_columns(&c, &tree);
    CHECK_EQUAL(c.rows, 5);
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
    sn_call_tree_destroy(&tree);
}

static void what_is_found_running_has_time_but_no_call(void) {
    sn_call_tree tree;
    columns c;
    stream s = {0};
    add(&s, SN_EVENT_FOUND, 0, 1, 0, 100);
    add(&s, SN_EVENT_FOUND, 0, 2, 5, 100);
    add(&s, SN_EVENT_FOUND, 0, 3, 6, 100);
    leave(&s, 0, 130);
    enter(&s, 0, 3, 6, 140);
    add(&s, SN_EVENT_LOST, 0, 0, 0, 150);
    leave(&s, 0, 900); /* nothing is known to run: nothing to leave, no time */
    add(&s, SN_EVENT_FOUND, 0, 1, 0, 1000);
    add(&s, SN_EVENT_FOUND, 0, 4, 7, 1000); /* neither calls nor time: no row */
    create(&tree);
    feed(&tree, &s);
    CHECK_EQUAL(tree.unmatched, 1);
    read_columns(&c, &tree);
    CHECK_EQUAL(c.rows, 3);
    check_row(&c, 0, -1, 1, 0, 0, 0, 50);
    check_row(&c, 1, 0, 2, 5, 0, 10, 50);
    check_row(&c, 2, 1, 3, 6, 1, 40, 40);
    columns_free(&c);
    sn_call_tree_destroy(&tree);
}

static void losing_a_thread_leaves_the_others(void) {
    sn_call_tree tree;
    columns c;
    stream s = {0};
    enter(&s, 0, 1, 0, 0);
    enter(&s, 1, 1, 0, 0);
    enter(&s, 1, 2, 1, 10);
    add(&s, SN_EVENT_LOST, 0, 0, 0, 30);
    leave(&s, 1, 50);
    leave(&s, 1, 60);
    add(&s, SN_EVENT_LOST, 7, 0, 0, 70); /* of which nothing was ever known */
    create(&tree);
    feed(&tree, &s);
    CHECK_EQUAL(tree.unmatched, 0);
    read_columns(&c, &tree);
    CHECK_EQUAL(c.rows, 2);
    check_row(&c, 0, -1, 1, 0, 2, 30 + 20, 90);
    check_row(&c, 1, 0, 2, 1, 1, 40, 40);
    columns_free(&c);
    sn_call_tree_destroy(&tree);
}

static void times_are_multiplied_by_the_rate_and_rounded_to_the_nearest(void) {
    sn_call_tree tree;
    columns c;
    stream s = {0};
    enter(&s, 0, 1, 0, 0);
    enter(&s, 0, 2, 0, 10);
    leave(&s, 0, 13);
    leave(&s, 0, 20);
    create(&tree);
    feed(&tree, &s);
    CHECK(columns_read_at_rate(&c, &tree, 2.5) && columns_valid(&c));
    check_row(&c, 0, -1, 1, 0, 1, 42, 50); /* 42.5 and 7.5: halves to the even number */
    check_row(&c, 1, 0, 2, 0, 1, 8, 8);
    columns_free(&c);
    sn_call_tree_destroy(&tree);
}

static void lines_keep_clear_of_the_flags(void) {
    sn_call_tree tree;
    columns c;
    stream s = {0};
    for (int i = 0; i < 2; i++)
        for (uint32_t line = 0; line < 16; line++) {
            enter(&s, 0, 1, line << 28, 0);
            leave(&s, 0, 0);
        }
    create(&tree);
    feed(&tree, &s);
    read_columns(&c, &tree);
    CHECK_EQUAL(c.rows, 2);
    check_row(&c, 0, -1, 1, 0, 16, 0, 0);
    check_row(&c, 1, -1, 1, 1 << 28, 16, 0, 0);
    columns_free(&c);
    sn_call_tree_destroy(&tree);
}

static void a_tree_with_sides_has_the_same_rows_in_order_of_functions(void) {
    for (uint64_t seed = 1; seed < 10; seed++) {
        stream s = random_stream(seed);
        sn_call_tree plain, sided, again;
        columns a, b, d;
        create(&plain);
        create_sided(&sided);
        create_sided(&again);
        feed(&plain, &s);
        feed(&sided, &s);
        uint32_t map[64];
        for (uint32_t i = 0; i < 64; i++) map[i] = i;
        CHECK_EQUAL(sn_call_tree_merge(&again, &plain, map, 64), SN_OK); /* an exact tree into one with sides */
        read_columns(&a, &plain);
        read_columns(&b, &sided);
        read_columns(&d, &again);
        CHECK_EQUAL(a.rows, b.rows);
        CHECK(columns_depth_first(&b) && columns_equal(&b, &d));
        CHECK_EQUAL(sn_call_tree_merge(&plain, &sided, map, 64), SN_BAD_INPUT); /* but not the other way round */
        columns_free(&a);
        columns_free(&b);
        columns_free(&d);
        sn_call_tree_destroy(&plain);
        sn_call_tree_destroy(&sided);
        sn_call_tree_destroy(&again);
    }
}

static void a_clock_that_steps_back_stands_still(void) {
    sn_call_tree tree;
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
    sn_call_tree_destroy(&tree);
}

static void an_event_that_cannot_be_stops_before_it(void) {
    const struct {
        uint8_t kind;
        uint32_t thread;
        uint64_t time_ns;
    } bad[] = {{0, 0, 5},  {6, 0, 5}, {255, 0, 5}, {SN_EVENT_ENTER, SN_THREAD_LIMIT, 5}, {SN_EVENT_LEAVE, UINT32_MAX, 5},
               {SN_EVENT_ENTER, 0, UINT64_C(1) << 63}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sn_call_tree tree;
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
        sn_call_tree_destroy(&tree);
    }
}

static void times_too_large_to_add_up_wrap_around(void) {
    sn_call_tree tree;
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
    sn_call_tree_destroy(&tree);
}

static void any_chunking_gives_the_same_columns(void) {
    for (uint64_t seed = 1; seed < 20; seed++) {
        stream s = random_stream(seed);
        sn_call_tree whole, parts;
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
        sn_call_tree_destroy(&whole);
        sn_call_tree_destroy(&parts);
    }
}

static void recursion_may_be_deep(void) {
    enum { DEPTH = 300 * 1000 };
    sn_call_tree tree;
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
    sn_call_tree_destroy(&tree);
}

static void a_parent_may_have_any_number_of_children(void) {
    enum { CHILDREN = 100 * 1000 };
    sn_call_tree tree;
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
    sn_call_tree_destroy(&tree);
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
        sn_call_tree both, merged, other;
        columns a, b, before, after;
        create(&both);
        create(&merged);
        create(&other);
        feed(&both, &first);
        feed(&both, &second);
        feed(&merged, &first);
        feed(&other, &second);
        read_columns(&before, &other);
        CHECK_EQUAL(sn_call_tree_merge(&merged, &other, map, 64), SN_OK);
        read_columns(&after, &other);
        CHECK(columns_equal(&before, &after)); /* the other stays as it is */
        read_columns(&a, &both);
        read_columns(&b, &merged);
        CHECK(columns_equal(&a, &b));
        CHECK_EQUAL(merged.unmatched, both.unmatched);
        columns *all[] = {&a, &b, &before, &after};
        for (int i = 0; i < 4; i++) columns_free(all[i]);
        sn_call_tree_destroy(&both);
        sn_call_tree_destroy(&merged);
        sn_call_tree_destroy(&other);
    }
}

static void merging_renumbers_functions(void) {
    sn_call_tree into, from;
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
    CHECK_EQUAL(sn_call_tree_merge(&into, &from, (uint32_t[]){1, 0}, 2), SN_OK);
    CHECK_EQUAL(sn_call_tree_merge(&into, &from, (uint32_t[]){0, 0}, 2), SN_OK); /* two functions may become one */
    read_columns(&c, &into);
    CHECK_EQUAL(c.rows, 5);
    check_row(&c, 0, -1, 0, 0, 2, 160, 200);
    check_row(&c, 1, 0, 1, 5, 1, 20, 20);
    check_row(&c, 2, -1, 1, 0, 1, 80, 100);
    check_row(&c, 3, 2, 0, 5, 1, 20, 20);
    check_row(&c, 4, 0, 0, 5, 1, 20, 20);
    columns_free(&c);
    sn_call_tree_destroy(&into);
    sn_call_tree_destroy(&from);
}

static void a_merge_with_unknown_functions_adds_nothing(void) {
    sn_call_tree into, from;
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
    CHECK_EQUAL(sn_call_tree_merge(&into, &from, (uint32_t[]){0, 1, 2, 3, 4, 5, 6}, 7), SN_BAD_INPUT);
    read_columns(&after, &into);
    CHECK(columns_equal(&before, &after));
    CHECK_EQUAL(into.unmatched, 1);
    columns_free(&before);
    columns_free(&after);
    sn_call_tree_destroy(&into);
    sn_call_tree_destroy(&from);
}

CHECK_MAIN(TEST(an_empty_tree_has_no_rows), TEST(calls_and_times_add_up_along_the_tree),
           TEST(ends_that_match_nothing_are_counted_and_ignored),
           TEST(running_activations_count_up_to_their_threads_last_event),
           TEST(what_is_found_running_has_time_but_no_call), TEST(losing_a_thread_leaves_the_others),
           TEST(times_are_multiplied_by_the_rate_and_rounded_to_the_nearest), TEST(lines_keep_clear_of_the_flags),
           TEST(a_tree_with_sides_has_the_same_rows_in_order_of_functions), TEST(a_clock_that_steps_back_stands_still),
           TEST(an_event_that_cannot_be_stops_before_it), TEST(times_too_large_to_add_up_wrap_around),
           TEST(any_chunking_gives_the_same_columns), TEST(recursion_may_be_deep),
           TEST(a_parent_may_have_any_number_of_children), TEST(merging_equals_feeding_both),
           TEST(merging_renumbers_functions), TEST(a_merge_with_unknown_functions_adds_nothing))
