/* Hot trees: by hand where few contexts are enough to see what happens, and beside exact trees.
 *
 * In one file, long as it is: all of them are made of the same streams. */
#include "check.h"

#include "columns.h"
#include "hot_invariants.h"

#define ALL UINT64_MAX

enum { MOST_EVENTS = 4096, FUNCTIONS = 4096 };

typedef struct {
    size_t count;
    uint8_t kind[MOST_EVENTS];
    uint32_t thread[MOST_EVENTS], function[MOST_EVENTS], line[MOST_EVENTS];
    uint64_t time[MOST_EVENTS];
} stream;

static void add(stream *s, sn_event_kind kind, uint32_t thread, uint32_t function, uint32_t line, uint64_t time) {
    CHECK(s->count < MOST_EVENTS);
    s->kind[s->count] = (uint8_t)kind;
    s->thread[s->count] = thread;
    s->function[s->count] = function;
    s->line[s->count] = line;
    s->time[s->count++] = time;
}

static uint64_t any_of(uint64_t *random, uint64_t count) { return check_random(random) % count; }

static void create(sn_call_tree *tree, hot_way way, uint32_t counters, uint64_t limit) {
    sn_hot_plan plan = hot_plan(way, counters, limit);
    CHECK_EQUAL(sn_call_tree_create(tree, &plan, true), SN_OK);
}

static void create_exact(sn_call_tree *tree) {
    CHECK_EQUAL(sn_call_tree_create(tree, &(sn_hot_plan){0}, false), SN_OK);
}

static void hold(hot_problem problem) {
    if (problem) fprintf(stderr, "not true: %s\n", problem);
    CHECK(!problem);
}

static void feed(sn_call_tree *tree, const stream *s) {
    sn_events events = {s->kind, s->thread, s->function, s->line, s->time};
    size_t consumed;
    CHECK_EQUAL(sn_call_tree_feed(tree, &events, 0, s->count, &consumed), SN_OK);
    CHECK_EQUAL(consumed, s->count);
}

static void one(sn_call_tree *tree, sn_event_kind kind, uint32_t thread, uint32_t function, uint64_t time) {
    static stream s;
    s.count = 0;
    add(&s, kind, thread, function, 0, time);
    feed(tree, &s);
    if (tree->hot.metric != SN_METRIC_NONE) hold(hot_check(&tree->hot));
}

/* A call on thread 0 that takes no time, from the bottom of the stack or from what runs. */
static void call(sn_call_tree *tree, uint32_t function) {
    one(tree, SN_EVENT_ENTER, 0, function, 0);
    one(tree, SN_EVENT_LEAVE, 0, 0, 0);
}

/* The child of `parent` that runs `function`, called from line 0. */
static const sn_context *below(const sn_context *parent, uint32_t function) {
    const sn_context *child = parent->child;
    if (child) do
            if (child->function == function) return child;
        while ((child = child->next) != parent->child);
    return NULL;
}

static void check_context(const sn_context *context, uint64_t value, uint64_t error, bool by_time) {
    CHECK(context);
    CHECK_EQUAL(by_time ? context->ticks : context->calls, value);
    CHECK_EQUAL(context->error, error);
}

static uint64_t identity_map(uint32_t **map) {
    static uint32_t numbers[FUNCTIONS];
    for (uint32_t i = 0; i < FUNCTIONS; i++) numbers[i] = i;
    *map = numbers;
    return FUNCTIONS;
}

static sn_status merge(sn_call_tree *into, const sn_call_tree *from) {
    uint32_t *map, count = (uint32_t)identity_map(&map);
    return sn_call_tree_merge(into, from, map, count);
}

static void the_header_says_what_is_looked_for(void) {
    sn_call_tree tree;
    create(&tree, BY_TIME, 7, ALL);
    CHECK_EQUAL(tree.hot.header->metric, SN_METRIC_TIME);
    CHECK_EQUAL(tree.hot.header->counters, 7);
    CHECK(!tree.hot.space_saving);
    CHECK_EQUAL(tree.hot.header->floor, 0);
    sn_call_tree_destroy(&tree);
    create_exact(&tree);
    CHECK_EQUAL(tree.hot.header->metric, SN_METRIC_NONE);
    CHECK_EQUAL(tree.hot.header->counters, 0);
    sn_call_tree_destroy(&tree);
}

