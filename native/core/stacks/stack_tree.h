/* Stacks that were seen, as a calling context tree with times.
 *
 * From one look at a thread to the next, half of the time is given to what it ran at the first, and half to what it ran at
 * the second. So time that went by in one context all along is right whatever the rate; only at changes can it be wrong.
 *
 * Guarantee: what contexts have got is what passed between looks at which a thread was counted, and half of what passed
 *     between one at which it was and one at which it was not.
 * The variance of what a context got is estimated by the changes, see ../base/change_variance.h.
 */
#ifndef SONDE_STACK_TREE_H
#define SONDE_STACK_TREE_H

#include "../contexts/context_tree.h"
#include "known_calls.h"
#include "python_stack.h"

#define SN_MOST_STACK_CONTEXTS (1u << 20)
/* What a thread does below the function on top; none: it runs that. */
typedef enum { SN_LEAF_NONE, SN_LEAF_WAITS, SN_LEAF_WAITS_FOR_LOCK, SN_LEAF_COLLECTS } sn_stack_leaf;
/* In columns of functions: what is no function, but the negative of a leaf; and, from here down, the bases of threads. */
#define SN_FUNCTION_THREAD INT64_C(-4)

typedef struct {
    sn_cells cells;
    sn_tree tree;
    sn_context *root;
    struct sn_word_map lines; /* function and line: samples */
    double *squares;          /* of functions, from SN_LEAF_COLLECTS on; before them of leaves, the last one first */
    uint32_t squares_room;
    uint64_t without_room; /* samples whose contexts, or lines, found none */
} sn_stack_tree;

sn_status sn_stack_tree_init(sn_stack_tree *tree);
void sn_stack_tree_free(sn_stack_tree *tree);

/* Below which the stacks of a thread are to be; NULL: there is no room. */
sn_context *sn_stack_tree_base(sn_stack_tree *tree, uint32_t thread);

/* The context of a stack, outermost frame first; or of the leaf below it. NULL: there is no room. Calls of other frames than the first
 * `certain` have lines that are known. */
sn_context *sn_stack_tree_place(sn_stack_tree *tree, sn_context *base, const sn_code_table *table, const sn_known_calls *calls,
                                const sn_stack_frame *frames, uint32_t certain, uint32_t count, sn_stack_leaf leaf);

/* A function by its number, and the line that it is in; 0: none is known. */
typedef struct {
    uint32_t function, line;
} sn_seen_frame;

/* The same of frames whose functions are known, whatever they are of. */
sn_context *sn_stack_tree_place_seen(sn_stack_tree *tree, sn_context *base, const sn_seen_frame *frames, uint32_t count,
                                     sn_stack_leaf leaf);

/* Count a sample in a line of a function. */
void sn_stack_tree_line(sn_stack_tree *tree, uint32_t function, uint32_t line);

/* What a thread ran at the last look, at the one before it, and what was shared out between them. NULL: nothing that counts. */
typedef struct {
    sn_context *last, *older;
    uint64_t ns;
} sn_stack_trail;

/* Two looks between which no time is shared out are one. */
static inline void sn_stack_trail_add(sn_stack_trail *trail, sn_context *now, uint64_t ns) {
    if (ns) *trail = (sn_stack_trail){now, trail->last, ns};
    else trail->last = now;
}

/* Share out `ns` between what was seen last and what is seen now, `after`, by halves. */
void sn_stack_tree_credit(sn_stack_tree *tree, const sn_stack_trail *trail, sn_context *after, uint64_t ns);

/* Give `ns` to what was seen after it: where it depends on what was seen before whether it is much. The square of the time
 * counts wholly, as the time up to the next look may be short. */
void sn_stack_tree_credit_after(sn_stack_tree *tree, sn_context *before, sn_context *after, uint64_t ns);

/* The context of a function, or of a leaf, below another one; NULL: there is no room. */
sn_context *sn_stack_tree_below(sn_stack_tree *tree, sn_context *parent, uint32_t function, uint32_t line);
sn_context *sn_stack_tree_leaf(sn_stack_tree *tree, sn_context *parent, uint32_t line, sn_stack_leaf leaf);

/* Where many are counted at once: `before` were in a context at a look, `now` at the next one, `ns` later. Those that changed
 * together may have done so for one reason, so the square of the change counts, not the changes.
 * Guarantee: the same as of crediting one after the other, where no more than one changes. */
void sn_stack_tree_present(sn_context *context, uint32_t before, uint32_t now, uint64_t ns);

/* The same of a function over all of its contexts: only its variance. */
void sn_stack_tree_present_function(sn_stack_tree *tree, uint32_t function, uint32_t before, uint32_t now, uint64_t ns);

typedef struct {
    int64_t *parent, *function, *call_line, *self_ns;
    double *squares; /* of nanoseconds */
} sn_stack_columns;

/* The variance of what a function got. */
double sn_stack_tree_squares(const sn_stack_tree *tree, uint32_t function);

/* Write the columns, parents before children; returns the rows, at most `tree.nodes`. */
uint64_t sn_stack_tree_columns(const sn_stack_tree *tree, const sn_stack_columns *columns);

#endif
