#include "probes.h"

#include "keeping_registers.h"
#include "linked_code.h"
#include "thread_tree.h"

#include <errno.h>
#include <stdatomic.h>

static inline uint64_t key_of(uint32_t function, const void *return_address) {
    return (uint64_t)(function + 1) << 32 | (uint32_t)(uintptr_t)return_address;
}

static sn_context *find_or_add(sn_thread_tree *thread, sn_context *parent, uint64_t key, uint32_t line, uint32_t function,
                               bool called) {
    sn_context *child = parent->child ? sn_tree_find(&thread->hot.tree, parent, key, line) : NULL;
    if (child) return child;
    thread->cursor->current = parent; /* it stays, whatever is pruned */
    child = sn_hot_add(&thread->hot, parent, key, line, function, called);
    thread->cursor->current = thread->hot.root;
    return child;
}

sn_context *sn_probes_running(sn_thread_tree *thread, sn_context *parent, uint32_t function, const void *return_address) {
    uint32_t line = sn_thread_tree_line(return_address);
    return find_or_add(thread, parent, key_of(function, return_address), line, function, false);
}

/* Whether it is a context that is in the tree: where stacks are switched, that of a frame that sleeps may have been pruned. */
static bool is_in_tree(const sn_thread_tree *thread, const sn_context *context) {
    return context->key > SN_TAG_ROOT || context == thread->hot.root;
}

/* What stands for the interpreter's context, for calls of a function. Where there is no room for it, what is called is nobody's
 * callee. */
static sn_context *outer_context(sn_thread_tree *thread, sn_context *parent, uint64_t number, uint32_t line, uint32_t function) {
    uint32_t place = (uint32_t)number & SN_LINE_MASK;
    parent = find_or_add(thread, parent, (uint64_t)(SN_PROBES_OUTER + 1) << 32 | place, place, SN_PROBES_OUTER, true);
    uint64_t key = (uint64_t)(SN_PROBES_OUTER_LINE + 1) << 32 | function;
    if (parent) parent = find_or_add(thread, parent, key, line & SN_LINE_MASK, SN_PROBES_OUTER_LINE, true);
    return parent ? parent : thread->hot.root;
}

/* The number of the interpreter's context in which a thread's code was entered; 0: none is known. */
static uint64_t entered_in(sn_thread_tree *thread, const sn_context *current) {
    if (thread->asked == current) return thread->asked_number;
    const sn_context *at = current;
    while (at->parent && at->key >> 32 != SN_PROBES_OUTER + 1) at = at->parent;
    thread->asked = current;
    return thread->asked_number = at->parent ? (uint32_t)at->key : 0;
}

/* What calls a function that code without probes calls: `caller`, or the interpreter, if it has gone on since. */
static sn_context *outer_caller(sn_thread_tree *thread, sn_context *caller, uint32_t function) {
    uint32_t line = 0;
    uint64_t number = sn_probes_outer.enter ? sn_probes_outer.enter(false, &line) : 0;
    bool is_same = !number || (number & SN_LINE_MASK) == entered_in(thread, caller);
    return is_same ? caller : outer_context(thread, thread->hot.root, number, line, function);
}

/* The interpreter waits for the end of a function; `is_first`: for no other one. */
static void wait_for(sn_thread_tree *thread, sn_context *context, bool is_first) {
    if (is_first) thread->outer_count = 0;
    if (thread->outer_count == SN_PROBES_OUTER_DEPTH) return;
    thread->outers[thread->outer_count++] = context;
    sn_probes_here.outer = context;
}

/* What the entry of a function comes to when its context is not in the cache. The function is number `function` of all,
 * or of an object file, or that at an address. */
static sn_context *enter(sn_context *current, uint32_t function, const void *return_address, sn_probes_object *object,
                         const void *address) {
    sn_thread_tree *thread = sn_thread_tree_here();
    if (!thread || thread->spool.busy) return sn_thread_tree_drop(thread);
    int error = errno;
    thread->spool.busy = true;
    atomic_signal_fence(memory_order_seq_cst);
    uint32_t first = object ? sn_linked_first(object) : address ? sn_linked_function(address) : 0;
    uint32_t number = first + function;
    sn_context *child = NULL, *caller = current;
    if (current == &sn_probes_outside) caller = thread->hot.root;
    bool may_be_outer = current == &sn_probes_outside || sn_thread_tree_may_be_outer(return_address);
    if (may_be_outer && first != SN_PROBES_NO_NUMBERS) caller = outer_caller(thread, caller, number);
    bool is_outer = caller->key >> 32 == SN_PROBES_OUTER_LINE + 1;
    if (is_in_tree(thread, caller) && first != SN_PROBES_NO_NUMBERS) {
        uint32_t line = sn_thread_tree_line(return_address);
        child = find_or_add(thread, caller, key_of(number, return_address), line, number, true);
    }
    if (child) {
        if (!may_be_outer) thread->near[sn_probes_place(current, return_address)] = child;
        /* The function will do it; but what a handler calls before may prune what does not run. */
        *(sn_context *volatile *)&sn_probes_here.current = child;
        if (is_outer && object) wait_for(thread, child, current == &sn_probes_outside);
    } else {
        child = sn_thread_tree_drop(thread);
    }
    atomic_signal_fence(memory_order_seq_cst);
    thread->spool.busy = false;
    errno = error;
    return child;
}

