#include "call_tree.h"

#include "outer_record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CELL_LIMIT (UINT64_C(1) << 30)

/* Function numbers as keys: clear of the tags and never odd. */
static uint64_t key_of(uint32_t function) { return ((uint64_t)function + SN_TAG_LAST + 1) << 1; }

sn_status sn_call_tree_create(sn_call_tree *tree, const sn_hot_plan *plan, bool sided) {
    memset(tree, 0, sizeof *tree);
    sn_status status = sn_cells_create(&tree->cells, -1, CELL_LIMIT);
    if (status != SN_OK) return status;
    status = sn_hot_create(&tree->hot, &tree->cells, plan, sided);
    if (status != SN_OK) sn_call_tree_destroy(tree);
    return status;
}

void sn_call_tree_destroy(sn_call_tree *tree) {
    free(tree->cursors);
    sn_hot_free(&tree->hot);
    sn_cells_destroy(&tree->cells);
    memset(tree, 0, sizeof *tree);
}

static sn_cursor *cursor_of(sn_call_tree *tree, uint32_t thread, uint64_t now) {
    if (thread >= tree->cursor_count) {
        uint32_t count = tree->cursor_count ? tree->cursor_count : 1;
        while (count <= thread) count *= 2;
        sn_cursor **grown = realloc(tree->cursors, (size_t)count * sizeof(sn_cursor *));
        if (!grown) return NULL;
        memset(grown + tree->cursor_count, 0, (size_t)(count - tree->cursor_count) * sizeof(sn_cursor *));
        tree->cursors = grown;
        tree->cursor_count = count;
    }
    if (!tree->cursors[thread]) {
        tree->cursors[thread] = sn_hot_cursor(&tree->hot, 0);
        if (tree->cursors[thread]) tree->cursors[thread]->now = now;
    }
    return tree->cursors[thread];
}

/* The context of an activation that begins or was found; NULL when there is no room. */
static inline sn_context *context_below(sn_call_tree *tree, sn_context *at, uint32_t function, uint32_t line,
                                        bool called) {
    uint64_t key = key_of(function);
    sn_context *child = sn_tree_front(at, key, line);
    if (__builtin_expect(child != NULL, 1)) return child;
    child = sn_tree_find(&tree->hot.tree, at, key, line);
    if (!child) return sn_hot_add(&tree->hot, at, key, line, function, called);
    if (called && child->call_line & SN_COLD) sn_hot_call_cold(&tree->hot, child);
    return child;
}

static void credit(sn_call_tree *tree, sn_cursor *cursor, uint64_t time) {
    uint64_t now = time > cursor->now ? time : cursor->now;
    if (__builtin_expect(cursor->skipped != 0, 0)) {
        sn_side_of(cursor->current)->pruned_ticks += now - cursor->now;
        tree->dropped_ns += now - cursor->now;
        cursor->now = now;
    } else {
        sn_hot_credit(cursor, now);
    }
}

static sn_status descend(sn_call_tree *tree, sn_cursor *cursor, uint32_t function, uint32_t line, bool called) {
    if (__builtin_expect(cursor->skipped != 0, 0)) {
        cursor->skipped++;
        tree->dropped += called;
        return SN_OK;
    }
    sn_context *child = context_below(tree, cursor->current, function, line & SN_LINE_MASK, called);
    if (__builtin_expect(!child, 0)) {
        if (tree->hot.metric == SN_METRIC_NONE) return SN_NO_MEMORY;
        cursor->skipped = 1;
        tree->dropped += called;
        return SN_OK;
    }
    child->calls += called;
    cursor->current = child;
    return SN_OK;
}

static void ascend(sn_call_tree *tree, sn_cursor *cursor) {
    if (__builtin_expect(cursor->skipped != 0, 0))
        cursor->skipped--;
    else if (__builtin_expect(cursor->current == tree->hot.root, 0))
        tree->unmatched++;
    else
        sn_hot_leave(&tree->hot, cursor);
}

