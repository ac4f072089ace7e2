#include "tree_edits.h"

#include <stdlib.h>
#include <string.h>

#include "leaf_edits.h"
#include "pair_costs.h"
#include "tree_shape.h"

/* Selkow's table for two nodes has a row for each child of the left one and a column for each of the right one; a
 * cell is the least cost of editing the children up to there into one another. A step down deletes a subtree, one to
 * the right inserts one, a diagonal one matches two, which needs the table of those two first.
 *
 * Most of it is never looked at:
 *
 * - Nodes that are not alike are not matched: SN_NOTHING_ALIKE is more than both sizes together.
 * - Equal subtrees (tree_shape.h) cost 0, unequal ones more. Where two equal ones are matched, so is all in them: in
 *   their tables the diagonal is 0, and a step to insert or delete that ends there would have begun below 0.
 * - No tree is edited into another for less than the difference of their sizes. So a way through cell (i, j) costs no
 *   less than the difference of what is before it, and of what is behind it. With `most` that may be spent, only a
 *   band of cells is left (Ukkonen, Information and Control 64, 1985, with sizes in place of lengths). If the band is
 *   too narrow for any way, it is made twice as wide.
 * - What may be spent on a match is what is left of `most`, and less than what deleting and inserting costs there.
 * - Equal children at the beginning of both lists are matched. Let p be their number. Cell (p, j) with j > p costs
 *   the subtrees between, which is least; there the last of them is inserted, as ties are, until (p, p). Cell (i, p)
 *   costs the subtrees between; to insert there would be dearer, so they are deleted, until (p, p). Any way goes
 *   through one of these cells, and cell (p, p) is 0.
 * - Equal children at the end of both lists cost nothing either, but which of equal ones is matched is settled by
 *   ties: they are left out only where it is the cost alone that is asked for.
 *
 * The band does not change how ties are settled. Each cell on a cheapest way is in it, with all cheapest ways that
 * lead there, and so is right; other cells are right, too high, or missing; and that a step to a right cell is one of
 * the cheapest shows in the cell that it comes from being right. */

/* Not within what may be spent. Any sum of two costs is less than 2^31. */
#define ABOVE ((int32_t)1 << 29)

/* What a step was, in two bits of `table.steps`: ties prefer the first. */
enum { INSERT = 0, DELETE = 1, MATCH = 2 };

/* Costs that were worked out are kept, up to so many, those of the largest subtrees rather than others. A power of 2
 * times WAYS; 16 MiB at most. */
#define MOST_KEPT ((size_t)1 << 20)
#define WAYS 4

/* Tables of leaves alone are filled by the word (leaf_edits.h) when they have so many cells for each node of the trees
 * (there is a list of them to go through), and the band so large a part of the columns. */
#define LEAF_CELLS 4
#define LEAF_BAND 60
#define LEAF_ROWS 64

typedef struct {
    uint32_t a, b; /* classes */
    uint32_t cost; /* or the least that it can be, then with SN_COST_IS_BOUND */
    uint32_t weight;
} kept_cost;

/* A table that is being filled, row by row; only the last row of cells is kept. */
typedef struct {
    uint32_t a, b;           /* the nodes */
    uint32_t skip;           /* equal children at the beginning */
    uint32_t rows, columns;  /* children after those, without equal ones at the end */
    int32_t relabel;         /* what matching the two nodes costs by itself */
    int32_t most;            /* may be spent on their children */
    int32_t surplus;         /* by how much the right children are larger, all together */
    int32_t least, greatest; /* surplus up to a cell of the band */
    uint32_t i, j;           /* the cell that is being filled */
    uint32_t low, high;      /* columns of the band in this row */
    int32_t corner, before;  /* cells (i - 1, j - 1) and (i, j - 1) */
    int32_t cheapest;        /* in this row */
    size_t cells;            /* where its row begins */
} frame;

