#include "exact_tree.h"

#include <stdlib.h>
#include <string.h>

#define CELL_LIMIT (UINT64_C(1) << 30)
#define FIRST_DEPTH 64u

/* Activations that run on one thread; a context may run on several threads at once. */
typedef struct {
    sn_context *context;
    uint64_t entered;
    uint64_t below; /* nanoseconds spent in callees that returned */
} sn_activation;

struct sn_stack {
    sn_activation *activations;
    uint32_t depth, room;
    uint64_t now; /* time of the last event */
};

/* Function numbers as keys: clear of the tags and never odd. */
static uint64_t key_of(uint32_t function) { return ((uint64_t)function + SN_TAG_LAST + 1) << 1; }

sn_status sn_exact_create(sn_exact_tree *tree) {
    memset(tree, 0, sizeof *tree);
    sn_status status = sn_cells_create(&tree->cells, -1, CELL_LIMIT);
    if (status != SN_OK) return status;
    sn_tree_init(&tree->tree, &tree->cells);
    tree->root = sn_tree_root(&tree->tree);
    if (tree->root) return SN_OK;
    sn_exact_destroy(tree);
    return SN_NO_MEMORY;
}

void sn_exact_destroy(sn_exact_tree *tree) {
    for (uint32_t i = 0; i < tree->stack_count; i++) free(tree->stacks[i].activations);
    free(tree->stacks);
    sn_tree_free(&tree->tree);
    sn_cells_destroy(&tree->cells);
    memset(tree, 0, sizeof *tree);
}

static sn_context *child_of(sn_exact_tree *tree, sn_context *parent, uint32_t function, uint32_t line) {
    uint64_t key = key_of(function);
    sn_context *child = sn_tree_front(parent, key, line);
    if (!child) child = sn_tree_find(&tree->tree, parent, key, line);
    return child ? child : sn_tree_add(&tree->tree, parent, key, line, function);
}

static struct sn_stack *stack_of(sn_exact_tree *tree, uint32_t thread) {
    if (thread >= tree->stack_count) {
        uint32_t count = thread + 1;
        struct sn_stack *grown = realloc(tree->stacks, (size_t)count * sizeof *grown);
        if (!grown) return NULL;
        memset(grown + tree->stack_count, 0, (size_t)(count - tree->stack_count) * sizeof *grown);
        tree->stacks = grown;
        tree->stack_count = count;
    }
    return &tree->stacks[thread];
}

static sn_status enter(sn_exact_tree *tree, struct sn_stack *stack, uint32_t function, uint32_t line) {
    if (stack->depth == stack->room) {
        uint32_t room = stack->room ? stack->room * 2 : FIRST_DEPTH;
        sn_activation *grown = realloc(stack->activations, (size_t)room * sizeof *grown);
        if (!grown) return SN_NO_MEMORY;
        stack->activations = grown;
        stack->room = room;
    }
    sn_context *at = stack->depth ? stack->activations[stack->depth - 1].context : tree->root;
    sn_context *child = child_of(tree, at, function, line & SN_LINE_MASK);
    if (!child) return SN_NO_MEMORY;
    child->calls++;
    stack->activations[stack->depth++] = (sn_activation){child, stack->now, 0};
    return SN_OK;
}

static void leave(struct sn_stack *stack) {
    const sn_activation *ended = &stack->activations[--stack->depth];
    uint64_t inclusive = stack->now - ended->entered;
    ended->context->ticks += inclusive - ended->below;
    if (stack->depth) stack->activations[stack->depth - 1].below += inclusive;
}