static inline __attribute__((always_inline)) sn_status feed_one(sn_call_tree *tree, sn_cursor *cursor, uint32_t kind,
                                                              uint32_t function, uint32_t line, uint64_t time) {
    credit(tree, cursor, time);
    switch (kind) {
    case SN_EVENT_ENTER:
        return descend(tree, cursor, function, line, true);
    case SN_EVENT_FOUND:
        return descend(tree, cursor, function, line, false);
    case SN_EVENT_LOST:
        sn_hot_lose(&tree->hot, cursor);
        return SN_OK;
    default:
        ascend(tree, cursor);
        return SN_OK;
    }
}

static bool is_possible(uint32_t kind, uint32_t thread, uint64_t time) {
    return kind >= SN_EVENT_ENTER && kind <= SN_EVENT_LOST && thread < SN_THREAD_LIMIT && time <= INT64_MAX;
}

sn_status sn_call_tree_event(sn_call_tree *tree, const sn_event *event) {
    if (!is_possible(event->kind, event->thread, event->time)) return SN_BAD_INPUT;
    sn_cursor *cursor = cursor_of(tree, event->thread, event->time);
    return cursor ? feed_one(tree, cursor, event->kind, event->function, event->line, event->time) : SN_NO_MEMORY;
}

sn_status sn_call_tree_feed(sn_call_tree *tree, const sn_events *events, size_t from, size_t to, size_t *consumed) {
    sn_cursor *cursor = NULL;
    uint32_t of = 0; /* the thread whose cursor it is */
    for (size_t i = from; i < to; i++) {
        *consumed = i;
        uint32_t thread = events->thread[i];
        uint64_t time = events->time[i];
        if (!is_possible(events->kind[i], thread, time)) return SN_BAD_INPUT;
        if (!cursor || thread != of) {
            cursor = cursor_of(tree, thread, time);
            if (!cursor) return SN_NO_MEMORY;
            of = thread;
        }
        sn_status status = feed_one(tree, cursor, events->kind[i], events->function[i], events->line[i], time);
        if (status != SN_OK) return status;
    }
    *consumed = to;
    return SN_OK;
}

