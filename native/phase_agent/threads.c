/* A log for each thread, and its events.
 *
 * What the agent does is not to be counted: a method's values are read last when it is entered, and first when it is
 * left, so that all of the agent's work lies outside; the time that it takes is added up, for those who called.
 */
#define _GNU_SOURCE
#include "agent.h"

#include "../core/base/thread_local.h"
#include "../core/phases/simulated_counts.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    sn_phase_log log;
    sn_thread_counters counters;
    uint64_t taken; /* ticks, by the agent */
    uint64_t grown; /* those of them in which logs grew */
    struct opened {
        uint32_t number;
        uint64_t ticks;
    } *opened; /* while phases are searched for: calls that are going on */
    size_t open_calls, room;
    uint64_t excluded[SN_MOST_COUNTERS]; /* what was counted while a log grew; of the clock, that is in `taken` */
} phase_thread;

static _Thread_local phase_thread *here SN_STATIC_TLS;
static _Thread_local bool is_refused SN_STATIC_TLS;
static pthread_key_t ends;

static inline void read_counters(phase_thread *thread, uint64_t *values) {
    sn_counters_read(&thread->counters, &agent.counters, values, thread->log.header->is_multiplexed);
    for (uint32_t i = 0; i < agent.counters.count; i++) values[i] -= thread->excluded[i];
}

/* New pages are page faults, and allocate: none of it is the program's. */
static uint64_t *grow(phase_thread *thread) {
    uint64_t before[SN_MOST_COUNTERS], after[SN_MOST_COUNTERS], began = sn_phase_now();
    read_counters(thread, before);
    bool has_room = sn_phase_log_grow(&thread->log, agent.most_bytes);
    read_counters(thread, after);
    for (uint32_t i = 0; i < agent.counters.count; i++)
        if (thread->log.header->source[i] != SN_FROM_THREAD_CLOCK) thread->excluded[i] += after[i] - before[i];
    thread->grown += sn_phase_now() - began;
    if (has_room) return sn_phase_log_next(&thread->log);
    thread->log.header->dropped++;
    return NULL;
}

static inline uint64_t *make_room(phase_thread *thread) {
    return likely(sn_phase_log_has_room(&thread->log)) ? sn_phase_log_next(&thread->log) : grow(thread);
}

/* The agent has worked since then. Where it took much longer than it does, the thread had no processor meanwhile, as could
 * have happened to the program at any time. */
static inline void take_out(phase_thread *thread, uint64_t began, uint64_t grown_before) {
    uint64_t grown = thread->grown - grown_before, took = sn_phase_now() - began - grown;
    thread->taken += grown + (likely(took < agent.longest_ticks) ? took : agent.longest_ticks);
}

static void write_event(phase_thread *thread, uint64_t head) {
    uint64_t *event = make_room(thread);
    if (!event) return;
    event[0] = head;
    read_counters(thread, event + SN_EVENT_FIXED_WORDS);
    event[1] = sn_phase_now();
    event[2] = thread->taken;
    sn_phase_log_publish(&thread->log);
}

static void end_times(phase_thread *thread) {
    thread->log.header->end_ticks = sn_phase_now();
    thread->log.header->end_ns = sn_monotonic_ns();
    thread->log.header->unseen = agent.unseen;
}

/* At the end of a thread, without the GIL. */
static void on_thread_end(void *value) {
    phase_thread *thread = value;
    here = NULL;
    is_refused = true;
    if (agent.open) {
        write_event(thread, SN_PHASE_THREAD_END);
        end_times(thread);
    }
    sn_counters_end(&thread->counters);
    sn_phase_log_end(&thread->log);
    free(thread->opened);
    free(thread);
}

static phase_thread *begin_thread(void) {
    char path[sizeof agent.folder + 64];
    phase_thread *thread = is_refused ? NULL : calloc(1, sizeof *thread);
    if (!thread) return NULL;
    uint32_t number = agent.threads++;
    snprintf(path, sizeof path, "%s/%d-%u.phases", agent.folder, (int)getpid(), number);
    if (!sn_phase_log_begin(&thread->log, path, agent.counters.count) || pthread_setspecific(ends, thread)) {
        is_refused = true;
        sn_phase_log_end(&thread->log);
        free(thread);
        return NULL;
    }
    sn_phase_header *header = thread->log.header;
    header->thread = number;
    header->has_ticks = agent.has_ticks;
    sn_counters_begin(&thread->counters, &agent.counters, header->source);
    header->start_ticks = sn_phase_now();
    header->start_ns = sn_monotonic_ns();
    write_event(thread, SN_PHASE_THREAD_BEGIN);
    return here = thread;
}

static inline phase_thread *thread_here(void) { return likely(here != NULL) ? here : begin_thread(); }

