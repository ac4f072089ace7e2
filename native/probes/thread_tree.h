/* The trees of contexts of a process's threads, each in a spool of its own (thread_spools.h). */
#ifndef SONDE_THREAD_TREE_H
#define SONDE_THREAD_TREE_H

#include "probes.h"
#include "thread_spools.h"

#include "../core/contexts/hot_tree.h"

/* Calls of the interpreter within one another that are timed. */
#define SN_PROBES_OUTER_DEPTH 64u

typedef struct {
    sn_thread_spool spool;
    sn_hot_tree hot;
    sn_cursor *cursor;
    sn_context *near[SN_PROBES_NEAR];
    const sn_context *asked; /* the context for which this was found: */
    uint64_t asked_number;   /* the interpreter's context in which its code was entered */
    sn_context *outers[SN_PROBES_OUTER_DEPTH]; /* what the interpreter called, and waits for */
    unsigned outer_count;
    struct sn_stack_walk *walk; /* bursts.c's own */
    void *instrumented; /* instrumented.c's own; whoever takes the tree over has it, too */
} sn_thread_tree;

/* What runs where no code with probes does, or before its thread has a tree. */
extern sn_context sn_probes_outside;

SN_PROBES_API extern SN_THREAD_LOCAL sn_probes_thread sn_probes_here;

extern SN_THREAD_LOCAL sn_thread_tree *sn_thread_tree_own;
sn_thread_tree *sn_thread_tree_begin(void);
/* The tree of the calling thread; NULL if it cannot have one. Made when it is first asked for. */
static inline sn_thread_tree *sn_thread_tree_here(void) {
    return __builtin_expect(sn_thread_tree_own != NULL, 1) ? sn_thread_tree_own : sn_thread_tree_begin();
}

/* As `sn_probes_enter`, of the function at an address. */
sn_context *sn_probes_enter_address(sn_context *current, const void *address, const void *return_address);
/* What the plan says. */
extern sn_outer sn_probes_outer;

/* The child of `parent` for a function that runs, and was not called now; NULL when there is no room. */
sn_context *sn_probes_running(sn_thread_tree *thread, sn_context *parent, uint32_t function, const void *return_address);

/* The context that stands for all calls that have no room. */
sn_context *sn_thread_tree_no_room(void);
/* A call has none. */
sn_context *sn_thread_tree_drop(sn_thread_tree *thread);

/* `call_line` for a return address. */
uint32_t sn_thread_tree_line(const void *return_address);

/* Whether what returns there may have been called by an interpreter that does not say so. */
bool sn_thread_tree_may_be_outer(const void *return_address);

int sn_thread_trees_begin(const sn_probes_plan *plan);

#endif
