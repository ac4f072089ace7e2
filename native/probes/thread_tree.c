#include "thread_tree.h"

#include "linked_code.h"

#include <unistd.h>

#define CELL_LIMIT (UINT64_C(1) << 26)  /* 67 million contexts, 4 GiB */
#define FURTHER_LIMIT (UINT64_C(1) << 22) /* of threads but the first: 4 million contexts */

/* Never written to, and no context's parent. */
sn_context sn_probes_outside = {.key = SN_TAG_ROOT};

/* What a thread without a tree finds: nothing. */
static sn_context *nothing_near[SN_PROBES_NEAR] = {[0 ... SN_PROBES_NEAR - 1] = &sn_probes_outside};
SN_THREAD_LOCAL sn_probes_thread sn_probes_here = {&sn_probes_outside, nothing_near, 0, NULL};
SN_THREAD_LOCAL sn_thread_tree *sn_thread_tree_own;
static SN_THREAD_LOCAL sn_context no_room;

sn_outer sn_probes_outer;
static sn_probes_plan plan;

sn_context *sn_thread_tree_no_room(void) {
    no_room.key = SN_TAG_ROOT;
    return &no_room;
}

sn_context *sn_thread_tree_drop(sn_thread_tree *thread) {
    if (thread) thread->hot.header->dropped_calls++;
    return sn_thread_tree_no_room();
}

bool sn_thread_tree_may_be_outer(const void *return_address) {
    return plan.later && return_address && !sn_thread_tree_line(return_address);
}

uint32_t sn_thread_tree_line(const void *return_address) {
    if (!plan.code_bytes) return sn_linked_line(return_address);
    uint64_t distance = (uint64_t)(uintptr_t)return_address - plan.code;
    return distance < plan.code_bytes && distance < SN_LINE_MASK ? (uint32_t)distance + 1 : 0;
}

static sn_thread_tree *tree_of(sn_thread_spool *spool) { return (sn_thread_tree *)(void *)spool; }

static bool make(sn_thread_spool *spool) {
    sn_thread_tree *tree = tree_of(spool);
    return sn_hot_create(&tree->hot, &spool->cells, &plan.plan, false) == SN_OK &&
           (tree->cursor = sn_hot_cursor(&tree->hot, 0)) != NULL;
}

static void unmake(sn_thread_spool *spool) { sn_hot_free(&tree_of(spool)->hot); }

/* For who looks from outside: the thread, and where it says what runs. */
static void claim(sn_thread_spool *spool) {
    sn_cursor *cursor = tree_of(spool)->cursor;
    cursor->owner[1] = (uint64_t)gettid();
    __atomic_store_n(&cursor->owner[0], (uint64_t)(uintptr_t)&sn_probes_here.current, __ATOMIC_RELEASE);
}

static void begin(sn_thread_spool *spool) {
    sn_thread_tree *tree = tree_of(spool);
    for (unsigned i = 0; i < SN_PROBES_NEAR; i++) tree->near[i] = &sn_probes_outside;
    sn_probes_here.near = tree->near;
    tree->outer_count = 0;
    tree->asked = NULL;
    sn_thread_tree_own = tree;
}

static void end(sn_thread_spool *spool) {
    sn_probes_here = (sn_probes_thread){&sn_probes_outside, nothing_near, 0, NULL};
    sn_thread_tree_own = NULL;
    __atomic_store_n(&tree_of(spool)->cursor->owner[0], 0, __ATOMIC_RELEASE);
}

static void restart(sn_thread_spool *spool) {
    sn_thread_tree *tree = tree_of(spool);
    sn_context *context;
    if (tree->hot.tree.sided) *sn_side_of(tree->hot.root) = (sn_side){.tag = SN_TAG_SIDE};
    for (uint64_t cell = SN_HEADER_CELLS; (context = sn_tree_next(&tree->hot.tree, &cell));) {
        context->calls = context->ticks = context->error = 0;
        if (!tree->hot.tree.sided) continue;
        sn_side *side = sn_side_of(context);
        *side = (sn_side){.tag = SN_TAG_SIDE, .previous = side->previous};
    }
    if (tree->hot.space_saving) sn_queue_restart(&tree->hot.queue);
}

/* Frames on the stack will still make their callers' contexts the current ones, but from here on, none is found and nobody
 * looks into those. */
static void detach(void) {
    sn_thread_tree_own = NULL;
    sn_probes_here.near = nothing_near;
}

sn_thread_tree *sn_thread_tree_begin(void) {
    sn_thread_spool *spool = sn_thread_spool_begin();
    return spool ? tree_of(spool) : NULL;
}

int sn_thread_trees_begin(const sn_probes_plan *asked) {
    plan = *asked;
    sn_probes_outer = plan.outer;
    const sn_spool_kind kind = {.bytes = sizeof(sn_thread_tree),
                                .first_limit = plan.outer.enter ? FURTHER_LIMIT : CELL_LIMIT, /* beside an interpreter's
                                                                                                 contexts: less */
                                .further_limit = FURTHER_LIMIT,
                                .make = make,
                                .unmake = unmake,
                                .claim = claim,
                                .begin = begin,
                                .end = end,
                                .restart = restart,
                                .detach = detach};
    const sn_spools_plan spools = {.folder = plan.folder,
                                   .command = plan.command,
                                   .mechanism = plan.mechanism,
                                   .clock = plan.timed ? SN_CLOCK_MONOTONIC : SN_CLOCK_NONE,
                                   .follow = plan.follow,
                                   .later = plan.later};
    int error = sn_thread_spools_begin(&kind, &spools);
    plan.folder = plan.command = plan.mechanism = NULL;
    return error;
}
