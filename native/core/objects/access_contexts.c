/* Calling contexts with their accesses. See access_contexts.h. */
#include "access_contexts.h"

#include "../base/pages.h"

bool sn_access_contexts_start(struct sn_access_contexts *contexts, uint32_t limit) {
    contexts->contexts = sn_pages((size_t)limit * sizeof *contexts->contexts);
    contexts->count = SN_NO_FUNCTION_RUNS + 1;
    contexts->limit = limit;
    return contexts->contexts != NULL;
}

uint32_t sn_access_context_below(struct sn_access_contexts *contexts, uint32_t parent, uint32_t function) {
    uint64_t key = (uint64_t)parent << 32 | function;
    uint32_t found = sn_word_get(&contexts->by_key, key);
    if (found) return found;
    if (contexts->count >= contexts->limit || !sn_word_set(&contexts->by_key, key, contexts->count)) return 0;
    contexts->contexts[contexts->count] = (struct sn_access_context){.parent = parent, .function = function};
    return contexts->count++;
}

void sn_access_contexts_add(struct sn_access_contexts *contexts, uint32_t context, bool is_folded, uint64_t clock,
                            const uint64_t misses[SN_LEVELS]) {
    struct sn_access_context *into = &contexts->contexts[context];
    into->accesses += clock - contexts->clock;
    if (is_folded) contexts->folded += clock - contexts->clock;
    contexts->clock = clock;
    for (unsigned i = 0; i < SN_LEVELS; i++) {
        into->misses[i] += misses[i] - contexts->misses[i];
        contexts->misses[i] = misses[i];
    }
}

void sn_access_contexts_find_used(struct sn_access_contexts *contexts) {
    struct sn_access_context *all = contexts->contexts;
    for (uint32_t i = contexts->count; i-- > 1;) { /* parents come before those below them */
        if (all[i].accesses) all[i].is_used = true;
        if (all[i].is_used) all[all[i].parent].is_used = true;
    }
}
