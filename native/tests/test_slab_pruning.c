/* A slab forest that is full and removes what counted little: counts stay within their bounds, whoever is under way. */
#define _GNU_SOURCE
#include "check.h"
#include "grams_model.h"

#include "../core/paths/slab_file.h"
#include "../core/paths/slab_pruning.h"

enum { IDS = 400, MOST_K = 8, UNDER_WAY = 4, ROWS = 1 << 12 };

/* Ids of activations, side by side; some are under way at the same time. */
typedef struct {
    grams_item items[IDS];
    size_t count;
    uint64_t begun[2]; /* activations of each routine */
} history;

/* How often rows have a sequence of a routine; 0 where it is not among them. */
static uint64_t counted(const sn_path_rows *rows, const grams_item *items, size_t length) {
    int64_t at = -1;
    for (size_t row = 0; row < rows->rows; row++)
        if (rows->parent[row] < 0 && rows->id[row] == items->routine) at = (int64_t)row;
    for (size_t i = 0; at >= 0 && i < length; i++) {
        int64_t found = -1;
        for (size_t row = (size_t)at; row < rows->rows; row++)
            if (rows->parent[row] == at && rows->id[row] == items[i].id) found = (int64_t)row;
        at = found;
    }
    return at < 0 ? 0 : rows->count[at];
}

static void is_within_bounds(const sn_slab_forest *forest, const history *h) {
    sn_path_rows rows;
    CHECK_EQUAL(sn_path_rows_make(forest, 1, ROWS, &rows), SN_OK);
    for (size_t from = 0; from < h->count; from++)
        for (size_t n = 1; n <= forest->k && from + n <= h->count; n++) {
            if (h->items[from + n - 1].piece != h->items[from].piece) break;
            uint64_t ids[MOST_K];
            for (size_t i = 0; i < n; i++) ids[i] = h->items[from + i].id;
            uint64_t true_count = grams_count(h->items, h->count, ids, n, h->items[from].routine);
            uint64_t found = counted(&rows, &h->items[from], n);
            uint64_t bound = sn_slab_floor(forest) + n * sn_slab_dropped(forest) + (n - 1) * sn_slab_cuts(forest);
            CHECK(found <= true_count);
            CHECK(true_count - found <= bound);
            if (n == 1 && !sn_slab_dropped(forest)) CHECK_EQUAL(found, true_count);
        }
    for (size_t row = 0; row < rows.rows; row++)
        if (rows.parent[row] < 0 && !sn_slab_dropped(forest)) CHECK_EQUAL(rows.count[row], h->begun[rows.id[row]]);
    sn_path_rows_free(&rows);
}

/* Each list item is one node; what is in no tree is in the list of free numbers. */
static void is_sound(const sn_slab_forest *forest) {
    const sn_header *header = sn_slab_header(forest);
    sn_slab_forest over;
    CHECK_EQUAL(sn_slab_over(&over, header, header->used * SN_CELL_BYTES, forest->k), SN_OK);
    CHECK_EQUAL(sn_slab_floor(&over), sn_slab_floor(forest));
    uint64_t free_numbers = 0;
    for (uint32_t node = forest->free; node; node = forest->nodes[node].next) {
        CHECK(node > SN_SLAB_TOP && node < forest->used && free_numbers++ <= forest->unused);
    }
    CHECK_EQUAL(free_numbers, forest->unused);
}

/* Activations of which up to `UNDER_WAY` go on in turns. */
static void live(sn_slab_forest *forest, history *h, uint64_t *random, uint32_t at_once) {
    sn_slab_activation a[UNDER_WAY];
    uint32_t piece[UNDER_WAY], routine[UNDER_WAY], pieces = 0;
    uint64_t different = 1 + check_random(random) % 9, often = 2 + check_random(random) % 60;
    bool begun[UNDER_WAY] = {0};
    *h = (history){0};
    grams_item items[IDS];
    for (size_t i = 0; i < IDS; i++) {
        uint32_t which = (uint32_t)(check_random(random) % at_once);
        if (!begun[which] || check_random(random) % often == 0) {
            routine[which] = check_random(random) & 1;
            piece[which] = pieces++;
            sn_slab_begin(forest, routine[which], &a[which]);
            h->begun[routine[which]]++;
            begun[which] = true;
        }
        uint64_t id = check_random(random) % different;
        if (check_random(random) % 5) id = i % 3;
        sn_slab_next(forest, &a[which], id);
        items[i] = (grams_item){id, piece[which], routine[which]};
    }
    for (uint32_t each = 0; each < pieces; each++)
        for (size_t i = 0; i < IDS; i++)
            if (items[i].piece == each) h->items[h->count++] = items[i];
}

