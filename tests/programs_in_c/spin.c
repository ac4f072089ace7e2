/* A loop to be sampled, with code that is inlined. */
#include <stdint.h>

static inline __attribute__((always_inline)) uint64_t stir(uint64_t x) {
    x ^= x << 13;
    x ^= x >> 7;
    return x ^ (x << 17);
}

static __attribute__((noinline)) uint64_t turn(uint64_t n) {
    uint64_t x = 88172645463325252u;
    while (n--)
        x = stir(x);
    return x;
}

uint64_t spin(uint64_t n) { return turn(n) + 1; }
