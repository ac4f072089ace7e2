/* Which Python functions have called which, while memory is accessed.
 *
 * Each thread has a stack of the frames that run in it, which is looked at when another frame is the innermost one.
 * Nothing is done at an access: what was made between two changes is known from the clock.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "tool.h"

/* Who has more frames than this has only the innermost of them. */
enum { DEEPEST = 1 << 20, FIRST_ROOM = 256 };

struct sn_access_contexts contexts;

void context_add(struct thread *thread, uint64_t clock) {
    UInt context = thread->context ? thread->context : SN_NO_FUNCTION_RUNS;
    sn_access_contexts_add(&contexts, context, thread->is_folded, clock, totals.misses);
}

void context_outside(struct thread *thread) {
    thread->context = 0;
    thread->is_folded = thread->is_between = False;
}

static void give_stack_back(struct thread *thread) {
    if (thread->stack) give_pages_back(thread->stack, thread->stack_room * sizeof *thread->stack);
}

void context_thread_ends(struct thread *thread) {
    if (thread == current) context_add(thread, clock_);
    give_stack_back(thread);
}

static void need_room(struct thread *thread, UInt depth) {
    UInt room = thread->stack_room ? thread->stack_room : FIRST_ROOM;
    while (room < depth) room *= 2;
    if (room == thread->stack_room) return;
    struct active_call *stack = need_pages(room * sizeof *stack);
    for (UInt i = 0; i < thread->stack_depth; i++) stack[i] = thread->stack[i];
    give_stack_back(thread);
    thread->stack = stack, thread->stack_room = room;
}

static void push(struct thread *thread, Addr frame, UInt function) {
    need_room(thread, thread->stack_depth + 1);
    const struct active_call *caller = thread->stack_depth ? &thread->stack[thread->stack_depth - 1] : NULL;
    UInt above = caller ? caller->context : 0;
    /* What a context without space has called has none either, even if the ancestor has called the same. */
    UInt context = caller && caller->is_folded ? 0 : sn_access_context_below(&contexts, above, function);
    thread->stack[thread->stack_depth++] = (struct active_call){
        .frame = frame, .function = function, .context = context ? context : above, .is_folded = !context};
}

static Bool is_called_by(Addr caller, const struct thread *thread, UInt depth) {
    return caller == (depth ? thread->stack[depth - 1].frame : 0);
}

/* Read the whole stack out of the interpreter's frames. */
static void look_at_all(struct thread *thread, Addr frame) {
    UInt depth = 0, function;
    for (Addr each = frame; each && depth < DEEPEST; depth++) each = python_caller(thread, each, &function);
    need_room(thread, depth);
    UInt i = depth;
    for (Addr each = python_frame(thread, frame, &function); i > 0; each = python_caller(thread, each, &function))
        thread->stack[--i] = (struct active_call){.frame = each, .function = function};
    for (thread->stack_depth = 0; thread->stack_depth < depth;) {
        const struct active_call *call = &thread->stack[thread->stack_depth];
        push(thread, call->frame, call->function);
    }
}

static void is_in_innermost(struct thread *thread) {
    const struct active_call *call = &thread->stack[thread->stack_depth - 1];
    thread->context = call->context;
    thread->is_folded = call->is_folded;
    thread->is_between = False;
}

/* A callee has been left, whose caller goes on: it may be C code of the caller's, so that nothing of its frame changes. */
static Bool returns(struct thread *thread, Addr frame, UInt function) {
    UInt depth = thread->stack_depth, callers_function;
    if (depth < 2 || thread->stack[depth - 2].frame != frame || thread->stack[depth - 2].function != function) return False;
    if (!is_called_by(python_caller(thread, frame, &callers_function), thread, depth - 2)) return False;
    thread->stack_depth--;
    return True;
}

void context_left(struct thread *thread, Addr frame, UInt function, uint64_t clock) {
    if (!thread->is_between) context_add(thread, clock);
    thread->is_between = True;
    if (frame && returns(thread, frame, function)) is_in_innermost(thread);
}

void context_entered(struct thread *thread, Addr frame, UInt function) {
    UInt callers_function;
    if (is_called_by(python_caller(thread, frame, &callers_function), thread, thread->stack_depth))
        push(thread, frame, function); /* a call, or a generator that goes on */
    else
        look_at_all(thread, frame);
    is_in_innermost(thread);
}
