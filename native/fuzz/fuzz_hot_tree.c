/* Any bytes as events for hot trees: fed, merged, fed again; nothing is lost and every bound holds. */
#include "fuzz.h"

#include "../tests/columns.h"
#include "../tests/hot_invariants.h"

enum { SETTINGS = 4, EVENT_BYTES = 4, MOST_EVENTS = 1500, FUNCTIONS = 64, UNLIMITED = 200 };

/* Settings: way, counters, limit on the nodes, flags. Event: kind (3 bits), thread (2), line (1);
 * function; time since the event before (2 bytes). Kinds that are none end a burst. */
typedef struct {
    hot_way way;
    uint32_t counters;
    uint64_t limit;
    size_t count;
    uint8_t kind[MOST_EVENTS];
    uint32_t thread[MOST_EVENTS], function[MOST_EVENTS], line[MOST_EVENTS];
    uint64_t time[MOST_EVENTS];
} input;

static void read_input(input *in, const uint8_t *bytes, size_t size) {
    in->way = (hot_way)(bytes[0] % HOT_WAYS);
    in->counters = 1 + bytes[1] % 16;
    in->limit = bytes[2] >= UNLIMITED ? UINT64_MAX : 1u + bytes[2] / 4;
    in->count = (size - SETTINGS) / EVENT_BYTES < MOST_EVENTS ? (size - SETTINGS) / EVENT_BYTES : MOST_EVENTS;
    uint64_t now = 0;
    for (size_t i = 0; i < in->count; i++) {
        const uint8_t *at = bytes + SETTINGS + i * EVENT_BYTES;
        uint16_t pause;
        memcpy(&pause, at + 2, 2);
        now += pause;
        in->kind[i] = at[0] & 7;
        in->thread[i] = at[0] >> 3 & 3;
        in->line[i] = at[0] >> 5 & 1;
        in->function[i] = at[1] % FUNCTIONS;
        in->time[i] = now;
    }
}

static void hold(hot_problem problem) {
    if (problem) fprintf(stderr, "not true: %s\n", problem);
    PROMISE(!problem);
}

/* The same events for a hot tree and its exact twin. */
static void feed(sn_call_tree *hot, sn_call_tree *exact, const input *in, size_t from, size_t to, bool unlimited) {
    sn_events events = {in->kind, in->thread, in->function, in->line, in->time};
    while (from < to) {
        if (in->kind[from] < SN_EVENT_ENTER || in->kind[from] > SN_EVENT_LOST) {
            sn_hot_end_burst(&hot->hot);
            from++;
            continue;
        }
        size_t end = from, consumed;
        while (end < to && end < from + 25 && in->kind[end] >= SN_EVENT_ENTER && in->kind[end] <= SN_EVENT_LOST) end++;
        PROMISE(sn_call_tree_feed(hot, &events, from, end, &consumed) == SN_OK && consumed == end);
        PROMISE(sn_call_tree_feed(exact, &events, from, end, &consumed) == SN_OK && consumed == end);
        hold(hot_check(&hot->hot));
        from = end;
    }
    hold(hot_check_beside(hot, exact, unlimited));
}

static void create(sn_call_tree *hot, sn_call_tree *exact, const input *in, uint32_t counters) {
    const sn_hot_plan plan = hot_plan(in->way, counters, in->limit), all = {0};
    PROMISE(sn_call_tree_create(hot, &plan, true) == SN_OK);
    PROMISE(sn_call_tree_create(exact, &all, false) == SN_OK);
}

static void check_columns(const sn_call_tree *hot) {
    columns c;
    PROMISE(columns_read(&c, hot));
    PROMISE(columns_add_up(&c, true) && columns_positive(&c) && columns_depth_first(&c));
    columns_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static input in;
    uint32_t map[FUNCTIONS];
    if (size < SETTINGS) return 0;
    read_input(&in, bytes, size);
    for (uint32_t i = 0; i < FUNCTIONS; i++) map[i] = i;
    bool unlimited = in.limit == UINT64_MAX;
    sn_call_tree hot, exact, other, exact_other;
    create(&hot, &exact, &in, in.counters);
    create(&other, &exact_other, &in, bytes[3] & 1 ? 1 + in.counters / 2 : in.counters);
    size_t third = in.count / 3;
    feed(&hot, &exact, &in, 0, third, unlimited);
    feed(&other, &exact_other, &in, third, 2 * third, unlimited);
    if (bytes[3] & 2) { /* or the first one goes on, and is checked to the end */
        PROMISE(sn_call_tree_merge(&hot, &other, map, FUNCTIONS) == SN_OK);
        PROMISE(sn_call_tree_merge(&exact, &exact_other, map, FUNCTIONS) == SN_OK);
        hold(hot_check(&hot.hot));
        hold(hot_check_beside(&hot, &exact, false));
        hold(hot_check(&other.hot)); /* the other stays as it was */
        hold(hot_check_beside(&other, &exact_other, unlimited));
        unlimited = false;
        check_columns(&hot);
    }
    feed(&hot, &exact, &in, 2 * third, in.count, unlimited);
    check_columns(&hot);
    sn_call_tree_destroy(&hot);
    sn_call_tree_destroy(&exact);
    sn_call_tree_destroy(&other);
    sn_call_tree_destroy(&exact_other);
    return 0;
}

size_t fuzz_example(uint8_t *bytes, size_t room, uint64_t *random) {
    size_t count = *random % 400;
    if (count > (room - SETTINGS) / EVENT_BYTES) count = (room - SETTINGS) / EVENT_BYTES;
    for (size_t i = 0; i < SETTINGS + count * EVENT_BYTES; i++) {
        *random ^= *random << 13;
        *random ^= *random >> 7;
        *random ^= *random << 17;
        bytes[i] = (uint8_t)(*random >> 32);
        if (i < SETTINGS || i % EVENT_BYTES) continue;
        /* Mostly calls and returns, on few threads; functions that are mostly the same. */
        static const uint8_t kinds[] = {1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 4, 5, 0};
        uint64_t dice = *random >> 8;
        bytes[i] = (uint8_t)(kinds[dice & 15] | (dice >> 4 & dice >> 6 & 3) << 3 | (dice >> 8 & 1) << 5);
    }
    for (size_t i = SETTINGS + 1; i < SETTINGS + count * EVENT_BYTES; i += EVENT_BYTES) {
        bytes[i] &= bytes[i] >> 3 & 31;
        bytes[i + 2] = 0; /* times of one byte */
    }
    return SETTINGS + count * EVENT_BYTES;
}
