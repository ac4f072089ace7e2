/* The clock of the hot path: one register read where the machine has a steady counter. */
#ifndef SONDE_TICKS_H
#define SONDE_TICKS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* What a clock of the system shows, in nanoseconds; 0 when there is no such clock, as that of a thread that has ended. */
static inline uint64_t sn_clock_ns(clockid_t clock) {
    struct timespec now;
    return clock_gettime(clock, &now) ? 0 : (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t sn_monotonic_ns(void) { return sn_clock_ns(CLOCK_MONOTONIC); }

/* Raw counter, in ticks of constant length; only meaningful when sn_ticks_steady(). */
static inline uint64_t sn_ticks(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc(); /* __rdtsc(), without its header, which takes two thirds of the time to compile most files */
#elif defined(__aarch64__)
    uint64_t value;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#else
    return sn_monotonic_ns();
#endif
}

/* Whether sn_ticks runs at one rate on all cores, through sleep and frequency changes. */
static inline bool sn_ticks_steady(void) {
#if defined(__x86_64__)
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007u, &a, &b, &c, &d) && (d >> 8 & 1u); /* "invariant TSC" */
#else
    return true;
#endif
}

#endif