static void the_context_with_the_least_bound_makes_way(void) {
    sn_call_tree tree;
    create(&tree, SAVING, 2, ALL);
    const sn_context *root = tree.hot.root;
    for (int i = 0; i < 3; i++) call(&tree, 1);
    for (int i = 0; i < 2; i++) call(&tree, 2);
    check_context(below(root, 1), 3, 0, false);
    check_context(below(root, 2), 2, 0, false);
    CHECK_EQUAL(tree.hot.header->floor, 0);
    uint64_t changes = tree.hot.header->changes;
    call(&tree, 3); /* 2 was the least, and a leaf */
    CHECK(tree.hot.header->changes > changes);
    CHECK(!below(root, 2));
    CHECK_EQUAL(tree.hot.header->floor, 2);
    check_context(below(root, 3), 1, 2, false);
    CHECK_EQUAL(sn_side_of(root)->pruned_calls, 2);
    call(&tree, 2); /* 1 and 3 have 3 at most, both: the first slot makes way */
    CHECK(!below(root, 1));
    CHECK_EQUAL(tree.hot.header->floor, 3);
    check_context(below(root, 2), 1, 3, false);
    check_context(below(root, 3), 1, 2, false);
    CHECK_EQUAL(sn_side_of(root)->pruned_calls, 5);
    sn_call_tree_destroy(&tree);
}

static void a_victim_with_callees_stays_cold_and_keeps_its_count(void) {
    sn_call_tree tree;
    create(&tree, SAVING, 2, ALL);
    one(&tree, SN_EVENT_ENTER, 0, 1, 0);
    for (int i = 0; i < 5; i++) call(&tree, 2);
    one(&tree, SN_EVENT_LEAVE, 0, 0, 0);
    const sn_context *outer = below(tree.hot.root, 1);
    call(&tree, 3);
    CHECK(outer->call_line & SN_COLD); /* the caller of something hot */
    check_context(outer, 1, 0, false);
    check_context(below(outer, 2), 5, 0, false);
    CHECK_EQUAL(tree.hot.tree.nodes, 3);
    for (int i = 0; i < 3; i++) call(&tree, 3);
    call(&tree, 1); /* it comes back, for 3 has 5 at most: and so may have been called 5 times instead of 1 */
    CHECK_EQUAL(tree.hot.header->floor, 5);
    check_context(outer, 2, 5 - 1, false);
    CHECK(!(outer->call_line & SN_COLD) && outer->child); /* with the callee that was equal, but in the second slot */
    CHECK(!below(tree.hot.root, 3));
    sn_call_tree_destroy(&tree);
}

static void what_is_pruned_takes_its_callers_along(void) {
    sn_call_tree tree;
    columns c;
    create(&tree, SAVING, 3, ALL);
    for (uint32_t function = 1; function <= 3; function++) one(&tree, SN_EVENT_ENTER, 0, function, 10 * function);
    for (uint32_t function = 1; function <= 3; function++) one(&tree, SN_EVENT_LEAVE, 0, 0, 100 + function);
    CHECK_EQUAL(tree.hot.tree.nodes, 3);
    for (int i = 0; i < 4; i++) one(&tree, SN_EVENT_ENTER, 0, 7, 200), one(&tree, SN_EVENT_LEAVE, 0, 0, 201);
    for (uint32_t function = 8; function <= 9; function++)
        for (int i = 0; i < 4; i++) one(&tree, SN_EVENT_ENTER, 0, function, 300), one(&tree, SN_EVENT_LEAVE, 0, 0, 301);
    CHECK(!below(tree.hot.root, 1)); /* the innermost was the last that held the others */
    CHECK_EQUAL(sn_side_of(tree.hot.root)->pruned_calls, 3);
    CHECK_EQUAL(sn_side_of(tree.hot.root)->pruned_ticks, 103 - 10);
    CHECK(columns_read(&c, &tree) && columns_add_up(&c, true) && columns_depth_first(&c));
    CHECK_EQUAL(c.rows, 3);
    CHECK_EQUAL(c.error[0] + c.error[1] + c.error[2], 3);
    columns_free(&c);
    sn_call_tree_destroy(&tree);
}

static void what_runs_is_not_pruned_until_the_last_thread_has_left_it(void) {
    sn_call_tree tree;
    create(&tree, SAVING, 1, ALL);
    for (uint32_t thread = 0; thread < 3; thread++) one(&tree, SN_EVENT_ENTER, thread, 1, 0);
    one(&tree, SN_EVENT_ENTER, 3, 2, 0); /* 1 makes way, but runs */
    const sn_context *first = below(tree.hot.root, 1);
    CHECK(first && first->call_line & SN_COLD);
    one(&tree, SN_EVENT_LEAVE, 1, 0, 10);
    one(&tree, SN_EVENT_LOST, 0, 0, 20);
    CHECK(below(tree.hot.root, 1) == first);
    one(&tree, SN_EVENT_UNWIND, 2, 0, 30);
    CHECK(!below(tree.hot.root, 1));
    CHECK_EQUAL(sn_side_of(tree.hot.root)->pruned_calls, 3);
    CHECK_EQUAL(sn_side_of(tree.hot.root)->pruned_ticks, 60);
    sn_call_tree_destroy(&tree);
}

