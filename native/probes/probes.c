#include "probes.h"

#include "thread_tree.h"

#include <errno.h>
#include <stdatomic.h>

static inline uint64_t key_of(uint32_t function, const void *return_address) {
    return (uint64_t)(function + 1) << 32 | (uint32_t)(uintptr_t)return_address;
}

static sn_context *find_or_add(sn_thread_tree *thread, sn_context *parent, uint64_t key, uint32_t line, uint32_t function) {
    sn_context *child = parent->child ? sn_tree_find(&thread->hot.tree, parent, key, line) : NULL;
    if (child) return child;
    thread->cursor->current = parent; /* it stays, whatever is pruned */
    child = sn_hot_add(&thread->hot, parent, key, line, function, true);
    thread->cursor->current = thread->hot.root;
    return child;
}

/* Whether it is a context that is in the tree: where stacks are switched, that of a frame that sleeps may have been pruned. */
static bool is_in_tree(const sn_thread_tree *thread, const sn_context *context) {
    return context->key > SN_TAG_ROOT || context == thread->hot.root;
}

/* What stands for the interpreter's context, for calls of a function. Where there is no room for it, what is called is nobody's
 * callee. */
static sn_context *outer_context(sn_thread_tree *thread, sn_context *parent, uint64_t number, uint32_t line, uint32_t function) {
    uint32_t place = (uint32_t)number & SN_LINE_MASK;
    parent = find_or_add(thread, parent, (uint64_t)(SN_PROBES_OUTER + 1) << 32 | place, place, SN_PROBES_OUTER);
    uint64_t key = (uint64_t)(SN_PROBES_OUTER_LINE + 1) << 32 | function;
    if (parent) parent = find_or_add(thread, parent, key, line & SN_LINE_MASK, SN_PROBES_OUTER_LINE);
    return parent ? parent : thread->hot.root;
}

/* What the entry of a function comes to when its context is not in the cache. */
__attribute__((used, visibility("hidden"))) sn_context *sn_probes_enter_slowly(sn_context *current, uint32_t function,
                                                                               const void *return_address) {
    sn_thread_tree *thread = sn_thread_tree_here();
    if (!thread || thread->busy) return sn_thread_tree_drop(thread);
    int error = errno;
    thread->busy = true;
    atomic_signal_fence(memory_order_seq_cst);
    if (current == &sn_probes_outside) {
        uint32_t line = 0;
        uint64_t number = sn_probes_outer.enter ? sn_probes_outer.enter(false, &line) : 0;
        current = number ? outer_context(thread, thread->hot.root, number, line, function) : thread->hot.root;
    }
    sn_context *child = NULL;
    if (is_in_tree(thread, current)) {
        uint32_t line = sn_thread_tree_line(return_address);
        child = find_or_add(thread, current, key_of(function, return_address), line, function);
    }
    if (child) {
        thread->near[sn_probes_place(current, return_address)] = child;
        /* The function will do it; but what a handler calls before may prune what does not run. */
        *(sn_context *volatile *)&sn_probes_here.current = child;
    } else {
        child = sn_thread_tree_drop(thread);
    }
    atomic_signal_fence(memory_order_seq_cst);
    thread->busy = false;
    errno = error;
    return child;
}

sn_context *sn_probes_enter_from_interpreter(sn_context *current, uint32_t function) {
    int error = errno;
    uint32_t line = 0;
    /* The interpreter may do anything, so it is asked before the thread is busy. */
    uint64_t number = sn_probes_outer.enter ? sn_probes_outer.enter(true, &line) : 0;
    sn_thread_tree *thread = sn_thread_tree_here();
    if (thread && !is_in_tree(thread, current)) current = thread->hot.root;
    if (thread && !thread->busy && number) {
        thread->busy = true;
        atomic_signal_fence(memory_order_seq_cst);
        current = outer_context(thread, current, number, line, function);
        atomic_signal_fence(memory_order_seq_cst);
        thread->busy = false;
    }
    errno = error;
    return current;
}

void sn_probes_leave_to_interpreter(sn_context *context) {
    uint64_t ticks = sn_probes_outer.leave ? sn_probes_outer.leave() : 0;
    if (context->key >> 32 == SN_PROBES_OUTER_LINE + 1) context->ticks += ticks;
}

/* Called from the entry of any function, where arguments are in registers. */
#if defined(__x86_64__)
__asm__(".text\n"
        ".globl sn_probes_enter\n"
        ".type sn_probes_enter, @function\n"
        "sn_probes_enter:\n"
        ".cfi_startproc\n"
        "  push %rcx\n  push %rdx\n  push %rsi\n  push %rdi\n  push %r8\n  push %r9\n  push %r10\n"
        ".cfi_adjust_cfa_offset 56\n"
        "  call sn_probes_enter_slowly\n"
        "  pop %r10\n  pop %r9\n  pop %r8\n  pop %rdi\n  pop %rsi\n  pop %rdx\n  pop %rcx\n"
        ".cfi_adjust_cfa_offset -56\n"
        "  ret\n"
        ".cfi_endproc\n"
        ".size sn_probes_enter, .-sn_probes_enter\n");
#else
sn_context *sn_probes_enter(sn_context *current, uint32_t function, const void *return_address) {
    return sn_probes_enter_slowly(current, function, return_address);
}
#endif

ptrdiff_t sn_probes_offset(void) { return (char *)&sn_probes_here - (char *)__builtin_thread_pointer(); }

int sn_probes_begin(const sn_probes_plan *plan) { return sn_thread_trees_begin(plan); }
