#include "context_tree.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 256u
#define FETCHED_AHEAD 4u

static uint64_t hash(const sn_context *parent, uint64_t key, uint32_t line) {
    /* Fibonacci hashing of the three words; addresses carry little in their low bits. */
    uint64_t x = ((uint64_t)(uintptr_t)parent >> 6) * 0x9E3779B97F4A7C15u;
    x ^= (key >> 3 ^ key << 61) * 0xC2B2AE3D27D4EB4Fu;
    x ^= (uint64_t)line * 0x165667B19E3779F9u;
    x ^= x >> 29;
    x *= 0xBF58476D1CE4E5B9u;
    return x ^ x >> 32;
}

static void place(sn_context **slots, uint64_t slot_count, sn_context *context) {
    uint64_t mask = slot_count - 1, at = hash(context->parent, context->key, sn_line_of(context)) & mask;
    while (slots[at]) at = (at + 1) & mask;
    slots[at] = context;
}

/* Slots keep stale pointers to contexts that were removed or rekeyed, which does no harm: a search
 * compares what the context says of itself. A rebuild places every context that belongs into the
 * index once, under the key that it has now. When that frees a quarter of the slots or more, the
 * table need not be larger: a program that runs new code in a loop rekeys without end. */
static bool grow(sn_tree *tree) {
    uint64_t count = tree->slot_count ? tree->slot_count : FIRST_SLOTS;
    if ((tree->slot_used - tree->slot_stale) * 4 > tree->slot_count) count = tree->slot_count * 2;
    sn_context **slots = calloc(count, sizeof *slots);
    if (!slots) return false;
    uint64_t used = 0;
    for (uint64_t i = 0; i < tree->slot_count; i++) {
        sn_context *context = tree->slots[i];
        if (!context || context->key == SN_TAG_FREE || !(context->parent->call_line & SN_WIDE)) continue;
        uint64_t mask = count - 1, at = hash(context->parent, context->key, sn_line_of(context)) & mask;
        while (slots[at] && slots[at] != context) at = (at + 1) & mask;
        if (slots[at]) continue;
        slots[at] = context;
        used++;
    }
    free(tree->slots);
    tree->slots = slots;
    tree->slot_count = count;
    tree->slot_used = used;
    tree->slot_stale = 0;
    return true;
}

static bool index_add(sn_tree *tree, sn_context *context) {
    if ((tree->slot_used + 1) * 2 > tree->slot_count && !grow(tree)) return false;
    place(tree->slots, tree->slot_count, context);
    tree->slot_used++;
    return true;
}

static sn_context *index_find(const sn_tree *tree, const sn_context *parent, uint64_t key, uint32_t line) {
    uint64_t mask = tree->slot_count - 1, at = hash(parent, key, line) & mask;
    for (sn_context *found; (found = tree->slots[at]); at = (at + 1) & mask)
        if (found->key == key && found->parent == parent && sn_line_of(found) == line) return found;
    return NULL;
}

void sn_tree_init(sn_tree *tree, sn_cells *cells, bool sided) { *tree = (sn_tree){.cells = cells, .sided = sided}; }

void sn_tree_free(sn_tree *tree) {
    free(tree->slots);
    free(tree->removed);
    *tree = (sn_tree){.cells = tree->cells, .sided = tree->sided};
}

static bool take_chunk(sn_tree *tree) {
    sn_context *chunk = sn_cells_take(tree->cells, 2 * SN_CHUNK);
    if (!chunk) return false;
    for (uint32_t i = 0; i < SN_CHUNK; i++) sn_side_of(chunk + i)->tag = SN_TAG_SIDE;
    tree->chunk = chunk;
    tree->chunk_left = SN_CHUNK;
    return true;
}

/* Cells for one context, from the store or those of one that was removed; not yet published. */
static sn_context *take(sn_tree *tree) {
    sn_context *context;
    if (tree->removed_count) {
        context = tree->removed[--tree->removed_count];
        /* Removed long ago, as a rule; those that are wanted soon are fetched ahead. */
        if (tree->removed_count >= FETCHED_AHEAD) {
            sn_context *later = tree->removed[tree->removed_count - FETCHED_AHEAD];
            __builtin_prefetch(later, 1);
            __builtin_prefetch(sn_side_of(later), 1);
        }
        memset(context, 0, sizeof *context);
        *sn_side_of(context) = (sn_side){.tag = SN_TAG_SIDE};
        return context;
    }
    if (!tree->sided) return sn_cells_take(tree->cells, 1);
    if (!tree->chunk_left && !take_chunk(tree)) return NULL;
    tree->chunk_left--;
    return tree->chunk++;
}

