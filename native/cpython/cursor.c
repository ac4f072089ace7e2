/* The rarely taken moves of a thread's cursor: new contexts, and finding the way again.
 *
 * The cursor can lose the stack when stacks are switched under it (greenlets), or when a
 * frame ran unseen. It is compared with the caller's code object at every call, and set
 * right by walking the frames: the activations that are no longer on the stack are closed,
 * those that are come to run again, so their times exclude the time that they were away.
 */
#include "agent.h"

#include <stdlib.h>

sn_context *sn_cursor_child(sn_context *parent, PyObject *code, const sn_frame *frame, uint32_t line) {
    uint64_t key = (uint64_t)(uintptr_t)code;
    sn_context *child = sn_tree_find(&agent.tree, parent, key, line);
    if (child) return child;
    uint32_t function = sn_function_of_code(code, frame);
    if (function != SN_NO_FUNCTION) {
        /* The same function, whose code object was freed and came back (exec in a loop)? */
        child = sn_tree_find(&agent.tree, parent, sn_dead_key(function), line);
        if (child)
            sn_tree_rekey(&agent.tree, child, key);
        else
            child = sn_tree_add(&agent.tree, parent, key, line, function);
        if (child) {
            sn_function_adopt(function, child);
            return child;
        }
    }
    agent.header->dropped_calls++;
    return NULL;
}

void sn_cursor_enter_builtin(sn_thread *thread, sn_frame *caller, PyObject *callable) {
    uint64_t key;
    uint32_t function = sn_function_of_builtin(callable, &key), line = 0;
    if (function == SN_NO_FUNCTION) return;
    sn_context *at = sn_cursor_parent(thread, caller, &line);
    sn_context *child = at ? sn_tree_find(&agent.tree, at, key, line) : NULL;
    if (at && !child) child = sn_tree_add(&agent.tree, at, key, line, function);
    if (child) sn_cursor_open(thread, child, agent.clock != SN_CLOCK_NONE);
    else agent.header->dropped_calls++;
}

void sn_cursor_leave_builtin(sn_thread *thread, PyObject *callable) {
    uint64_t key;
    if (sn_function_of_builtin(callable, &key) != SN_NO_FUNCTION)
        sn_cursor_leave(thread, key, agent.clock != SN_CLOCK_NONE);
}

static bool is_above(const sn_context *context, const sn_context *below) {
    for (; below; below = below->parent)
        if (below == context) return true;
    return false;
}

static void move_to(sn_thread *thread, sn_context *target) {
    bool timed = agent.clock != SN_CLOCK_NONE;
    for (sn_context *c = thread->current; c != thread->root && !is_above(c, target); c = c->parent)
        sn_cursor_close(thread, c, timed);
    thread->current = target;
}

sn_context *sn_cursor_resync(sn_thread *thread, sn_frame *caller) {
    agent.header->resyncs++;
    size_t depth = 0;
    for (sn_frame *f = sn_frame_python(caller); f; f = sn_frame_python(f->previous)) depth++;
    sn_frame **stack = malloc((depth + 1) * sizeof *stack);
    if (!stack) return NULL;
    size_t at = depth;
    for (sn_frame *f = sn_frame_python(caller); at > 0; f = sn_frame_python(f->previous)) stack[--at] = f;
    sn_context *context = thread->root;
    uint32_t line = 0;
    for (size_t i = 0; i < depth && context; i++) {
        PyObject *code = sn_frame_executable(stack[i]);
        context = sn_cursor_child(context, code, stack[i], line);
        if (context) line = sn_function_call_line(context->function, stack[i], code);
    }
    if (context) {
        move_to(thread, context);
        if (agent.clock != SN_CLOCK_NONE) {
            uint64_t now = sn_now();
            for (sn_context *c = context; c != thread->root; c = c->parent)
                if (!c->entered) c->entered = now;
        }
    }
    free(stack);
    return context;
}

sn_context *sn_cursor_parent_slow(sn_thread *thread, sn_frame *caller, uint32_t *line) {
    sn_context *at = thread->current;
    caller = sn_frame_python(caller);
    *line = 0;
    if (!caller) {
        if (at != thread->root && !sn_function_is_builtin(at->function)) {
            agent.header->resyncs++;
            move_to(thread, thread->root);
        }
        return thread->current;
    }
    PyObject *code = sn_frame_executable(caller);
    if (at->key == (uint64_t)(uintptr_t)code) {
        *line = sn_function_call_line(at->function, caller, code);
        return at;
    }
    /* Called by a C function that is itself counted: hangs below it, from no line. */
    sn_context *python = at;
    while (python != thread->root && sn_function_is_builtin(python->function)) python = python->parent;
    if (python != at && python->key == (uint64_t)(uintptr_t)code) return at;
    at = sn_cursor_resync(thread, caller);
    if (at) *line = sn_function_call_line(at->function, caller, code);
    return at;
}

void sn_cursor_leave_slow(sn_thread *thread, uint64_t key) {
    sn_context *found = thread->current;
    while (found != thread->root && found->key != key) found = found->parent;
    if (found == thread->root) return; /* began before we did, or had no room */
    move_to(thread, found);
    sn_cursor_close(thread, found, agent.clock != SN_CLOCK_NONE);
    thread->current = found->parent;
}

bool sn_frame_begins_program(const sn_frame *frame, sn_frame *caller) {
    if (sn_frame_python(caller)) return false;
    static const char *const machinery[] = {"<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>",
                                            "<frozen zipimport>"};
    PyObject *file = ((PyCodeObject *)sn_frame_executable(frame))->co_filename;
    for (size_t i = 0; i < sizeof machinery / sizeof *machinery; i++)
        if (!PyUnicode_CompareWithASCIIString(file, machinery[i])) return false;
    return true;
}
