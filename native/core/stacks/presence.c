#include "presence.h"

#include "emptied_map.h"

#include <stdlib.h>

static uint64_t key_of(const sn_context *context) { return (uint64_t)(uintptr_t)context; } /* never odd */
static uint64_t key_of_function(uint32_t function) { return (uint64_t)function << 1 | 1; }

static void free_all(sn_presents *p) {
    free(p->all);
    sn_map_free(&p->by_key);
    *p = (sn_presents){0};
}

void sn_presence_free(sn_presence *presence) {
    free_all(&presence->before);
    free_all(&presence->now);
}

static bool add(sn_presents *p, uint64_t key, sn_context *context, uint32_t function) {
    uint32_t known = sn_word_get(&p->by_key, key);
    if (known) {
        p->all[known - 1].count++;
        return true;
    }
    if (p->count == p->room) {
        uint32_t room = p->room ? 2 * p->room : 64;
        sn_present *grown = realloc(p->all, room * sizeof *grown);
        if (!grown) return false;
        p->all = grown;
        p->room = room;
    }
    if (!sn_word_set(&p->by_key, key, p->count + 1)) return false;
    p->all[p->count++] = (sn_present){context, function, 1};
    return true;
}

bool sn_presence_add(sn_presence *presence, sn_context *context, bool runs) {
    bool is_added = add(&presence->now, key_of(context), context, context->function);
    return is_added && (!runs || add(&presence->now, key_of_function(context->function), NULL, context->function));
}

static void credit(sn_stack_tree *tree, const sn_present *p, uint32_t before, uint32_t now, uint64_t ns) {
    if (p->context) sn_stack_tree_present(p->context, before, now, ns);
    else sn_stack_tree_present_function(tree, p->function, before, now, ns);
}

void sn_presence_share_out(sn_presence *presence, sn_stack_tree *tree, uint64_t ns) {
    sn_presents *before = &presence->before, *now = &presence->now;
    for (uint32_t i = 0; ns && i < now->count; i++) {
        const sn_present *p = &now->all[i];
        uint32_t known = sn_word_get(&before->by_key, p->context ? key_of(p->context) : key_of_function(p->function));
        credit(tree, p, known ? before->all[known - 1].count : 0, p->count, ns);
        if (known) before->all[known - 1].count = 0;
    }
    for (uint32_t i = 0; ns && i < before->count; i++)
        if (before->all[i].count) credit(tree, &before->all[i], before->all[i].count, 0, ns);
    sn_presents swapped = *before;
    *before = *now;
    *now = swapped;
    sn_map_empty(&now->by_key);
    now->count = 0;
}
