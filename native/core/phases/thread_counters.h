/* Counters of the calling thread, by name: what can be had on this machine, and from where. */
#ifndef SONDE_THREAD_COUNTERS_H
#define SONDE_THREAD_COUNTERS_H

#include "../base/thread_local.h"

#include "phase_log.h"

/* What is asked for: numbers of rows in the table of thread_counters.c. */
typedef struct {
    uint32_t count;
    uint8_t wanted[SN_MOST_COUNTERS];
} sn_counter_set;

/* Files of a thread that the kernel counts for; two groups, since they are read as wholes. */
typedef struct {
    int leader; /* -1: there is none */
    uint64_t id; /* by which the kernel knows it: the number of a file may come to mean another */
    uint32_t count;
    uint8_t place[SN_MOST_COUNTERS]; /* in the set, of each value that is read */
    int files[SN_MOST_COUNTERS];
    uint64_t last[SN_MOST_COUNTERS]; /* values, for when the files are gone */
} sn_counter_group;

typedef struct {
    sn_counter_group software, hardware;
    bool has_clock, has_rusage, has_simulated;
} sn_thread_counters;

/* Add a counter to the set; false: no counter is called so, or there are too many. */
bool sn_counter_set_add(sn_counter_set *set, const char *name);
/* Whether the set has one of the interpreter's of this name. */
bool sn_counter_set_has(const sn_counter_set *set, const char *name);

/* Whether one is counted by the simulation: what the agent does is to be kept from it. */
bool sn_counter_set_is_simulated(const sn_counter_set *set);

/* Begin to count for the calling thread, and say in `source` where each is from. */
void sn_counters_begin(sn_thread_counters *own, const sn_counter_set *set, uint8_t *source);
void sn_counters_read(sn_thread_counters *own, const sn_counter_set *set, uint64_t *values, uint8_t *is_multiplexed);
void sn_counters_end(sn_thread_counters *own);
/* In a fork: the files count for its parent. */
void sn_counters_forget_files(void);

/* What the interpreter did on the calling thread. */
typedef struct {
    uint64_t allocations, allocated_bytes, collections;
} sn_interpreter_counts;
extern _Thread_local sn_interpreter_counts sn_interpreter_here SN_STATIC_TLS;

#endif
