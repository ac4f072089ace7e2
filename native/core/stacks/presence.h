/* How many tasks are in each context at one look, and what that makes of the time since the look before. */
#ifndef SONDE_PRESENCE_H
#define SONDE_PRESENCE_H

#include "stack_tree.h"

typedef struct {
    sn_context *context; /* NULL: a function that runs, over all of its contexts */
    uint32_t function, count;
} sn_present;

typedef struct {
    sn_present *all;
    uint32_t count, room;
    struct sn_word_map by_key; /* index + 1 */
} sn_presents;

/* At the look before, and at this one. All zero: nobody was seen. */
typedef struct {
    sn_presents before, now;
} sn_presence;

void sn_presence_free(sn_presence *presence);

/* One more is in a context, and runs its function, or does not; false: memory is short. */
bool sn_presence_add(sn_presence *presence, sn_context *context, bool runs);

/* All were added: share out the time since the look before, 0 if there was none. What is now is what was before, for the next look. */
void sn_presence_share_out(sn_presence *presence, sn_stack_tree *tree, uint64_t ns);

#endif