static void open_call(phase_thread *thread, uint32_t number, uint64_t ticks) {
    if (thread->open_calls == thread->room) {
        size_t room = thread->room ? 2 * thread->room : 64;
        struct opened *larger = realloc(thread->opened, room * sizeof *larger);
        if (!larger) return; /* its end finds nothing */
        thread->opened = larger;
        thread->room = room;
    }
    thread->opened[thread->open_calls++] = (struct opened){number, ticks};
}

static uint64_t close_call(phase_thread *thread, uint32_t number, uint64_t ticks) {
    for (size_t at = thread->open_calls; at-- > 0;) {
        if (thread->opened[at].number != number) continue;
        thread->open_calls = at;
        return ticks - thread->opened[at].ticks;
    }
    return 0;
}

static void forget_calls(phase_thread *thread, uint32_t number) {
    size_t kept = 0;
    for (size_t at = 0; at < thread->open_calls; at++)
        if (thread->opened[at].number != number) thread->opened[kept++] = thread->opened[at];
    thread->open_calls = kept;
}

static void enter(uint32_t number, sn_phase_event_kind kind) {
    uint64_t began = sn_phase_now();
    phase_thread *thread = thread_here();
    uint64_t grown = thread ? thread->grown : 0;
    uint64_t *event = likely(thread != NULL) ? make_room(thread) : NULL;
    if (unlikely(!event)) return;
    event[0] = (uint64_t)number << 8 | kind;
    read_counters(thread, event + SN_EVENT_FIXED_WORDS);
    take_out(thread, began, grown);
    uint64_t ended = sn_phase_now();
    event[1] = ended;
    event[2] = thread->taken;
    sn_phase_log_publish(&thread->log);
    if (agent.is_online) open_call(thread, number, ended);
}

void sn_phase_enter(uint32_t number, sn_phase_event_kind kind) {
    if (unlikely(!agent.open)) return;
    if (unlikely(agent.is_simulated)) sn_simulation_pause();
    enter(number, kind);
    if (unlikely(agent.is_simulated)) sn_simulation_resume();
}

static uint64_t leave(uint32_t number, sn_phase_event_kind kind) {
    uint64_t began = sn_phase_now();
    phase_thread *thread = thread_here();
    uint64_t grown = thread ? thread->grown : 0;
    uint64_t *event = likely(thread != NULL) ? make_room(thread) : NULL;
    if (unlikely(!event)) return 0;
    event[0] = (uint64_t)number << 8 | kind;
    event[1] = began;
    event[2] = thread->taken;
    read_counters(thread, event + SN_EVENT_FIXED_WORDS);
    sn_phase_log_publish(&thread->log);
    uint64_t took = agent.is_online ? close_call(thread, number, began) : 0;
    take_out(thread, began, grown);
    return took;
}

uint64_t sn_phase_leave(uint32_t number, sn_phase_event_kind kind) {
    if (unlikely(!agent.open)) return 0;
    if (unlikely(agent.is_simulated)) sn_simulation_pause();
    uint64_t took = leave(number, kind);
    if (unlikely(agent.is_simulated)) sn_simulation_resume();
    return took;
}

void sn_phase_time(uint32_t number, sn_phase_event_kind kind) {
    phase_thread *thread = here;
    if (unlikely(!agent.open || !thread)) return;
    uint64_t began = sn_phase_now(), grown = thread->grown, *event = make_room(thread);
    if (unlikely(!event)) return;
    event[0] = (uint64_t)number << 8 | kind;
    event[1] = began;
    event[2] = thread->taken;
    sn_phase_log_publish(&thread->log);
    take_out(thread, began, grown);
}

/* Threads that are in such a call have it among theirs still; their next end finds it. */
void sn_phase_give_up(uint32_t number) {
    phase_thread *thread = here;
    if (!agent.open || !thread) return;
    uint64_t began = sn_phase_now(), grown = thread->grown;
    write_event(thread, (uint64_t)number << 8 | SN_PHASE_GIVEN_UP);
    forget_calls(thread, number);
    take_out(thread, began, grown);
}

/* The child of a fork is not measured: the log is its parent's, and so are the files. */
static void in_child(void) {
    if (here) sn_counters_end(&here->counters);
    agent.open = false;
    sn_counters_forget_files();
    pthread_setspecific(ends, NULL);
    here = NULL;
    is_refused = true;
}

int sn_threads_begin(void) {
    if (pthread_key_create(&ends, on_thread_end) || pthread_atfork(NULL, NULL, in_child) || !begin_thread()) {
        PyErr_SetString(PyExc_OSError, "there is no room for what is measured");
        return -1;
    }
    return 0;
}

void sn_threads_end_here(void) {
    if (!here) return;
    write_event(here, SN_PHASE_THREAD_END);
    end_times(here);
}