SN_FOR_ASSEMBLY sn_context *sn_probes_enter_slowly(sn_context *current, uint32_t function, const void *return_address) {
    return enter(current, function, return_address, NULL, NULL);
}

SN_FOR_ASSEMBLY sn_context *sn_probes_enter_linked_slowly(sn_context *current, uint32_t function,
                                                          const void *return_address, sn_probes_object *object) {
    return enter(current, function, return_address, object, NULL);
}

sn_context *sn_probes_enter_address(sn_context *current, const void *address, const void *return_address) {
    return enter(current, 0, return_address, NULL, address);
}

SN_FOR_ASSEMBLY void sn_probes_leave_linked_slowly(sn_context *context) {
    sn_thread_tree *thread = sn_thread_tree_own;
    if (!thread || thread->spool.busy) return;
    int error = errno;
    thread->spool.busy = true;
    atomic_signal_fence(memory_order_seq_cst);
    unsigned count = thread->outer_count;
    while (count && thread->outers[count - 1] != context) count--; /* frames that were left by longjmp */
    if (count) {
        uint64_t ticks = sn_probes_outer.leave ? sn_probes_outer.leave() : 0;
        context->parent->ticks += ticks;
        count--;
    }
    thread->outer_count = count;
    sn_probes_here.outer = count ? thread->outers[count - 1] : NULL;
    atomic_signal_fence(memory_order_seq_cst);
    thread->spool.busy = false;
    errno = error;
}

/* Before the process counts, or if it never does, all contexts are this one. */
SN_FOR_ASSEMBLY SN_THREAD_LOCAL sn_context sn_probes_nowhere = {.key = SN_TAG_ROOT};
SN_FOR_ASSEMBLY bool sn_probes_begun;

sn_context *sn_probes_enter_from_interpreter(sn_context *current, uint32_t function) {
    int error = errno;
    uint32_t line = 0;
    /* The interpreter may do anything, so it is asked before the thread is busy. */
    uint64_t number = sn_probes_outer.enter ? sn_probes_outer.enter(true, &line) : 0;
    sn_thread_tree *thread = sn_thread_tree_here();
    if (thread && !is_in_tree(thread, current)) current = thread->hot.root;
    if (thread && !thread->spool.busy && number) {
        thread->spool.busy = true;
        atomic_signal_fence(memory_order_seq_cst);
        current = outer_context(thread, current, number, line, function);
        atomic_signal_fence(memory_order_seq_cst);
        thread->spool.busy = false;
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
#define KEEPING_REGISTERS(name)                                                                     \
    __asm__(".text\n"                                                                               \
            ".globl " #name "\n"                                                                    \
            ".type " #name ", @function\n" #name ":\n"                                              \
            ".cfi_startproc\n"                                                                      \
            "  cmpb $0, sn_probes_begun(%rip)\n  je 1f\n"                                           \
            "  push %rcx\n  push %rdx\n  push %rsi\n  push %rdi\n  push %r8\n  push %r9\n  push %r10\n" \
            ".cfi_adjust_cfa_offset 56\n"                                                           \
            "  call " #name "_slowly\n"                                                             \
            "  pop %r10\n  pop %r9\n  pop %r8\n  pop %rdi\n  pop %rsi\n  pop %rdx\n  pop %rcx\n"       \
            ".cfi_adjust_cfa_offset -56\n"                                                          \
            "  ret\n"                                                                               \
            "1: mov sn_probes_nowhere@gottpoff(%rip), %rax\n  add %fs:0, %rax\n  ret\n"             \
            ".cfi_endproc\n"                                                                        \
            ".size " #name ", .-" #name "\n")
KEEPING_REGISTERS(sn_probes_enter);
KEEPING_REGISTERS(sn_probes_enter_linked);
/* Called from the end of a function, where its value is in registers. */
SN_KEEPING_ALL_REGISTERS(sn_probes_leave_linked)
#else
void sn_probes_leave_linked(sn_context *context) { sn_probes_leave_linked_slowly(context); }

sn_context *sn_probes_enter(sn_context *current, uint32_t function, const void *return_address) {
    return sn_probes_enter_slowly(current, function, return_address);
}

sn_context *sn_probes_enter_linked(sn_context *current, uint32_t function, const void *return_address,
                                   sn_probes_object *object) {
    return sn_probes_enter_linked_slowly(current, function, return_address, object);
}
#endif

ptrdiff_t sn_probes_offset(void) { return (char *)&sn_probes_here - (char *)__builtin_thread_pointer(); }

int sn_probes_begin(const sn_probes_plan *plan) {
    int error = sn_thread_trees_begin(plan);
    if (!error) __atomic_store_n(&sn_probes_begun, true, __ATOMIC_RELEASE);
    return error;
}