static void a_full_tree_is_compacted_and_keeps_what_is_heavy(void) {
    sn_call_tree tree;
    create(&tree, BY_TIME, 2, 16);
    const sn_context *root = tree.hot.root;
    call(&tree, 99); /* of no time: it stays as long as there is room */
    uint64_t now = 0;
    for (uint32_t i = 1; i <= 15; i++) {
        one(&tree, SN_EVENT_ENTER, 0, i, now);
        one(&tree, SN_EVENT_LEAVE, 0, 0, now += i == 7 ? 1000 : i);
    }
    CHECK_EQUAL(tree.hot.tree.nodes, 16);
    CHECK_EQUAL(tree.hot.header->floor, 0);
    CHECK(below(root, 99));
    uint64_t changes = tree.hot.header->changes, total = now;
    one(&tree, SN_EVENT_ENTER, 0, 50, now);
    uint64_t floor = tree.hot.header->floor, pruned = 0, calls = 1;
    CHECK(tree.hot.header->changes > changes && !below(root, 99));
    CHECK(floor > 0 && floor <= total / 2);
    check_context(below(root, 7), 1000, 0, true);
    check_context(below(root, 50), 0, floor, true);
    for (uint32_t i = 1; i <= 15; i++) { /* which of the others had to go is not promised, but why */
        if (i != 7) CHECK(below(root, i) ? i >= floor : i <= floor);
        if (below(root, i)) continue;
        pruned += i;
        calls++;
    }
    CHECK_EQUAL(sn_side_of(root)->pruned_ticks, pruned);
    CHECK_EQUAL(sn_side_of(root)->pruned_calls, calls);
    one(&tree, SN_EVENT_LEAVE, 0, 0, now + 5);
    check_context(below(root, 50), 5, floor, true);
    sn_call_tree_destroy(&tree);
}

static void what_runs_is_not_compacted_away(void) {
    sn_call_tree tree;
    create(&tree, BY_TIME, 1, 8);
    one(&tree, SN_EVENT_ENTER, 0, 1, 0);
    one(&tree, SN_EVENT_ENTER, 0, 2, 0); /* both without any time */
    one(&tree, SN_EVENT_FOUND, 1, 3, 0);
    uint64_t now = 0;
    for (uint32_t i = 10; i < 100; i++) {
        one(&tree, SN_EVENT_ENTER, 2, i, now);
        one(&tree, SN_EVENT_LEAVE, 2, 0, now += 100 + i);
    }
    CHECK(below(below(tree.hot.root, 1), 2) && below(tree.hot.root, 3));
    one(&tree, SN_EVENT_LOST, 0, 0, 0);
    one(&tree, SN_EVENT_LOST, 1, 0, 0);
    for (uint32_t i = 10; i < 100; i++) {
        one(&tree, SN_EVENT_ENTER, 2, i, now);
        one(&tree, SN_EVENT_LEAVE, 2, 0, now += 100 + i);
    }
    CHECK(!below(tree.hot.root, 1) && !below(tree.hot.root, 3));
    sn_call_tree_destroy(&tree);
}

/* Where nothing is in the way as the caller of something, a limit of a few times the counters is never felt. */
static void a_flat_program_needs_few_nodes(void) {
    static stream s;
    const uint32_t counters[] = {1, 2, 5, 50, 400};
    for (int i = 0; i < 30; i++) {
        sn_call_tree tree, exact;
        create(&tree, i % 2 ? BY_TIME : BY_CALLS, counters[i / 2 % 5], 8 * counters[i / 2 % 5]);
        create_exact(&exact);
        uint64_t random = 31 + (uint64_t)i, now = 0;
        for (int part = 0; part < 8; part++) {
            s.count = 0;
            while (s.count < MOST_EVENTS) {
                uint64_t time = any_of(&random, 4) ? any_of(&random, 100) : any_of(&random, 10000);
                uint64_t function = any_of(&random, 2) ? any_of(&random, 10) : any_of(&random, 4000);
                add(&s, SN_EVENT_ENTER, 0, (uint32_t)function, 0, now);
                add(&s, SN_EVENT_LEAVE, 0, 0, 0, now += time);
            }
            feed(&tree, &s);
            feed(&exact, &s);
            hold(hot_check(&tree.hot));
            hold(hot_check_beside(&tree, &exact, true));
        }
        CHECK(tree.hot.header->floor > 0);
        sn_call_tree_destroy(&tree);
        sn_call_tree_destroy(&exact);
    }
}

static void what_is_found_running_may_have_been_there_before(void) {
    sn_call_tree tree;
    create(&tree, SAVING, 1, ALL);
    for (uint32_t i = 1; i <= 4; i++) call(&tree, i);
    uint64_t floor = tree.hot.header->floor;
    CHECK(floor > 0);
    one(&tree, SN_EVENT_FOUND, 0, 1, 100);
    one(&tree, SN_EVENT_FOUND, 0, 2, 100);
    const sn_context *found = below(below(tree.hot.root, 1), 2);
    check_context(found, 0, floor, false);
    CHECK(found->call_line & SN_COLD);
    one(&tree, SN_EVENT_LOST, 0, 0, 100);
    CHECK(!below(tree.hot.root, 1)); /* nothing holds them */
    sn_call_tree_destroy(&tree);
}