static uint64_t sum_at_most_max(uint64_t a, uint64_t b) {
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* A number of nanoseconds that is whole; more than any run takes when the rate or the ticks are damaged. */
static uint64_t whole(double ns) {
    if (!(ns > 0)) return 0; /* NaN too */
    return ns < (double)INT64_MAX ? (uint64_t)ns : UINT64_MAX;
}

/* Ticks as nanoseconds, rounded to the nearest: rounded down, a million contexts would lack half a millisecond, which
 * is not lacking where many were pruned and rounded as one. */
static uint64_t nanoseconds(uint64_t ticks, double ns_per_tick) {
    if (ns_per_tick == 1.0) return ticks; /* exactly */
    return whole(nearbyint((double)ticks * ns_per_tick));
}

/* The same, rounded up. A bound: for a value v that may be e too low, round(v + e) <= round(v) + ceil(e). */
static uint64_t nanoseconds_at_most(uint64_t ticks, double ns_per_tick) {
    if (ns_per_tick == 1.0) return ticks;
    return whole(ceil((double)ticks * ns_per_tick));
}

/* Add to a sum that must stay within an int64, or say that it does not. */
static bool add_within(uint64_t *sum, uint64_t value) {
    if (value > (uint64_t)INT64_MAX - *sum) return false;
    *sum += value;
    return true;
}

static uint64_t cell_of(const sn_call_tree *tree, const sn_context *context) {
    return (uint64_t)((const uint8_t *)context - tree->cells.base) / SN_CELL_BYTES;
}

static sn_context *exact_child(sn_call_tree *tree, sn_context *parent, uint32_t function, uint32_t line) {
    sn_context *child = sn_tree_find(&tree->hot.tree, parent, key_of(function), line);
    return child ? child : sn_tree_add(&tree->hot.tree, parent, key_of(function), line, function);
}

/* Contexts of a spool that has been added, by the numbers that inner spools know them by. */
typedef struct {
    sn_context *const *here; /* by cell */
    uint64_t cells;
    uint64_t *words;    /* by number, see outer_record.h */
    uint64_t count;
    uint64_t floor;     /* of the spool, in the tree's unit */
    bool *met;          /* by cell of the tree: an inner spool has brought it already */
    uint64_t met_cells;
} outer_numbers;

#define WAS_MOVED UINT32_MAX

typedef struct {
    sn_call_tree *tree;
    const sn_spool_file *spool;
    const uint32_t *function_map;
    uint32_t functions;
    double ns_per_tick;
    uint64_t floor;     /* of the spool, in the tree's unit */
    sn_context **here;  /* by cell of the spool: the context in the tree */
    uint8_t *state;     /* by cell: what is known of it */
    uint64_t tree_cells; /* of the tree, at most, when the spool is added */
    bool *is_context;   /* by cell of the spool */
    bool *met;          /* by cell of the tree: this pass has brought it already */
    uint64_t *path;     /* room for the cells between a context and its nearest placed caller */
    bool *lost;         /* by cell of the spool: it is an orphan */
    bool apart;         /* threads are kept apart, in one pass; else each pass brings what is below one base */
    uint64_t base;      /* cell of that; 0 in the first pass: what is below none */
    const outer_numbers *outer; /* its contexts were called from those of another spool; or NULL */
    uint32_t *line;     /* with that: by cell of this one, the line in a context of that, or WAS_MOVED */
    uint64_t *ticks;    /* likewise: time of the function that is called there */
} spool_adding;

/* Functions of an inner spool that are none: SN_PROBES_OUTER and SN_PROBES_OUTER_LINE. */
enum { INNER_CONTEXT = 0, INNER_LINE = 1 };

/* OMITTED: it belongs to another pass. */
enum { NO_CONTEXT, UNSEEN, ON_PATH, PLACED, ORPHANED, OMITTED };

/* A bound of the spool's, in the tree's unit. */
static uint64_t in_unit(const spool_adding *add, uint64_t value) {
    return add->spool->header.metric == SN_METRIC_TIME ? nanoseconds_at_most(value, add->ns_per_tick) : value;
}

/* Add a context's error, less the floor that everything has got. Two functions of the spool may be one
 * here: such a context has no more than both had. Unsigned: below zero wraps around, and back. */
static bool add_error(const spool_adding *add, const sn_spool_context *c, sn_context *context) {
    bool *met = &add->met[cell_of(add->tree, context)];
    uint64_t error = in_unit(add, c->error);
    if (error > add->floor) error = add->floor;
    if (*met && !add_within(&add->tree->errors, error)) return false;
    context->error += (*met ? 0 : add->floor) - error;
    *met = true;
    return true;
}

/* A sum of squares stays a finite number. */
static void add_squares(double *sum, double squares) {
    if (isfinite(*sum + squares)) *sum += squares;
}

/* Add what a cell has counted to its context. False when the values cannot be. */
static bool add_values(const spool_adding *add, const sn_spool_context *c, sn_context *context) {
    sn_call_tree *tree = add->tree;
    uint64_t ns = nanoseconds(c->ticks, add->ns_per_tick), pruned_ns = nanoseconds(c->pruned_ticks, add->ns_per_tick);
    uint64_t calls = sum_at_most_max(c->calls, c->pruned_calls), all_ns = sum_at_most_max(ns, pruned_ns);
    if ((calls || all_ns) && context == tree->hot.root && !tree->hot.tree.sided) return false;
    if (all_ns > (uint64_t)INT64_MAX - tree->ns || calls > (uint64_t)INT64_MAX - tree->calls) return false;
    if (context != tree->hot.root && !add_error(add, c, context)) return false;
    tree->calls += calls;
    tree->ns += all_ns;
    context->calls += c->calls;
    context->ticks += ns;
    if (tree->hot.tree.sided) {
        sn_side_of(context)->pruned_calls += c->pruned_calls;
        sn_side_of(context)->pruned_ticks += pruned_ns;
        add_squares(&sn_side_of(context)->calls_squares, c->calls_squares);
        add_squares(&sn_side_of(context)->ticks_squares, c->ticks_squares * add->ns_per_tick * add->ns_per_tick);
    }
    return true;
}

/* Whether another pass brings the context, or, if threads are kept apart, none, as no thread ran it. The root is there
 * in every pass, and adds its values in the first. */
static bool is_omitted(const spool_adding *add, uint64_t cell, const sn_spool_context *c) {
    if (c->root) return false;
    if (c->base) return !add->apart && cell != add->base;
    bool is_at_top = add->here[c->parent] == add->tree->hot.root && c->parent != add->base;
    return add->state[c->parent] == OMITTED || (is_at_top && (add->apart || add->base));
}

#define MOST_MOVES 100000u /* from one number to another that means the same: in damaged files they go round */

/* The context that a number means, or the nearest caller that is left; the root if there is none. */
static sn_context *context_of_number(const outer_numbers *outer, sn_context *root, uint64_t number, bool *was_moved) {
    for (uint32_t i = 0; i < MOST_MOVES && number < outer->count; i++) {
        uint64_t word = outer->words[number], rest = (uint32_t)word;
        *was_moved |= (word & SN_OUTER_MOVED) != 0;
        if (!(word & SN_OUTER_IS_NUMBER)) return rest && rest < outer->cells && outer->here[rest] ? outer->here[rest] : root;
        number = rest;
    }
    return root;
}

/* Place a cell that stands for a context of the outer spool, or for a line of it. False: it does neither. */
static bool place_outer(const spool_adding *add, uint64_t cell, const sn_spool_context *c) {
    if (!add->outer || c->root || c->function > INNER_LINE) return false;
    bool was_moved = false;
    if (c->function == INNER_LINE) {
        add->line[cell] = add->line[c->parent] == WAS_MOVED ? 0 : c->call_line;
        add->ticks[cell] = c->ticks;
        add->here[cell] = add->here[c->parent];
    } else {
        add->here[cell] = context_of_number(add->outer, add->tree->hot.root, c->call_line, &was_moved);
        add->line[cell] = was_moved ? WAS_MOVED : 0;
    }
    add->state[cell] = add->here[cell] ? PLACED : ORPHANED;
    return true;
}

/* Place one cell whose parent is placed already. */
static sn_status place(const spool_adding *add, uint64_t cell, sn_spool_context *c) {
    if (is_omitted(add, cell, c)) {
        add->state[cell] = OMITTED;
        return SN_OK;
    }
    if (place_outer(add, cell, c)) return SN_OK;
    bool is_top = c->root || (c->base && !add->apart);
    if (!is_top && add->outer) {
        if (add->line[c->parent] && add->line[c->parent] != WAS_MOVED) c->call_line = add->line[c->parent];
        c->ticks = sum_at_most_max(c->ticks, add->ticks[c->parent]);
        add->ticks[c->parent] = 0;
    }
    sn_context *parent = is_top ? NULL : c->base ? add->tree->hot.root : add->here[c->parent];
    add->state[cell] = ORPHANED;
    if (!is_top && (!parent || c->function >= add->functions)) return SN_OK;
    sn_context *context = is_top ? add->tree->hot.root
                                 : exact_child(add->tree, parent, add->function_map[c->function], c->call_line);
    if (!context) return SN_NO_MEMORY;
    bool is_counted = c->root && add->base;
    if (!is_counted && !add_values(add, c, context)) return SN_OK;
    add->here[cell] = context;
    add->state[cell] = PLACED;
    return SN_OK;
}

static bool decode(const spool_adding *add, uint64_t cell, sn_spool_context *c) {
    sn_spool_record record;
    return sn_spool_file_next(add->spool, &cell, c, &record) == SN_CELL_CONTEXT;
}

/* Place a context and before it, outermost first, its callers that are not placed yet: in a tree
 * whose cells are used again they may come later in the file. A circle is nobody's callers. */
static sn_status place_with_callers(spool_adding *add, uint64_t cell) {
    sn_spool_context c;
    uint64_t depth = 0;
    while (add->state[cell] == UNSEEN) {
        add->state[cell] = ON_PATH;
        add->path[depth++] = cell;
        if (!decode(add, cell, &c) || c.root) break;
        cell = c.parent;
    }
    while (depth > 0) {
        cell = add->path[--depth];
        sn_status status = decode(add, cell, &c) ? place(add, cell, &c) : SN_OK;
        if (status != SN_OK) return status;
        bool is_lost = add->state[cell] == ORPHANED && !add->lost[cell];
        add->lost[cell] |= is_lost;
        add->tree->orphans += is_lost;
    }
    return SN_OK;
}

/* What ran when the spool ended ran up to then; by a clock of the processor, nobody knows whether it did. */
static void add_running_time(const spool_adding *add, uint64_t end_ticks) {
    sn_spool_cursor cursor;
    if (add->spool->header.unseen_ticks) return;
    for (uint64_t cell = SN_HEADER_CELLS; sn_spool_file_next_cursor(add->spool, &cell, &cursor);) {
        sn_context *context = cursor.current < add->spool->cells ? add->here[cursor.current] : NULL;
        sn_spool_context c;
        if (!context || !cursor.now || end_ticks <= cursor.now) continue;
        if (!decode(add, cursor.current, &c) || c.root || c.base) continue;
        uint64_t ns = nanoseconds(end_ticks - cursor.now, add->ns_per_tick);
        if (add_within(&add->tree->ns, ns)) context->ticks += ns;
    }
}

/* Find the contexts of the spool, and the bases; what is too many of these, no agent has made. Returns their number. */
static uint32_t find_contexts(spool_adding *add, uint64_t bases[SN_MOST_BASES]) {
    sn_spool_context c;
    sn_spool_record record;
    uint32_t count = 0;
    for (uint64_t cell = SN_HEADER_CELLS; cell < add->spool->cells;) {
        uint64_t own = cell;
        sn_cell_kind kind = sn_spool_file_next(add->spool, &cell, &c, &record);
        bool is_damaged = kind == SN_CELL_DAMAGED || (kind == SN_CELL_CONTEXT && c.base && count == SN_MOST_BASES);
        if (is_damaged) add->tree->orphans += cell - own;
        else if (kind == SN_CELL_CONTEXT) add->is_context[own] = true;
        if (!is_damaged && kind == SN_CELL_CONTEXT && c.base) bases[count++] = own;
    }
    return count;
}

/* Bring the contexts below one base, or all. */
static sn_status add_pass(spool_adding *add, uint64_t base, uint64_t floor, uint64_t end_ticks) {
    sn_call_tree *tree = add->tree;
    add->base = base;
    add->floor = in_unit(add, floor);
    if (!add_within(&tree->errors, add->floor)) add->floor = 0;
    tree->floors += add->floor;
    if (add->outer) add->floor = add->outer->floor; /* there is nothing in the outer one that these may have had */
    memset(add->here, 0, add->spool->cells * sizeof *add->here);
    if (!add->outer) memset(add->met, 0, add->tree_cells * sizeof *add->met);
    for (uint64_t cell = 0; cell < add->spool->cells; cell++)
        add->state[cell] = add->is_context[cell] ? UNSEEN : NO_CONTEXT;
    sn_status status = SN_OK;
    for (uint64_t cell = SN_HEADER_CELLS; status == SN_OK && cell < add->spool->cells; cell++)
        status = place_with_callers(add, cell);
    if (status == SN_OK) add_running_time(add, end_ticks);
    return status;
}

/* All passes; what they need is for the caller to free. */
static sn_status add_all(spool_adding *add, uint64_t end_ticks) {
    uint64_t cells = add->spool->cells, bases[SN_MOST_BASES];
    add->tree_cells = add->tree->cells.used + 2 * (cells + SN_CHUNK); /* each may bring a context */
    add->here = malloc((cells + 1) * sizeof(sn_context *));
    add->state = malloc(cells + 1);
    add->lost = calloc(cells + 1, sizeof *add->lost);
    add->is_context = calloc(cells + 1, sizeof *add->is_context);
    if (!add->outer) add->met = malloc(add->tree_cells * sizeof *add->met);
    add->path = malloc((cells + 1) * sizeof *add->path);
    add->line = calloc(add->outer ? cells + 1 : 1, sizeof *add->line);
    add->ticks = calloc(add->outer ? cells + 1 : 1, sizeof *add->ticks);
    bool is_room = add->here && add->state && add->lost && add->is_context && add->met && add->path;
    if (!is_room || !add->line || !add->ticks) return SN_NO_MEMORY;
    uint32_t count = find_contexts(add, bases);
    uint64_t floor = add->spool->header.floor;
    /* Where there are bases, there is nothing below none of them. */
    sn_status status = add_pass(add, 0, count && !add->apart ? 0 : floor, end_ticks);
    for (uint32_t i = 0; status == SN_OK && !add->apart && i < count; i++)
        status = add_pass(add, bases[i], floor, end_ticks);
    return status;
}

static void free_adding(const spool_adding *add) {
    free(add->here);
    free(add->state);
    free(add->lost);
    free(add->is_context);
    if (!add->outer) free(add->met);
    free(add->path);
    free(add->line);
    free(add->ticks);
}

sn_status sn_call_tree_add_spool(sn_call_tree *tree, const sn_spool_file *spool, const uint32_t *function_map,
                                 uint32_t functions, double ns_per_tick, uint64_t end_ticks, bool apart) {
    spool_adding add = {.tree = tree,
                        .spool = spool,
                        .function_map = function_map,
                        .functions = functions,
                        .ns_per_tick = ns_per_tick,
                        .apart = apart};
    sn_status status = add_all(&add, end_ticks);
    free_adding(&add);
    return status;
}

/* The words of all records of the spool. */
static sn_status read_numbers(const sn_spool_file *spool, outer_numbers *outer) {
    sn_spool_context context;
    sn_spool_record record;
    outer->count = 1;
    outer->words = calloc(1, sizeof *outer->words);
    for (uint64_t cell = SN_HEADER_CELLS; outer->words && cell < spool->cells;) {
        sn_cell_kind kind = sn_spool_file_next(spool, &cell, &context, &record);
        if (kind != SN_CELL_RECORD || record.kind != SN_RECORD_OUTER || record.number[0] != outer->count) continue;
        uint64_t more = record.length[0] / sizeof *outer->words;
        uint64_t *grown = realloc(outer->words, (outer->count + more) * sizeof *grown);
        if (!grown) return SN_NO_MEMORY;
        memcpy(grown + outer->count, record.text[0], more * sizeof *grown);
        outer->words = grown;
        outer->count += more;
    }
    return outer->words ? SN_OK : SN_NO_MEMORY;
}

static sn_status add_inner(sn_call_tree *tree, const sn_inner_spool *inner, outer_numbers *outer, double ns_per_tick) {
    uint64_t met_cells = tree->cells.used + 2 * (inner->spool->cells + SN_CHUNK);
    bool *met = realloc(outer->met, met_cells * sizeof *met);
    if (!met) return SN_NO_MEMORY;
    outer->met = met;
    if (met_cells > outer->met_cells) memset(met + outer->met_cells, 0, (met_cells - outer->met_cells) * sizeof *met);
    outer->met_cells = met_cells;
    spool_adding add = {.tree = tree,
                        .spool = inner->spool,
                        .function_map = inner->function_map,
                        .functions = inner->functions,
                        .ns_per_tick = ns_per_tick,
                        .met = met,
                        .outer = outer};
    sn_status status = add_all(&add, 0);
    free_adding(&add);
    return status;
}

sn_status sn_call_tree_add_spools(sn_call_tree *tree, const sn_spool_file *spool, const uint32_t *function_map,
                                  uint32_t functions, double ns_per_tick, uint64_t end_ticks,
                                  const sn_inner_spool *inner, uint32_t inner_count) {
    for (uint32_t i = 0; i < inner_count; i++)
        if (inner[i].spool->header.metric != SN_METRIC_NONE) return SN_BAD_INPUT;
    spool_adding add = {.tree = tree,
                        .spool = spool,
                        .function_map = function_map,
                        .functions = functions,
                        .ns_per_tick = ns_per_tick};
    outer_numbers outer = {0};
    sn_status status = add_all(&add, end_ticks);
    if (status == SN_OK) status = read_numbers(spool, &outer);
    outer.here = add.here;
    outer.cells = spool->cells;
    outer.floor = add.floor;
    for (uint32_t i = 0; status == SN_OK && i < inner_count; i++) status = add_inner(tree, &inner[i], &outer, ns_per_tick);
    free_adding(&add);
    free(outer.words);
    free(outer.met);
    return status;
}

/* Contexts without the root, parents before children: in order of creation, which is that of the
 * cells, unless cells were used again. NULL when memory is short. */
static sn_context **contexts_in_order(const sn_call_tree *tree, uint64_t *count);

static void merge_context(sn_call_tree *into, const sn_call_tree *from, const sn_context *c, sn_context *here, bool is_new) {
    here->calls += c->calls;
    here->ticks += c->ticks;
    if (into->hot.tree.sided && from->hot.tree.sided) {
        sn_side *side = sn_side_of(here);
        const sn_side *theirs = sn_side_of(c);
        side->pruned_calls += theirs->pruned_calls;
        side->pruned_ticks += theirs->pruned_ticks;
        side->calls_squares += theirs->calls_squares;
        side->ticks_squares += theirs->ticks_squares;
        side->burst_calls += theirs->burst_calls;
        side->burst_ticks += theirs->burst_ticks;
    }
    if (c == from->hot.root || into->hot.metric == SN_METRIC_NONE) {
        here->error += c->error; /* exact trees: how much less than the floors */
        return;
    }
    /* What is only here has got the other's floor already; what is only there may have had ours. */
    uint64_t floor = from->hot.header->floor;
    here->error = is_new ? into->hot.header->floor - floor + c->error : here->error - floor + c->error;
    if (!into->hot.space_saving) return;
    if (is_new) here->call_line |= SN_COLD;
    if (here->call_line & SN_COLD && c->calls) sn_hot_monitor(&into->hot, here);
}

static bool fit_together(const sn_call_tree *into, const sn_call_tree *from, uint32_t functions) {
    if (into->hot.metric != from->hot.metric || into->hot.space_saving != from->hot.space_saving) return false;
    if (from->hot.tree.sided && !into->hot.tree.sided) return false;
    const sn_context *c;
    for (uint64_t cell = SN_HEADER_CELLS; (c = sn_tree_next(&from->hot.tree, &cell));)
        if (c->function >= functions) return false;
    return true;
}

sn_status sn_call_tree_merge(sn_call_tree *into, const sn_call_tree *from, const uint32_t *function_map,
                             uint32_t functions) {
    if (!fit_together(into, from, functions)) return SN_BAD_INPUT;
    uint64_t count;
    sn_context **order = contexts_in_order(from, &count);
    sn_context **here = calloc(from->cells.used, sizeof(sn_context *));
    sn_status status = order && here ? SN_OK : SN_NO_MEMORY;
    sn_context *c;
    if (status == SN_OK) {
        uint64_t floor = from->hot.header->floor;
        if (into->hot.metric != SN_METRIC_NONE)
            for (uint64_t cell = SN_HEADER_CELLS; (c = sn_tree_next(&into->hot.tree, &cell));) c->error += floor;
        into->hot.header->floor += floor;
        here[cell_of(from, from->hot.root)] = into->hot.root;
        merge_context(into, from, from->hot.root, into->hot.root, false);
    }
    for (uint64_t i = 0; status == SN_OK && i < count; i++) {
        c = order[i];
        sn_context *parent = here[cell_of(from, c->parent)];
        uint64_t nodes = into->hot.tree.nodes;
        sn_context *child = exact_child(into, parent, function_map[c->function], sn_line_of(c));
        if (!child) {
            status = SN_NO_MEMORY;
            break;
        }
        here[cell_of(from, c)] = child;
        merge_context(into, from, c, child, into->hot.tree.nodes > nodes);
    }
    if (status == SN_OK) {
        into->unmatched += from->unmatched;
        into->dropped += from->dropped;
        into->dropped_ns += from->dropped_ns;
        into->orphans += from->orphans;
        into->floors += from->floors;
        into->errors += from->errors;
        for (uint64_t i = 0; i < count; i++) {
            sn_context *added = here[cell_of(from, order[i])];
            if (added->key != SN_TAG_FREE) sn_hot_prune(&into->hot, added); /* not pruned with one below it */
        }
        sn_hot_shrink(&into->hot);
    }
    free(order);
    free(here);
    return status;
}

uint64_t sn_call_tree_rows(const sn_call_tree *tree) { return tree->hot.tree.nodes; }

static int by_function_and_line(const void *left, const void *right) {
    const sn_context *a = *(sn_context *const *)left, *b = *(sn_context *const *)right;
    if (a->function != b->function) return a->function < b->function ? -1 : 1;
    return sn_line_of(a) < sn_line_of(b) ? -1 : sn_line_of(a) > sn_line_of(b);
}

/* Depth first with a stack of its own: children are pushed in reverse order. */
static uint64_t depth_first(const sn_call_tree *tree, sn_context **order, sn_context **stack) {
    uint64_t written = 0, depth = 1;
    stack[0] = tree->hot.root;
    while (depth > 0) {
        sn_context *at = stack[--depth];
        if (at != tree->hot.root) order[written++] = at;
        uint64_t first = depth;
        sn_context *child = at->child;
        if (!child) continue;
        do stack[depth++] = child;
        while ((child = child->next) != at->child);
        qsort(stack + first, depth - first, sizeof(sn_context *), by_function_and_line);
        for (uint64_t low = first, high = depth; low + 1 < high; low++) {
            sn_context *swapped = stack[--high];
            stack[high] = stack[low];
            stack[low] = swapped;
        }
    }
    return written;
}

static sn_context **contexts_in_order(const sn_call_tree *tree, uint64_t *count) {
    uint64_t nodes = tree->hot.tree.nodes;
    sn_context **order = malloc((nodes + 1) * sizeof(sn_context *));
    if (!order) return NULL;
    *count = 0;
    if (!tree->hot.tree.sided) {
        sn_context *c;
        for (uint64_t cell = SN_HEADER_CELLS; (c = sn_tree_next(&tree->hot.tree, &cell));) order[(*count)++] = c;
        return order;
    }
    sn_context **stack = malloc((nodes + 1) * sizeof(sn_context *));
    if (stack) *count = depth_first(tree, order, stack);
    else free(order);
    free(stack);
    return stack ? order : NULL;
}

uint64_t sn_call_tree_columns(const sn_call_tree *tree, double ns_per_tick, const sn_columns *columns) {
    uint64_t cells = tree->cells.used, count = 0, written = SN_NO_ROW;
    bool sided = tree->hot.tree.sided, exact = tree->hot.metric == SN_METRIC_NONE;
    bool by_time = tree->hot.metric == SN_METRIC_TIME;
    /* By cell; sums are unsigned: too large ones wrap around, in a defined way. */
    uint64_t *calls = calloc(cells, sizeof *calls), *total = calloc(cells, sizeof *total);
    int64_t *row = calloc(cells, sizeof *row);
    sn_context **order = contexts_in_order(tree, &count);
    if (!row || !calls || !total || !order) goto done;
    for (uint64_t i = count; i-- > 0;) {
        const sn_context *c = order[i];
        uint64_t own = cell_of(tree, c), parent = cell_of(tree, c->parent);
        calls[own] += c->calls + (sided ? sn_side_of(c)->pruned_calls : 0);
        total[own] += nanoseconds(c->ticks, ns_per_tick);
        if (sided) total[own] += nanoseconds(sn_side_of(c)->pruned_ticks, ns_per_tick);
        calls[parent] += calls[own];
        total[parent] += total[own];
    }
    written = 0;
    row[cell_of(tree, tree->hot.root)] = -1;
    for (uint64_t i = 0; i < count; i++) {
        const sn_context *c = order[i];
        uint64_t own = cell_of(tree, c);
        if (!calls[own] && !total[own]) continue;
        row[own] = (int64_t)written;
        columns->parent[written] = row[cell_of(tree, c->parent)];
        columns->function[written] = c->function;
        columns->call_line[written] = sn_line_of(c);
        columns->calls[written] = (int64_t)c->calls;
        columns->total_calls[written] = (int64_t)calls[own];
        columns->self_ns[written] = (int64_t)nanoseconds(c->ticks, ns_per_tick);
        columns->total_ns[written] = (int64_t)total[own];
        uint64_t error = exact ? tree->floors - c->error : c->error;
        columns->error[written] = (int64_t)(by_time ? nanoseconds_at_most(error, ns_per_tick) : error);
        if (columns->calls_squares) columns->calls_squares[written] = sided ? sn_side_of(c)->calls_squares : 0;
        if (columns->ticks_squares) columns->ticks_squares[written] = sided ? sn_side_of(c)->ticks_squares : 0;
        written++;
    }
done:
    free(row);
    free(calls);
    free(total);
    free(order);
    return written;
}