sn_status sn_exact_feed(sn_exact_tree *tree, size_t count, const uint8_t *kind, const uint32_t *thread,
                        const uint32_t *function, const uint32_t *line, const uint64_t *time_ns, size_t *consumed) {
    for (size_t i = 0; i < count; i++) {
        *consumed = i;
        if (kind[i] < SN_EVENT_ENTER || kind[i] > SN_EVENT_UNWIND || thread[i] >= SN_THREAD_LIMIT ||
            time_ns[i] > INT64_MAX)
            return SN_BAD_INPUT;
        struct sn_stack *stack = stack_of(tree, thread[i]);
        if (!stack) return SN_NO_MEMORY;
        if (time_ns[i] > stack->now) stack->now = time_ns[i];
        if (kind[i] == SN_EVENT_ENTER) {
            sn_status status = enter(tree, stack, function[i], line[i]);
            if (status != SN_OK) return status;
        } else if (stack->depth) {
            leave(stack);
        } else {
            tree->unmatched++;
        }
    }
    *consumed = count;
    return SN_OK;
}

static uint64_t sum_at_most_max(uint64_t a, uint64_t b) {
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* Inclusive ticks of a context, those of an activation that has not ended included. */
static uint64_t inclusive_ticks(const sn_spool_context *c, uint64_t end_ticks) {
    return sum_at_most_max(c->ticks, c->entered && end_ticks > c->entered ? end_ticks - c->entered : 0);
}

/* Ticks as nanoseconds; more than any run takes when the rate or the ticks are damaged. */
static uint64_t nanoseconds(uint64_t ticks, double ns_per_tick) {
    double ns = (double)ticks * ns_per_tick;
    if (!(ns > 0)) return 0; /* NaN too */
    return ns < (double)INT64_MAX ? (uint64_t)ns : UINT64_MAX;
}

sn_status sn_exact_add_spool(sn_exact_tree *tree, const sn_spool_file *spool, const uint32_t *function_map,
                             uint32_t functions, double ns_per_tick, uint64_t end_ticks) {
    /* By cell of the spool: the context here, and the inclusive ticks of its children. */
    sn_context **here = calloc(spool->cells + 1, sizeof *here);
    uint64_t *inclusive = calloc(spool->cells + 1, sizeof *inclusive);
    uint64_t *below = calloc(spool->cells + 1, sizeof *below);
    sn_status status = here && inclusive && below ? SN_OK : SN_NO_MEMORY;
    sn_spool_context c;
    sn_spool_record record;
    for (uint64_t cell = SN_HEADER_CELLS; status == SN_OK && cell < spool->cells;) {
        uint64_t own = cell;
        sn_cell_kind kind = sn_spool_file_next(spool, &cell, &c, &record);
        if (kind == SN_CELL_DAMAGED) tree->orphans += cell - own;
        if (kind != SN_CELL_CONTEXT) continue;
        if (c.root) {
            here[own] = tree->root;
            continue;
        }
        if (!here[c.parent] || c.function >= functions || c.calls > (uint64_t)INT64_MAX - tree->calls) {
            tree->orphans++;
            continue;
        }
        here[own] = child_of(tree, here[c.parent], function_map[c.function], c.call_line);
        if (!here[own]) {
            status = SN_NO_MEMORY;
            break;
        }
        here[own]->calls += c.calls;
        tree->calls += c.calls;
        inclusive[own] = inclusive_ticks(&c, end_ticks);
        below[c.parent] = sum_at_most_max(below[c.parent], inclusive[own]);
    }
    for (uint64_t cell = SN_HEADER_CELLS; status == SN_OK && cell < spool->cells; cell++) {
        /* Clocks of two cores may disagree by a few ticks: no context has less than no time. */
        if (!here[cell] || here[cell] == tree->root || inclusive[cell] <= below[cell]) continue;
        uint64_t own = nanoseconds(inclusive[cell] - below[cell], ns_per_tick);
        if (own > (uint64_t)INT64_MAX - tree->ns) {
            tree->orphans++;
            continue;
        }
        here[cell]->ticks += own;
        tree->ns += own;
    }
    free(here);
    free(inclusive);
    free(below);
    return status;
}

/* The contexts of a store that holds nothing else are its cells, in order. */
static sn_context *nth(const sn_exact_tree *tree, uint64_t i) {
    return (sn_context *)(tree->cells.base + i * SN_CELL_BYTES);
}

static uint64_t first_context(const sn_exact_tree *tree) {
    return (uint64_t)((uint8_t *)tree->root - tree->cells.base) / SN_CELL_BYTES + 1;
}

uint64_t sn_exact_rows(const sn_exact_tree *tree) { return tree->cells.used - first_context(tree); }

static uint64_t number_of(const sn_exact_tree *tree, const sn_context *context) {
    return (uint64_t)((const uint8_t *)context - tree->cells.base) / SN_CELL_BYTES;
}

/* Exclusive time of activations that still run, by cell. */
static uint64_t *running_time(const sn_exact_tree *tree) {
    uint64_t *extra = calloc(tree->cells.used, sizeof *extra);
    for (uint32_t t = 0; extra && t < tree->stack_count; t++) {
        const struct sn_stack *stack = &tree->stacks[t];
        for (uint32_t d = 0; d < stack->depth; d++) {
            const sn_activation *a = &stack->activations[d];
            uint64_t inside = d + 1 < stack->depth ? stack->activations[d + 1].entered : stack->now;
            extra[number_of(tree, a->context)] += inside - a->entered - a->below;
        }
    }
    return extra;
}

sn_status sn_exact_merge(sn_exact_tree *into, const sn_exact_tree *from, const uint32_t *function_map,
                         uint32_t functions) {
    uint64_t count = from->cells.used;
    for (uint64_t i = first_context(from); i < count; i++)
        if (nth(from, i)->function >= functions) return SN_BAD_INPUT;
    sn_context **here = calloc(count, sizeof *here);
    uint64_t *running = running_time(from);
    sn_status status = here && running ? SN_OK : SN_NO_MEMORY;
    if (status == SN_OK) here[number_of(from, from->root)] = into->root;
    for (uint64_t i = first_context(from); status == SN_OK && i < count; i++) {
        const sn_context *c = nth(from, i);
        sn_context *parent = here[number_of(from, c->parent)];
        sn_context *child = child_of(into, parent, function_map[c->function], sn_line_of(c));
        if (!child) {
            status = SN_NO_MEMORY;
            break;
        }
        child->calls += c->calls;
        child->ticks += c->ticks + running[i];
        here[i] = child;
    }
    if (status == SN_OK) {
        into->unmatched += from->unmatched;
        into->orphans += from->orphans;
    }
    free(here);
    free(running);
    return status;
}

uint64_t sn_exact_columns(const sn_exact_tree *tree, const sn_columns *columns) {
    uint64_t first = first_context(tree), count = tree->cells.used;
    int64_t *row = calloc(count, sizeof *row);
    uint64_t *self = running_time(tree); /* sums are unsigned: too large ones wrap around, in a defined way */
    uint64_t *calls = calloc(count, sizeof *calls), *total = calloc(count, sizeof *total);
    uint64_t written = SN_NO_ROW;
    if (!row || !self || !calls || !total) goto done;
    for (uint64_t i = first; i < count; i++) self[i] += nth(tree, i)->ticks;
    for (uint64_t i = count; i-- > first;) {
        const sn_context *c = nth(tree, i);
        uint64_t parent = number_of(tree, c->parent);
        calls[i] += c->calls;
        total[i] += self[i];
        calls[parent] += calls[i];
        total[parent] += total[i];
    }
    written = 0;
    row[first - 1] = -1;
    for (uint64_t i = first; i < count; i++) {
        if (!calls[i] && !total[i]) continue;
        const sn_context *c = nth(tree, i);
        row[i] = (int64_t)written;
        columns->parent[written] = row[number_of(tree, c->parent)];
        columns->function[written] = c->function;
        columns->call_line[written] = sn_line_of(c);
        columns->calls[written] = (int64_t)c->calls;
        columns->total_calls[written] = (int64_t)calls[i];
        columns->self_ns[written] = (int64_t)self[i];
        columns->total_ns[written] = (int64_t)total[i];
        written++;
    }
done:
    free(row);
    free(self);
    free(calls);
    free(total);
    return written;
}
