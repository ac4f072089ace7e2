#include "frame_stack.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 128u

/* In the spool, where others can see it; what it grows out of stays there. NULL: there is no room. */
static sn_shown_stack *shown(size_t bytes) {
    const uint32_t number[4] = {0}, length[4] = {(uint32_t)bytes};
    const char *const text[4] = {0};
    return bytes > UINT32_MAX ? NULL : sn_cells_add_record(&agent.cells, SN_RECORD_FRAMES, number, text, length);
}

static bool is_shown(const sn_shown_stack *stack) {
    return (uint64_t)((const uint8_t *)stack - agent.cells.base) < agent.cells.limit * SN_CELL_BYTES;
}

bool sn_frame_stack_grow(sn_thread *thread) {
    sn_shown_stack *stack = thread->stack;
    uint32_t room = stack ? 2 * stack->room : FIRST_ROOM, depth = stack ? stack->depth : 0;
    size_t bytes = sizeof *stack + room * sizeof stack->frames[0];
    sn_shown_stack *grown = agent.sampled ? shown(bytes) : NULL;
    if (!grown) grown = malloc(bytes);
    if (!grown) return false;
    grown->depth = depth;
    grown->room = room;
    if (stack) memcpy(grown->frames, stack->frames, depth * sizeof stack->frames[0]);
    __atomic_store_n(&thread->stack, grown, __ATOMIC_RELEASE);
    if (stack && !is_shown(stack)) free(stack);
    return true;
}
