/* Cycles that are spent directly in compiled functions, measured by code that sonde.passes.cycle_probes puts into them.
 *
 * The time of a function goes by in intervals, which begin at its entry and after each call, and end before each call and at
 * its ends: no interval has a call in it. Each thread has a sn_unit_cycles for each function, in a spool of its own
 * (thread_spools.h). The code counts entries, and counts `wait` down where an interval begins; when that is below 0, it calls
 * `sn_cycles_begin_interval`, which reads the clock. Where an interval ends, the code calls `sn_cycles_end_interval` if it is
 * this function's interval that is being measured. An interval that is left otherwise, by a trap, is lost, and nothing else.
 *
 * At first all intervals of a function are measured. After each SN_CYCLES_REVISED of them it is found anew what share is, by
 * how long they are and what measuring one costs: of `stride` intervals one, chosen at random, so that measuring takes no more
 * than the plan's share of the function's own time. What such a period measured is scaled to all its intervals.
 *
 *   intervals of a function      settled_intervals + period + (given - wait)
 *   ticks of the last period     ticks * its intervals / measured; with a stride of 1: ticks
 *
 * While not all are measured, one that is SN_CYCLES_LONG times as long as others is likely to be one in which the thread did
 * not run, and scaled, it would be all that is seen. It is set aside: counted, and not scaled. But threads are interrupted once
 * in SN_CYCLES_UNDISTURBED ticks at most, and some functions by chance more often. Where such intervals are more by
 * SN_CYCLES_FEW, they are the function's own, and are as the others: those that were set aside are scaled, too.
 *
 * Each measured interval has `costs[0]` ticks of the header that are not the function's: what an empty one measures. That is
 * for the reader to take out.
 *
 * Nothing here prints, allocates from the heap, or changes errno. What a signal handler begins while its thread is in here is
 * not measured, and is counted as dropped.
 */
#ifndef SONDE_UNIT_CYCLES_H
#define SONDE_UNIT_CYCLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SN_CYCLES_API __attribute__((visibility("default")))
#define SN_CYCLES_REVISED 128u
#define SN_CYCLES_MOST_STRIDE 1024u
#define SN_CYCLES_LONG 64u
#define SN_CYCLES_FEW 3u /* of a thousand functions measured for a tenth of a millisecond each, by Poisson's law, none has more */
#define SN_CYCLES_UNDISTURBED (UINT64_C(1) << 20) /* a third of a millisecond: the shortest slice of Linux is some longer */

/* Of one function, in one thread. */
typedef struct {
    uint64_t entries;
    int64_t wait;     /* so many more begin before the next one that is measured */
    int64_t given;    /* what `wait` was set to */
    uint64_t stride;  /* 0: nothing was measured yet */
    uint64_t period;  /* intervals of this period that were followed by a measured one, or were it */
    uint64_t measured, ticks; /* of this period; ticks of those that were measured only */
    double squares;           /* of their ticks */
    uint64_t settled_intervals, settled_measured; /* of earlier periods */
    uint64_t settled_ticks;   /* likewise, scaled to all intervals */
    double settled_variance;  /* of these */
    uint64_t looked; /* ticks of all that were measured, of whatever period, but for those set aside: */
    uint64_t aside;  /* how many were, see `sn_cycles_end_interval` */
    uint64_t aside_ticks; /* and theirs, while it is not known that these are the function's own */
} sn_unit_cycles;

/* What a thread has. */
typedef struct {
    uint64_t open; /* 1 + number of the function whose interval is measured; 0: none is */
    uint64_t begun; /* when it began */
    uint64_t random;
    uint64_t reserved;
    sn_unit_cycles units[]; /* and behind these, a word for each loop: how often its header ran */
} sn_thread_cycles;

typedef struct {
    const char *folder;    /* where spools go */
    const char *command;   /* what the profile calls the process */
    const char *mechanism; /* likewise how cycles are seen */
    uint64_t units;
    double share; /* of a function's time that measuring may take; 0: measure all */
    bool follow;  /* forked children go on, in spools of their own; else they count nothing */
    uint64_t loops; /* words behind the functions of a thread, which code adds to where it leaves loops */
} sn_cycles_plan;

/* Begin, before any code with such probes runs. 0, or what errno says. */
SN_CYCLES_API int sn_cycles_begin(const sn_cycles_plan *plan);

/* Distance from the thread pointer of the word with the address of a thread's sn_thread_cycles; NULL: it has none yet. */
SN_CYCLES_API ptrdiff_t sn_cycles_offset(void);

/* Let the calling thread have some. Preserves all general registers but r11, as LLVM's convention `preserve_most` has it; so
 * do the next two. */
SN_CYCLES_API void sn_cycles_thread(void);
SN_CYCLES_API void sn_cycles_begin_interval(uint32_t unit);
SN_CYCLES_API void sn_cycles_end_interval(uint32_t unit);

#endif
