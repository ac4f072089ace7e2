/* Bursts: the program is watched for a short while, then left alone, over and over.
 *
 * A thread of ours keeps the time. When a burst is due, it asks the main thread to begin it, which does so
 * between two instructions; when that does not answer, because it waits for something, our thread takes the GIL
 * and begins the burst itself. Whoever does finds on every thread's stack what runs there, and lets the mechanism
 * watch calls again. The end must not wait for the GIL: our thread raises a flag, and the next call that is
 * seen takes the hook out. Between bursts the program runs without any hook.
 *
 * A program in a C function that keeps the GIL cannot answer. What it did while the burst was due is
 * known all the same: it ran that function, and made no call.
 *
 * Source: Zhuang, Serrano, Cain, Choi, PLDI 2006 (static and adaptive bursting), after D'Elia, PhD
 * thesis, section 5.1.1.
 * Differs: a burst that may be left out counts, when it takes place, for those that were left out.
 */
#define _GNU_SOURCE
#include "bursts.h"

#include "cursor.h"
#include "notes.h"

#include "../core/base/xorshift.h"

#include "internal/pycore_interp.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

/* With adaptive bursts: so many must have begun in a context until it counts as well sampled. */
#define WELL_SAMPLED 8u
/* Contexts in which bursts began, by their address; more are forgotten, and sampled anew. */
#define BEGINNINGS 4096u
/* The main thread answers within so many nanoseconds if it runs Python code at all. */
#define ANSWER_NS 1000000u
/* Our thread gets the GIL within the switch interval, 5 ms, if others run Python code; waiting for longer
 * than this it was kept by C code. */
#define KEPT_NS 10000000u
/* Time for the hooks that run after a fork, before there may be a thread of ours again. */
#define AFTER_FORK_NS 1000000u

enum { NOT_OVER = 0, OVER = 1, WITHOUT_CLOCK = 2 }; /* agent.bursts.over */

static pthread_t clock_thread;
static bool clock_runs;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake;
static uint32_t clocks; /* that were ever started */
static uint32_t live;   /* the one that keeps the time, by its number; 0: none does. Each stops when it is not that one */
static uint64_t random_state = 88172645463325252u;

static struct {
    const sn_context *context;
    uint32_t count;
} beginnings[BEGINNINGS];

static bool is_due(void) { return __atomic_load_n(&agent.bursts.due_ns, __ATOMIC_ACQUIRE); }

/* Sleep until a moment of CLOCK_MONOTONIC, or, `while_due`, until the burst that is due has begun; false when
 * the bursts are to stop. */
static bool sleep_until(uint64_t ns, uint32_t mine, bool while_due) {
    struct timespec until = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    pthread_mutex_lock(&lock);
    while (live == mine && (!while_due || is_due()) &&
           pthread_cond_timedwait(&wake, &lock, &until) != ETIMEDOUT) {}
    bool go_on = live == mine;
    pthread_mutex_unlock(&lock);
    return go_on;
}

/* How much a burst that begins in `context` counts; 0: leave it out. */
static uint32_t weight_of_burst(const sn_context *context) {
    if (!agent.bursts.one_in) return 1;
    size_t slot = ((uintptr_t)context / SN_CELL_BYTES) % BEGINNINGS;
    if (beginnings[slot].context != context) {
        beginnings[slot].context = context;
        beginnings[slot].count = 0;
    }
    if (beginnings[slot].count < WELL_SAMPLED) {
        beginnings[slot].count++;
        return 1;
    }
    return sn_xorshift64(&random_state) % agent.bursts.one_in ? 0 : agent.bursts.one_in;
}

/* Find out what runs on every thread that we know; the GIL is held. Returns what runs on the last of them. */
static const sn_context *find_running(uint64_t now) {
    const sn_context *running = agent.hot.root;
    for (sn_cursor *cursor = agent.hot.cursors; cursor; cursor = cursor->next) {
        sn_thread *thread = (sn_thread *)cursor;
        if (thread->ended || !thread->state) continue;
        sn_frame *frame = sn_frame_python(sn_frame_top(thread->state));
        if (!frame) continue;
        sn_cursor_resync(thread, frame);
        if (agent.gap) sn_processor_restart(thread);
        else cursor->now = now;
        running = cursor->current;
    }
    return running;
}

/* Nothing is credited: what ran has got its time. */
static void forget_running(void) {
    for (sn_cursor *cursor = agent.hot.cursors; cursor; cursor = cursor->next)
        sn_cursor_lose((sn_thread *)cursor, (sn_how)(sn_chosen_how() & ~SN_TIMED));
}

