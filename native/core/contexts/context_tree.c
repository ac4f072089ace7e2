#include "context_tree.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 256u
#define FETCHED_AHEAD 4u

/* Fibonacci hashing; addresses carry little in their low bits. */
static uint32_t hash(uint64_t key, uint32_t line) {
    uint64_t x = (key >> 3 ^ key << 61) * 0xC2B2AE3D27D4EB4Fu ^ (uint64_t)line * 0x165667B19E3779F9u;
    x ^= x >> 29;
    return (uint32_t)(x * 0xBF58476D1CE4E5B9u >> 32);
}

static uint64_t cell_of(const sn_tree *tree, const sn_context *context) {
    return (uint64_t)((const uint8_t *)context - tree->cells->base) / SN_CELL_BYTES;
}

static sn_context *context_at(const sn_tree *tree, uint64_t cell) {
    return (sn_context *)(tree->cells->base + cell * SN_CELL_BYTES);
}

static bool index_add(sn_tree *tree, const sn_context *context) {
    return sn_child_index_add(&tree->index, cell_of(tree, context->parent), hash(context->key, sn_line_of(context)),
                              (uint32_t)cell_of(tree, context));
}

static void index_remove(sn_tree *tree, const sn_context *context) {
    sn_child_index_remove(&tree->index, cell_of(tree, context->parent), hash(context->key, sn_line_of(context)),
                          (uint32_t)cell_of(tree, context));
}

static sn_context *index_find(const sn_tree *tree, const sn_context *parent, uint64_t key, uint32_t line) {
    uint32_t wanted = hash(key, line), at = wanted, cell;
    const sn_child_table *table = sn_child_index_table(&tree->index, cell_of(tree, parent));
    while ((cell = sn_child_table_next(table, wanted, &at))) {
        sn_context *found = context_at(tree, cell);
        if (found->key == key && sn_line_of(found) == line) return found;
    }
    return NULL;
}

static void narrow(sn_tree *tree, sn_context *parent) {
    parent->call_line &= ~SN_WIDE;
    sn_child_index_end(&tree->index, cell_of(tree, parent));
}

void sn_tree_init(sn_tree *tree, sn_cells *cells, bool sided) { *tree = (sn_tree){.cells = cells, .sided = sided}; }

void sn_tree_free(sn_tree *tree) {
    sn_child_index_free(&tree->index);
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
    bool wide = parent->call_line & SN_WIDE;
    unsigned scanned = 0;
    do {
        if (child->key == key && sn_line_of(child) == line) {
            parent->child = child;
            return child;
        }
        child = child->next;
        scanned++;
    } while (child != front && (scanned < SN_SCAN_WIDE || !wide));
    if (!wide) return NULL;
    child = index_find(tree, parent, key, line);
    if (child) parent->child = child;
    return child;
}

static void widen(sn_tree *tree, sn_context *parent) {
    if (!sn_child_index_begin(&tree->index, cell_of(tree, parent))) return;
    parent->call_line |= SN_WIDE;
    sn_context *child = parent->child;
    do {
        if (!index_add(tree, child)) {
            narrow(tree, parent);
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
    child->call_line = line & (SN_LINE_MASK | SN_BASE);
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
    if (parent->call_line & SN_WIDE && !index_add(tree, child)) narrow(tree, parent);
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
    if (parent->call_line & SN_WIDE) index_remove(tree, leaf);
    if (previous == leaf) {
        parent->child = NULL;
        if (parent->call_line & SN_WIDE) narrow(tree, parent);
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
    bool wide = context->parent->call_line & SN_WIDE;
    if (wide) index_remove(tree, context);
    context->key = key;
    if (wide && !index_add(tree, context)) narrow(tree, context->parent);
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
