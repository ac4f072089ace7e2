/* A log for each thread, and the calls that go on on it while phases are searched for. */
#include "agent.h"

#include "../core/base/thread_local.h"
#include "../core/phases/simulated_counts.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct {
    sn_thread_phases phases;
    struct opened {
        uint32_t number;
        uint64_t ticks;
    } *opened; /* while phases are searched for: calls that are going on */
    size_t open_calls, room;
} phase_thread;

static _Thread_local phase_thread *here SN_STATIC_TLS;
static _Thread_local bool is_refused SN_STATIC_TLS;
static pthread_key_t ends;

static void end_phases(phase_thread *thread) {
    sn_thread_phases_end(&thread->phases);
    thread->phases.log.header->unseen = agent.unseen;
}

/* At the end of a thread, without the GIL. */
static void on_thread_end(void *value) {
    phase_thread *thread = value;
    here = NULL;
    is_refused = true;
    if (agent.open) end_phases(thread);
    sn_thread_phases_close(&thread->phases);
    free(thread->opened);
    free(thread);
}

static phase_thread *begin_thread(void) {
    phase_thread *thread = is_refused ? NULL : calloc(1, sizeof *thread);
    if (!thread) return NULL;
    if (pthread_setspecific(ends, thread) || !sn_thread_phases_begin(&thread->phases, &agent.plan, agent.threads++)) {
        is_refused = true;
        pthread_setspecific(ends, NULL);
        free(thread);
        return NULL;
    }
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

void sn_phase_enter(uint32_t number, sn_phase_event_kind kind) {
    if (unlikely(!agent.open)) return;
    if (unlikely(agent.plan.is_simulated)) sn_simulation_pause();
    phase_thread *thread = thread_here();
    uint64_t ticks = likely(thread != NULL) ? sn_thread_phases_enter(&thread->phases, number, kind) : 0;
    if (agent.is_online && ticks) open_call(thread, number, ticks);
    if (unlikely(agent.plan.is_simulated)) sn_simulation_resume();
}

uint64_t sn_phase_leave(uint32_t number, sn_phase_event_kind kind) {
    if (unlikely(!agent.open)) return 0;
    if (unlikely(agent.plan.is_simulated)) sn_simulation_pause();
    phase_thread *thread = thread_here();
    uint64_t ticks = likely(thread != NULL) ? sn_thread_phases_leave(&thread->phases, number, kind) : 0;
    uint64_t took = agent.is_online && ticks ? close_call(thread, number, ticks) : 0;
    if (unlikely(agent.plan.is_simulated)) sn_simulation_resume();
    return took;
}

void sn_phase_time(uint32_t number, sn_phase_event_kind kind) {
    if (likely(agent.open && here)) sn_thread_phases_time(&here->phases, number, kind);
}

/* Threads that are in such a call have it among theirs still; their next end finds it. */
void sn_phase_give_up(uint32_t number) {
    if (!agent.open || !here) return;
    sn_thread_phases_tell(&here->phases, number, SN_PHASE_GIVEN_UP);
    forget_calls(here, number);
}

/* The child of a fork is not measured: the log is its parent's, and so are the files. */
static void in_child(void) {
    if (here) sn_counters_end(&here->phases.counters);
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
    if (here) end_phases(here);
}
