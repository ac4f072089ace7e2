/* Any bytes as a stream of path ids: fed whole and in parts, in much room and in little, counted again. */
#include "fuzz.h"

#include "../tests/grams_model.h"

#include <string.h>

enum { MOST_ITEMS = 64, MOST_K = 16 };

typedef struct {
    uint64_t ids[MOST_ITEMS], begins[MOST_ITEMS];
    uint32_t routines[MOST_ITEMS];
    grams_item items[MOST_ITEMS];
    size_t count, activations;
} stream;

/* Two bytes an item: whether an activation begins there (3 bits), its routine (2), the id; small ids are many. */
static void read_stream(stream *s, const uint8_t *bytes, size_t size) {
    s->count = size / 2 < MOST_ITEMS ? size / 2 : MOST_ITEMS;
    s->activations = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (!i || (bytes[2 * i] & 7) == 7) {
            s->routines[s->activations] = bytes[2 * i] >> 3 & 3;
            s->begins[s->activations++] = i;
        }
        s->ids[i] = bytes[2 * i] & 128 ? bytes[2 * i + 1] * UINT64_C(0x9E3779B97F4A7C15) : bytes[2 * i + 1] & 3;
        s->items[i] = (grams_item){s->ids[i], (uint32_t)s->activations, s->routines[s->activations - 1]};
    }
}

static void check(const sn_slab_forest *forest, const grams_item *items, size_t count, uint64_t least) {
    uint64_t path[MOST_K];
    sn_path_rows rows;
    PROMISE(sn_path_rows_make(forest, least, 1 << 16, &rows) == SN_OK);
    PROMISE(grams_agree(&rows, items, count, forest->k, least, path));
    sn_path_rows_free(&rows);
}

/* One id after the other, in little room; what was kept is in `kept`. */
static size_t feed_little(sn_slab_forest *forest, const stream *s, grams_item *kept) {
    sn_slab_activation a = {0};
    size_t count = 0, activation = 0;
    uint32_t piece = 0;
    for (size_t i = 0; i < s->count; i++) {
        uint64_t dropped = sn_slab_dropped(forest);
        if (activation < s->activations && s->begins[activation] == i) {
            sn_slab_begin(forest, s->routines[activation++], &a);
            piece++;
        }
        sn_slab_next(forest, &a, s->ids[i]);
        if (sn_slab_dropped(forest) > dropped) piece++;
        else kept[count++] = (grams_item){s->ids[i], piece, s->items[i].routine};
    }
    PROMISE(count + sn_slab_dropped(forest) == s->count);
    return count;
}

/* In little room that is made again and again: no count is too high, and those of single paths are right. */
static void check_pruned(const stream *s, uint32_t k, uint64_t little) {
    sn_slab_forest pruned;
    sn_slab_activation a = {0};
    sn_path_rows rows;
    PROMISE(sn_slab_create(&pruned, -1, k, little) == SN_OK);
    pruned.prunes = true;
    PROMISE(sn_slab_stream(&pruned, &a, &(sn_path_stream){s->ids, s->count, s->begins, s->routines, s->activations}) == SN_OK);
    PROMISE(sn_slab_nodes(&pruned) <= little && sn_slab_cuts(&pruned) == 0);
    PROMISE(sn_path_rows_make(&pruned, 1, 1 << 16, &rows) == SN_OK);
    for (size_t row = 0; row < rows.rows; row++) {
        uint64_t path[MOST_K];
        size_t length = 0, left;
        for (int64_t at = (int64_t)row; rows.parent[at] >= 0; at = rows.parent[at]) length++;
        int64_t top = (int64_t)row;
        for (left = length; rows.parent[top] >= 0; top = rows.parent[top]) path[--left] = rows.id[top];
        if (!length) continue;
        uint64_t taken = grams_count(s->items, s->count, path, length, rows.id[top]);
        PROMISE(rows.count[row] <= taken);
        PROMISE(taken - rows.count[row] <= sn_slab_floor(&pruned) + length * sn_slab_dropped(&pruned));
        PROMISE(length > 1 || sn_slab_dropped(&pruned) || rows.count[row] == taken);
    }
    sn_path_rows_free(&rows);
    sn_slab_destroy(&pruned);
}

/* The first two bytes are k and how much room there is. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static stream s;
    static grams_item kept[MOST_ITEMS];
    if (size < 2) return 0;
    uint32_t k = 1 + bytes[0] % MOST_K;
    uint64_t little = bytes[1];
    read_stream(&s, bytes + 2, size - 2);
    sn_slab_forest whole, parts, full;
    sn_slab_activation a = {0}, b = {0};
    PROMISE(sn_slab_create(&whole, -1, k, 1 << 16) == SN_OK && sn_slab_create(&parts, -1, k, 1 << 16) == SN_OK);
    PROMISE(sn_slab_create(&full, -1, k, little) == SN_OK);
    sn_path_stream all = {s.ids, s.count, s.begins, s.routines, s.activations};
    PROMISE(sn_slab_stream(&whole, &a, &all) == SN_OK);
    size_t half = s.count / 2, marks = 0;
    while (marks < s.activations && s.begins[marks] < half) marks++;
    PROMISE(sn_slab_stream(&parts, &b, &(sn_path_stream){s.ids, half, s.begins, s.routines, marks}) == SN_OK);
    uint64_t behind[MOST_ITEMS];
    for (size_t i = marks; i < s.activations; i++) behind[i - marks] = s.begins[i] - half;
    sn_path_stream rest = {s.ids + half, s.count - half, behind, s.routines + marks, s.activations - marks};
    PROMISE(sn_slab_stream(&parts, &b, &rest) == SN_OK);
    check(&whole, s.items, s.count, 1);
    check(&whole, s.items, s.count, 3);
    PROMISE(sn_slab_nodes(&whole) == sn_slab_nodes(&parts));
    check(&parts, s.items, s.count, 1);
    check(&full, kept, feed_little(&full, &s, kept), 1);
    PROMISE(sn_slab_nodes(&full) <= little);
    check_pruned(&s, k, little);
    sn_slab_destroy(&whole);
    sn_slab_destroy(&parts);
    sn_slab_destroy(&full);
    return 0;
}

size_t fuzz_example(uint8_t *bytes, size_t room, uint64_t *random) {
    size_t count = 2 + *random % (2 * MOST_ITEMS);
    if (count > room) count = room;
    for (size_t i = 0; i < count; i++) {
        *random ^= *random << 13;
        *random ^= *random >> 7;
        *random ^= *random << 17;
        bytes[i] = (uint8_t)(*random >> 20);
    }
    return count;
}