static void a_stack_deeper_than_the_limit_is_skipped_and_counted(void) {
    for (hot_way way = SAVING; way < HOT_WAYS; way++) {
        sn_call_tree tree, exact;
        create(&tree, way, 4, 3);
        create_exact(&exact);
        static stream s;
        s.count = 0;
        for (uint32_t i = 0; i < 10; i++) add(&s, SN_EVENT_ENTER, 0, i, 0, 10 * i);
        add(&s, SN_EVENT_FOUND, 0, 99, 0, 100);
        add(&s, SN_EVENT_LEAVE, 0, 0, 0, 110);
        add(&s, SN_EVENT_LEAVE, 0, 0, 0, 200);
        feed(&tree, &s);
        feed(&exact, &s);
        CHECK_EQUAL(tree.dropped, 7);
        CHECK_EQUAL(tree.dropped_ns, 200 - 30);
        CHECK_EQUAL(tree.cursors[0]->skipped, 6);
        hold(hot_check(&tree.hot));
        hold(hot_check_beside(&tree, &exact, false));
        s.count = 0;
        for (uint32_t i = 0; i < 7; i++) add(&s, SN_EVENT_LEAVE, 0, 0, 0, 210); /* now the second of them runs */
        add(&s, SN_EVENT_ENTER, 0, 50, 0, 220);
        for (uint32_t i = 0; i < 4; i++) add(&s, SN_EVENT_LEAVE, 0, 0, 0, 230 + i); /* one too many */
        feed(&tree, &s);
        feed(&exact, &s);
        CHECK_EQUAL(tree.dropped, 7);
        CHECK_EQUAL(tree.unmatched, 1);
        hold(hot_check(&tree.hot));
        hold(hot_check_beside(&tree, &exact, false));
        sn_call_tree_destroy(&tree);
        sn_call_tree_destroy(&exact);
    }
}

static void a_thread_without_room_at_the_bottom_of_its_stack_loses_no_time(void) {
    sn_call_tree tree, exact;
    create(&tree, SAVING, 1, 1);
    create_exact(&exact);
    static stream s;
    add(&s, SN_EVENT_ENTER, 0, 1, 0, 0);
    add(&s, SN_EVENT_ENTER, 1, 2, 0, 0);
    add(&s, SN_EVENT_LEAVE, 1, 0, 0, 50);
    add(&s, SN_EVENT_ENTER, 1, 2, 0, 60);
    add(&s, SN_EVENT_LOST, 1, 0, 0, 70);
    add(&s, SN_EVENT_LEAVE, 0, 0, 0, 100);
    add(&s, SN_EVENT_ENTER, 1, 2, 0, 100);
    feed(&tree, &s);
    feed(&exact, &s);
    CHECK_EQUAL(tree.dropped, 2);
    CHECK_EQUAL(tree.dropped_ns, 60);
    hold(hot_check(&tree.hot));
    hold(hot_check_beside(&tree, &exact, false));
    CHECK(below(tree.hot.root, 2));
    sn_call_tree_destroy(&tree);
    sn_call_tree_destroy(&exact);
}

/* Programs: deep or flat, few functions or many, with favourites; all kinds of events. */
static void random_stream(stream *s, uint64_t *random, uint64_t *now, uint64_t functions, uint64_t depth) {
    static uint64_t depths[4];
    s->count = 0;
    while (s->count < MOST_EVENTS) {
        uint64_t thread = any_of(random, 16) ? 0 : any_of(random, 4), dice = any_of(random, 1000);
        *now += any_of(random, 3) ? 0 : any_of(random, 100);
        uint32_t function = (uint32_t)(any_of(random, functions) * any_of(random, functions) / functions);
        if (dice < 4) {
            add(s, SN_EVENT_LOST, (uint32_t)thread, 0, 0, *now);
            depths[thread] = 0;
        } else if (any_of(random, depth) >= depths[thread]) {
            sn_event_kind kind = dice < 20 ? SN_EVENT_FOUND : SN_EVENT_ENTER;
            add(s, kind, (uint32_t)thread, function, any_of(random, 8) == 0, *now);
            depths[thread]++;
        } else {
            add(s, dice < 50 ? SN_EVENT_UNWIND : SN_EVENT_LEAVE, (uint32_t)thread, 0, 0, *now);
            depths[thread]--;
        }
    }
}