/* How each cell of a table was reached. */
typedef struct {
    uint8_t *steps;
    size_t used, room; /* bytes */
    size_t *starts;    /* of each row */
    uint32_t *lows;    /* first column of each row */
    sn_leaf_table of_leaves; /* instead, if it has any words */
} step_table;

typedef struct {
    int32_t left, right; /* a node, or -1 */
    int32_t cost;
} edit;

typedef struct {
    sn_shape shapes[2];
    int32_t *cells;
    frame *frames;
    sn_pair_costs pairs; /* of `frames[0]` */
    kept_cost *kept;
    size_t sets; /* of `kept`, less 1 */
    step_table table;
    edit *edits; /* to be listed, the first on top */
    size_t pending;
    bool failed; /* no memory */
} workspace;

static void destroy(workspace *w) {
    sn_shapes_destroy(w->shapes);
    free(w->cells);
    free(w->frames);
    sn_pair_costs_destroy(&w->pairs);
    free(w->kept);
    free(w->table.steps);
    free(w->table.starts);
    free(w->table.lows);
    sn_leaf_table_destroy(&w->table.of_leaves);
    free(w->edits);
}

static sn_status create(workspace *w, const sn_tree *left, const sn_tree *right) {
    memset(w, 0, sizeof *w);
    sn_status status = sn_shapes_create(w->shapes, left, right);
    if (status == SN_OK) status = sn_pair_costs_create(&w->pairs, left->count, right->count);
    if (status != SN_OK) return status;
    size_t nodes = left->count + right->count, least = left->count < right->count ? left->count : right->count;
    size_t kept = WAYS;
    while (kept < 4 * nodes && kept < MOST_KEPT) kept *= 2;
    w->sets = kept / WAYS - 1;
    w->kept = calloc(kept, sizeof *w->kept); /* weight 0: nothing is there */
    /* The nodes of the frames are a path down each tree, and no child is below two of them. */
    w->frames = malloc(least * sizeof *w->frames);
    w->cells = malloc(2 * right->count * sizeof *w->cells);
    w->edits = malloc(nodes * sizeof *w->edits);
    w->table.starts = malloc((left->count + 1) * sizeof *w->table.starts);
    w->table.lows = malloc((left->count + 1) * sizeof *w->table.lows);
    return w->kept && w->frames && w->cells && w->edits && w->table.starts && w->table.lows ? SN_OK : SN_NO_MEMORY;
}

static kept_cost *set_of(const workspace *w, uint32_t a, uint32_t b) {
    uint64_t hash = ((uint64_t)a << 32 | b) * UINT64_C(0x9E3779B97F4A7C15);
    return w->kept + (hash >> 32 & w->sets) * WAYS;
}

static void keep(workspace *w, uint32_t a, uint32_t b, int32_t cost, int32_t most) {
    uint32_t of_a = w->shapes[0].classes[a], of_b = w->shapes[1].classes[b];
    /* At most SN_LARGEST_PRODUCT. */
    uint32_t weight = (uint32_t)w->shapes[0].tree.sizes[a] * (uint32_t)w->shapes[1].tree.sizes[b];
    kept_cost *set = set_of(w, of_a, of_b), *least = set;
    for (int way = 0; way < WAYS; way++) {
        if (set[way].weight && set[way].a == of_a && set[way].b == of_b) {
            least = &set[way];
            break;
        }
        if (set[way].weight < least->weight) least = &set[way];
    }
    if (least->weight > weight) return;
    *least = (kept_cost){of_a, of_b, cost < ABOVE ? (uint32_t)cost : ((uint32_t)most + 1) | SN_COST_IS_BOUND, weight};
}

