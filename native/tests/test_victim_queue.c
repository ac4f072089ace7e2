/* The queue of victims, against a linear search for the smallest (bound, slot). */
#include "check.h"

#include "../core/contexts/victim_queue.h"

enum { MOST = 700 };

/* The slow twin: what is in each slot. */
typedef struct {
    sn_queue queue;
    sn_context *slots[MOST];
    uint32_t count;
    sn_context contexts[4 * MOST]; /* those that are in no slot are free */
    bool taken[4 * MOST];
} twin;

static twin *create(void) {
    twin *t = calloc(1, sizeof *t);
    CHECK(t);
    sn_queue_init(&t->queue);
    return t;
}

static void destroy(twin *t) {
    sn_queue_free(&t->queue);
    CHECK(!t->queue.count && !t->queue.room && !t->queue.seen);
    free(t);
}

static uint64_t bound(const sn_context *context) { return sn_upper_bound(context, false); }

/* A context that is in no slot, with these values. */
static sn_context *new_context(twin *t, uint64_t value, uint64_t error) {
    size_t i = 0;
    while (t->taken[i]) i++;
    t->taken[i] = true;
    t->contexts[i] = (sn_context){.error = error, .calls = value, .ticks = UINT64_MAX / 2 + i /* not to be looked at */};
    return &t->contexts[i];
}

static void count(twin *t, uint32_t slot, uint64_t weight) { t->slots[slot]->calls += weight; }

static void add(twin *t, uint64_t value, uint64_t error) {
    sn_context *context = new_context(t, value, error);
    CHECK(sn_queue_add(&t->queue, context));
    t->slots[t->count++] = context;
}

static uint32_t search(const twin *t) {
    uint32_t least = 0;
    for (uint32_t slot = 1; slot < t->count; slot++)
        if (bound(t->slots[slot]) < bound(t->slots[least])) least = slot;
    return least;
}

static uint32_t check_least(twin *t) {
    uint32_t least = sn_queue_least(&t->queue);
    CHECK_EQUAL(least, search(t));
    CHECK_EQUAL(t->queue.count, t->count);
    for (uint32_t slot = 0; slot < t->count; slot++) CHECK(t->queue.contexts[slot] == t->slots[slot]);
    return least;
}

/* By a context that was counted before, or was not (0). */
static void replace(twin *t, uint32_t slot, uint64_t value) {
    uint64_t least = bound(t->slots[slot]);
    t->taken[t->slots[slot] - t->contexts] = false;
    t->slots[slot] = new_context(t, value, least);
    sn_queue_replace(&t->queue, slot, t->slots[slot]);
}

static void take(twin *t, uint32_t slot) {
    t->taken[t->slots[slot] - t->contexts] = false;
    sn_queue_take(&t->queue, slot);
    t->slots[slot] = t->slots[--t->count];
}

static void the_least_of_one_is_that_one(void) {
    twin *t = create();
    add(t, 5, 0);
    CHECK_EQUAL(check_least(t), 0);
    count(t, 0, 1000);
    CHECK_EQUAL(check_least(t), 0);
    replace(t, 0, 0);
    CHECK_EQUAL(check_least(t), 0);
    take(t, 0);
    CHECK_EQUAL(t->queue.count, 0);
    add(t, 0, 3);
    CHECK_EQUAL(check_least(t), 0);
    destroy(t);
}

static void among_equals_the_first_slot_is_the_least(void) {
    twin *t = create();
    for (int i = 0; i < 5; i++) add(t, 2, 1);
    CHECK_EQUAL(check_least(t), 0);
    count(t, 0, 1);
    CHECK_EQUAL(check_least(t), 1);
    count(t, 2, 1);
    count(t, 1, 1);
    CHECK_EQUAL(check_least(t), 3);
    take(t, 3); /* the last moves there */
    CHECK_EQUAL(check_least(t), 3);
    count(t, 3, 1);
    CHECK_EQUAL(check_least(t), 0);
    destroy(t);
}