static void every_bound_holds_beside_an_exact_tree(void) {
    static stream s;
    const uint32_t counters[] = {1, 2, 10, 100, 1000};
    const uint64_t limits[] = {1, 3, 20, 300, ALL, ALL, ALL}, functions[] = {2, 30, 4000}, depths[] = {2, 8, 60};
    uint64_t random = 3, now = 0, most = 0;
    for (int i = 0; i < 60; i++) {
        sn_call_tree tree, exact;
        uint64_t limit = limits[any_of(&random, 7)];
        create(&tree, (hot_way)(i % HOT_WAYS), counters[i % 5], limit);
        create_exact(&exact);
        for (int part = 0; part < 4; part++) {
            random_stream(&s, &random, &now, functions[any_of(&random, 3)], depths[any_of(&random, 3)]);
            feed(&tree, &s);
            feed(&exact, &s);
            if (part == 2) sn_hot_end_burst(&tree.hot);
            if (part % 2) hold(hot_check(&tree.hot));
            hold(hot_check_beside(&tree, &exact, limit == ALL));
        }
        if (tree.hot.tree.nodes > most) most = tree.hot.tree.nodes;
        columns c;
        CHECK(columns_read(&c, &tree) && columns_add_up(&c, true) && columns_positive(&c) && columns_depth_first(&c));
        columns_free(&c);
        sn_call_tree_destroy(&tree);
        sn_call_tree_destroy(&exact);
    }
    CHECK(most > 500);
}

/* Past the nodes at which a tree without a limit is compacted for the first time, and again. */
static void a_tree_without_a_limit_grows_for_what_is_heavy(void) {
    static stream s;
    for (hot_way way = BY_CALLS; way < HOT_WAYS; way++)
        for (int m = 0; m < 2; m++) {
            sn_call_tree tree, exact;
            create(&tree, way, m ? UINT32_MAX : 100, ALL);
            create_exact(&exact);
            uint64_t random = 77, now = 0, most = 0;
            for (int part = 0; part < 40; part++) {
                random_stream(&s, &random, &now, 4000, 8);
                feed(&tree, &s);
                feed(&exact, &s);
                if (tree.hot.tree.nodes > most) most = tree.hot.tree.nodes;
            }
            hold(hot_check(&tree.hot));
            hold(hot_check_beside(&tree, &exact, true));
            CHECK(exact.hot.tree.nodes > 60 * 1000);
            CHECK(m ? most > 40 * 1000 : most < 40 * 1000);
            sn_call_tree_destroy(&tree);
            sn_call_tree_destroy(&exact);
        }
}

/* A program that goes through the same forty thousand contexts again and again: none is heavy, and time is told for few. */
static void contexts_that_all_come_again_are_kept_where_there_is_room(void) {
    enum { FUNCTIONS = 40000, ROUNDS = 5 };
    static stream s;
    for (hot_way way = BY_CALLS; way < HOT_WAYS; way++) {
        sn_call_tree tree;
        create(&tree, way, 50000, 300000);
        uint64_t now = 0;
        for (int round = 0; round < ROUNDS; round++)
            for (uint32_t function = 0; function < FUNCTIONS;) {
                for (s.count = 0; s.count < MOST_EVENTS && function < FUNCTIONS; function++) {
                    add(&s, SN_EVENT_ENTER, 0, function, 0, now);
                    add(&s, SN_EVENT_LEAVE, 0, 0, 0, now += function % 1000 == 0);
                }
                feed(&tree, &s);
            }
        hold(hot_check(&tree.hot));
        CHECK_EQUAL(tree.hot.header->floor, 0);
        for (uint32_t function = 0; function < FUNCTIONS; function += 777)
            CHECK_EQUAL(below(tree.hot.root, function)->calls, ROUNDS);
        sn_call_tree_destroy(&tree);
    }
}

static void with_enough_counters_it_is_exact(void) {
    static stream s;
    for (hot_way way = SAVING; way < HOT_WAYS; way++) {
        uint64_t random = 8, now = 0;
        sn_call_tree tree, exact;
        create(&tree, way, UINT32_MAX, ALL);
        create_exact(&exact);
        for (int part = 0; part < 5; part++) {
            random_stream(&s, &random, &now, 40, 10);
            feed(&tree, &s);
            feed(&exact, &s);
        }
        CHECK(tree.hot.tree.nodes > 4096);
        CHECK_EQUAL(tree.hot.header->floor, 0); /* so nothing has an error, and nothing that counted is missing */
        hold(hot_check_beside(&tree, &exact, true));
        sn_call_tree_destroy(&tree);
        sn_call_tree_destroy(&exact);
    }
}

static void contexts_that_come_and_go_use_their_cells_again(void) {
    static stream s;
    for (hot_way way = SAVING; way < HOT_WAYS; way++) {
        sn_call_tree tree;
        create(&tree, way, 20, way == SAVING ? ALL : 400);
        uint64_t random = 5, now = 0;
        for (int part = 0; part < 200; part++) {
            random_stream(&s, &random, &now, 4000, 5);
            feed(&tree, &s);
        }
        hold(hot_check(&tree.hot));
        CHECK(tree.cells.used < 1000); /* of some 400 000 calls */
        CHECK(sn_child_index_bytes(&tree.hot.tree.index) <= 32768);
        sn_call_tree_destroy(&tree);
    }
}