/* What matching `a` with `b` costs, ABOVE if that is more than `most` (not less than 0); false: needs a table. */
static inline bool is_plain(const workspace *w, uint32_t a, uint32_t b, int32_t most, int32_t *cost) {
    const sn_shape *left = &w->shapes[0], *right = &w->shapes[1];
    if (left->classes[a] == right->classes[b]) {
        *cost = 0;
        return true;
    }
    *cost = ABOVE;
    if (!sn_are_alike(&left->tree, a, &right->tree, b)) return true;
    int32_t of_a = left->tree.sizes[a], of_b = right->tree.sizes[b];
    int32_t relabel = left->tree.labels[a] != right->tree.labels[b];
    int32_t least = relabel + (of_a > of_b ? of_a - of_b : of_b - of_a);
    if ((least ? least : 1) > most) return true;
    if (of_a == 1 || of_b == 1) {
        *cost = least;
        return true;
    }
    const kept_cost *set = set_of(w, left->classes[a], right->classes[b]);
    for (int way = 0; way < WAYS; way++) {
        if (!set[way].weight || set[way].a != left->classes[a] || set[way].b != right->classes[b]) continue;
        uint32_t known = set[way].cost & ~SN_COST_IS_BOUND;
        if (known > (uint32_t)most) return true;
        if (set[way].cost & SN_COST_IS_BOUND) return false;
        *cost = (int32_t)known;
        return true;
    }
    return false;
}

static int32_t distance(int32_t x, int32_t y) { return x > y ? x - y : y - x; }

/* Begin the table of `a` and `b`, of whose children `most` may be spent on, which is no less than the difference of
 * their sizes. */
static void begin(const workspace *w, frame *f, uint32_t a, uint32_t b, int32_t relabel, int32_t most, size_t cells,
                  bool is_listed) {
    const sn_shape *left = &w->shapes[0], *right = &w->shapes[1];
    const uint32_t *of_a = sn_children(left, a), *of_b = sn_children(right, b);
    uint32_t rows = sn_child_count(left, a), columns = sn_child_count(right, b), skip = 0;
    while (skip < rows && skip < columns && left->classes[of_a[skip]] == right->classes[of_b[skip]]) skip++;
    rows -= skip;
    columns -= skip;
    while (!is_listed && rows && columns &&
           left->classes[of_a[skip + rows - 1]] == right->classes[of_b[skip + columns - 1]]) {
        rows--;
        columns--;
    }
    int32_t surplus = right->tree.sizes[b] - left->tree.sizes[a], slack = (most - distance(surplus, 0)) / 2;
    *f = (frame){.a = a, .b = b, .skip = skip, .rows = rows, .columns = columns, .relabel = relabel, .most = most};
    f->surplus = surplus;
    f->least = (surplus < 0 ? surplus : 0) - slack;
    f->greatest = (surplus > 0 ? surplus : 0) + slack;
    f->cells = cells;
}

/* Room for how the cells of a row are reached. */
static bool add_row(step_table *table, uint32_t row, uint32_t low, uint32_t high) {
    size_t bytes = high < low ? 0 : (high - low) / 4 + 1;
    if (table->room - table->used < bytes) {
        size_t room = 2 * (table->used + bytes);
        uint8_t *grown = realloc(table->steps, room);
        if (!grown) return false;
        table->steps = grown;
        table->room = room;
    }
    table->starts[row] = table->used;
    table->lows[row] = low;
    if (bytes) memset(table->steps + table->used, 0, bytes);
    table->used += bytes;
    return true;
}

static int step_at(const step_table *table, uint32_t row, uint32_t column) {
    if (!row) return INSERT;
    if (!column) return DELETE;
    const sn_leaf_table *marks = &table->of_leaves;
    if (marks->words) {
        if (sn_is_marked(marks->insert, marks->words, row, column)) return INSERT;
        return sn_is_marked(marks->remove, marks->words, row, column) ? DELETE : MATCH;
    }
    uint32_t at = column - table->lows[row];
    return table->steps[table->starts[row] + at / 4] >> 2 * (at % 4) & 3;
}

/* Whether the table is of leaves alone, and better filled as one. */
static bool is_for_words(const workspace *w, const frame *f) {
    const uint32_t *of_a = sn_children(&w->shapes[0], f->a) + f->skip;
    const uint32_t *of_b = sn_children(&w->shapes[1], f->b) + f->skip;
    if (f->rows < LEAF_ROWS) return false;
    if (of_a[f->rows] - of_a[0] != f->rows || of_b[f->columns] - of_b[0] != f->columns) return false;
    uint64_t nodes = w->shapes[0].tree.count + w->shapes[1].tree.count, band = (uint64_t)(f->greatest - f->least) + 1;
    return (uint64_t)f->rows * f->columns >= LEAF_CELLS * nodes && band * LEAF_BAND >= f->columns;
}

