/* Threads that are kept apart in one tree: the same events beside exact trees, of all threads and of each. */
#include "check.h"

#include "columns.h"
#include "hot_invariants.h"

enum { THREADS = 4, FUNCTIONS = 12, BASE_FUNCTION = 100, EVENTS = 3000, FUNCTIONS_OF_ALL = BASE_FUNCTION + THREADS };

typedef struct {
    sn_call_tree apart;          /* what an agent writes */
    sn_call_tree all, of[THREADS]; /* exact */
    uint32_t depth[THREADS];
} trees;

static void create_exact(sn_call_tree *tree) {
    CHECK_EQUAL(sn_call_tree_create(tree, &(sn_hot_plan){0}, false), SN_OK);
}

static void tell(sn_call_tree *tree, uint32_t kind, uint32_t thread, uint32_t function, uint32_t line, uint64_t time) {
    sn_event event = {.kind = kind, .thread = thread, .function = function, .line = line, .time = time};
    CHECK_EQUAL(sn_call_tree_event(tree, &event), SN_OK);
}

static void tell_all(trees *t, uint32_t kind, uint32_t thread, uint32_t function, uint32_t line, uint64_t time) {
    tell(&t->apart, kind, thread, function, line, time);
    tell(&t->all, kind, thread, function, line, time);
    tell(&t->of[thread], kind, 0, function, line, time);
}

static void begin(trees *t, const sn_hot_plan *plan) {
    memset(t, 0, sizeof *t);
    CHECK_EQUAL(sn_call_tree_create(&t->apart, plan, false), SN_OK);
    create_exact(&t->all);
    for (uint32_t thread = 0; thread < THREADS; thread++) {
        create_exact(&t->of[thread]);
        tell_all(t, SN_EVENT_LOST, thread, 0, 0, 0); /* makes its cursor */
        sn_hot_tree *hot = &t->apart.hot;
        uint32_t function = BASE_FUNCTION + thread;
        sn_context *base = sn_hot_add(hot, hot->root, sn_dead_key(function), SN_BASE, function, false);
        CHECK(base);
        t->apart.cursors[thread]->current = base;
    }
}

/* Calls and returns of all threads in turn. Now and then a thread has nothing to run, which is nobody's time. */
static void run(trees *t, uint64_t seed) {
    uint64_t random = seed, time = 0;
    for (int i = 0; i < EVENTS; i++) {
        uint32_t thread = (uint32_t)(check_random(&random) % THREADS), *depth = &t->depth[thread];
        time += check_random(&random) % 10;
        if (check_random(&random) % 30 == 0) {
            for (uint32_t idle = 0; idle < THREADS; idle++) tell_all(t, SN_EVENT_LOST, idle, 0, 0, time);
            memset(t->depth, 0, sizeof t->depth);
            time += 5000; /* in which none runs anything */
        } else if (*depth && check_random(&random) % 9 < 4 + *depth / 6) {
            tell_all(t, SN_EVENT_LEAVE, thread, 0, 0, time);
            --*depth;
        } else {
            uint32_t function = (uint32_t)(check_random(&random) % FUNCTIONS), line = (uint32_t)(check_random(&random) % 3);
            tell_all(t, SN_EVENT_ENTER, thread, function, line, time);
            ++*depth;
        }
    }
}

static void end(trees *t) {
    sn_call_tree_destroy(&t->apart);
    sn_call_tree_destroy(&t->all);
    for (int thread = 0; thread < THREADS; thread++) sn_call_tree_destroy(&t->of[thread]);
}

/* What readers make of the agent's cells. */
static void read_back(sn_call_tree *tree, const sn_call_tree *agent, bool apart) {
    uint32_t map[FUNCTIONS_OF_ALL];
    for (uint32_t i = 0; i < FUNCTIONS_OF_ALL; i++) map[i] = i;
    sn_spool_file spool;
    CHECK_EQUAL(sn_spool_file_from(&spool, agent->cells.base, agent->cells.used * SN_CELL_BYTES), SN_OK);
    CHECK_EQUAL(sn_call_tree_create(tree, &(sn_hot_plan){0}, agent->hot.tree.sided), SN_OK);
    CHECK_EQUAL(sn_call_tree_add_spool(tree, &spool, map, FUNCTIONS_OF_ALL, 1.0, 0, apart), SN_OK);
    CHECK_EQUAL(tree->orphans, 0);
    sn_spool_file_close(&spool);
}

static int64_t row_of(const columns *c, int64_t parent, int64_t function, int64_t line) {
    for (uint64_t i = 0; i < c->rows; i++)
        if (c->parent[i] == parent && c->function[i] == function && c->call_line[i] == line) return (int64_t)i;
    return -2;
}

/* Whether `found`, below its row `top`, bounds what `exact` has, by calls or by time. */
static void check_bounds(const columns *found, int64_t top, const columns *exact, bool by_time, uint64_t floor) {
    int64_t *same = malloc((exact->rows + 1) * sizeof *same);
    CHECK(same);
    for (uint64_t i = 0; same && i < exact->rows; i++) {
        int64_t above = exact->parent[i] < 0 ? top : same[exact->parent[i]];
        same[i] = above == -2 ? -2 : row_of(found, above, exact->function[i], exact->call_line[i]);
        int64_t truth = by_time ? exact->self_ns[i] : exact->calls[i];
        if (same[i] == -2) {
            CHECK((uint64_t)truth <= floor);
            continue;
        }
        int64_t value = by_time ? found->self_ns[same[i]] : found->calls[same[i]];
        CHECK(value <= truth && truth <= value + found->error[same[i]]);
    }
    free(same);
}

