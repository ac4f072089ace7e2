/* In place of what path probes call: writes down each path with its activation, and decides nothing.
 *
 * Keeps all registers, as what calls it expects, and therefore calls nothing. */
#include <stdint.h>

typedef struct {
    uint64_t activation, id;
    uint32_t routine, begins;
} path_record;

/* In memory that outlives the process. */
typedef struct {
    uint64_t count, most;
    path_record records[];
} path_log;
path_log *path_order;

#define KEEPING __attribute__((no_caller_saved_registers, target("general-regs-only"), visibility("default")))

static inline void write_down(uint32_t *activation, uint64_t id, uint32_t routine, uint32_t begins) {
    uint64_t at = __atomic_fetch_add(&path_order->count, 1, __ATOMIC_RELAXED);
    if (at < path_order->most) path_order->records[at] = (path_record){(uint64_t)(uintptr_t)activation, id, routine, begins};
}

KEEPING void sn_paths_enter(uint32_t *activation, uint32_t routine) {
    activation[3] = 0;
    write_down(activation, UINT64_MAX, routine, 1);
}

KEEPING void sn_paths_next(uint32_t *activation, uint64_t id, uint32_t routine) {
    if (activation[3] == UINT32_MAX) sn_paths_enter(activation, routine);
    write_down(activation, id, routine, 0);
}
