/* Calls of phases in compiled code, told by code that sonde.passes.phase_probes puts into the functions that are phases.
 *
 * Each thread has a log of its own (native/core/phases), and a stack of the calls that it is in, each with the place of its
 * return address: a call that is above a frame that runs is over, however it was left. So a jump (`longjmp`) ends calls when
 * it arrives, if the function that it arrives in says so, and at the latest at the thread's next event.
 *
 * Nothing here prints, allocates from the heap, or changes errno. What a signal handler begins while its thread is in here
 * is not told, and is counted as dropped. A child of a fork tells nothing.
 */
#ifndef SONDE_PHASE_CALLS_H
#define SONDE_PHASE_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#define SN_PHASES_API __attribute__((visibility("default")))

typedef struct {
    const char *folder;   /* where logs go */
    const char *counters; /* names, with commas between */
    uint64_t most_bytes;  /* of the log of a thread */
    bool switches_stacks; /* the program has more stacks than threads: of two frames it is not known which is above */
} sn_phases_plan;

/* Begin, in the only thread of the process, before any code with such probes runs. 0, or what errno says. */
SN_PHASES_API int sn_phases_begin(const sn_phases_plan *plan);

/* The program's first constructor: its time begins. */
SN_PHASES_API void sn_phases_start(int argc, char **argv, char **envp);

/* The last function at the end of a process that ends as usual, in the thread that ends it. */
SN_PHASES_API void sn_phases_stop(void);

/* Nanoseconds that telling of a call takes where the caches have nothing of it, in the log of the calling thread. */
SN_PHASES_API double sn_phases_cost(void);

/* A phase is entered; it returns, or an exception leaves it. `frame` is the place of its return address. These, and the
 * next, preserve all general registers but r11, as LLVM's convention `preserve_most` has it. */
SN_PHASES_API void sn_phases_enter(uint32_t number, uintptr_t frame);
SN_PHASES_API void sn_phases_leave(uint32_t number, uintptr_t frame);
SN_PHASES_API void sn_phases_unwind(uint32_t number, uintptr_t frame);
/* The function with this frame may have been jumped back to. */
SN_PHASES_API void sn_phases_back(uint32_t unused, uintptr_t frame);
/* The process is about to end without its usual end, or to become another program. */
SN_PHASES_API void sn_phases_last(void);

#endif
