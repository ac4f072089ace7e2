/* The log of one thread: events with counter values, in a file that is mapped and shared.
 *
 * What was written is in the file when the process is killed. A page of header, then events of `event_words` words each:
 * head (function number << 8 | kind), ticks, ticks that this agent has taken on the thread so far, counters.
 */
#ifndef SONDE_PHASE_LOG_H
#define SONDE_PHASE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SN_PHASE_MAGIC "SONDEPHS"
#define SN_PHASE_VERSION 1u
#define SN_PHASE_HEADER_BYTES 4096u

enum { SN_MOST_COUNTERS = 12, SN_EVENT_FIXED_WORDS = 3 };

/* Where the values of a counter are from. */
typedef enum {
    SN_FROM_NOWHERE,
    SN_FROM_THREAD_CLOCK, /* CLOCK_THREAD_CPUTIME_ID */
    SN_FROM_RUSAGE,       /* getrusage(RUSAGE_THREAD) */
    SN_FROM_PERF,         /* perf_event_open */
    SN_FROM_PERF_USER,    /* the same, without the kernel's part */
    SN_FROM_INTERPRETER,
    SN_FROM_SIMULATION, /* sonde's Valgrind tool, in which the program runs */
} sn_counter_source;

typedef enum {
    SN_PHASE_START = 1,
    SN_PHASE_RESUME,
    SN_PHASE_RETURN,
    SN_PHASE_YIELD,
    SN_PHASE_UNWIND,
    SN_PHASE_THREAD_BEGIN,
    SN_PHASE_THREAD_END,
    SN_PHASE_COLLECTION, /* by the garbage collector; its end is a RETURN of the same number */
    SN_PHASE_GIVEN_UP,  /* calls of this number that are going on have no end that is told */
    SN_PHASE_SHORT_COLLECTION, /* this and the next: without counters */
    SN_PHASE_SHORT_COLLECTION_END,
} sn_phase_event_kind;

typedef struct {
    char magic[8];
    uint32_t version, event_words;
    uint32_t pid, thread; /* threads are numbered from 0, the one that the agent began on */
    uint64_t used;        /* bytes of events; written after them, with release order */
    uint64_t start_ticks, start_ns; /* read together: CLOCK_MONOTONIC */
    uint64_t end_ticks, end_ns;     /* the same when the thread ended in order; 0: it did not */
    uint64_t dropped;               /* events for which there was no room */
    uint64_t unseen;                /* calls that were too deep for the eval hook (3.11), of all functions */
    uint32_t counters, has_ticks;   /* has_ticks 0: ticks are nanoseconds of CLOCK_MONOTONIC */
    uint8_t source[SN_MOST_COUNTERS];
    uint8_t is_multiplexed[SN_MOST_COUNTERS];
} sn_phase_header;

typedef struct {
    sn_phase_header *header;
    uint64_t mapped, used; /* bytes of the file, and those with events behind the header */
    char path[512];
} sn_phase_log;

/* False when there is no room, or the file cannot be made. */
bool sn_phase_log_begin(sn_phase_log *log, const char *path, uint32_t counters);
/* Make room for one more event in a log of at most so many bytes. False: there is none. */
bool sn_phase_log_grow(sn_phase_log *log, uint64_t most_bytes);
void sn_phase_log_end(sn_phase_log *log);

static inline uint64_t sn_phase_event_bytes(const sn_phase_log *log) { return log->header->event_words * sizeof(uint64_t); }

static inline bool sn_phase_log_has_room(const sn_phase_log *log) {
    return SN_PHASE_HEADER_BYTES + log->used + sn_phase_event_bytes(log) <= log->mapped;
}

/* Where the next event goes; there is room. */
static inline uint64_t *sn_phase_log_next(const sn_phase_log *log) {
    return (uint64_t *)((char *)log->header + SN_PHASE_HEADER_BYTES + log->used);
}

static inline void sn_phase_log_publish(sn_phase_log *log) {
    log->used += sn_phase_event_bytes(log);
    __atomic_store_n(&log->header->used, log->used, __ATOMIC_RELEASE);
}

#endif
