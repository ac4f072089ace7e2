/* The moves of a thread's cursor in the tree. */
#ifndef SONDE_CURSOR_H
#define SONDE_CURSOR_H

#include "clock.h"
#include "functions.h"

/* The context of `caller` on this thread, found by walking the stack; NULL when it has none
 * and there is no room for it. */
sn_context *sn_cursor_resync(sn_thread *thread, sn_frame *caller);
/* The child for an activation that begins (`called`) or was found running; NULL when there is no room. */
sn_context *sn_cursor_child(sn_context *parent, PyObject *code, const sn_frame *frame, uint32_t line, bool called);
void sn_cursor_leave_slow(sn_thread *thread, uint64_t key);
/* What runs is not known any more; it ran up to now. */
void sn_cursor_lose(sn_thread *thread, sn_how how);
sn_context *sn_cursor_parent_slow(sn_thread *thread, sn_frame *caller, uint32_t *line);

/* Where a call from `caller` hangs, and the line it comes from; NULL when it cannot be stored. */
static inline sn_context *sn_cursor_parent(sn_thread *thread, sn_frame *caller, uint32_t *line) {
    sn_context *at = thread->cursor.current;
    PyObject *code;
    if (unlikely(!caller) || (code = sn_frame_executable(caller), unlikely(at->key != (uint64_t)(uintptr_t)code)))
        return sn_cursor_parent_slow(thread, caller, line);
    const uint32_t *lines = agent.lines_of[at->function];
    uint32_t known = likely(lines != NULL) ? lines[sn_frame_instruction(caller, code)] : 0;
    *line = likely(known) ? known - 1 : sn_function_call_line(at->function, caller, code);
    return at;
}

/* Write what has just happened to `context`; its time is that of the last credit. */
static inline void sn_cursor_record(sn_thread *thread, uint32_t kind, const sn_context *context) {
    sn_trace_event(&agent.trace, kind, thread->number, context->function, sn_line_of(context), thread->cursor.now);
}

/* Begin an activation of `context`, a child of what runs; its time begins where the last credit ended. */
static inline void sn_cursor_open(sn_thread *thread, sn_context *context, sn_how how) {
    context->calls += how & SN_IN_BURSTS ? agent.bursts.weight : 1;
    thread->cursor.current = context;
    if (how & SN_RECORDED) sn_cursor_record(thread, SN_EVENT_ENTER, context);
}

/* What runs has run until the event that costs so much. */
static inline void sn_cursor_credit(sn_thread *thread, uint64_t cost, sn_how how) {
    if (!(how & SN_TIMED)) return;
    if (how & SN_IN_BURSTS) sn_hot_credit_weighted(&thread->cursor, sn_now_on(thread, cost), agent.bursts.weight);
    else sn_hot_credit(&thread->cursor, sn_now_on(thread, cost));
}

/* End what runs. */
static inline void sn_cursor_close(sn_thread *thread, uint64_t cost, sn_how how) {
    sn_cursor_credit(thread, cost, how);
    if (how & SN_RECORDED) sn_cursor_record(thread, SN_EVENT_LEAVE, thread->cursor.current);
    sn_hot_leave(&agent.hot, &thread->cursor);
}

/* Enter `code`, called from `caller`; NULL when there is no room to count it. */
static inline sn_context *sn_cursor_enter(sn_thread *thread, PyObject *code, sn_frame *frame, sn_frame *caller,
                                          sn_how how) {
    uint32_t line = 0;
    sn_context *at = sn_cursor_parent(thread, caller, &line);
    if (unlikely(!at)) return NULL;
    sn_cursor_credit(thread, agent.costs.enter, how);
    sn_context *child = sn_tree_front(at, (uint64_t)(uintptr_t)code, line);
    if (unlikely(!child)) {
        child = sn_cursor_child(at, code, frame, line, true);
        if (!child) return NULL;
        thread->cursor.skipped = 0; /* there is room */
    }
    sn_cursor_open(thread, child, how);
    return child;
}

/* Leave `key` by an event; heals the cursor when it points elsewhere. */
static inline void sn_cursor_leave(sn_thread *thread, uint64_t key, sn_how how) {
    if (unlikely(thread->cursor.current->key != key)) sn_cursor_leave_slow(thread, key);
    else sn_cursor_close(thread, agent.costs.leave, how);
}

/* The same for a function written in C, called from the frame `caller`; others are ignored. */
void sn_cursor_enter_builtin(sn_thread *thread, sn_frame *caller, PyObject *callable);
void sn_cursor_leave_builtin(sn_thread *thread, PyObject *callable);

#endif
