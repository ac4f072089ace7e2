#include "frame_stack.h"

#include <stdlib.h>

#define FIRST_ROOM 128u

bool sn_frame_stack_grow(sn_thread *thread) {
    sn_frame_stack *stack = thread->stack;
    uint32_t room = stack ? 2 * stack->room : FIRST_ROOM;
    sn_frame_stack *grown = realloc(stack, sizeof *grown + room * sizeof grown->frames[0]);
    if (!grown) return false;
    if (!stack) grown->depth = 0;
    grown->room = room;
    thread->stack = grown;
    return true;
}