static void counts_are_within_their_bounds(void) {
    static history h;
    uint64_t random = 2463534242, pruned = 0, cut = 0, kept_up = 0;
    for (uint32_t round = 0; round < 60; round++) {
        sn_slab_forest forest;
        uint64_t most = 8 + check_random(&random) % 120;
        CHECK_EQUAL(sn_slab_create(&forest, -1, 1 + round % MOST_K, most), SN_OK);
        forest.prunes = true;
        live(&forest, &h, &random, 1 + round % UNDER_WAY);
        CHECK(sn_slab_nodes(&forest) <= most);
        is_within_bounds(&forest, &h);
        is_sound(&forest);
        pruned += forest.epoch > 0;
        cut += sn_slab_cuts(&forest) > 0;
        kept_up += forest.epoch > 1 && !sn_slab_dropped(&forest);
        if (round % UNDER_WAY == 0) CHECK_EQUAL(sn_slab_cuts(&forest), 0); /* that which is being counted is kept */
        sn_slab_destroy(&forest);
    }
    CHECK(pruned > 20 && cut > 10 && kept_up > 10);
}

static void wide_parents_lose_children(void) {
    sn_slab_forest forest;
    sn_slab_activation a;
    CHECK_EQUAL(sn_slab_create(&forest, -1, 2, 600), SN_OK);
    forest.prunes = true;
    sn_slab_begin(&forest, 0, &a);
    for (uint64_t i = 0; i < 100; i++) { /* pairs (0, id), of which a few are taken again and again */
        for (uint64_t id = 1; id < 40; id++) {
            sn_slab_next(&forest, &a, 0);
            sn_slab_next(&forest, &a, id < 4 ? id : 4 + (40 * i + id) % 250);
        }
    }
    CHECK(forest.epoch > 0 && !sn_slab_dropped(&forest));
    uint32_t zero = sn_slab_find(&forest, a.routine, 0);
    CHECK(zero && forest.nodes[zero].next & SN_SLAB_WIDE);
    for (uint64_t id = 1; id < 4; id++) {
        uint32_t pair = sn_slab_find(&forest, zero, id);
        CHECK(pair && forest.nodes[pair].count == 100);
    }
    uint32_t first = forest.nodes[zero].child, child = first;
    do { /* the ring and the hash table have the same */
        CHECK_EQUAL(sn_slab_find(&forest, zero, forest.nodes[child].id), child);
        child = sn_slab_sibling(&forest, child);
    } while (child != first);
    is_sound(&forest);
    sn_slab_destroy(&forest);
}

static void what_cannot_be_pruned_is_not_tried_again(void) {
    sn_slab_forest forest;
    sn_slab_activation a;
    CHECK_EQUAL(sn_slab_create(&forest, -1, 4, 20), SN_OK);
    forest.prunes = true;
    for (uint32_t routine = 0; routine < 40; routine++) sn_slab_begin(&forest, routine, &a);
    CHECK(!forest.prunes && !forest.epoch);
    CHECK_EQUAL(sn_slab_nodes(&forest), 20);
    sn_slab_next(&forest, &a, 1);
    CHECK_EQUAL(sn_slab_dropped(&forest), 1);
    sn_slab_destroy(&forest);
}

CHECK_MAIN(TEST(counts_are_within_their_bounds), TEST(wide_parents_lose_children),
           TEST(what_cannot_be_pruned_is_not_tried_again))
