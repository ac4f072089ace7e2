/* Watches the methods that are phases, in the measured process: reads counters when one is entered and left. */
#ifndef SONDE_PHASE_AGENT_H
#define SONDE_PHASE_AGENT_H

#include "../cpython/frames.h"
#include "../core/phases/thread_phases.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Numbers of functions are those of the list that is given; this is the garbage collector. */
#define SN_COLLECTOR_NUMBER 0xFFFFFFu

typedef struct {
    sn_phase_plan plan;
    bool open; /* events are written */
    uint32_t threads;
    uint64_t unseen;
    /* Phases that are found while the program runs, see online.h. */
    bool is_online;
    double grain, least_ns; /* of a call: a share of the time so far, and in any case */
    bool is_look_due;        /* all methods are to be looked at again (3.11) */
    uint64_t start_ticks;
} sn_phase_agent;

extern sn_phase_agent agent;

/* Watch a function, too; a file that is empty is any. The last that fits is meant. -1 with an exception. */
int sn_watched_add(uint32_t number, int first_line, PyObject *file, PyObject *name);
/* The number of a function; -1: it is not watched. */
int64_t sn_watched_number(const PyCodeObject *code);

/* Write an event of the calling thread, which has the GIL. */
void sn_phase_enter(uint32_t number, sn_phase_event_kind kind);
/* How long the call took, where that is known: while phases are searched for; else 0. */
uint64_t sn_phase_leave(uint32_t number, sn_phase_event_kind kind);
/* No end of calls of this number that are going on will be told. */
void sn_phase_give_up(uint32_t number);
/* An event of a thread that has a log already, with nothing but the time. */
void sn_phase_time(uint32_t number, sn_phase_event_kind kind);
int sn_threads_begin(void);
void sn_threads_end_here(void);

/* How functions are seen: -1 with an exception. */
int sn_hooks_begin(void);
void sn_hooks_end(void);

int sn_collections_begin(void);
void sn_collections_end(void);
int sn_allocations_begin(void);
void sn_allocations_end(void);

#endif
