/* What paths are counted into: one forest for the process, in a file that survives it.
 *
 * Everything here is called with the GIL held, unless it says otherwise. Nothing runs Python code or raises while a path
 * is counted.
 */
#ifndef SONDE_PATHS_COUNTING_H
#define SONDE_PATHS_COUNTING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "../core/paths/slab_forest.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

typedef struct {
    sn_slab_forest forest;
    bool open;       /* paths are counted */
    const volatile uint32_t *burst; /* while it is 0, they are not */
    uint64_t lost;   /* paths that ended where it is not known which they were */
    uint64_t unended; /* activations that went away without an end */
} sn_counting;

extern sn_counting counting;

/* Begin to count, into a new file; `bursts`: a file by which that is switched on and off, or "". -1 with a Python exception
 * when one of them cannot be had. */
int sn_counting_begin(const char *path, const char *bursts, uint32_t k, uint64_t most);

/* Where a path ends between bursts, its activation begins again: what is counted did follow what is before it. */
static inline void sn_count_path(sn_slab_activation *activation, int64_t number) {
    if (unlikely(!counting.open)) return;
    if (likely(*counting.burst)) sn_slab_next(&counting.forest, activation, (uint64_t)number);
    else activation->top = activation->bottom = activation->position = 0;
}

/* A routine begins. `node` is its place in the forest, 0 until there is one. */
static inline sn_slab_activation sn_count_activation(uint32_t *node, uint32_t routine) {
    sn_slab_activation begun = {.routine = *node};
    if (unlikely(!counting.open)) return begun;
    bool is_counted = *counting.burst != 0;
    if (likely(*node)) {
        counting.forest.nodes[*node].count += is_counted;
    } else {
        sn_slab_begin(&counting.forest, routine, &begun);
        *node = begun.routine;
        if (*node) counting.forest.nodes[*node].count -= !is_counted;
    }
    return begun;
}

#endif
