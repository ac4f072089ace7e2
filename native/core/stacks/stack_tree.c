#include "stack_tree.h"

#include "../base/change_variance.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Cells of a tree with sides: two for each context, with those of chunks that are not full. */
#define CELL_LIMIT (UINT64_C(4) * SN_MOST_STACK_CONTEXTS)
#define LINE_BITS 29u
/* Leaves count as the last functions. */
#define FUNCTION_OF(leaf) (UINT32_MAX - (uint32_t)(leaf) + 1)

/* Keys: clear of the tags, and never odd; threads have the upper half. */
static uint64_t key_of(uint32_t function) { return ((uint64_t)function + SN_TAG_LAST + 1) << 1; }
static uint64_t key_of_thread(uint32_t thread) { return UINT64_C(1) << 48 | (uint64_t)thread << 1; }

sn_status sn_stack_tree_init(sn_stack_tree *tree) {
    *tree = (sn_stack_tree){0};
    sn_status status = sn_cells_create(&tree->cells, -1, CELL_LIMIT);
    if (status != SN_OK) return status;
    sn_tree_init(&tree->tree, &tree->cells, true);
    tree->root = sn_tree_root(&tree->tree);
    if (tree->root) return SN_OK;
    sn_cells_destroy(&tree->cells);
    return SN_NO_MEMORY;
}

void sn_stack_tree_free(sn_stack_tree *tree) {
    if (!tree->root) return;
    sn_tree_free(&tree->tree);
    sn_cells_destroy(&tree->cells);
    if (tree->lines.entries) munmap(tree->lines.entries, (tree->lines.mask + 1) * sizeof *tree->lines.entries);
    free(tree->squares);
    *tree = (sn_stack_tree){0};
}

static sn_context *below(sn_stack_tree *tree, sn_context *parent, uint64_t key, uint32_t line, uint32_t function) {
    sn_context *child = sn_tree_find(&tree->tree, parent, key, line & SN_LINE_MASK);
    if (child) return child;
    if (tree->tree.nodes >= SN_MOST_STACK_CONTEXTS) return NULL;
    return sn_tree_add(&tree->tree, parent, key, line & SN_LINE_MASK, function);
}

sn_context *sn_stack_tree_base(sn_stack_tree *tree, uint32_t thread) {
    return below(tree, tree->root, key_of_thread(thread), 0, thread);
}

sn_context *sn_stack_tree_place(sn_stack_tree *tree, sn_context *base, const sn_code_table *table, const sn_known_calls *calls,
                                const sn_stack_frame *frames, uint32_t certain, uint32_t count, sn_stack_leaf leaf) {
    sn_context *at = base ? base : tree->root;
    uint32_t line = 0;
    for (uint32_t i = 0; i < count && at; i++) {
        uint32_t function = table->codes[frames[i].code].function;
        if (i && i >= certain) line = sn_known_calls_line(calls, table, frames, i);
        at = below(tree, at, key_of(function), line, function);
        line = frames[i].line;
    }
    if (leaf && at) at = below(tree, at, key_of(FUNCTION_OF(leaf)), line, FUNCTION_OF(leaf));
    if (!at) tree->without_room++;
    return at;
}

sn_context *sn_stack_tree_place_seen(sn_stack_tree *tree, sn_context *base, const sn_seen_frame *frames, uint32_t count,
                                     sn_stack_leaf leaf) {
    sn_context *at = base ? base : tree->root;
    uint32_t line = 0;
    for (uint32_t i = 0; i < count && at; i++) {
        at = below(tree, at, key_of(frames[i].function), line, frames[i].function);
        line = frames[i].line;
    }
    if (leaf && at) at = below(tree, at, key_of(FUNCTION_OF(leaf)), line, FUNCTION_OF(leaf));
    if (!at) tree->without_room++;
    return at;
}

void sn_stack_tree_line(sn_stack_tree *tree, uint32_t function, uint32_t line) {
    uint64_t key = (uint64_t)function << LINE_BITS | (line & SN_LINE_MASK);
    uint32_t samples = sn_word_get(&tree->lines, key);
    if (samples != UINT32_MAX && !sn_word_set(&tree->lines, key, samples + 1)) tree->without_room++;
}

