/* Any bytes as batches of events for an exact tree: fed whole and in parts, merged, read out as columns. */
#include "fuzz.h"

#include "../tests/columns.h"

enum { EVENT_BYTES = 16, MOST_EVENTS = FUZZ_ROOM / EVENT_BYTES };

typedef struct {
    size_t count;
    uint8_t kind[MOST_EVENTS];
    uint32_t thread[MOST_EVENTS], function[MOST_EVENTS], line[MOST_EVENTS];
    uint64_t time_ns[MOST_EVENTS];
} events;

/* kind (4 bits), thread (12), function (16), line (32), time (64); one thread number in 256 is odd. */
static void read_events(events *e, const uint8_t *bytes, size_t size) {
    e->count = size / EVENT_BYTES < MOST_EVENTS ? size / EVENT_BYTES : MOST_EVENTS;
    for (size_t i = 0; i < e->count; i++) {
        uint16_t head, function;
        memcpy(&head, bytes + i * EVENT_BYTES, 2);
        memcpy(&function, bytes + i * EVENT_BYTES + 2, 2);
        memcpy(&e->line[i], bytes + i * EVENT_BYTES + 4, 4);
        memcpy(&e->time_ns[i], bytes + i * EVENT_BYTES + 8, 8);
        e->kind[i] = head & 15;
        e->thread[i] = (head >> 4) < 0xff0 ? head >> 4 & 7 : (uint32_t)(head >> 4) << 20;
        e->function[i] = function;
    }
}

static sn_status feed(sn_call_tree *tree, const events *e, size_t from, size_t count, size_t *consumed) {
    sn_events given = {e->kind, e->thread, e->function, e->line, e->time_ns};
    return sn_call_tree_feed(tree, &given, from, from + count, consumed);
}

static void create(sn_call_tree *tree, bool sided) {
    PROMISE(sn_call_tree_create(tree, &(sn_hot_plan){0}, sided) == SN_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static events e;
    static uint32_t map[1 << 16];
    for (uint32_t i = 0; i < 1 << 16; i++) map[i] = i;
    read_events(&e, bytes, size);
    sn_call_tree whole, parts, merged, sided;
    create(&whole, false);
    create(&parts, false);
    create(&merged, false);
    create(&sided, true);
    size_t consumed = 0, done = 0, part;
    sn_status status = feed(&whole, &e, 0, e.count, &consumed);
    PROMISE(status == SN_OK ? consumed == e.count : status == SN_BAD_INPUT && consumed < e.count);
    /* What was consumed is fed again in parts; the event that was refused is refused again. */
    for (size_t from = 0; from < consumed; from += done) {
        part = 1 + from % 5 < consumed - from ? 1 + from % 5 : consumed - from;
        PROMISE(feed(&parts, &e, from, part, &done) == SN_OK && done == from + part);
        done = part;
    }
    if (consumed < e.count) PROMISE(feed(&parts, &e, consumed, 1, &done) == SN_BAD_INPUT && done == consumed);
    PROMISE(sn_call_tree_merge(&merged, &whole, map, 1 << 16) == SN_OK);
    PROMISE(feed(&sided, &e, 0, consumed, &done) == SN_OK);
    columns a, b, c, d;
    PROMISE(columns_read(&a, &whole) && columns_read(&b, &parts));
    PROMISE(columns_read(&c, &merged) && columns_read(&d, &sided));
    PROMISE(columns_valid(&a) && columns_equal(&a, &b) && columns_equal(&a, &c));
    PROMISE(columns_valid(&d) && columns_depth_first(&d) && d.rows == a.rows);
    PROMISE(whole.unmatched == parts.unmatched && whole.unmatched == merged.unmatched);
    columns_free(&a);
    columns_free(&b);
    columns_free(&c);
    columns_free(&d);
    sn_call_tree_destroy(&whole);
    sn_call_tree_destroy(&parts);
    sn_call_tree_destroy(&merged);
    sn_call_tree_destroy(&sided);
    return 0;
}

size_t fuzz_example(uint8_t *bytes, size_t room, uint64_t *random) {
    uint64_t now = 0;
    size_t count = *random % 200 < room / EVENT_BYTES ? *random % 200 : room / EVENT_BYTES;
    for (size_t i = 0; i < count; i++) {
        *random ^= *random << 13;
        *random ^= *random >> 7;
        *random ^= *random << 17;
        uint16_t kind = 1 + (*random >> 8) % 3 + ((*random >> 40 & 15) == 0) * 2;
        uint16_t head = (uint16_t)(kind | (*random >> 12 & 3) << 4);
        uint16_t function = *random >> 20 & 31;
        uint32_t line = *random >> 30 & 3;
        now += *random >> 50;
        memcpy(bytes + i * EVENT_BYTES, &head, 2);
        memcpy(bytes + i * EVENT_BYTES + 2, &function, 2);
        memcpy(bytes + i * EVENT_BYTES + 4, &line, 4);
        memcpy(bytes + i * EVENT_BYTES + 8, &now, 8);
    }
    return count * EVENT_BYTES;
}
