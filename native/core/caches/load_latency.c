#include "load_latency.h"

#include "../base/ticks.h"
#include "../base/xorshift.h"

#if defined(__x86_64__)
#include <emmintrin.h>

enum { MULTIPLICATION_CYCLES = 3, MULTIPLICATIONS = 4000, REPEATS = 50 }; /* imul r64, r64, on all of AMD and Intel since 2006 */
/* Loads between two looks at the clock: so few that most runs are over before somebody else has the processor, or has
 * filled the cache; and so many that looking is no part of it. */
enum { RUN = 1000 };
#endif

bool sn_load_latency_known(void) {
#if defined(__x86_64__)
    return true;
#else
    return false;
#endif
}

static uint64_t *node(void *memory, size_t stride, size_t number) {
    return (uint64_t *)((unsigned char *)memory + number * stride);
}

/* Sattolo's shuffle makes a permutation that is one cycle. */
void sn_chase_link(void *memory, size_t nodes, size_t stride, uint64_t seed) {
    for (size_t i = 0; i < nodes; i++) *node(memory, stride, i) = i;
    uint64_t x = seed | 1;
    for (size_t i = nodes - 1; i > 0; i--) {
        size_t drawn = (size_t)((sn_xorshift64(&x) >> 11) % i);
        uint64_t *one = node(memory, stride, i), *other = node(memory, stride, drawn), held = *one;
        *one = *other;
        *other = held;
    }
    for (size_t i = 0; i < nodes; i++) *node(memory, stride, i) = (uintptr_t)node(memory, stride, *node(memory, stride, i));
}

#if defined(__x86_64__)
/* Nanoseconds of one cycle: the least of many short measurements, of which most are over before somebody else has the
 * processor. */
static double cycle_ns(void) {
    double fastest_ns = 0;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        uint64_t product = 3, factor = 5, began = sn_monotonic_ns();
        __asm__("" : "+r"(factor));
        for (int i = 0; i < MULTIPLICATIONS; i++) {
            product *= factor;
            __asm__ volatile("" : "+r"(product)); /* one after another, and all of them */
        }
        double taken_ns = (double)(sn_monotonic_ns() - began);
        if (!repeat || taken_ns < fastest_ns) fastest_ns = taken_ns;
    }
    return fastest_ns / ((double)MULTIPLICATIONS * MULTIPLICATION_CYCLES);
}
#endif

double sn_chase_cycles(void *memory, size_t nodes, size_t stride, size_t loads, bool flushed) {
#if defined(__x86_64__)
    double before = cycle_ns();
    uint64_t *at = node(memory, stride, 0);
    if (flushed) {
        for (size_t i = 0; i < nodes; i++) _mm_clflush(node(memory, stride, i));
        _mm_mfence();
    } else {
        for (size_t i = 0; i < nodes; i++) at = (uint64_t *)(uintptr_t)*at; /* once around: all of it is in */
    }
    double fastest_ns = 0;
    for (size_t done = 0; done < loads; done += RUN) {
        size_t run = loads - done < RUN ? loads - done : RUN;
        uint64_t began = sn_monotonic_ns();
        for (size_t i = 0; i < run; i++) at = (uint64_t *)(uintptr_t)*at;
        __asm__ volatile("" : "+r"(at));
        double load_ns = (double)(sn_monotonic_ns() - began) / (double)run;
        if (!done || (run == RUN && load_ns < fastest_ns)) fastest_ns = load_ns;
    }
    double after = cycle_ns();
    return fastest_ns / (before < after ? before : after);
#else
    (void)memory, (void)nodes, (void)stride, (void)loads, (void)flushed;
    return 0;
#endif
}