static void what_comes_in_below_all_others_is_the_least(void) {
    twin *t = create();
    for (uint64_t i = 0; i < 10; i++) add(t, 100 + i, 0);
    CHECK_EQUAL(check_least(t), 0);
    count(t, 0, 4);
    CHECK_EQUAL(check_least(t), 1); /* 101: the first two slots are passed */
    add(t, 3, 0);
    CHECK_EQUAL(check_least(t), 10);
    count(t, 10, 98);
    CHECK_EQUAL(check_least(t), 1);
    add(t, 101, 0);
    CHECK_EQUAL(check_least(t), 1);
    take(t, 1);
    CHECK_EQUAL(check_least(t), 1); /* the one that came last, now here */
    destroy(t);
}

static void taking_all_gives_them_in_order(void) {
    twin *t = create();
    uint64_t random = 3, before = 0;
    for (int i = 0; i < MOST; i++) add(t, check_random(&random) % 100, check_random(&random) % 100);
    while (t->count) {
        uint32_t slot = check_least(t);
        CHECK(bound(t->slots[slot]) >= before);
        before = bound(t->slots[slot]);
        take(t, slot);
    }
    destroy(t);
}

/* Any use that Space-Saving makes of it, and some that it does not. Weights: all ones as calls are, some
 * larger as in bursts, or any; with few of them there are many ties. */
static void random_use_agrees_with_a_linear_search(void) {
    static const uint64_t weights[] = {1, 3, 1000, UINT64_C(1) << 40};
    for (uint64_t seed = 1; seed <= 80; seed++) {
        twin *t = create();
        uint64_t random = seed * 77, most = seed % 10 == 0 ? MOST : 1 + check_random(&random) % 40;
        uint64_t weight = weights[seed % 4], spread = 1 + seed % 7;
        for (int step = 0; step < 3000; step++) {
            uint64_t dice = check_random(&random), other = check_random(&random);
            switch (dice % 8) {
            case 0:
                if (t->count < most) add(t, other % weight, dice >> 20 & 3);
                break;
            case 1:
                if (t->count) replace(t, check_least(t), dice >> 30 & 1 ? other % weight : 0);
                break;
            case 2:
                if (t->count && (dice >> 40 & 7) == 0) take(t, check_least(t));
                break;
            case 3:
                if (t->count) check_least(t);
                break;
            default: /* a few of them get most */
                if (t->count) count(t, (uint32_t)(other % t->count / spread), 1 + (dice >> 8) % weight);
            }
        }
        if (t->count) check_least(t);
        destroy(t);
    }
}

/* After a fork, all bounds are less than those last seen. */
static void after_a_restart_it_begins_anew(void) {
    twin *t = create();
    uint64_t random = 9;
    for (int i = 0; i < 300; i++) add(t, check_random(&random) % 1000, 5);
    for (int i = 0; i < 200; i++) replace(t, check_least(t), 0);
    for (uint32_t slot = 0; slot < t->count; slot++) t->slots[slot]->calls = t->slots[slot]->error = 0;
    sn_queue_restart(&t->queue);
    for (int i = 0; i < 500; i++) {
        uint32_t slot = check_least(t);
        if (i % 3 == 0) replace(t, slot, 1);
        else if (i % 3 == 1 && t->count > 1) take(t, slot);
        else count(t, slot, 1 + check_random(&random) % 3);
    }
    destroy(t);
}

static void errors_may_grow_between_two_looks(void) { /* as in a merge */
    twin *t = create();
    uint64_t random = 4;
    for (int i = 0; i < 100; i++) add(t, check_random(&random) % 10, 0);
    check_least(t);
    for (uint32_t slot = 0; slot < t->count; slot++) t->slots[slot]->error += check_random(&random) % 20;
    while (t->count) take(t, check_least(t));
    destroy(t);
}

CHECK_MAIN(TEST(the_least_of_one_is_that_one), TEST(among_equals_the_first_slot_is_the_least),
           TEST(what_comes_in_below_all_others_is_the_least), TEST(taking_all_gives_them_in_order),
           TEST(random_use_agrees_with_a_linear_search), TEST(after_a_restart_it_begins_anew),
           TEST(errors_may_grow_between_two_looks))
