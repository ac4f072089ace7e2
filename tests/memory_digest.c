/* At the end of a process, a digest of a program's variables and of what it holds on the heap. */
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct plan {
    uint64_t *result;
    uint64_t heap;            /* where it begins */
    const char *dump;         /* a file for the memory itself; null: none */
    uint64_t variables;       /* how many */
    const uint64_t *ranges;   /* address and size of each */
    uint64_t masked;          /* how many words that do not count */
    const uint64_t *words;    /* their addresses, in the order in which memory is read */
};

static uint64_t add(uint64_t total, uint64_t begin, uint64_t size, const struct plan *plan, uint64_t *next) {
    for (uint64_t at = begin; at < begin + size; at += 8) {
        uint64_t word = 0, left = begin + size - at;
        memcpy(&word, (const void *)at, left < 8 ? left : 8);
        if (*next < plan->masked && plan->words[*next] == at) {
            word = 0;
            ++*next;
        }
        total = (total ^ word) * 0x9e3779b97f4a7c15u;
        total ^= total >> 29;
    }
    return total;
}

/* Allocate what is free below an address, largest first; clear it if that is asked for. What threads have left in heaps of their
   own, behind this one, is taken, too: this thread may have it among its free chunks. */
static void take_free_chunks(uint64_t end, int is_cleared) {
    for (uint64_t size = 1 << 24; size >= 16; size = size > 1024 ? size / 2 : size - 16) {
        for (;;) {
            void *chunk = malloc(size);
            if (!chunk || ((uint64_t)chunk >= end && (uint64_t)chunk < (uint64_t)sbrk(0))) {
                free(chunk);
                break;
            }
            if (is_cleared) memset(chunk, 0, malloc_usable_size(chunk));
        }
    }
}

/* The C library keeps stacks of threads that ended, with what it allocated for each: some for every program. */
enum { STACKS = 4 };
static pthread_barrier_t all_run;

static void *run_beside_others(void *nothing) {
    pthread_barrier_wait(&all_run);
    return nothing;
}

static void keep_stacks(void) {
    pthread_t threads[STACKS];
    pthread_barrier_init(&all_run, 0, STACKS);
    for (int i = 0; i < STACKS; i++) pthread_create(&threads[i], 0, run_beside_others, 0);
    for (int i = 0; i < STACKS; i++) pthread_join(threads[i], 0);
}

uint64_t heap_begin; /* where the program's heap is to begin */

/* The program's first constructor. From here on nothing is allocated where the process that forked has something free,
   and what Python allocates in the fork, which differs from time to time, lies below. */
void begin_heap(void) {
    keep_stacks();
    sbrk((intptr_t)(heap_begin - (uint64_t)sbrk(0)));
    take_free_chunks(heap_begin, 0);
}

/* What `setjmp` wrote: addresses of code and of the stack, which differ when another function goes on. */
enum { BUFFERS = 4096, BUFFER_BYTES = 64 };
uint64_t jump_buffers[BUFFERS];

#ifdef __x86_64__
/* Note the buffer, and go on as the C library does: the caller's frame is that of `setjmp`. */
#define NOTED(name)                                                                                                    \
    __attribute__((naked)) void noted_##name(void) {                                                                   \
        __asm__("movq %rdi, %rax\n shrq $4, %rax\n andl $4095, %eax\n leaq jump_buffers(%rip), %rdx\n"                 \
                "movq %rdi, (%rdx,%rax,8)\n jmp " #name "@PLT");                                                       \
    }
NOTED(setjmp)
NOTED(_setjmp)
NOTED(__sigsetjmp)
#endif

static void clear_jump_buffers(const struct plan *plan, uint64_t end) {
    for (int i = 0; i < BUFFERS; i++) {
        uint64_t at = jump_buffers[i];
        int is_ours = at >= plan->heap && at + BUFFER_BYTES <= end;
        for (uint64_t k = 0; k < plan->variables; k++)
            is_ours |= at >= plan->ranges[2 * k] && at + BUFFER_BYTES <= plan->ranges[2 * k] + plan->ranges[2 * k + 1];
        if (is_ours) memset((void *)at, 0, BUFFER_BYTES);
    }
}

void leave_digest(void *data) {
    const struct plan *plan = data;
    /* Behind it, nothing was allocated. */
    uint64_t end = (uint64_t)sbrk(0) - mallinfo2().keepcost, total = 1, next = 0;
    uint64_t size = end - plan->heap;
    take_free_chunks(end, 1); /* what is free is not the program's any more: it counts as zeros */
    clear_jump_buffers(plan, end);
    if (plan->dump) {
        int to = open(plan->dump, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        for (uint64_t i = 0; i < plan->variables; i++)
            (void)!write(to, (const void *)plan->ranges[2 * i], plan->ranges[2 * i + 1]);
        (void)!write(to, (const void *)plan->heap, size);
        close(to);
    }
    for (uint64_t i = 0; i < plan->variables; i++)
        total = add(total, plan->ranges[2 * i], plan->ranges[2 * i + 1], plan, &next);
    plan->result[0] = add(total, plan->heap, size, plan, &next);
    plan->result[1] = size;
}

/* Call `go` with the stack further down, and other garbage beneath it. */
void go_below(void (*go)(void)) {
    volatile char stain[3 << 14];
    memset((char *)stain, 0xa5, sizeof stain);
    go();
    memset((char *)stain, 0x5a, sizeof stain);
}
