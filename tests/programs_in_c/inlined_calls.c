/* Inlining in depth, loops, a switch, cold code, a function that returns where it was called from. */
#include <stddef.h>
#include <stdint.h>

void *caller(void);
extern int absent(int) __attribute__((weak));

static inline __attribute__((always_inline)) uint64_t stir(uint64_t x) {
    x ^= x << 13;
    x ^= x >> 7;
    return x ^ (x << 17);
}

static inline __attribute__((always_inline)) uint64_t stir_twice(uint64_t x) { return stir(stir(x)); }

static int weigh(int kind, int weight) {
    switch (kind) {
    case 0: return weight;
    case 1: return weight * 3;
    case 2: return stir_twice((uint64_t)weight) & 0xff;
    case 3: return -weight;
    case 4: return weight / 7;
    case 5: return absent ? absent(weight) : 0;
    default: return 1;
    }
}

__attribute__((noinline)) static uint64_t loop(uint64_t n, const int *kinds) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t x = stir_twice(i);
        sum += (uint64_t)weigh(kinds ? kinds[i] : (int)(x % 7), (int)i);
    }
    return sum;
}

__attribute__((cold, noinline)) static void complain(void) { __builtin_trap(); }

uint64_t run(uint64_t n, const int *kinds) {
    if (n > 1u << 30)
        complain();
    return loop(n, kinds) ^ loop(n / 2, NULL);
}

__attribute__((noinline)) void *caller(void) { return __builtin_return_address(0); }

static inline __attribute__((always_inline)) void *here(void **place) {
    *place = caller(); /* mark: call */
    return *place;
}

__attribute__((noinline)) static void *hidden(void **place) {
    void *found = here(place); /* mark: here */
    *place = NULL;
    return found;
}

void *visible(void **place) {
    void *found = hidden(place);
    *place = found;
    return found;
}
