/* Numbers drawn at random, the same from the same state on: Marsaglia's xorshift64 (JSS 8(14), 2003). */
#ifndef SONDE_XORSHIFT_H
#define SONDE_XORSHIFT_H

#include <stdint.h>

/* The next number, and the state from then on; not 0, as the state must not be. */
static inline uint64_t sn_xorshift64(uint64_t *state) {
    uint64_t x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return *state = x;
}

#endif
