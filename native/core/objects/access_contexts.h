/* What was accessed in which calling context: a tree of functions, as large as there is space for. */
#ifndef SONDE_ACCESS_CONTEXTS_H
#define SONDE_ACCESS_CONTEXTS_H

#include "lives.h"

struct sn_access_context {
    uint32_t parent, function; /* 0: the outermost, none */
    uint64_t accesses, misses[SN_LEVELS]; /* of its own: without those of the contexts below it */
    bool is_used; /* see sn_access_contexts_find_used */
};

enum { SN_NO_FUNCTION_RUNS = 1 }; /* the context in which none of the functions runs */

struct sn_access_contexts {
    struct sn_access_context *contexts; /* number 0 is none; parents come before those below them */
    uint32_t count, limit;
    struct sn_word_map by_key;
    uint64_t clock, misses[SN_LEVELS]; /* all that is added already */
    uint64_t folded; /* accesses of contexts that there was no space for, which an ancestor has */
};

/* Space for so many. False when there is no memory. */
bool sn_access_contexts_start(struct sn_access_contexts *contexts, uint32_t limit);

/* Number of the context in which `parent` (0: none) has called a function, a new one if need be; 0 when there is no
 * space. */
uint32_t sn_access_context_below(struct sn_access_contexts *contexts, uint32_t parent, uint32_t function);

/* What was done since the last call belongs to a context.
 *
 * Arguments:
 *   clock, misses: all accesses and misses so far.
 *   is_folded: it stands for one that there was no space for.
 * Guarantee: those of all contexts add up to the last `clock` and `misses`. Cost: O(1). */
void sn_access_contexts_add(struct sn_access_contexts *contexts, uint32_t context, bool is_folded, uint64_t clock,
                            const uint64_t misses[SN_LEVELS]);

/* Mark the contexts in which there was an access, and all above them. Cost: O(n). */
void sn_access_contexts_find_used(struct sn_access_contexts *contexts);

#endif