static uint64_t total(const columns *c, bool by_time) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < c->rows; i++)
        if (c->parent[i] < 0) sum += (uint64_t)(by_time ? c->total_ns[i] : c->total_calls[i]);
    return sum;
}

static void check_against_exact(const sn_hot_plan *plan, uint64_t seed) {
    trees t;
    sn_call_tree summed, apart;
    columns found, all, by_thread;
    bool by_time = plan->metric == SN_METRIC_TIME;
    begin(&t, plan);
    run(&t, seed);
    read_back(&summed, &t.apart, false);
    read_back(&apart, &t.apart, true);
    CHECK(columns_read(&found, &summed) && columns_read(&all, &t.all) && columns_read(&by_thread, &apart));
    uint64_t unlisted = plan->metric == SN_METRIC_NONE ? 0 : sn_side_of(summed.hot.root)->pruned_calls;
    CHECK_EQUAL(total(&found, false) + unlisted, total(&all, false));
    CHECK_EQUAL(total(&by_thread, false), total(&all, false)); /* bases stay, so nothing is below none */
    CHECK_EQUAL(total(&by_thread, true), total(&all, true));
    check_bounds(&found, -1, &all, by_time, summed.floors);
    for (uint32_t thread = 0; thread < THREADS; thread++) {
        columns exact;
        int64_t base = row_of(&by_thread, -1, BASE_FUNCTION + thread, 0);
        CHECK(base >= 0 && columns_read(&exact, &t.of[thread]));
        CHECK_EQUAL(by_thread.calls[base], 0);
        CHECK_EQUAL(by_thread.self_ns[base], 0);
        CHECK_EQUAL(by_thread.total_ns[base], total(&exact, true));
        check_bounds(&by_thread, base, &exact, by_time, apart.floors);
        columns_free(&exact);
    }
    if (plan->metric == SN_METRIC_NONE) {
        CHECK_EQUAL(found.rows, all.rows);
        CHECK_EQUAL(summed.floors, 0);
    } else {
        uint64_t whole = total(&all, by_time);
        CHECK(t.apart.hot.header->floor <= whole / plan->counters); /* idle time of bases is in no bound */
        CHECK(t.apart.hot.tree.nodes <= plan->nodes_limit);
        CHECK(t.apart.hot.header->floor > 0); /* or nothing was tried */
    }
    columns_free(&found);
    columns_free(&all);
    columns_free(&by_thread);
    sn_call_tree_destroy(&summed);
    sn_call_tree_destroy(&apart);
    end(&t);
}

static void threads_apart_add_up_to_all(void) {
    for (uint64_t seed = 1; seed < 6; seed++) check_against_exact(&(sn_hot_plan){0}, seed);
}

static void bounds_hold_for_all_threads_and_for_each(void) {
    for (uint64_t seed = 1; seed < 6; seed++) {
        check_against_exact(&(sn_hot_plan){.metric = SN_METRIC_CALLS, .counters = 20, .nodes_limit = 400}, seed);
        check_against_exact(&(sn_hot_plan){.metric = SN_METRIC_TIME, .counters = 100, .nodes_limit = 700}, seed);
        check_against_exact(
            &(sn_hot_plan){.metric = SN_METRIC_CALLS, .space_saving = true, .counters = 20, .nodes_limit = 2000}, seed);
    }
}

static void a_base_stays_when_all_below_it_is_gone(void) {
    trees t;
    begin(&t, &(sn_hot_plan){.metric = SN_METRIC_CALLS, .counters = 1, .nodes_limit = 8});
    for (uint32_t i = 0; i < 200; i++)
        for (uint32_t kind = SN_EVENT_ENTER; kind <= SN_EVENT_LEAVE; kind++)
            tell_all(&t, kind, i % THREADS, i % FUNCTIONS, i, i);
    for (uint32_t thread = 1; thread < THREADS; thread++) t.apart.cursors[thread]->current = t.apart.hot.root; /* ended */
    for (uint32_t i = 0; i < 200; i++)
        for (uint32_t kind = SN_EVENT_ENTER; kind <= SN_EVENT_LEAVE; kind++)
            tell_all(&t, kind, 0, i % FUNCTIONS, i, 200 + i);
    const sn_context *context;
    uint32_t bases = 0;
    for (uint64_t cell = SN_HEADER_CELLS; (context = sn_tree_next(&t.apart.hot.tree, &cell));)
        bases += (context->call_line & SN_BASE) != 0;
    CHECK_EQUAL(bases, THREADS);
    end(&t);
}

CHECK_MAIN(TEST(threads_apart_add_up_to_all), TEST(bounds_hold_for_all_threads_and_for_each),
           TEST(a_base_stays_when_all_below_it_is_gone))