static void a_parent_of_very_many_children_keeps_the_hot_ones(void) {
    enum { CHILDREN = 3000, COUNTERS = 200 };
    static stream s;
    sn_call_tree tree, exact;
    create(&tree, SAVING, COUNTERS, ALL);
    create_exact(&exact);
    uint64_t random = 6;
    one(&tree, SN_EVENT_ENTER, 0, FUNCTIONS - 1, 0);
    one(&exact, SN_EVENT_ENTER, 0, FUNCTIONS - 1, 0);
    for (int part = 0; part < 30; part++) {
        s.count = 0;
        while (s.count < MOST_EVENTS) {
            uint32_t function = (uint32_t)(any_of(&random, 2) ? any_of(&random, 40) : any_of(&random, CHILDREN));
            add(&s, SN_EVENT_ENTER, 0, function, 0, 0);
            add(&s, SN_EVENT_LEAVE, 0, 0, 0, 0);
        }
        feed(&tree, &s);
        feed(&exact, &s);
        hold(hot_check(&tree.hot));
    }
    hold(hot_check_beside(&tree, &exact, true));
    const sn_context *parent = below(tree.hot.root, FUNCTIONS - 1);
    CHECK(parent->call_line & SN_WIDE);
    for (uint32_t function = 0; function < 40; function++) CHECK(below(parent, function));
    sn_call_tree_destroy(&tree);
    sn_call_tree_destroy(&exact);
}

/* In a store of 1 MiB, with a limit on the nodes that it has no room for. */
static void check_full_store(hot_way way) {
    sn_cells cells;
    sn_hot_tree hot;
    CHECK_EQUAL(sn_cells_create(&cells, -1, 16384), SN_OK);
    sn_hot_plan plan = hot_plan(way, 1000 * 1000, ALL);
    CHECK_EQUAL(sn_hot_create(&hot, &cells, &plan, false), SN_OK);
    sn_cursor *cursor = sn_hot_cursor(&hot, 0);
    CHECK(cursor);
    uint64_t calls = 0;
    for (uint64_t i = 0; i < 20 * 1000; i++) {
        sn_context *child = sn_hot_add(&hot, hot.root, 0x10000 + 0x10 * i, 0, (uint32_t)i, true);
        CHECK(child);
        child->calls++;
        calls++;
        cursor->current = child;
        sn_hot_credit(cursor, 10 * i);
        sn_hot_leave(&hot, cursor);
    }
    CHECK(hot.tree.nodes < 8192 && hot.tree.nodes > (way == SAVING ? 8000 : 0)); /* equals are compacted together */
    CHECK(hot.nodes_limit < 8192);
    CHECK(cells.used > 16384 - 2 * SN_CHUNK);
    CHECK(hot.header->floor >= 1);
    hold(hot_check(&hot));
    uint64_t found = sn_side_of(hot.root)->pruned_calls;
    const sn_context *child = hot.root->child;
    do found += child->calls;
    while ((child = child->next) != hot.root->child);
    CHECK_EQUAL(found, calls);
    /* A stack of what there is, and not one more: what runs stays. */
    for (uint64_t i = 0; i < 20 * 1000; i++) {
        sn_context *next = sn_hot_add(&hot, cursor->current, 0x50, 0, 0, true);
        if (!next) break;
        next->calls++;
        cursor->current = next;
    }
    uint64_t depth = 0;
    for (const sn_context *at = cursor->current; at != hot.root; at = at->parent) depth++;
    CHECK_EQUAL(depth, hot.tree.nodes);
    CHECK_EQUAL(depth, hot.nodes_limit);
    CHECK_EQUAL(hot.queue.count, 0); /* nothing makes way any more, but all are there */
    sn_hot_lose(&hot, cursor);
    CHECK(sn_hot_add(&hot, hot.root, 0x60, 0, 0, true));
    hold(hot_check(&hot));
    sn_hot_free(&hot);
    sn_cells_destroy(&cells);
}

static void a_full_store_goes_on_with_the_nodes_that_it_has(void) { check_full_store(SAVING); }
static void a_full_store_goes_on_compacting_by_calls(void) { check_full_store(BY_CALLS); }
static void a_full_store_goes_on_compacting_by_time(void) { check_full_store(BY_TIME); }

