/* In place of what path probes call: writes down each path with its activation, and decides nothing.
 *
 * Each thread has nodes that nothing follows, so that the code asks about every path: those of functions, and behind them
 * one for each activation, with room for a row, whose number is the state. Keeps all registers, as what calls it expects, and therefore calls
 * nothing. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint64_t activation, id;
    uint32_t routine, begins;
} path_record;

/* In memory that outlives the process: records from one end, and from the other the nodes of threads. */
typedef struct {
    uint64_t count, most;
    uint64_t first, threads; /* the first node behind those of routines */
    path_record records[];
} path_log;
path_log *path_order;

/* As of native/core/paths/slab_forest.h. */
typedef struct {
    uint64_t id, count;
    uint32_t child, next;
} node;

enum { STEP = 6, PLACES = 4, THREADS = 16, NODES = 1 << 22 };

static ptrdiff_t word_offset; /* where a thread has the address of its nodes */
static node *all_nodes;
static _Thread_local __attribute__((tls_model("initial-exec"))) uint64_t next_node;

#define KEEPING __attribute__((no_caller_saved_registers, target("general-regs-only"), visibility("default")))

static inline node **here(void) { return (node **)((char *)__builtin_thread_pointer() + word_offset); }

KEEPING void sn_paths_thread_forest(void) {
    if (*here()) return;
    uint64_t thread = __atomic_fetch_add(&path_order->threads, 1, __ATOMIC_RELAXED);
    if (thread >= THREADS) __builtin_trap();
    *here() = all_nodes + thread * NODES;
    (*here())->id = UINT64_MAX;
    next_node = path_order->first;
}

static inline void write_down(uint64_t activation, uint64_t id, uint32_t routine, uint32_t begins) {
    uint64_t at = __atomic_fetch_add(&path_order->count, 1, __ATOMIC_RELAXED);
    if (at < path_order->most) path_order->records[at] = (path_record){activation, id, routine, begins};
}

KEEPING int64_t sn_paths_follow(const uint32_t *asked, uint64_t id, uint32_t routine, uint32_t row, uint32_t begin) {
    node *nodes = *here(), *at = nodes + ((const char *)asked - (const char *)nodes) / (ptrdiff_t)sizeof(node);
    uint64_t activation = (uint64_t)(at - nodes), first = path_order->first;
    routine &= INT32_MAX;
    if (activation < first) {
        if (next_node + PLACES > NODES) __builtin_trap();
        activation = next_node;
        next_node += PLACES;
        write_down((uint64_t)(uintptr_t)(nodes + activation), UINT64_MAX, routine, 1);
    }
    activation -= (activation - first) % PLACES;
    write_down((uint64_t)(uintptr_t)(nodes + activation), id, routine, 0);
    return STEP * (int64_t)activation + (row && !(row >> 31) ? STEP - (int64_t)begin : 0);
}

/* `log` has its first four words, and room for so many nodes of 24 bytes in `nodes`. */
__attribute__((visibility("default"))) void path_order_begin(path_log *log, node *nodes, ptrdiff_t offset) {
    path_order = log;
    all_nodes = nodes;
    word_offset = offset;
    sn_paths_thread_forest();
}
