#include "leaf_edits.h"

#include <stdlib.h>
#include <string.h>

/* Sets of rows by label or group: those of the leaves that have it, as bits. Memory for what occurs on both sides. */
typedef struct {
    uint64_t *bits;  /* the empty set, then one for each number that occurs */
    uint32_t *which; /* number -> set; 0: the empty one */
    size_t words;
} row_sets;

static bool sets_create(row_sets *sets, const int32_t *of_rows, uint32_t rows, const int32_t *of_columns,
                        uint32_t columns, size_t numbers) {
    sets->words = (rows + 63) / 64;
    sets->bits = NULL;
    sets->which = calloc(numbers, sizeof *sets->which);
    if (!sets->which) return false;
    for (uint32_t j = 0; j < columns; j++)
        if (of_columns[j] >= 0) sets->which[of_columns[j]] = UINT32_MAX; /* wanted */
    uint32_t count = 0;
    for (uint32_t i = 0; i < rows; i++)
        if (of_rows[i] >= 0 && sets->which[of_rows[i]] == UINT32_MAX) sets->which[of_rows[i]] = ++count;
    for (uint32_t j = 0; j < columns; j++)
        if (of_columns[j] >= 0 && sets->which[of_columns[j]] == UINT32_MAX) sets->which[of_columns[j]] = 0;
    sets->bits = calloc((count + 1) * sets->words, sizeof *sets->bits);
    if (!sets->bits) return false;
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t set = of_rows[i] >= 0 ? sets->which[of_rows[i]] : 0;
        if (set) sets->bits[set * sets->words + i / 64] |= UINT64_C(1) << i % 64;
    }
    return true;
}

static const uint64_t *set_of(const row_sets *sets, int32_t number) {
    return sets->bits + (number >= 0 ? sets->which[number] * sets->words : 0);
}

static void sets_destroy(row_sets *sets) {
    free(sets->bits);
    free(sets->which);
}

/* x + y + carry; the carry that comes out of it is left in `carry`. */
static inline uint64_t add(uint64_t x, uint64_t y, uint64_t *carry) {
    uint64_t sum, whole;
    bool first = __builtin_add_overflow(x, y, &sum), second = __builtin_add_overflow(sum, *carry, &whole);
    *carry = first | second;
    return whole;
}

/* Differences of neighbouring cells are -1, 0 or 1: adding a leaf to either list costs or saves at most 1. They are
 * kept, not the cells. After Myers, JACM 46(3), 1999, whose matches cost 0 or 1; here they cost 0 (`equal`),
 * 1 (`alike`) or 2, which is to delete and to insert.
 *
 * Of a cell let `down` be the step to it from the cell above it, `across` the step from the cell to its left; `side`
 * and `above` the same of the neighbours: the step down on its left, and the step across that was made above it.
 * From the corner that they share the cell is up by d = min(match, 1 + min(side, above)), so that
 *     across = d - side, down = d - above.
 * Case by case: across is -1 if side = 1 and (equal or above = -1); it is 1 if side = -1, or side = 0 and not equal
 * and above is not -1, or side = 1 and not alike and above = 1. `above` of a cell is `across` of the one before it in
 * its column: that is how carries go through an addition, from where one is made (both summands 1) on through where
 * it is handed on (one is). Down is the same with side and above exchanged. */
static inline void step(uint64_t equal, uint64_t alike, uint64_t *up, uint64_t *down, uint64_t *fall, uint64_t *rise,
                        uint64_t *across_up, uint64_t *across_down) {
    uint64_t side_up = *up, side_down = *down;
    uint64_t makes = side_up & equal;
    uint64_t above_down = add(side_up, makes, fall) ^ side_up ^ makes;
    uint64_t flat = ~(side_up | side_down);
    makes = side_down | (flat & ~equal & ~above_down);
    uint64_t hands_on = side_up & ~alike;
    uint64_t above_up = add(makes | hands_on, makes, rise) ^ hands_on; /* (makes | hands_on) ^ makes is hands_on */
    *across_down = side_up & (equal | above_down);
    *across_up = makes | (hands_on & above_up);
    *up = above_down | (~above_up & ~equal & ~side_down) | (above_up & ~alike & side_up);
    *down = above_up & (equal | side_down);
}

sn_status sn_leaf_edits(const sn_tree *left, uint32_t a, uint32_t rows, const sn_tree *right, uint32_t b,
                        uint32_t columns, int32_t *cost, sn_leaf_table *table) {
    size_t words = (rows + 63) / 64, numbers = left->count + right->count;
    row_sets labels = {0}, groups = {0};
    uint64_t *ups = malloc(words * sizeof *ups), *downs = calloc(words, sizeof *downs);
    bool fits = ups && downs && sets_create(&labels, left->labels + a, rows, right->labels + b, columns, numbers) &&
                sets_create(&groups, left->groups + a, rows, right->groups + b, columns, numbers);
    if (table) {
        *table = (sn_leaf_table){malloc(columns * words * sizeof(uint64_t)), malloc(columns * words * sizeof(uint64_t)),
                                 words};
        fits = fits && table->insert && table->remove;
    }
    if (fits) {
        memset(ups, 0xff, words * sizeof *ups); /* the first column: each row is one leaf more to delete */
        int64_t corner = rows;
        unsigned last = (rows - 1) % 64;
        for (uint32_t j = 0; j < columns; j++) {
            const uint64_t *equal = set_of(&labels, right->labels[b + j]);
            const uint64_t *grouped = set_of(&groups, right->groups[b + j]);
            uint64_t fall = 0, rise = 1, across_up = 0, across_down = 0; /* the first row: one more to insert */
            for (size_t w = 0; w < words; w++) {
                step(equal[w], equal[w] | grouped[w], &ups[w], &downs[w], &fall, &rise, &across_up, &across_down);
                if (table) {
                    table->insert[j * words + w] = across_up;
                    table->remove[j * words + w] = ups[w];
                }
            }
            corner += (int64_t)(across_up >> last & 1) - (int64_t)(across_down >> last & 1);
        }
        *cost = (int32_t)corner;
    }
    sets_destroy(&labels);
    sets_destroy(&groups);
    free(ups);
    free(downs);
    return fits ? SN_OK : SN_NO_MEMORY;
}

void sn_leaf_table_destroy(sn_leaf_table *table) {
    free(table->insert);
    free(table->remove);
    *table = (sn_leaf_table){0};
}
