/* Bursts: code with probes that counts for a while, and then does not, over and over.
 *
 * Another process writes a word, the switch: the number of the burst that goes on, or 0. Code that was compiled for bursts
 * (sonde.passes.burst_switch) looks at it at the entry of each function and at its end.
 *
 *   entry, off    nothing
 *   entry, on     as without bursts; if the thread's context is not of this burst, `sn_probes_sync` finds the context before,
 *                 by the stack: return addresses, and the numbers before the functions that they are in
 *   end, off      nothing
 *   end, on       the parent of the thread's context becomes current, if that is of this burst and the function's own;
 *                 `sn_probes_left` sees to all else
 *
 * A function keeps nothing, and may begin and end in different bursts, or in none. A context is right from the first entry
 * of its thread in a burst to the burst's end. Where it might not be (an exception is caught, `longjmp` comes back, or what
 * runs goes on after another stack has), the next entry finds it again. What is found so is no call, and is not counted.
 *
 * Frames are found by the tables for exceptions. On a stack whose first frames have none, or on a coroutine's, contexts
 * begin with the first frame that is found.
 */
#ifndef SONDE_PROBES_BURSTS_H
#define SONDE_PROBES_BURSTS_H

#include "../core/base/burst_page.h"
#include "probes.h"

/* Before the code of a function, in memory. */
#define SN_PROBED_MAGIC UINT64_C(0x3E1D5A7C96F2B843)
typedef struct {
    uint64_t magic;
    uint32_t number; /* of the function */
    uint32_t object; /* 0, or the distance from the function to its sn_probes_object, in which it has that number */
} sn_probed_function;

/* Frames of a stack that are gone through, at most: of deeper ones, the calls of a burst have no room. */
#define SN_PROBES_FRAMES (UINT32_C(1) << 16)

/* Where the switch is, below 2 GiB, in this process and its forks; NULL: there is no room. It is off. */
SN_PROBES_API uint32_t *sn_probes_switch(void);

/* The switch of code that a linker has linked. */
SN_PROBES_API extern sn_bursts_page sn_probes_page;

/* Let an open file, an sn_bursts, be the switch, and begin the first burst; -1: one that does not end. That of linked code,
 * if `sn_probes_switch` has never been called. 0, or what errno says. */
SN_PROBES_API int sn_probes_begin_bursts(int file);

/* Called where the thread's context is not of the burst that goes on. Both preserve registers as `sn_probes_enter`. */
SN_PROBES_API void sn_probes_sync(void);
/* A function with that number ends, whose own the thread's context is not, or not in this burst. */
SN_PROBES_API void sn_probes_left(uint32_t function);

#endif