/* What it costs, `relabel` aside, also if that is more than `most`. */
static int32_t fill_by_words(workspace *w, const frame *f, sn_leaf_table *table) {
    int32_t cost = ABOVE;
    uint32_t a = sn_children(&w->shapes[0], f->a)[f->skip], b = sn_children(&w->shapes[1], f->b)[f->skip];
    if (sn_leaf_edits(&w->shapes[0].tree, a, f->rows, &w->shapes[1].tree, b, f->columns, &cost, table) != SN_OK)
        w->failed = true;
    return cost;
}

/* Fill the table of the nodes of `frames[0]`, and those that it needs. What that costs, `relabel` aside; ABOVE: more
 * than its `most`. `is_listed`: leave the steps in `w->table`. */
static int32_t fill(workspace *w, bool is_listed) {
    const sn_shape *left = &w->shapes[0], *right = &w->shapes[1];
    frame *f = w->frames;
    int32_t found = 0;
    bool is_found = false, is_begun = false; /* the match at this cell; the row that this cell is in */
    f->i = 0;
    sn_pair_costs *pairs = &w->pairs;
    sn_pair_costs_begin(pairs, left, sn_children(left, f->a) + f->skip, f->rows, right,
                        sn_children(right, f->b) + f->skip, f->columns);
    for (;;) {
        const uint32_t *of_a = sn_children(left, f->a) + f->skip, *of_b = sn_children(right, f->b) + f->skip;
        int32_t *cells = w->cells + f->cells;
        bool is_recorded = is_listed && f == w->frames, is_nested = false;
        if (f->i == 0) { /* nothing of the left one: all is inserted */
            f->low = 0;
            for (f->high = 0;; f->high++) {
                int32_t cost = (int32_t)(of_b[f->high] - of_b[0]);
                cells[f->high] = cost + distance(f->surplus, cost) <= f->most ? cost : ABOVE;
                if (f->high == f->columns || (int32_t)(of_b[f->high + 1] - of_b[0]) > f->greatest) break;
            }
            f->i = 1;
        }
        for (; f->i <= f->rows; f->i++) {
            uint32_t a = of_a[f->i - 1];
            int32_t before_a = (int32_t)(of_a[f->i] - of_a[0]), size_a = left->tree.sizes[a];
            if (!is_begun) {
                uint32_t low = f->low;
                while (low <= f->columns && (int32_t)(of_b[low] - of_b[0]) - before_a < f->least) low++;
                while (f->high < f->columns && (int32_t)(of_b[f->high + 1] - of_b[0]) - before_a <= f->greatest)
                    cells[++f->high] = ABOVE;
                f->corner = low > f->low && low <= f->high + 1 ? cells[low - 1] : ABOVE;
                f->low = f->j = low;
                f->before = f->cheapest = ABOVE;
                is_begun = true;
                if (is_recorded && !add_row(&w->table, f->i, low, f->high)) {
                    w->failed = true;
                    return ABOVE;
                }
            }
            uint32_t *row = f == w->frames && pairs->costs ? pairs->costs + pairs->rows[f->i - 1] * pairs->width : NULL;
            /* In variables of their own: for all that the compiler knows, a cell that is written could be one of them. */
            const int32_t *sizes = right->tree.sizes;
            const uint32_t *of_pairs = pairs->columns, begin_b = of_b[0], high = f->high;
            const int32_t all = f->most, surplus = f->surplus + before_a;
            int32_t before = f->before, corner = f->corner, cheapest = f->cheapest;
            for (uint32_t j = f->j; j <= high; j++) {
                int32_t above = cells[j], cost = above + size_a, match = ABOVE;
                int32_t left_over = all - distance(surplus, (int32_t)(of_b[j] - begin_b));
                int step = DELETE;
                if (j) {
                    uint32_t b = of_b[j - 1];
                    int32_t inserted = before + sizes[b];
                    if (inserted <= cost) {
                        cost = inserted;
                        step = INSERT;
                    }
                    int32_t most = (cost <= left_over ? cost - 1 : left_over) - corner;
                    uint32_t *pair = row && most >= 0 ? row + of_pairs[j - 1] : NULL;
                    if (is_found) {
                        match = found;
                        is_found = false;
                    } else if (pair && ((*pair & ~SN_COST_IS_BOUND) > (uint32_t)most || !(*pair & SN_COST_IS_BOUND))) {
                        if (*pair <= (uint32_t)most) match = (int32_t)*pair;
                        pair = NULL;
                    } else if (most >= 0 && !is_plain(w, a, b, most, &match)) {
                        int32_t relabel = left->tree.labels[a] != right->tree.labels[b];
                        f->before = before;
                        f->corner = corner;
                        f->cheapest = cheapest;
                        f->j = j;
                        begin(w, f + 1, a, b, relabel, most - relabel, f->cells + f->columns + 1, false);
                        if (!is_for_words(w, f + 1)) {
                            is_nested = true;
                            break;
                        }
                        match = fill_by_words(w, f + 1, NULL) + relabel;
                        keep(w, a, b, match, most);
                    }
                    if (pair) *pair = match < ABOVE ? (uint32_t)match : ((uint32_t)most + 1) | SN_COST_IS_BOUND;
                    if (match < ABOVE && corner + match < cost) {
                        cost = corner + match;
                        step = MATCH;
                    }
                }
                if (cost > left_over) cost = ABOVE;
                if (is_recorded) {
                    uint32_t at = j - f->low;
                    w->table.steps[w->table.starts[f->i] + at / 4] |= (uint8_t)(step << 2 * (at % 4));
                }
                corner = above;
                before = cells[j] = cost;
                if (cost < cheapest) cheapest = cost;
            }
            if (is_nested) break;
            is_begun = false;
            f->cheapest = cheapest;
            if (cheapest == ABOVE) break;
        }
        if (is_nested) {
            f++;
            is_begun = false;
            f->i = 0;
            continue;
        }
        int32_t cost = ABOVE;
        if (f->i > f->rows && f->high == f->columns) cost = cells[f->columns];
        if (f == w->frames) return cost;
        found = cost < ABOVE ? cost + f->relabel : ABOVE;
        keep(w, f->a, f->b, found, f->most + f->relabel);
        f--;
        is_found = is_begun = true;
    }
}

