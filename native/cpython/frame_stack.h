/* The frames of the contexts that a thread is in, where only beginnings of calls are seen. */
#ifndef SONDE_FRAME_STACK_H
#define SONDE_FRAME_STACK_H

#include "agent.h"

bool sn_frame_stack_grow(sn_thread *thread);

/* The frame of what has become the current context; false when there is no room. */
static inline bool sn_frame_stack_push(sn_thread *thread, const sn_frame *frame) {
    sn_shown_stack *stack = thread->stack;
    if (unlikely(!stack || stack->depth == stack->room)) {
        if (!sn_frame_stack_grow(thread)) return false;
        stack = thread->stack;
    }
    stack->frames[stack->depth++] =
        (sn_shown_frame){(uint64_t)(uintptr_t)frame, (uint64_t)(uintptr_t)thread->cursor.current};
    return true;
}

/* No frame is known any more. */
static inline void sn_frame_stack_forget(sn_thread *thread) {
    if (agent.starts_only && thread->stack) thread->stack->depth = 0;
}

#endif
