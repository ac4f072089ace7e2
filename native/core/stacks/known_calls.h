/* Which function was seen to call which, and on which lines: in stacks, or parts of them, that are certain.
 *
 * Calls are far fewer than contexts: so nearly all of those of a stack that is not certain are known soon. If one was seen on other lines
 * only, its caller has gone on since, and the line is one of those.
 *
 * Guarantee: no context has a call that was never certain, in whatever context.
 */
#ifndef SONDE_KNOWN_CALLS_H
#define SONDE_KNOWN_CALLS_H

#include "code_table.h"

typedef struct {
    struct sn_word_map lines; /* of caller and callee, and of these on a line: the line, of the former that was seen last, + 1 */
} sn_known_calls;

void sn_known_calls_free(sn_known_calls *calls);

/* Take in the calls of a stack, outermost frame first. Where memory is short, some are not known later. */
void sn_known_calls_add(sn_known_calls *calls, const sn_code_table *table, const sn_stack_frame *frames, uint32_t count);

/* How many frames, from the outermost one on, have been called like this; the first `certain` are not looked at. */
uint32_t sn_known_calls_count(const sn_known_calls *calls, const sn_code_table *table, const sn_stack_frame *frames, uint32_t certain,
                              uint32_t count);

/* The line of the call of frame `callee`, not the outermost one: its caller's, or another one on which it was seen. */
uint32_t sn_known_calls_line(const sn_known_calls *calls, const sn_code_table *table, const sn_stack_frame *frames, uint32_t callee);

#endif