/* What matching `a` with `b` costs, which is known to be no more than `most`. */
static int32_t measure(workspace *w, uint32_t a, uint32_t b, int32_t most) {
    int32_t cost;
    if (is_plain(w, a, b, most, &cost)) return cost;
    int32_t relabel = w->shapes[0].tree.labels[a] != w->shapes[1].tree.labels[b];
    begin(w, w->frames, a, b, relabel, most - relabel, 0, false);
    cost = is_for_words(w, w->frames) ? fill_by_words(w, w->frames, NULL) : fill(w, false);
    if (cost < ABOVE) cost += relabel;
    keep(w, a, b, cost, most);
    return cost;
}

static void add(workspace *w, int32_t left, int32_t right, int32_t cost) {
    w->edits[w->pending++] = (edit){left, right, cost};
}

/* Put the edits of the children of `a` and `b` on top, the first uppermost. What they cost; ABOVE: more than
 * `most`, or no memory. */
static int32_t add_children(workspace *w, uint32_t a, uint32_t b, int32_t most) {
    begin(w, w->frames, a, b, 0, most, 0, true);
    const frame f = *w->frames; /* which others will use */
    w->table.used = 0;
    sn_leaf_table_destroy(&w->table.of_leaves);
    int32_t cost = is_for_words(w, &f) ? fill_by_words(w, &f, &w->table.of_leaves) : fill(w, true), rest = cost;
    if (cost == ABOVE || w->failed) return ABOVE;
    const uint32_t *of_a = sn_children(&w->shapes[0], a), *of_b = sn_children(&w->shapes[1], b);
    for (uint32_t i = f.rows, j = f.columns; i || j;) {
        int step = step_at(&w->table, i, j);
        int32_t left = -1, right = -1, of_step = 0;
        if (step != INSERT) left = (int32_t)of_a[f.skip + --i];
        if (step != DELETE) right = (int32_t)of_b[f.skip + --j];
        if (step == INSERT) of_step = w->shapes[1].tree.sizes[right];
        else if (step == DELETE) of_step = w->shapes[0].tree.sizes[left];
        else of_step = measure(w, (uint32_t)left, (uint32_t)right, rest);
        if (w->failed) return ABOVE;
        add(w, left, right, of_step);
        rest -= of_step;
    }
    for (uint32_t k = f.skip; k-- > 0;) add(w, (int32_t)of_a[k], (int32_t)of_b[k], 0);
    return cost;
}

