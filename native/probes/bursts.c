#include "bursts.h"

#include "../core/base/ticks.h"
#include "epilogue.h"
#include "keeping_registers.h"
#include "linked_code.h"
#include "thread_tree.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

#define PAGE sizeof(sn_bursts_page)
#define FRAMES_AT_FIRST 256u

/* A frame of code with probes. */
typedef struct {
    uintptr_t start;
    sn_probed_function function;
    const void *return_address;
} frame;

/* What a thread found on its stack; kept for the next time. */
typedef struct sn_stack_walk {
    frame *frames; /* innermost first */
    uint32_t count, room;
    uint32_t burst;   /* of the last walk */
    bool is_last;     /* of the frames, the last is that of the function that was looked at last */
    bool is_whole;
    uintptr_t start; /* of the function that was looked at last */
} walk;

_Alignas(4096) sn_bursts_page sn_probes_page;
static sn_bursts_page *page;
static sn_bursts *bursts;

uint32_t *sn_probes_switch(void) {
    if (!page) page = sn_burst_page_reserve();
    if (page) bursts = &page->bursts;
    return page ? &bursts->number : NULL;
}

static _Unwind_Reason_Code nothing(struct _Unwind_Context *context, void *to) {
    (void)context, (void)to;
    return _URC_NO_REASON;
}

int sn_probes_begin_bursts(int file) {
    if (!page) page = &sn_probes_page;
    bursts = &page->bursts;
    _Unwind_Backtrace(nothing, NULL); /* what it allocates, it allocates at its first call */
    return sn_burst_page_begin(page, file);
}

/* Whether what lies before an address can be read, if it is on another page than that. */
static bool is_there(uintptr_t address) {
    unsigned char in_memory;
    return !mincore((void *)((address - 1) / PAGE * PAGE), PAGE, &in_memory);
}

static bool has_probes(uintptr_t start, sn_probed_function *found) {
    if (start < PAGE || (start % PAGE < sizeof *found && !is_there(start))) return false;
    memcpy(found, (const void *)(start - sizeof *found), sizeof *found);
    return found->magic == SN_PROBED_MAGIC;
}

static bool grow(walk *w) {
    uint32_t room = w->room ? 2 * w->room : FRAMES_AT_FIRST;
    frame *more = room <= SN_PROBES_FRAMES ? realloc(w->frames, room * sizeof *more) : NULL;
    if (!more) return false;
    w->frames = more;
    w->room = room;
    return true;
}

static _Unwind_Reason_Code look_at(struct _Unwind_Context *context, void *to) {
    walk *w = to;
    uintptr_t address = _Unwind_GetIP(context), start = _Unwind_GetRegionStart(context);
    if (w->is_last) w->frames[w->count - 1].return_address = (const void *)address;
    /* Where the stack ends, the unwinder tells of a place that no table has, in the function before it. */
    if (start == w->start && _Unwind_FindEnclosingFunction((void *)address) != (void *)start) return _URC_NORMAL_STOP;
    w->start = start;
    sn_probed_function function;
    w->is_last = has_probes(start, &function) && !sn_is_epilogue((const unsigned char *)address);
    if (!w->is_last) return _URC_NO_REASON;
    if (w->count == w->room && !grow(w)) {
        w->is_last = w->is_whole = false;
        return _URC_NORMAL_STOP;
    }
    w->frames[w->count++] = (frame){start, function, NULL};
    return _URC_NO_REASON;
}

/* Find the frames of the calling thread; false when there is no room for them. */
static bool look_at_stack(walk *w) {
    w->count = 0;
    w->is_last = false;
    w->is_whole = true;
    w->start = 0;
    _Unwind_Backtrace(look_at, w);
    return w->is_whole;
}

/* Its number of all, or SN_PROBES_NO_NUMBERS. */
static uint32_t number_of(const frame *frame) {
    if (!frame->function.object) return frame->function.number;
    uintptr_t object = frame->start + (uintptr_t)(intptr_t)(int32_t)frame->function.object;
    uint32_t first = sn_linked_first((sn_probes_object *)object);
    return first == SN_PROBES_NO_NUMBERS ? first : first + frame->function.number;
}

/* The context of what called the innermost function with probes. */
static sn_context *context_by_stack(sn_thread_tree *thread, walk *w) {
    if (!look_at_stack(w)) return sn_thread_tree_no_room();
    sn_context *context = thread->hot.root;
    for (uint32_t at = w->count; at-- > 1;) {
        const frame *each = &w->frames[at];
        uint32_t number = number_of(each);
        if (number == SN_PROBES_NO_NUMBERS) return sn_thread_tree_no_room();
        context = sn_probes_running(thread, context, number, each->return_address);
        if (!context) return sn_thread_tree_no_room();
    }
    return context;
}

SN_FOR_ASSEMBLY void sn_probes_sync_slowly(void) {
    uint32_t burst = __atomic_load_n(&bursts->number, __ATOMIC_ACQUIRE);
    if (!burst) burst = __atomic_load_n(&bursts->begun, __ATOMIC_RELAXED); /* it has just ended */
    sn_thread_tree *thread = sn_thread_tree_here();
    if (thread && thread->spool.busy) return;
    if (!thread) { /* what it calls is counted nowhere */
        sn_probes_here.burst = burst;
        return;
    }
    int error = errno;
    thread->spool.busy = true;
    atomic_signal_fence(memory_order_seq_cst);
    if (!thread->walk) thread->walk = calloc(1, sizeof *thread->walk);
    sn_context *context = sn_thread_tree_no_room();
    if (thread->walk) {
        if (thread->walk->burst != burst) {
            if (thread->walk->burst && thread->hot.tree.sided) sn_hot_end_burst(&thread->hot);
            thread->hot.header->bursts++;
        }
        thread->walk->burst = burst;
        context = context_by_stack(thread, thread->walk);
    }
    *(sn_context *volatile *)&sn_probes_here.current = context;
    *(uint32_t volatile *)&sn_probes_here.burst = burst;
    atomic_signal_fence(memory_order_seq_cst);
    thread->spool.busy = false;
    errno = error;
}

SN_FOR_ASSEMBLY void sn_probes_left_slowly(uint32_t function) {
    if (sn_probes_here.burst != __atomic_load_n(&bursts->number, __ATOMIC_ACQUIRE)) return;
    sn_context *context = sn_probes_here.current;
    if (context->key <= SN_TAG_ROOT) return; /* in a burst without room, or on a stack of which nothing is known */
    bool is_own = context->key >> 32 == (uint64_t)function + 1;
    if (is_own) *(sn_context *volatile *)&sn_probes_here.current = context->parent;
    else *(uint32_t volatile *)&sn_probes_here.burst = 0;
}

/* Called where a function begins, with its arguments in registers, or ends, with its result there. */
#if defined(__x86_64__)
SN_KEEPING_ALL_REGISTERS(sn_probes_sync)
SN_KEEPING_ALL_REGISTERS(sn_probes_left)
#else
void sn_probes_sync(void) { sn_probes_sync_slowly(); }
void sn_probes_left(uint32_t function) { sn_probes_left_slowly(function); }
#endif