static void the_squares_of_bursts_are_those_of_what_each_brought(void) {
    sn_call_tree tree;
    columns c;
    create(&tree, SAVING, 10, ALL);
    const uint64_t calls[] = {3, 0, 5, 1}, pauses[] = {7, 2, 11, 0};
    uint64_t now = 0;
    for (int burst = 0; burst < 4; burst++) {
        for (uint64_t i = 0; i < calls[burst]; i++) call(&tree, 1);
        one(&tree, SN_EVENT_FOUND, 0, 1, now);
        one(&tree, SN_EVENT_LOST, 0, 0, now += pauses[burst]);
        sn_hot_end_burst(&tree.hot);
    }
    CHECK(columns_read(&c, &tree));
    CHECK_EQUAL(c.rows, 1);
    CHECK_EQUAL(c.calls_squares[0], 9 + 25 + 1);
    CHECK_EQUAL(c.ticks_squares[0], 49 + 4 + 121);
    columns_free(&c);
    sn_call_tree other;
    create(&other, SAVING, 10, ALL);
    for (int i = 0; i < 6; i++) call(&other, 1);
    CHECK_EQUAL(merge(&other, &tree), SN_OK); /* what came in a burst here has been counted there */
    sn_hot_end_burst(&other.hot);
    CHECK(columns_read(&c, &other));
    CHECK_EQUAL(c.calls[0], 9 + 6);
    CHECK_EQUAL(c.calls_squares[0], 35 + 36);
    CHECK_EQUAL(c.ticks_squares[0], 174);
    columns_free(&c);
    sn_call_tree_destroy(&tree);
    sn_call_tree_destroy(&other);
}

static void what_stands_for_more_counts_so_many_times(void) {
    sn_call_tree tree;
    create(&tree, BY_TIME, 10, ALL);
    one(&tree, SN_EVENT_ENTER, 0, 1, 100);
    sn_cursor *cursor = tree.cursors[0];
    sn_hot_credit_weighted(cursor, 110, 7);
    CHECK_EQUAL(cursor->now, 110);
    check_context(below(tree.hot.root, 1), 70, 0, true);
    sn_hot_credit_weighted(cursor, 110, 7);
    sn_hot_credit(cursor, 111);
    check_context(below(tree.hot.root, 1), 71, 0, true);
    hold(hot_check(&tree.hot));
    sn_call_tree_destroy(&tree);
}

static void merging_adds_floors_for_what_the_other_has_not(void) {
    sn_call_tree a, b;
    create(&a, SAVING, 2, ALL);
    create(&b, SAVING, 2, ALL);
    for (int i = 0; i < 9; i++) call(&a, 1);
    for (int i = 0; i < 2; i++) call(&a, 2);
    call(&a, 3);
    for (int i = 0; i < 8; i++) call(&b, 4);
    for (int i = 0; i < 3; i++) call(&b, 5);
    call(&b, 1);
    check_context(below(a.hot.root, 3), 1, 2, false);
    check_context(below(b.hot.root, 1), 1, 3, false);
    CHECK_EQUAL(merge(&a, &b), SN_OK);
    hold(hot_check(&a.hot));
    CHECK_EQUAL(a.hot.tree.nodes, 2);
    check_context(below(a.hot.root, 1), 10, 3, false);
    check_context(below(a.hot.root, 4), 8, 2, false);
    CHECK_EQUAL(a.hot.header->floor, 6); /* what 3 had at most, and more than both floors together */
    CHECK_EQUAL(sn_side_of(a.hot.root)->pruned_calls, 2 + 1 + 3);
    sn_call_tree_destroy(&a);
    sn_call_tree_destroy(&b);
}

static void merging_keeps_every_bound_and_what_runs(void) {
    static stream s;
    uint64_t random = 21, now = 0;
    const uint32_t counters[] = {1, 3, 20, 200};
    const uint64_t limits[] = {2, 30, ALL, ALL}, functions[] = {3, 60, 2000};
    for (int i = 0; i < 60; i++) {
        sn_call_tree hot[3], exact[3];
        hot_way way = (hot_way)(i % HOT_WAYS);
        for (int part = 0; part < 3; part++) {
            create(&hot[part], way, counters[any_of(&random, 4)], limits[any_of(&random, 4)]);
            create_exact(&exact[part]);
            random_stream(&s, &random, &now, functions[i / 3 % 3], 12);
            feed(&hot[part], &s);
            feed(&exact[part], &s);
        }
        for (int part = 1; part < 3; part++) {
            sn_context *before = hot[0].cursors[0]->current;
            CHECK_EQUAL(merge(&hot[0], &hot[part]), SN_OK);
            CHECK_EQUAL(merge(&exact[0], &exact[part]), SN_OK);
            CHECK(hot[0].cursors[0]->current == before);
            hold(hot_check(&hot[0].hot));
            hold(hot_check_beside(&hot[0], &exact[0], false));
            hold(hot_check(&hot[part].hot));
            hold(hot_check_beside(&hot[part], &exact[part], false));
            random_stream(&s, &random, &now, functions[i / 3 % 3], 12); /* it goes on */
            feed(&hot[0], &s);
            feed(&exact[0], &s);
            hold(hot_check(&hot[0].hot));
            hold(hot_check_beside(&hot[0], &exact[0], false));
        }
        for (int part = 0; part < 3; part++) sn_call_tree_destroy(&hot[part]), sn_call_tree_destroy(&exact[part]);
    }
}