static double *squares_of(sn_stack_tree *tree, uint32_t function) {
    uint32_t at = function + SN_LEAF_COLLECTS; /* leaves come first, as this goes over the top */
    if (at >= tree->squares_room) {
        uint32_t room = 2 * at + 64;
        double *grown = realloc(tree->squares, room * sizeof *grown);
        if (!grown) return NULL;
        memset(grown + tree->squares_room, 0, (room - tree->squares_room) * sizeof *grown);
        tree->squares = grown;
        tree->squares_room = room;
    }
    return &tree->squares[at];
}

static bool are_of_one(const sn_context *one, const sn_context *other) { return one && other && one->function == other->function; }

/* `square`: of its function, too, unless that is the same before and after. */
static void give(sn_stack_tree *tree, sn_context *to, const sn_context *other, uint64_t ns, double square, double function_square) {
    if (!to) return;
    to->ticks += ns;
    if (to == other) return;
    sn_side_of(to)->ticks_squares += square;
    if (are_of_one(to, other)) return;
    double *of_function = squares_of(tree, to->function);
    if (of_function) *of_function += function_square;
}

void sn_stack_tree_credit(sn_stack_tree *tree, const sn_stack_trail *trail, sn_context *after, uint64_t ns) {
    sn_context *before = trail->last;
    const sn_context *older = trail->older;
    /* What ran before has changed in the gap before, too, unless it ran at its beginning; what runs now, if it did. */
    give(tree, before, after, ns / 2, sn_change_square(ns, trail->ns, older != before),
         sn_change_square(ns, trail->ns, !are_of_one(older, before)));
    give(tree, after, before, ns - ns / 2, sn_change_square(ns, trail->ns, older == after),
         sn_change_square(ns, trail->ns, are_of_one(older, after)));
}

void sn_stack_tree_credit_after(sn_stack_tree *tree, sn_context *before, sn_context *after, uint64_t ns) {
    double square = (double)ns * (double)ns;
    give(tree, before, after, before == after ? ns : 0, square, square);
    if (before != after) give(tree, after, before, ns, square, square);
}

sn_context *sn_stack_tree_below(sn_stack_tree *tree, sn_context *parent, uint32_t function, uint32_t line) {
    return below(tree, parent, key_of(function), line, function);
}

sn_context *sn_stack_tree_leaf(sn_stack_tree *tree, sn_context *parent, uint32_t line, sn_stack_leaf leaf) {
    return leaf ? below(tree, parent, key_of(FUNCTION_OF(leaf)), line, FUNCTION_OF(leaf)) : parent;
}

static double square_of(uint32_t before, uint32_t now, uint64_t ns) {
    double change = ((double)now - (double)before) * (double)ns;
    return change * change / 2;
}

void sn_stack_tree_present(sn_context *context, uint32_t before, uint32_t now, uint64_t ns) {
    context->ticks += ns * ((uint64_t)before + now) / 2;
    sn_side_of(context)->ticks_squares += square_of(before, now, ns);
}

void sn_stack_tree_present_function(sn_stack_tree *tree, uint32_t function, uint32_t before, uint32_t now, uint64_t ns) {
    double *of_function = before == now ? NULL : squares_of(tree, function);
    if (of_function) *of_function += square_of(before, now, ns);
}

static int64_t function_of(const sn_context *context) {
    if (context->key >> 48) return SN_FUNCTION_THREAD - context->function;
    uint32_t leaf = UINT32_MAX - context->function + 1;
    return leaf && leaf <= SN_LEAF_COLLECTS ? -(int64_t)leaf : context->function;
}

double sn_stack_tree_squares(const sn_stack_tree *tree, uint32_t function) {
    uint32_t at = function + SN_LEAF_COLLECTS;
    return at < tree->squares_room ? tree->squares[at] : 0;
}

uint64_t sn_stack_tree_columns(const sn_stack_tree *tree, const sn_stack_columns *columns) {
    uint64_t row = 0;
    sn_context *context;
    for (uint64_t cell = SN_HEADER_CELLS; (context = sn_tree_next(&tree->tree, &cell)); row++) {
        context->calls = row; /* for the children, which come later */
        columns->parent[row] = context->parent == tree->root ? -1 : (int64_t)context->parent->calls;
        columns->function[row] = function_of(context);
        columns->call_line[row] = sn_line_of(context);
        columns->self_ns[row] = (int64_t)context->ticks;
        columns->squares[row] = sn_side_of(context)->ticks_squares;
    }
    return row;
}