/* The least that the children of the roots can cost: any two nodes that are matched are of one group, or else equal. */
static int32_t least_cost(const workspace *w, bool *fits) {
    const sn_tree *left = &w->shapes[0].tree, *right = &w->shapes[1].tree;
    size_t numbers = left->count + right->count, matches = 0;
    int32_t *labels = calloc(3 * numbers, sizeof *labels);
    *fits = labels != NULL;
    if (!labels) return 0;
    int32_t *kinds = labels + numbers;
    for (size_t i = 1; i < left->count; i++) {
        labels[left->labels[i]]++;
        kinds[left->groups[i] < 0 ? left->labels[i] : (int64_t)numbers + left->groups[i]]++;
    }
    for (size_t i = 1; i < right->count; i++) {
        matches += labels[right->labels[i]]-- > 0;
        matches += kinds[right->groups[i] < 0 ? right->labels[i] : (int64_t)numbers + right->groups[i]]-- > 0;
    }
    free(labels);
    return (int32_t)(numbers - 2 - matches);
}

static void list(sn_edits *edits, int32_t left, int32_t right) {
    edits->left[edits->count] = left;
    edits->right[edits->count++] = right;
}

/* The edits that are pending, and what follows from them. */
static void list_all(workspace *w, sn_edits *edits) {
    const sn_shape *left = &w->shapes[0], *right = &w->shapes[1];
    while (w->pending && !w->failed) {
        edit top = w->edits[--w->pending];
        list(edits, top.left, top.right);
        if (top.left < 0 || top.right < 0) continue;
        uint32_t a = (uint32_t)top.left, b = (uint32_t)top.right;
        if (left->classes[a] == right->classes[b]) {
            for (int32_t k = 1; k < left->tree.sizes[a]; k++) list(edits, top.left + k, top.right + k);
        } else {
            add_children(w, a, b, top.cost - (left->tree.labels[a] != right->tree.labels[b]));
        }
    }
}

sn_status sn_tree_edits(const sn_tree *left, const sn_tree *right, sn_edits *edits) {
    workspace w;
    sn_status status = create(&w, left, right);
    if (status == SN_OK) {
        edits->count = 0;
        bool fits;
        int32_t most = least_cost(&w, &fits), cost = ABOVE, all = (int32_t)(left->count + right->count - 2);
        list(edits, 0, 0);
        while (fits && !w.failed && (cost = add_children(&w, 0, 0, most)) == ABOVE)
            most = most < all / 2 ? 2 * most + 1 : all;
        list_all(&w, edits);
        edits->cost = cost;
        if (!sn_are_alike(left, 0, right, 0)) edits->cost += SN_NOTHING_ALIKE;
        else if (left->labels[0] != right->labels[0]) edits->cost++;
        if (!fits || w.failed) status = SN_NO_MEMORY;
    }
    destroy(&w);
    return status;
}
