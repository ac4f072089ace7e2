/* The columns of an exact tree with memory of their own, and what must be true of them. */
#ifndef SONDE_COLUMNS_H
#define SONDE_COLUMNS_H

#include "../core/exact_tree.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 7 };

typedef struct {
    uint64_t rows;
    int64_t *parent, *function, *call_line, *calls, *total_calls, *self_ns, *total_ns;
    int64_t *memory;
} columns;

static inline bool columns_read(columns *c, const sn_exact_tree *tree) {
    uint64_t room = sn_exact_rows(tree);
    c->memory = malloc((room * COLUMNS + 1) * sizeof *c->memory);
    if (!c->memory) return false;
    int64_t *at = c->memory;
    int64_t **each[COLUMNS] = {&c->parent,      &c->function, &c->call_line, &c->calls,
                               &c->total_calls, &c->self_ns,  &c->total_ns};
    for (int i = 0; i < COLUMNS; i++, at += room) *each[i] = at;
    sn_columns into = {c->parent, c->function, c->call_line, c->calls, c->total_calls, c->self_ns, c->total_ns};
    c->rows = sn_exact_columns(tree, &into);
    return c->rows != SN_NO_ROW && c->rows <= room;
}

static inline void columns_free(columns *c) { free(c->memory); }

static inline bool columns_equal(const columns *a, const columns *b) {
    const int64_t *const ours[COLUMNS] = {a->parent,      a->function, a->call_line, a->calls,
                                          a->total_calls, a->self_ns,  a->total_ns};
    const int64_t *const theirs[COLUMNS] = {b->parent,      b->function, b->call_line, b->calls,
                                            b->total_calls, b->self_ns,  b->total_ns};
    if (a->rows != b->rows) return false;
    for (int i = 0; i < COLUMNS; i++)
        if (a->rows && memcmp(ours[i], theirs[i], a->rows * sizeof(int64_t))) return false;
    return true;
}

/* Parents come first; a total is the own value and the children's totals, modulo 2^64. */
static inline bool columns_valid(const columns *c) {
    bool valid = true;
    uint64_t *calls = calloc(c->rows + 1, sizeof *calls), *ns = calloc(c->rows + 1, sizeof *ns);
    if (!calls || !ns) abort();
    for (uint64_t i = c->rows; i-- > 0;) {
        calls[i] += (uint64_t)c->calls[i];
        ns[i] += (uint64_t)c->self_ns[i];
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

/* Whether all values are what counts and durations can be. */
static inline bool columns_positive(const columns *c) {
    for (uint64_t i = 0; i < c->rows; i++)
        if (c->calls[i] < 0 || c->total_calls[i] < c->calls[i] || c->self_ns[i] < 0 || c->total_ns[i] < c->self_ns[i])
            return false;
    return true;
}

#endif
