/* The phases of a thread: what was counted when each began and ended, in a log of its own.
 *
 * What is done here is not to be counted: values are read last when a phase is entered, and first when it is left, so that
 * all of the work lies outside; the time that it takes is added up, for those who called.
 */
#ifndef SONDE_THREAD_PHASES_H
#define SONDE_THREAD_PHASES_H

#include "../base/ticks.h"
#include "phase_log.h"
#include "thread_counters.h"

/* What is the same for all threads of a process. */
typedef struct {
    char folder[400];        /* where logs go */
    sn_counter_set counters;
    uint64_t most_bytes;     /* of the log of one thread */
    uint64_t longest_ticks;  /* of the work at an event: what is longer was an interruption */
    double ns_per_tick;      /* to a percent */
    bool has_ticks;
    bool is_simulated;       /* counters are those of a simulation, from which this work is kept out */
} sn_phase_plan;

typedef struct {
    const sn_phase_plan *plan;
    sn_phase_log log;
    sn_thread_counters counters;
    uint64_t taken; /* ticks, by the work here */
    uint64_t grown; /* those of them in which the log grew */
    uint64_t excluded[SN_MOST_COUNTERS]; /* what was counted while it grew; of the clock, that is in `taken` */
} sn_thread_phases;

static inline uint64_t sn_phase_now(const sn_phase_plan *plan) {
    return __builtin_expect(plan->has_ticks, 1) ? sn_ticks() : sn_monotonic_ns();
}

/* Find the fields behind `most_bytes`; takes a tenth of a millisecond. */
void sn_phase_plan_complete(sn_phase_plan *plan);

/* Begin the log of the calling thread, under a number that no other has. False: there is no room, or no file can be made. */
bool sn_thread_phases_begin(sn_thread_phases *own, const sn_phase_plan *plan, uint32_t number);
/* Let it begin now: what is there is forgotten. */
void sn_thread_phases_start(sn_thread_phases *own);
/* Its last event; the log stays open. */
void sn_thread_phases_end(sn_thread_phases *own);
void sn_thread_phases_close(sn_thread_phases *own);

/* A phase begins or ends; the ticks of the event, 0 if there was no room for it. */
uint64_t sn_thread_phases_enter(sn_thread_phases *own, uint32_t number, sn_phase_event_kind kind);
uint64_t sn_thread_phases_leave(sn_thread_phases *own, uint32_t number, sn_phase_event_kind kind);
/* An event with nothing but the time. */
void sn_thread_phases_time(sn_thread_phases *own, uint32_t number, sn_phase_event_kind kind);
/* An event between calls. */
void sn_thread_phases_tell(sn_thread_phases *own, uint32_t number, sn_phase_event_kind kind);

#endif