void sn_burst_end(void) {
    agent.bursts.over = 0;
    for (sn_cursor *cursor = agent.hot.cursors; cursor; cursor = cursor->next)
        if (agent.gap) sn_processor_credit_until_stop((sn_thread *)cursor, agent.bursts.stopped_running);
        else if (agent.clock != SN_CLOCK_NONE && cursor->now && agent.bursts.stopped > cursor->now)
            sn_hot_credit_weighted(cursor, agent.bursts.stopped, agent.bursts.weight);
    forget_running();
    sn_hot_end_burst(&agent.hot);
    agent.mechanism->pause();
}

/* What runs has run for `ns` that should have been looked at, and nothing was called in the `waited_ns` since. */
static void credit_wait(uint64_t ns, uint64_t waited_ns) {
    uint64_t ticks = agent.bursts.weight * sn_ticks_in(ns);
    for (sn_cursor *cursor = agent.hot.cursors; cursor; cursor = cursor->next) {
        if (agent.clock == SN_CLOCK_NONE || cursor->current == agent.hot.root) continue;
        double share = agent.gap ? sn_processor_share_since_due((const sn_thread *)cursor, waited_ns) : 1;
        cursor->current->ticks += share < 1 ? (uint64_t)(share * (double)ticks) : ticks;
    }
    agent.header->looked_ticks += ticks;
}

/* Begin the burst that was due at `due_ns`; the GIL is held. `kept_ns`: who waited for longer was kept by C code. */
static void begin_burst(uint64_t due_ns, uint64_t kept_ns, bool always) {
    if (agent.bursts.over) sn_burst_end(); /* no call has been seen since the last one */
    uint64_t resyncs = agent.header->resyncs, waited_ns = sn_monotonic_ns() - due_ns;
    uint32_t weight = weight_of_burst(find_running(sn_now()));
    agent.header->resyncs = resyncs; /* these are no repairs */
    agent.bursts.weight = weight || !always ? weight : 1;
    agent.bursts.unwatched = true;
    agent.bursts.due_ns = 0;
    if (!agent.bursts.weight) {
        forget_running();
        return;
    }
    agent.bursts.left_ns = agent.bursts.length_ns;
    if (waited_ns > kept_ns) {
        /* Whole bursts were missed, perhaps, and part of this one. */
        uint64_t missed = waited_ns / agent.bursts.interval_ns, part_ns = waited_ns % agent.bursts.interval_ns;
        if (part_ns > agent.bursts.length_ns) part_ns = agent.bursts.length_ns;
        credit_wait(missed * agent.bursts.length_ns + part_ns, waited_ns);
        agent.header->bursts += missed;
        agent.bursts.left_ns -= part_ns;
    }
    if (!agent.bursts.left_ns) {
        agent.header->bursts++;
        forget_running();
        sn_hot_end_burst(&agent.hot);
        return;
    }
    agent.bursts.unwatched = false;
    agent.mechanism->resume();
    agent.bursts.started = sn_now();
    for (sn_cursor *cursor = agent.hot.cursors; cursor; cursor = cursor->next)
        if (cursor->now && agent.gap) sn_processor_restart((sn_thread *)cursor); /* our own work is nobody's time */
        else if (cursor->now) cursor->now = agent.bursts.started;
    agent.header->burst_start = agent.bursts.started;
}

/* Called by the main thread between two instructions. */
static int answer(void *unused) {
    (void)unused;
    if (!agent.bursts.due_ns || !agent.active || !live) return 0;
    begin_burst(agent.bursts.due_ns, ANSWER_NS, false);
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&wake);
    pthread_mutex_unlock(&lock);
    return 0;
}

static void stop_burst(void) {
    if (agent.bursts.unwatched) return;
    agent.bursts.stopped = sn_now();
    agent.bursts.stopped_running = sn_running_clock();
    if (agent.gap) sn_processor_note_stop();
    agent.header->burst_start = 0;
    agent.header->looked_ticks += agent.bursts.weight * (agent.bursts.stopped - agent.bursts.started);
    agent.header->bursts++;
    __atomic_store_n(&agent.bursts.over, OVER, __ATOMIC_RELEASE);
}

/* Ask the main thread to call `answer`. Before 3.13, a call that another thread has added goes unnoticed until
 * something else stops the interpreter for a look around; so it is stopped here. */
static bool ask_main_thread(void) {
    if (Py_AddPendingCall(answer, NULL)) return false;
#if PY_VERSION_HEX < 0x030D0000
    _Py_atomic_store(&PyInterpreterState_Main()->ceval.eval_breaker, 1);
#endif
    return true;
}

