/* Counters of sonde's Valgrind tool, where the program runs in it: of the calling thread. */
#ifndef SONDE_SIMULATED_COUNTS_H
#define SONDE_SIMULATED_COUNTS_H

#include "../requests/client_request.h"
#include "../requests/requests.h"

#include <stdbool.h>

static inline bool sn_is_simulated(void) { return sn_ask(0, SN_UNDER_TOOL, 0, 0, 0, 0, 0) == 1; }

/* By enum sn_count; left as they are where there is no tool. */
static inline void sn_simulated_counts(uint64_t counts[SN_COUNTS]) {
    sn_tell(SN_COUNTS_SO_FAR, (uint64_t)(uintptr_t)counts, 0, 0, 0, 0);
}

/* What the calling thread does between the two is not counted. */
static inline void sn_simulation_pause(void) { sn_tell(SN_PAUSE, 0, 0, 0, 0, 0); }
static inline void sn_simulation_resume(void) { sn_tell(SN_RESUME, 0, 0, 0, 0, 0); }

#endif
