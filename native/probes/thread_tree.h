/* The trees of contexts of a process's threads, each in a spool of its own.
 *
 * Of a thread that has ended, the next one that begins takes the tree over: there are as many as threads lived at a time.
 */
#ifndef SONDE_THREAD_TREE_H
#define SONDE_THREAD_TREE_H

#include "probes.h"

#include "../core/contexts/hot_tree.h"

typedef struct sn_thread_tree {
    sn_cells cells;
    sn_hot_tree hot;
    sn_cursor *cursor;
    sn_context *near[SN_PROBES_NEAR];
    volatile bool busy;  /* its thread is in here; what a signal handler calls now has no room */
    bool ended;
    struct sn_thread_tree *next; /* all of the process */
    struct sn_stack_walk *walk; /* bursts.c's own */
    void *instrumented; /* instrumented.c's own; whoever takes the tree over has it, too */
} sn_thread_tree;

/* What runs where no code with probes does, or before its thread has a tree. */
extern sn_context sn_probes_outside;

#define SN_THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))
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

int sn_thread_trees_begin(const sn_probes_plan *plan);

#endif