/* Have the burst begun; false when there are to be no more. */
static bool have_begun(uint64_t due_ns, uint32_t mine) {
    if (agent.gap) sn_processor_note_due();
    __atomic_store_n(&agent.bursts.due_ns, due_ns, __ATOMIC_RELEASE);
    if (ask_main_thread() && !sleep_until(due_ns + ANSWER_NS, mine, true)) return false;
    if (!is_due()) return true;
    PyGILState_STATE gil = PyGILState_Ensure();
    bool go_on = live == mine && agent.active;
    if (go_on && agent.bursts.due_ns) begin_burst(due_ns, KEPT_NS, false);
    PyGILState_Release(gil);
    return go_on;
}

static void *keep_time(void *number) {
    uint32_t mine = (uint32_t)(uintptr_t)number;
    uint64_t next = sn_monotonic_ns();
    if (!sleep_until(next + agent.bursts.length_ns, mine, false)) return NULL; /* a burst goes on already */
    stop_burst();
    for (;;) {
        uint64_t now = sn_monotonic_ns();
        while (next <= now) next += agent.bursts.interval_ns;
        if (!sleep_until(next, mine, false) || !have_begun(sn_monotonic_ns(), mine)) return NULL; /* woken late, as it may be */
        if (!agent.bursts.unwatched && !sleep_until(sn_monotonic_ns() + agent.bursts.left_ns, mine, false)) return NULL;
        stop_burst();
    }
}

/* The program's signals are for its own threads. */
static bool start_clock(void) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_mutex_lock(&lock);
    uint32_t mine = live = ++clocks;
    pthread_mutex_unlock(&lock);
    clock_runs = !pthread_create(&clock_thread, NULL, keep_time, (void *)(uintptr_t)mine);
    if (!clock_runs) live = 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return clock_runs;
}

static void prepare_to_wait(void) {
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

void sn_bursts_begin(void) {
    if (!agent.bursts.interval_ns) return;
    prepare_to_wait();
    random_state ^= sn_monotonic_ns() | 1;
    agent.bursts.weight = 1;
    agent.bursts.unwatched = false;
    agent.bursts.over = NOT_OVER;
    agent.bursts.started = sn_now();
    agent.header->first_burst = agent.header->burst_start = agent.bursts.started;
    if (start_clock()) return;
    agent.bursts.interval_ns = 0;
    sn_note("bursts-not-possible", 1, "no thread could be started to time the bursts: the program was watched all the time");
}

bool sn_burst_turn(void) {
    if (agent.bursts.over == OVER) {
        sn_burst_end();
        return true;
    }
    if (sn_monotonic_ns() - agent.bursts.forked_ns > AFTER_FORK_NS) {
        agent.bursts.over = NOT_OVER;
        if (!clock_runs) start_clock();
    }
    return false;
}

void sn_bursts_pause(void) {
    if (!agent.bursts.interval_ns || !agent.begun) return;
    pthread_mutex_lock(&lock);
    live = 0;
    pthread_cond_broadcast(&wake);
    pthread_mutex_unlock(&lock);
    if (clock_runs) {
        pthread_t ended = clock_thread;
        clock_runs = false; /* while the GIL is not ours, another thread may come here, and start another clock */
        /* It may be waiting for the GIL. */
        Py_BEGIN_ALLOW_THREADS
        pthread_join(ended, NULL);
        Py_END_ALLOW_THREADS
    }
    agent.bursts.due_ns = 0;
    if (agent.header->burst_start) stop_burst();
    if (agent.bursts.over) sn_burst_end();
}

/* Python warns of forks while there are threads, and counts them when all hooks of the parent have run. So the
 * burst goes on without a clock for a moment; the first call that is seen after that starts it. */
void sn_bursts_go_on(void) {
    if (!agent.bursts.interval_ns || !agent.begun || !agent.active) return;
    agent.bursts.forked_ns = sn_monotonic_ns();
    begin_burst(agent.bursts.forked_ns, UINT64_MAX, true);
    agent.bursts.over = WITHOUT_CLOCK;
}

void sn_bursts_after_fork(void) {
    clock_runs = false;
    live = 0;
    pthread_mutex_init(&lock, NULL);
    prepare_to_wait();
    if (!agent.bursts.interval_ns) return;
    agent.bursts.over = NOT_OVER;
    agent.header->first_burst = sn_now();
    sn_bursts_go_on();
}