sn_context *sn_tree_root(sn_tree *tree) {
    sn_context *root = take(tree);
    if (!root) return NULL;
    root->key = SN_TAG_ROOT;
    sn_cells_publish(tree->cells);
    return root;
}

sn_context *sn_tree_find(sn_tree *tree, sn_context *parent, uint64_t key, uint32_t line) {
    sn_context *front = parent->child, *child = front;
    if (!front) return NULL;
    unsigned scanned = 0;
    do {
        if (child->key == key && sn_line_of(child) == line) {
            parent->child = child;
            return child;
        }
        child = child->next;
        scanned++;
    } while (child != front && (scanned < SN_SCAN || !(parent->call_line & SN_WIDE)));
    if (child == front) return NULL;
    child = index_find(tree, parent, key, line);
    if (child) parent->child = child;
    return child;
}

static void widen(sn_tree *tree, sn_context *parent) {
    sn_context *child = parent->child;
    parent->call_line |= SN_WIDE; /* first: the index keeps only children of wide parents when it grows */
    do {
        if (!index_add(tree, child)) {
            parent->call_line &= ~SN_WIDE;
            return;
        }
        child = child->next;
    } while (child != parent->child);
}

static bool has_more_children_than(const sn_context *parent, unsigned count) {
    const sn_context *child = parent->child;
    if (!child) return false;
    do child = child->next;
    while (child != parent->child && count-- > 0);
    return child != parent->child;
}

sn_context *sn_tree_add(sn_tree *tree, sn_context *parent, uint64_t key, uint32_t line, uint32_t function) {
    if (!(parent->call_line & SN_WIDE) && has_more_children_than(parent, SN_SCAN)) widen(tree, parent);
    sn_context *child = take(tree);
    if (!child) return NULL;
    child->parent = parent;
    child->function = function;
    child->call_line = line & SN_LINE_MASK;
    sn_context *last = parent->child;
    child->next = last ? last->next : child;
    if (tree->sided) {
        sn_side_of(child)->previous = last ? last : child;
        sn_side_of(child->next)->previous = child;
    }
    if (last) last->next = child;
    parent->child = child;
    /* A reader takes cells with a key for contexts: it comes last. */
    __atomic_store_n(&child->key, key, __ATOMIC_RELEASE);
    if (parent->call_line & SN_WIDE && !index_add(tree, child)) parent->call_line &= ~SN_WIDE;
    tree->nodes++;
    sn_cells_publish(tree->cells);
    return child;
}

static bool grow_removed(sn_tree *tree) {
    uint64_t room = tree->removed_room ? tree->removed_room * 2 : FIRST_SLOTS;
    sn_context **grown = realloc(tree->removed, room * sizeof(sn_context *));
    if (!grown) return false;
    tree->removed = grown;
    tree->removed_room = room;
    return true;
}

void sn_tree_remove(sn_tree *tree, sn_context *leaf) {
    sn_context *parent = leaf->parent, *previous = sn_side_of(leaf)->previous;
    if (tree->on_removal) tree->on_removal(leaf);
    if (parent->call_line & SN_WIDE) tree->slot_stale++;
    if (previous == leaf) {
        parent->child = NULL;
        parent->call_line &= ~SN_WIDE; /* nothing of it is in the index any more */
    } else {
        previous->next = leaf->next;
        sn_side_of(leaf->next)->previous = previous;
        if (parent->child == leaf) parent->child = leaf->next;
    }
    __atomic_store_n(&leaf->key, SN_TAG_FREE, __ATOMIC_RELEASE);
    tree->nodes--;
    if (tree->removed_count == tree->removed_room && !grow_removed(tree)) return; /* its cells are lost */
    tree->removed[tree->removed_count++] = leaf;
}

void sn_tree_rekey(sn_tree *tree, sn_context *context, uint64_t key) {
    context->key = key;
    if (!(context->parent->call_line & SN_WIDE)) return;
    tree->slot_stale++;
    if (!index_add(tree, context)) context->parent->call_line &= ~SN_WIDE;
}

sn_context *sn_tree_next(const sn_tree *tree, uint64_t *cell) {
    const sn_cells *cells = tree->cells;
    while (*cell < cells->used) {
        sn_context *context = (sn_context *)(cells->base + *cell * SN_CELL_BYTES);
        if (context->key == SN_TAG_RECORD) *cell += sn_record_cells(((const sn_record *)context)->bytes);
        else if (context->key == SN_TAG_SIDE) *cell += SN_CHUNK; /* the first of a chunk's */
        else ++*cell;
        if (sn_is_context(context->key)) return context;
    }
    return NULL;
}
