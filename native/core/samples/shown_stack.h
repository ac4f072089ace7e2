/* The frames of a thread's contexts, as an agent that sees calls begin, but not end, shows them to another process.
 *
 * It stands in the agent's spool. What has ended stays in it until the next call on the thread begins: a frame is known
 * to run only as far as the interpreter's own stack has it.
 */
#ifndef SONDE_SHOWN_STACK_H
#define SONDE_SHOWN_STACK_H

#include <stdint.h>

/* Addresses in the agent's process. */
typedef struct {
    uint64_t frame, context;
} sn_shown_frame;

/* From the outermost to the current one. */
typedef struct {
    uint32_t depth, room;
    sn_shown_frame frames[];
} sn_shown_stack;

#endif
