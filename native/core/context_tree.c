#include "context_tree.h"

#include <stdlib.h>

#define FIRST_SLOTS 256u

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

/* Slots keep stale pointers to contexts that were rekeyed; a rebuild places every context
 * once, under the key that it has now. When that frees a quarter of the slots or more, the
 * table need not be larger: a program that runs new code in a loop rekeys without end. */
static bool grow(sn_tree *tree) {
    uint64_t count = tree->slot_count ? tree->slot_count : FIRST_SLOTS;
    if ((tree->slot_used - tree->slot_stale) * 4 > tree->slot_count) count = tree->slot_count * 2;
    sn_context **slots = calloc(count, sizeof *slots);
    if (!slots) return false;
    uint64_t used = 0;
    for (uint64_t i = 0; i < tree->slot_count; i++) {
        sn_context *context = tree->slots[i];
        if (!context) continue;
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

void sn_tree_init(sn_tree *tree, sn_cells *cells) { *tree = (sn_tree){.cells = cells}; }

void sn_tree_free(sn_tree *tree) {
    free(tree->slots);
    *tree = (sn_tree){.cells = tree->cells};
}

sn_context *sn_tree_root(sn_tree *tree) {
    sn_context *root = sn_cells_take(tree->cells, 1);
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
    do {
        if (!index_add(tree, child)) return;
        child = child->next;
    } while (child != parent->child);
    parent->call_line |= SN_WIDE;
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
    sn_context *child = sn_cells_take(tree->cells, 1);
    if (!child) return NULL;
    child->key = key;
    child->parent = parent;
    child->function = function;
    child->call_line = line & SN_LINE_MASK;
    if (parent->call_line & SN_WIDE && !index_add(tree, child)) parent->call_line &= ~SN_WIDE;
    sn_context *last = parent->child;
    child->next = last ? last->next : child;
    if (last) last->next = child;
    parent->child = child;
    sn_cells_publish(tree->cells);
    return child;
}

void sn_tree_rekey(sn_tree *tree, sn_context *context, uint64_t key) {
    context->key = key;
    if (!(context->parent->call_line & SN_WIDE)) return;
    tree->slot_stale++;
    if (!index_add(tree, context)) context->parent->call_line &= ~SN_WIDE;
}
