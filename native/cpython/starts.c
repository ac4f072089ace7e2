/* Python 3.12 and later, calls only: contexts from the beginnings of calls alone.
 *
 * Ends are not asked for, which halves what the interpreter spends on calling back. They follow from the next
 * call on the thread: its caller is still running, and whatever was called since the caller began has ended. So a
 * thread remembers the frames of its contexts, from the outermost to the current one, and unwinds them to the caller.
 *
 * Where times are sampled, another process looks at that stack and at the interpreter's own.
 *
 * The address of a frame that has ended may serve another one; but that one, having begun, stands where the ended
 * one stood, or lower. Above a frame that runs there is none of its address.
 */
#include "starts.h"

#include "cursor.h"
#include "frame_stack.h"

#if PY_VERSION_HEX >= 0x030C0000

#define LOOK_BACK 64u

/* How far down the caller is looked for. While calls find no room it is probably one of those: only now and then all
 * frames are looked at, so that a call costs O(LOOK_BACK) on average. */
static inline uint32_t lowest(const sn_thread *thread, const sn_frame *caller, uint32_t depth) {
    if (likely(!thread->cursor.skipped) || !caller || depth <= LOOK_BACK) return 0;
    return thread->cursor.skipped % (depth / LOOK_BACK) ? depth - LOOK_BACK : 0;
}

/* What was called since `caller` began has ended; false when the caller is not known. */
static inline bool unwind(sn_thread *thread, const sn_frame *caller) {
    sn_shown_stack *stack = thread->stack;
    if (unlikely(!stack)) return !caller;
    uint32_t depth = stack->depth, at = depth, end = lowest(thread, caller, depth);
    while (at > end && stack->frames[at - 1].frame != (uint64_t)(uintptr_t)caller) at--;
    if (unlikely(at == end && caller)) return false;
    stack->depth = at;
    for (; depth > at; depth--) sn_hot_leave(&agent.hot, &thread->cursor);
    return true;
}

bool sn_starts_unwind(sn_thread *thread, const sn_frame *caller) { return unwind(thread, caller); }

void sn_starts_enter(sn_thread *thread, PyObject *code, sn_frame *frame) {
    sn_frame *caller = sn_frame_python(frame->previous);
    if (unlikely(!unwind(thread, caller)) && !sn_cursor_resync(thread, caller)) return;
    if (sn_cursor_enter(thread, code, frame, caller, SN_PLAIN) && unlikely(!sn_frame_stack_push(thread, frame)))
        sn_hot_leave(&agent.hot, &thread->cursor);
}

#endif
