/* The time that each thread ran (core/base/processor_clock.h), for those who do not want what it waited. */
#ifndef SONDE_PROCESSOR_TIME_H
#define SONDE_PROCESSOR_TIME_H

#include "agent.h"

#include "../core/base/processor_clock.h"

/* A cell behind the cursor of a thread. */
typedef struct {
    uint64_t tag;        /* SN_TAG_FREE: readers have no use for it */
    sn_processor_clock clock;
    int64_t id;          /* the system's clock of the thread; 0: not yet known */
    uint64_t due_ns, stopped_ns; /* what that one showed when a burst was due, and when it was over; 0: not known */
    uint64_t unused;
} sn_processor_cell;

static_assert(sizeof(sn_processor_cell) == SN_CELL_BYTES, "cell layout");

static inline sn_processor_cell *sn_processor_of(const sn_thread *thread) { return (sn_processor_cell *)(thread + 1); }

/* How long a gap must be for the system to be asked, in ticks. */
uint64_t sn_processor_gap_ticks(void);
/* Note which thread is the calling one, as far as the system is concerned. */
void sn_processor_identify(sn_thread *thread);
/* The calling thread's clock begins now. */
void sn_processor_begin(sn_thread *thread);
/* A known thread's clock begins anew, now. */
void sn_processor_restart(sn_thread *thread);
/* The time of an event after a gap, or when the clock stands. */
uint64_t sn_processor_event_slow(sn_thread *thread, uint64_t running, uint64_t cost);
/* Every thread has run its current context until now. */
void sn_processor_credit_all(void);

/* Bursts. Any thread may note, without the GIL: a burst is due, or it is over. */
void sn_processor_note_due(void);
void sn_processor_note_stop(void);
/* The thread has run its current context until the burst was over, at `running`. */
void sn_processor_credit_until_stop(sn_thread *thread, uint64_t running);
/* How much of the last `elapsed_ns`, since a burst was due, the thread ran: from 0 to 1. */
double sn_processor_share_since_due(const sn_thread *thread, uint64_t elapsed_ns);

#endif
