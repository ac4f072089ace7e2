/* The rarely taken moves of a thread's cursor: new contexts, and finding the way again.
 *
 * The cursor can lose the stack when stacks are switched under it (greenlets), or when a
 * frame ran unseen. It is compared with the caller's code object at every call, and set
 * right by walking the frames: what ran until then is left, and what is on the stack found again.
 */
#include "cursor.h"

#include "frame_stack.h"
#include "outer_context.h"
#include "thread_base.h"
#include "unseen.h"

#include <stdlib.h>

static sn_context *called_or_found(sn_context *child, bool called) {
    if (called && child->call_line & SN_COLD) sn_hot_call_cold(&agent.hot, child);
    return child;
}

/* A call that found no room: it is neither counted nor recorded. */
static void drop(void) {
    agent.header->dropped_calls++;
    if (agent.trace_path) sn_trace_lose(&agent.trace);
}

/* When the stack alone fills the tree, making room fails, after looking at every node; so it is not
 * tried again at each call. */
#define TRY_AGAIN 1024u

static sn_context *add(sn_context *parent, uint64_t key, uint32_t line, uint32_t function, bool called) {
    static uint32_t refused;
    bool is_full = agent.hot.tree.nodes >= agent.hot.nodes_limit;
    if (is_full && refused && ++refused % TRY_AGAIN) return NULL;
    sn_context *child = sn_hot_add(&agent.hot, parent, key, line, function, called);
    refused = !child;
    return child;
}

sn_context *sn_cursor_child(sn_context *parent, PyObject *code, const sn_frame *frame, uint32_t line, bool called) {
    uint64_t key = (uint64_t)(uintptr_t)code;
    if (agent.by_thread && parent == agent.hot.root && !(parent = sn_thread_base(frame))) {
        drop();
        return NULL;
    }
    sn_context *child = sn_tree_find(&agent.hot.tree, parent, key, line);
    if (child) return called_or_found(child, called);
    uint32_t function = sn_function_of_code(code, frame);
    if (unlikely(sn_outer_is_short)) sn_outer_make_room();
    if (unlikely(sn_first_call_due)) {
        sn_first_call_make();
        /* Meanwhile another thread may have made it. */
        if ((child = sn_tree_find(&agent.hot.tree, parent, key, line))) return called_or_found(child, called);
    }
    if (function != SN_NO_FUNCTION) {
        /* The same function, whose code object was freed and came back (exec in a loop)? */
        child = sn_tree_find(&agent.hot.tree, parent, sn_dead_key(function), line);
        if (child) {
            sn_tree_rekey(&agent.hot.tree, child, key);
            called_or_found(child, called);
        } else {
            child = add(parent, key, line, function, called);
        }
        if (child) {
            sn_function_adopt(function, child);
            return child;
        }
    }
    drop();
    return NULL;
}

void sn_cursor_enter_builtin(sn_thread *thread, sn_frame *caller, PyObject *callable) {
    uint64_t key;
    uint32_t function = sn_function_of_builtin(callable, &key), line = 0;
    if (function == SN_NO_FUNCTION) return;
    sn_context *at = sn_cursor_parent(thread, caller, &line);
    if (at) sn_cursor_credit(thread, agent.builtin_costs.enter, sn_chosen_how());
    if (agent.by_thread && at == agent.hot.root) at = sn_thread_base(NULL);
    sn_context *child = at ? sn_tree_find(&agent.hot.tree, at, key, line) : NULL;
    if (child) called_or_found(child, true);
    else if (at) child = add(at, key, line, function, true);
    if (child) sn_cursor_open(thread, child, sn_chosen_how());
    else drop();
}

void sn_cursor_leave_builtin(sn_thread *thread, PyObject *callable) {
    uint64_t key;
    if (sn_function_of_builtin(callable, &key) == SN_NO_FUNCTION) return;
    if (unlikely(thread->cursor.current->key != key)) sn_cursor_leave_slow(thread, key);
    else sn_cursor_close(thread, agent.builtin_costs.leave, sn_chosen_how());
}

void sn_cursor_lose(sn_thread *thread, sn_how how) {
    sn_cursor_credit(thread, 0, how);
    const sn_context *current = thread->cursor.current;
    if (how & SN_RECORDED && !sn_hot_is_base(&agent.hot, current)) sn_cursor_record(thread, SN_EVENT_LOST, current);
    sn_hot_lose(&agent.hot, &thread->cursor);
    sn_frame_stack_forget(thread);
}

sn_context *sn_cursor_resync(sn_thread *thread, sn_frame *caller) {
    /* What could not be found for lack of room will hardly be found now: not every call walks the stack. */
    if (thread->cursor.skipped && thread->cursor.skipped++ % TRY_AGAIN) {
        drop();
        return NULL;
    }
    agent.header->resyncs++;
    size_t depth = 0;
    for (sn_frame *f = sn_frame_python(caller); f; f = sn_frame_python(f->previous)) depth++;
    sn_frame **stack = malloc((depth + 1) * sizeof *stack);
    if (!stack) return NULL;
    size_t at = depth;
    for (sn_frame *f = sn_frame_python(caller); at > 0; f = sn_frame_python(f->previous)) stack[--at] = f;
    sn_how how = sn_chosen_how();
    sn_cursor_lose(thread, how);
    sn_context *context = thread->cursor.current;
    uint32_t line = 0;
    for (size_t i = 0; i < depth && context; i++) {
        PyObject *code = sn_frame_executable(stack[i]);
        context = sn_cursor_child(context, code, stack[i], line, false);
        if (context && agent.starts_only && !sn_frame_stack_push(thread, stack[i])) context = NULL;
        if (!context) break;
        thread->cursor.current = context; /* at every step, or what was found might be pruned again */
        if (how & SN_RECORDED) sn_cursor_record(thread, SN_EVENT_FOUND, context);
        line = sn_function_call_line(context->function, stack[i], code);
    }
    free(stack);
    thread->cursor.skipped = !context;
    return context;
}

sn_context *sn_cursor_parent_slow(sn_thread *thread, sn_frame *caller, uint32_t *line) {
    sn_context *at = thread->cursor.current;
    caller = sn_frame_python(caller);
    *line = 0;
    if (!caller) {
        if (at != agent.hot.root && !sn_function_is_builtin(at->function)) {
            agent.header->resyncs++;
            sn_cursor_lose(thread, sn_chosen_how());
        }
        return thread->cursor.current;
    }
    PyObject *code = sn_frame_executable(caller);
    if (at->key == (uint64_t)(uintptr_t)code) {
        *line = sn_function_call_line(at->function, caller, code);
        return at;
    }
    /* Called by a C function that is itself counted: hangs below it, from no line. */
    sn_context *python = at;
    while (python != agent.hot.root && sn_function_is_builtin(python->function)) python = python->parent;
    if (python != at && python->key == (uint64_t)(uintptr_t)code) return at;
    at = sn_cursor_resync(thread, caller);
    if (at) *line = sn_function_call_line(at->function, caller, code);
    return at;
}

void sn_cursor_leave_slow(sn_thread *thread, uint64_t key) {
    const sn_context *found = thread->cursor.current;
    while (found != agent.hot.root && found->key != key) found = found->parent;
    if (found == agent.hot.root) return; /* began before we did, or had no room */
    while (thread->cursor.current != found) sn_cursor_close(thread, 0, sn_chosen_how());
    sn_cursor_close(thread, agent.costs.leave, sn_chosen_how());
}