static void a_merge_with_a_larger_tree_keeps_to_the_limit(void) {
    for (hot_way way = SAVING; way < HOT_WAYS; way++) {
        static stream s;
        sn_call_tree small, large;
        create(&small, way, 1000 * 1000, 5000);
        create(&large, way, 1000 * 1000, ALL);
        uint64_t random = 44, now = 0;
        for (int part = 0; part < 8; part++) {
            random_stream(&s, &random, &now, 4000, 5);
            feed(&large, &s);
        }
        CHECK(large.hot.tree.nodes > 5000);
        CHECK_EQUAL(merge(&small, &large), SN_OK);
        hold(hot_check(&small.hot));
        call(&small, 1);
        CHECK_EQUAL(small.dropped, 0);
        CHECK(below(small.hot.root, 1));
        sn_call_tree_destroy(&small);
        sn_call_tree_destroy(&large);
    }
}

static void merging_nothing_changes_nothing(void) {
    static stream s;
    uint64_t random = 22, now = 0;
    sn_call_tree tree, empty;
    columns before, after;
    create(&tree, SAVING, 10, ALL);
    create(&empty, SAVING, 10, ALL);
    random_stream(&s, &random, &now, 60, 12);
    feed(&tree, &s);
    CHECK(columns_read(&before, &tree));
    CHECK_EQUAL(merge(&tree, &empty), SN_OK);
    CHECK(columns_read(&after, &tree));
    CHECK(columns_equal(&before, &after));
    columns_free(&after);
    CHECK_EQUAL(merge(&empty, &tree), SN_OK); /* and nothing becomes the other, less what only runs there */
    hold(hot_check(&empty.hot));
    CHECK_EQUAL(empty.hot.header->floor, tree.hot.header->floor);
    CHECK_EQUAL(empty.hot.queue.count, tree.hot.queue.count);
    columns_free(&before);
    sn_call_tree_destroy(&tree);
    sn_call_tree_destroy(&empty);
}

static void trees_of_different_kinds_do_not_merge(void) {
    sn_call_tree trees[3];
    create(&trees[0], SAVING, 10, ALL);
    create(&trees[1], BY_TIME, 10, ALL);
    CHECK_EQUAL(sn_call_tree_create(&trees[2], &(sn_hot_plan){0}, true), SN_OK);
    for (int i = 0; i < 3; i++) one(&trees[i], SN_EVENT_ENTER, 0, 1, 0), one(&trees[i], SN_EVENT_LEAVE, 0, 0, 9);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (i != j) CHECK_EQUAL(merge(&trees[i], &trees[j]), SN_BAD_INPUT);
    for (int i = 0; i < 3; i++) {
        CHECK_EQUAL(below(trees[i].hot.root, 1)->calls, 1);
        sn_call_tree_destroy(&trees[i]);
    }
}

CHECK_MAIN(TEST(the_header_says_what_is_looked_for), TEST(the_context_with_the_least_bound_makes_way),
           TEST(a_victim_with_callees_stays_cold_and_keeps_its_count), TEST(what_is_pruned_takes_its_callers_along),
           TEST(what_runs_is_not_pruned_until_the_last_thread_has_left_it),
           TEST(a_full_tree_is_compacted_and_keeps_what_is_heavy),
           TEST(what_runs_is_not_compacted_away), TEST(a_flat_program_needs_few_nodes),
           TEST(what_is_found_running_may_have_been_there_before),
           TEST(a_stack_deeper_than_the_limit_is_skipped_and_counted),
           TEST(a_thread_without_room_at_the_bottom_of_its_stack_loses_no_time),
           TEST(every_bound_holds_beside_an_exact_tree),
           TEST(a_tree_without_a_limit_grows_for_what_is_heavy),
           TEST(contexts_that_all_come_again_are_kept_where_there_is_room), TEST(with_enough_counters_it_is_exact),
           TEST(contexts_that_come_and_go_use_their_cells_again),
           TEST(a_parent_of_very_many_children_keeps_the_hot_ones),
           TEST(a_full_store_goes_on_with_the_nodes_that_it_has),
           TEST(a_full_store_goes_on_compacting_by_calls), TEST(a_full_store_goes_on_compacting_by_time),
           TEST(the_squares_of_bursts_are_those_of_what_each_brought), TEST(what_stands_for_more_counts_so_many_times),
           TEST(merging_adds_floors_for_what_the_other_has_not), TEST(merging_keeps_every_bound_and_what_runs),
           TEST(a_merge_with_a_larger_tree_keeps_to_the_limit),
           TEST(merging_nothing_changes_nothing), TEST(trees_of_different_kinds_do_not_merge))
