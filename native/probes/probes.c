#include "probes.h"

#include "linked_code.h"
#include "thread_tree.h"

#include <errno.h>
#include <stdatomic.h>

static inline uint64_t key_of(uint32_t function, const void *return_address) {
    return (uint64_t)(function + 1) << 32 | (uint32_t)(uintptr_t)return_address;
}

static sn_context *find_or_add(sn_thread_tree *thread, sn_context *parent, uint32_t function, const void *return_address) {
    uint64_t key = key_of(function, return_address);
    uint32_t line = sn_thread_tree_line(return_address);
    sn_context *child = parent->child ? sn_tree_find(&thread->hot.tree, parent, key, line) : NULL;
    if (child) return child;
    thread->cursor->current = parent; /* it stays, whatever is pruned */
    child = sn_hot_add(&thread->hot, parent, key, line, function, true);
    thread->cursor->current = thread->hot.root;
    return child;
}

/* What the entry of a function comes to when its context is not in the cache. The function is number `function` of all,
 * or of an object file, or that at an address. */
static sn_context *enter(sn_context *current, uint32_t function, const void *return_address, sn_probes_object *object,
                         const void *address) {
    sn_thread_tree *thread = sn_thread_tree_here();
    if (!thread || thread->busy) return sn_thread_tree_drop(thread);
    int error = errno;
    thread->busy = true;
    atomic_signal_fence(memory_order_seq_cst);
    if (current == &sn_probes_outside) current = thread->hot.root;
    uint32_t first = object ? sn_linked_first(object) : address ? sn_linked_function(address) : 0;
    /* Where stacks are switched, the context of a frame that sleeps may have been pruned. */
    bool is_there = current->key > SN_TAG_ROOT || current == thread->hot.root;
    sn_context *child = is_there && first != SN_PROBES_NO_NUMBERS
                            ? find_or_add(thread, current, first + function, return_address)
                            : NULL;
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

__attribute__((used, visibility("hidden"))) sn_context *sn_probes_enter_slowly(sn_context *current, uint32_t function,
                                                                               const void *return_address) {
    return enter(current, function, return_address, NULL, NULL);
}

__attribute__((used, visibility("hidden"))) sn_context *
sn_probes_enter_linked_slowly(sn_context *current, uint32_t function, const void *return_address, sn_probes_object *object) {
    return enter(current, function, return_address, object, NULL);
}

sn_context *sn_probes_enter_address(sn_context *current, const void *address, const void *return_address) {
    return enter(current, 0, return_address, NULL, address);
}

/* Before the process counts, or if it never does, all contexts are this one. */
__attribute__((used, visibility("hidden"))) SN_THREAD_LOCAL sn_context sn_probes_nowhere = {.key = SN_TAG_ROOT};
__attribute__((used, visibility("hidden"))) bool sn_probes_begun;

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
#else
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
