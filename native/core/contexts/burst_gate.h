/* Bursts of a recorded stream: what a source would have seen that looks for a while at the start of
 * every interval.
 *
 * When a burst begins, what runs on every thread is FOUND, outermost first; when it is over, the threads
 * that ran something, or had an event in it, are LOST: both in the order of their numbers. So time is seen
 * of threads that had no event, too.
 */
#ifndef SONDE_BURST_GATE_H
#define SONDE_BURST_GATE_H

#include "../trace/event_kind.h"
#include "../base/cells.h"

typedef struct {
    uint8_t kind;
    uint32_t thread, function, line;
    uint64_t time;
} sn_event;

/* Takes what the gate lets through. */
typedef struct {
    void *to;
    sn_status (*event)(void *to, const sn_event *event);
    void (*end_of_burst)(void *to);
} sn_burst_taker;

typedef struct {
    uint64_t interval, length; /* in the unit of the events' times */
    uint64_t first, now;       /* time of the first event, and of the last: one that is less counts as that */
    uint64_t next;             /* number of the burst that goes on, or of the one that begins next */
    uint64_t ended;            /* when the last one ended, if that was before its time */
    bool is_open, begun;
    struct sn_gate_thread *threads; /* by number */
    uint32_t thread_count;
} sn_burst_gate;

void sn_burst_gate_init(sn_burst_gate *gate, uint64_t interval, uint64_t length);
void sn_burst_gate_free(sn_burst_gate *gate);

/* Pass one event on, or not; SN_NO_MEMORY, or what the taker says. Thread numbers below SN_THREAD_LIMIT. */
sn_status sn_burst_gate_event(sn_burst_gate *gate, const sn_event *event, const sn_burst_taker *taker);

/* The stream has ended: so has the burst. */
sn_status sn_burst_gate_end(sn_burst_gate *gate, const sn_burst_taker *taker);

/* How many bursts have begun, those without any event among them. */
uint64_t sn_burst_gate_bursts(const sn_burst_gate *gate);

/* How long the gate was open, and how long the stream is, up to the last event. */
uint64_t sn_burst_gate_open_time(const sn_burst_gate *gate);
uint64_t sn_burst_gate_elapsed(const sn_burst_gate *gate);

#endif
