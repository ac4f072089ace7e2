/* Sequences of path ids counted by looking everywhere: what the forests are held against. */
#ifndef SONDE_GRAMS_MODEL_H
#define SONDE_GRAMS_MODEL_H

#include "../core/paths/path_forest.h"

typedef struct {
    uint64_t id;
    uint32_t piece; /* sequences lie within one piece: ids of one activation without a gap */
    uint32_t routine;
} grams_item;

/* How often `length` ids were taken one after the other by a routine. */
static inline uint64_t grams_count(const grams_item *items, size_t count, const uint64_t *ids, size_t length,
                                   uint64_t routine) {
    uint64_t found = 0;
    for (size_t from = 0; from + length <= count; from++) {
        size_t same = 0;
        while (same < length && items[from + same].id == ids[same] && items[from + same].piece == items[from].piece)
            same++;
        found += same == length && items[from].routine == routine;
    }
    return found;
}

/* How many different sequences of up to k ids there are; those that begin at one place are compared with those before. */
static inline uint64_t grams_distinct(const grams_item *items, size_t count, uint32_t k) {
    uint64_t distinct = 0;
    for (size_t from = 0; from < count; from++) {
        size_t known = 0; /* the longest that begins here and also before */
        for (size_t other = 0; other < from; other++) {
            if (items[other].routine != items[from].routine) continue;
            size_t same = 0;
            while (same < k && from + same < count && items[other + same].id == items[from + same].id &&
                   items[other + same].piece == items[other].piece && items[from + same].piece == items[from].piece)
                same++;
            if (same > known) known = same;
        }
        size_t longest = 0;
        while (longest < k && from + longest < count && items[from + longest].piece == items[from].piece) longest++;
        distinct += longest - known;
    }
    return distinct;
}

/* Whether rows are just the sequences of the items taken `least` times, in order; `path` has room for k ids. */
static inline bool grams_agree(const sn_path_rows *rows, const grams_item *items, size_t count, uint32_t k,
                               uint64_t least, uint64_t *path) {
    uint64_t sequences = 0, routine = 0;
    for (size_t row = 0; row < rows->rows; row++) {
        if (rows->parent[row] < 0) {
            if (row && rows->id[row] <= routine) return false;
            routine = rows->id[row];
            continue;
        }
        size_t length = 0;
        for (int64_t at = (int64_t)row; rows->parent[at] >= 0; at = rows->parent[at]) {
            if (rows->parent[at] >= at || length == k) return false;
            length++;
        }
        size_t left = length;
        for (int64_t at = (int64_t)row; rows->parent[at] >= 0; at = rows->parent[at]) path[--left] = rows->id[at];
        if (rows->count[row] < least) return false;
        if (grams_count(items, count, path, length, routine) != rows->count[row]) return false;
        if (row && rows->parent[row - 1] == rows->parent[row] && rows->id[row - 1] >= rows->id[row]) return false;
        sequences++;
    }
    return least > 1 || sequences == grams_distinct(items, count, k);
}

#endif
