/* Probes that `-finstrument-functions` puts in: before the optimiser, as calls, which know functions by their addresses.
 *
 * The caller's context is not kept in the function here, but on a stack beside the thread's. An entry has the frame of its
 * function, which has to be compiled with frame pointers and without sibling calls: so it is known which entries are of
 * frames that `longjmp` has left.
 */
#include "linked_code.h"
#include "thread_tree.h"

#include <errno.h>

#define ENTRIES_AT_FIRST 256u

typedef struct {
    const char *frame; /* functions that were inlined into one another have one */
    const void *function, *site;
    sn_context *caller;
} entry;

/* A context that was found before. */
typedef struct {
    uint64_t key;
    sn_context *context;
    const void *function;
} found;

typedef struct {
    entry *entries;
    size_t used, room;
    found near[SN_PROBES_NEAR];
} stack;

static SN_THREAD_LOCAL const sn_thread_tree *begun;

static stack *begin(void) {
    sn_thread_tree *thread = sn_thread_tree_here();
    if (!thread || thread->spool.busy) return NULL;
    int error = errno;
    thread->spool.busy = true;
    stack *made = thread->instrumented ? thread->instrumented : sn_own_calloc(1, sizeof *made);
    if (made && !made->entries) made->entries = sn_own_calloc(made->room = ENTRIES_AT_FIRST, sizeof *made->entries);
    thread->instrumented = made;
    if (made && made->entries) {
        made->used = 0;
        begun = thread;
    }
    thread->spool.busy = false;
    errno = error;
    return begun == thread ? made : NULL;
}

/* The stack of the calling thread, if it has begun. */
static stack *here(void) { return begun && begun == sn_thread_tree_own ? begun->instrumented : NULL; }

static bool grow(stack *stack) {
    sn_thread_tree *thread = sn_thread_tree_own;
    if (!thread || thread->spool.busy) return false;
    int error = errno;
    thread->spool.busy = true;
    entry *more = sn_own_realloc(stack->entries, 2 * stack->room * sizeof *more);
    if (more) {
        stack->entries = more;
        stack->room *= 2;
    }
    thread->spool.busy = false;
    errno = error;
    return more != NULL;
}

static void leave(stack *stack) { sn_probes_here.current = stack->entries[--stack->used].caller; }

SN_PROBES_API void __cyg_profile_func_enter(void *function, void *site);
SN_PROBES_API void __cyg_profile_func_exit(void *function, void *site);

void __cyg_profile_func_enter(void *function, void *site) {
    stack *stack = here();
    if (!stack && !(stack = begin())) return;
    const char *frame = __builtin_frame_address(1);
    const void *from = site;
    while (stack->used) {
        const entry *last = &stack->entries[stack->used - 1];
        if (last->frame > frame) break;
        if (last->frame == frame && last->site == site && last->function != function) {
            from = NULL; /* it was inlined: where its caller returns to is no place of a call of it */
            break;
        }
        leave(stack);
    }
    if (stack->used == stack->room && !grow(stack)) {
        sn_thread_tree_drop(sn_thread_tree_own);
        return;
    }
    sn_context *caller = sn_probes_here.current, *context;
    found *near = &stack->near[sn_probes_place(caller, (char *)from + (uintptr_t)function)];
    if (near->function == function && near->context->key == near->key && near->context->parent == caller &&
        (uint32_t)near->key == (uint32_t)(uintptr_t)from) {
        context = near->context;
    } else {
        context = sn_probes_enter_address(caller, function, from);
        if (context->key > SN_TAG_ROOT && !sn_thread_tree_may_be_outer(from))
            *near = (found){context->key, context, function};
    }
    stack->entries[stack->used++] = (entry){frame, function, site, caller};
    sn_probes_here.current = context;
    context->calls++;
}

void __cyg_profile_func_exit(void *function, void *site) {
    stack *stack = here();
    if (!stack) return;
    const char *frame = __builtin_frame_address(1);
    size_t at = stack->used;
    while (at && (stack->entries[at - 1].frame < frame ||
                  (stack->entries[at - 1].frame == frame && stack->entries[at - 1].function != function)))
        at--;
    if (!at || stack->entries[at - 1].frame != frame || stack->entries[at - 1].site != site) return; /* it was dropped */
    stack->used = at;
    leave(stack);
}
