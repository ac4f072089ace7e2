/* A chase goes through all nodes before it comes back, and takes some time. */
#include "check.h"

#include "../core/caches/load_latency.h"

static void a_chase_is_one_cycle(size_t nodes, size_t stride, uint64_t seed) {
    unsigned char *memory = malloc(nodes * stride);
    CHECK(memory);
    sn_chase_link(memory, nodes, stride, seed);
    unsigned char *at = memory, *seen = calloc(nodes, 1);
    CHECK(seen);
    for (size_t i = 0; i < nodes; i++) {
        size_t offset = (size_t)(at - memory);
        CHECK(offset % stride == 0 && offset / stride < nodes && !seen[offset / stride]);
        seen[offset / stride] = 1;
        at = (unsigned char *)*(uintptr_t *)(void *)at;
    }
    CHECK(at == memory);
    free(seen);
    free(memory);
}

static void a_load_takes_some_cycles(void) {
    enum { NODES = 64, STRIDE = 64 };
    void *memory = malloc(NODES * STRIDE);
    CHECK(memory);
    sn_chase_link(memory, NODES, STRIDE, 1);
    double cached = sn_chase_cycles(memory, NODES, STRIDE, 100000, false);
    double flushed = sn_chase_cycles(memory, NODES, STRIDE, NODES, true);
    CHECK(sn_load_latency_known() ? cached > 0 && flushed > 0 : cached == 0 && flushed == 0);
    free(memory);
}

int main(void) {
    for (size_t nodes = 2; nodes < 200; nodes += 7)
        for (uint64_t seed = 0; seed < 5; seed++) a_chase_is_one_cycle(nodes, 8 * (1 + nodes % 3), seed);
    a_load_takes_some_cycles();
    return 0;
}
