/* How often paths are taken, counted where the program runs by code that sonde.passes.path_probes puts into it.
 *
 * Each thread has counts of its own, in a spool of its own (thread_spools.h), so that they are exact. A word of the thread's
 * says where they are:
 *
 *   sn_path_count[SN_PATHS_NEAR]   of paths of functions that have too many for an array: those seen last, each in the
 *                                  place that `sn_paths_place` computes. Its count is to be added to that in the table.
 *   uint64_t[counters]             one for each path of the other functions, which the code adds to
 *
 * The table (a record of its own, the last whose second number is 1) has what was put out of its place. A path is known by
 * its key, which is not 0.
 *
 * The word is NULL until the thread comes by a function that may be the first of a thread; such call `sn_paths_thread`.
 *
 * Nothing here prints, allocates from the heap, or changes errno. A signal handler that puts a path out of its place while
 * the interrupted code is about to count it lets that code count one for another path. What a handler counts while its
 * thread is in here is counted as dropped, as is what finds no room. Threads that can have no spool are counted in
 * `lost_events` of the first thread's.
 */
#ifndef SONDE_PATH_COUNTS_H
#define SONDE_PATH_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SN_PATHS_API __attribute__((visibility("default")))
#define SN_PATHS_NEAR_POWER 12u
#define SN_PATHS_NEAR (1u << SN_PATHS_NEAR_POWER)
#define SN_PATHS_FACTOR UINT64_C(0x9E3779B97F4A7C15) /* 2^64 / the golden ratio: Knuth, volume 3, section 6.4 */

typedef struct {
    uint64_t key; /* 0: free */
    uint64_t count;
} sn_path_count;

typedef struct {
    const char *folder;    /* where spools go */
    const char *command;   /* what the profile calls the process */
    const char *mechanism; /* likewise how its paths are seen */
    uint64_t counters;
    bool follow; /* forked children go on, in spools of their own; else they count nothing */
} sn_paths_plan;

static inline uint32_t sn_paths_place(uint64_t key, uint32_t power) { return (uint32_t)(key * SN_PATHS_FACTOR >> (64 - power)); }

/* Begin, before any code with path probes runs. 0, or what errno says. */
SN_PATHS_API int sn_paths_begin(const sn_paths_plan *plan);

/* Distance of the word from the thread pointer, the same in all threads. */
SN_PATHS_API ptrdiff_t sn_paths_offset(void);

/* Let the calling thread have counts. Preserves all general registers but r11, as LLVM's convention `preserve_most` has it;
 * so does the next one. */
SN_PATHS_API void sn_paths_thread(void);

/* Count a path that is not in its place, and put it there. */
SN_PATHS_API void sn_paths_count(uint64_t key);

#endif
