#include "context_credit.h"

#include "../base/change_variance.h"
#include "../contexts/hot_contexts.h"

#include <stdlib.h>
#include <string.h>

sn_seen_context sn_context_seen(sn_watched_spool *spool, uint64_t address) {
    const sn_context *context = sn_watched_spool_find(spool, address);
    if (!context) return (sn_seen_context){0};
    return (sn_seen_context){address, sn_watched_word(&context->parent), __atomic_load_n(&context->function, __ATOMIC_RELAXED),
                             __atomic_load_n(&context->call_line, __ATOMIC_RELAXED) & SN_LINE_MASK};
}

static bool are_same(const sn_seen_context *a, const sn_seen_context *b) {
    return a->address == b->address && a->parent == b->parent && a->function == b->function && a->line == b->line;
}

static bool are_of_one(const sn_seen_context *a, const sn_seen_context *b) {
    return a->address && b->address && a->function == b->function;
}

static double *squares_of(sn_context_credits *credits, uint32_t function) {
    if (function >= credits->room) {
        if (function >= UINT32_MAX / 4) return NULL;
        uint32_t room = 2 * function + 64;
        double *grown = realloc(credits->squares, room * sizeof *grown);
        if (!grown) return NULL;
        memset(grown + credits->room, 0, (room - credits->room) * sizeof *grown);
        credits->squares = grown;
        credits->room = room;
    }
    return &credits->squares[function];
}

/* NULL: it is none any more, or not the one that was seen. */
static sn_context *find(sn_watched_spool *spool, const sn_seen_context *seen) {
    sn_seen_context now = sn_context_seen(spool, seen->address);
    sn_context *context = sn_watched_spool_find(spool, seen->address);
    bool is_mapped = context && (const uint8_t *)(context + SN_CHUNK + 1) <= spool->bytes + spool->cells * SN_CELL_BYTES;
    return is_mapped && sn_is_context(sn_watched_word(&context->key)) && are_same(&now, seen) ? context : NULL;
}

/* `square`: of its function, too, unless that is the same before and after. */
static void give(sn_watched_spool *spool, sn_context_credits *credits, const sn_seen_context *to, const sn_seen_context *other,
                 uint64_t ns, double square, double function_square) {
    if (!to->address) return;
    sn_context *context = find(spool, to);
    if (!context) {
        credits->lost_ns += ns;
        return;
    }
    __atomic_fetch_add(&context->ticks, ns, __ATOMIC_RELAXED);
    credits->placed_ns += ns;
    if (are_same(to, other)) return;
    sn_side_of(context)->ticks_squares += square;
    if (are_of_one(to, other)) return;
    double *of_function = squares_of(credits, to->function);
    if (of_function) *of_function += function_square;
}

void sn_context_credit(sn_watched_spool *spool, sn_context_credits *credits, const sn_context_trail *trail,
                       const sn_seen_context *now, uint64_t ns) {
    const sn_seen_context *before = &trail->last, *older = &trail->older;
    /* What ran before has changed in the gap before, too, unless it ran at its beginning; what runs now, if it did. */
    give(spool, credits, before, now, ns / 2, sn_change_square(ns, trail->ns, !are_same(older, before)),
         sn_change_square(ns, trail->ns, !are_of_one(older, before)));
    give(spool, credits, now, before, ns - ns / 2, sn_change_square(ns, trail->ns, are_same(older, now)),
         sn_change_square(ns, trail->ns, are_of_one(older, now)));
}

void sn_context_credit_one(sn_watched_spool *spool, sn_context_credits *credits, const sn_seen_context *to, uint64_t ns) {
    const sn_seen_context nothing = {0};
    double square = (double)ns * (double)ns;
    give(spool, credits, to, &nothing, ns, square, square);
}

void sn_context_credit_certain(sn_watched_spool *spool, sn_context_credits *credits, const sn_seen_context *to, uint64_t ns) {
    give(spool, credits, to, to, ns, 0, 0);
}

void sn_context_credits_free(sn_context_credits *credits) {
    free(credits->squares);
    credits->squares = NULL;
    credits->room = 0;
}
