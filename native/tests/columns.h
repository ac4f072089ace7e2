/* The columns of a tree with memory of their own, and what must be true of them. */
#ifndef SONDE_COLUMNS_H
#define SONDE_COLUMNS_H

#include "../core/contexts/call_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 8 };

typedef struct {
    uint64_t rows;
    int64_t *parent, *function, *call_line, *calls, *total_calls, *self_ns, *total_ns, *error;
    double *calls_squares, *ticks_squares;
    int64_t *memory;
} columns;

static inline bool columns_read_at_rate(columns *c, const sn_call_tree *tree, double ns_per_tick) {
    uint64_t room = sn_call_tree_rows(tree);
    c->memory = malloc((room * (COLUMNS + 2) + 1) * sizeof *c->memory);
    if (!c->memory) return false;
    int64_t *at = c->memory;
    int64_t **each[COLUMNS] = {&c->parent,      &c->function, &c->call_line, &c->calls,
                               &c->total_calls, &c->self_ns,  &c->total_ns,  &c->error};
    for (int i = 0; i < COLUMNS; i++, at += room) *each[i] = at;
    c->calls_squares = (double *)at;
    c->ticks_squares = (double *)(at + room);
    sn_columns into = {c->parent,      c->function, c->call_line, c->calls,         c->total_calls,
                       c->self_ns,     c->total_ns, c->error,     c->calls_squares, c->ticks_squares};
    c->rows = sn_call_tree_columns(tree, ns_per_tick, &into);
    return c->rows != SN_NO_ROW && c->rows <= room;
}

static inline bool columns_read(columns *c, const sn_call_tree *tree) { return columns_read_at_rate(c, tree, 1.0); }

static inline void columns_free(columns *c) { free(c->memory); }

static inline bool columns_equal(const columns *a, const columns *b) {
    const int64_t *const ours[COLUMNS] = {a->parent,      a->function, a->call_line, a->calls,
                                          a->total_calls, a->self_ns,  a->total_ns,  a->error};
    const int64_t *const theirs[COLUMNS] = {b->parent,      b->function, b->call_line, b->calls,
                                            b->total_calls, b->self_ns,  b->total_ns,  b->error};
    if (a->rows != b->rows) return false;
    for (int i = 0; i < COLUMNS; i++)
        if (a->rows && memcmp(ours[i], theirs[i], a->rows * sizeof(int64_t))) return false;
    return true;
}

/* Parents come first; a total is the own value and the children's totals, modulo 2^64, or more when
 * something was pruned. */
static inline bool columns_add_up(const columns *c, bool pruned) {
    bool valid = true;
    uint64_t *calls = calloc(c->rows + 1, sizeof *calls), *ns = calloc(c->rows + 1, sizeof *ns);
    if (!calls || !ns) abort();
    for (uint64_t i = c->rows; i-- > 0;) {
        calls[i] += (uint64_t)c->calls[i];
        ns[i] += (uint64_t)c->self_ns[i];
        if (pruned && calls[i] < (uint64_t)c->total_calls[i]) calls[i] = (uint64_t)c->total_calls[i];
        if (pruned && ns[i] < (uint64_t)c->total_ns[i]) ns[i] = (uint64_t)c->total_ns[i];
        valid = valid && calls[i] == (uint64_t)c->total_calls[i] && ns[i] == (uint64_t)c->total_ns[i];
        if (c->parent[i] < -1 || c->parent[i] >= (int64_t)i || c->call_line[i] < 0) {
            valid = false;
        } else if (c->parent[i] >= 0) {
            calls[c->parent[i]] += calls[i];
            ns[c->parent[i]] += ns[i];
        }
    }
    free(calls);
    free(ns);
    return valid;
}

/* What must be true of an exact tree. */
static inline bool columns_valid(const columns *c) { return columns_add_up(c, false); }

/* Whether all values are what counts and durations can be. */
static inline bool columns_positive(const columns *c) {
    for (uint64_t i = 0; i < c->rows; i++) {
        if (c->calls[i] < 0 || c->total_calls[i] < c->calls[i] || c->self_ns[i] < 0 || c->total_ns[i] < c->self_ns[i])
            return false;
        if (c->error[i] < 0 || !(c->calls_squares[i] >= 0) || !(c->ticks_squares[i] >= 0)) return false;
        if (!isfinite(c->calls_squares[i]) || !isfinite(c->ticks_squares[i])) return false;
    }
    return true;
}

/* Whether rows are in depth-first order, siblings by function and line. */
static inline bool columns_depth_first(const columns *c) {
    for (uint64_t i = 1; i < c->rows; i++) {
        int64_t at = (int64_t)i - 1; /* the row before is the parent, or below the sibling before */
        if (at == c->parent[i]) continue;
        while (at >= 0 && c->parent[at] != c->parent[i]) at = c->parent[at];
        if (at < 0 || c->function[at] > c->function[i]) return false;
        if (c->function[at] == c->function[i] && c->call_line[at] >= c->call_line[i]) return false;
    }
    return true;
}

#endif
