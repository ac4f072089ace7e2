#include "phase_calls.h"

#include "keeping_registers.h"
#include "thread_spools.h"

#include "../core/phases/simulated_counts.h"
#include "../core/phases/thread_phases.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>

typedef struct {
    sn_thread_phases phases;
    struct open_call {
        uint32_t number;
        uintptr_t frame;
    } *open;
    size_t count, room;
} phase_thread;

static sn_phase_plan plan;
static bool is_open, switches_stacks;
static uint32_t threads;
static pthread_key_t ends;
static SN_THREAD_LOCAL phase_thread *here;
static SN_THREAD_LOCAL bool is_refused; /* the thread can have no log, or has ended */
static SN_THREAD_LOCAL bool busy;       /* in here */

/* ---- Threads. ---- */

static void on_thread_end(void *value) {
    phase_thread *thread = value;
    busy = true;
    here = NULL;
    is_refused = true;
    if (is_open) sn_thread_phases_end(&thread->phases);
    sn_thread_phases_close(&thread->phases);
    free(thread->open);
    free(thread);
    busy = false;
}

static phase_thread *begin_thread(void) {
    phase_thread *thread = is_refused ? NULL : calloc(1, sizeof *thread);
    if (!thread) return NULL;
    uint32_t number = __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
    if (pthread_setspecific(ends, thread) || !sn_thread_phases_begin(&thread->phases, &plan, number)) {
        is_refused = true;
        pthread_setspecific(ends, NULL);
        free(thread);
        return NULL;
    }
    return here = thread;
}

static bool open_call(phase_thread *thread, uint32_t number, uintptr_t frame) {
    if (thread->count == thread->room) {
        size_t room = thread->room ? 2 * thread->room : 64;
        struct open_call *larger = realloc(thread->open, room * sizeof *larger);
        if (!larger) return false;
        thread->open = larger;
        thread->room = room;
    }
    thread->open[thread->count++] = (struct open_call){number, frame};
    return true;
}

/* End the calls that are above a frame, and those that were where it is. */
static void end_left(phase_thread *thread, uintptr_t frame) {
    while (thread->count && thread->open[thread->count - 1].frame <= frame)
        sn_thread_phases_leave(&thread->phases, thread->open[--thread->count].number, SN_PHASE_UNWIND);
}

/* ---- Events. ---- */

/* Whether the thread may work here; with what is to be put back. */
static bool begin_work(int *error) {
    if (!is_open || is_refused) return false;
    if (busy) {
        if (here) here->phases.log.header->dropped++;
        return false;
    }
    busy = true;
    atomic_signal_fence(memory_order_seq_cst);
    *error = errno;
    if (plan.is_simulated) sn_simulation_pause();
    return true;
}

static void end_work(int error) {
    if (plan.is_simulated) sn_simulation_resume();
    errno = error;
    atomic_signal_fence(memory_order_seq_cst);
    busy = false;
}

SN_FOR_ASSEMBLY void sn_phases_enter_slowly(uint32_t number, uintptr_t frame) {
    int error;
    if (!begin_work(&error)) return;
    phase_thread *thread = here ? here : begin_thread();
    if (thread) {
        if (!switches_stacks) end_left(thread, frame);
        if (open_call(thread, number, frame)) sn_thread_phases_enter(&thread->phases, number, SN_PHASE_START);
    }
    end_work(error);
}

static void leave(uint32_t number, uintptr_t frame, sn_phase_event_kind kind) {
    int error;
    if (!here || !begin_work(&error)) return;
    size_t at = here->count;
    while (at && (here->open[at - 1].frame != frame || here->open[at - 1].number != number)) at--;
    if (at) { /* else it began in a signal handler that came while its thread was in here */
        /* Of calls on other stacks it is not known whether they are over: the reader cuts them, and says so. */
        while (here->count > at && !switches_stacks)
            sn_thread_phases_leave(&here->phases, here->open[--here->count].number, SN_PHASE_UNWIND);
        here->count = at - 1;
        sn_thread_phases_leave(&here->phases, number, kind);
    }
    end_work(error);
}

SN_FOR_ASSEMBLY void sn_phases_leave_slowly(uint32_t number, uintptr_t frame) { leave(number, frame, SN_PHASE_RETURN); }

SN_FOR_ASSEMBLY void sn_phases_unwind_slowly(uint32_t number, uintptr_t frame) { leave(number, frame, SN_PHASE_UNWIND); }

SN_FOR_ASSEMBLY void sn_phases_back_slowly(uint32_t unused, uintptr_t frame) {
    int error;
    (void)unused;
    /* A phase that jumps back to itself goes on. */
    if (switches_stacks || !here || !here->count || here->open[here->count - 1].frame >= frame || !begin_work(&error))
        return;
    end_left(here, frame - 1);
    end_work(error);
}

SN_FOR_ASSEMBLY void sn_phases_last_slowly(void) {
    int error;
    if (!here || !begin_work(&error)) return;
    sn_thread_phases_end(&here->phases);
    end_work(error);
}

#if defined(__x86_64__)
SN_KEEPING_ALL_REGISTERS(sn_phases_enter)
SN_KEEPING_ALL_REGISTERS(sn_phases_leave)
SN_KEEPING_ALL_REGISTERS(sn_phases_unwind)
SN_KEEPING_ALL_REGISTERS(sn_phases_back)
SN_KEEPING_ALL_REGISTERS(sn_phases_last)
#else
void sn_phases_enter(uint32_t number, uintptr_t frame) { sn_phases_enter_slowly(number, frame); }
void sn_phases_leave(uint32_t number, uintptr_t frame) { sn_phases_leave_slowly(number, frame); }
void sn_phases_unwind(uint32_t number, uintptr_t frame) { sn_phases_unwind_slowly(number, frame); }
void sn_phases_back(uint32_t unused, uintptr_t frame) { sn_phases_back_slowly(unused, frame); }
void sn_phases_last(void) { sn_phases_last_slowly(); }
#endif

/* What the process does from here on is not the program's. */
void sn_phases_stop(void) {
    sn_phases_last_slowly();
    is_refused = true;
}

static void in_child(void) {
    if (here) sn_counters_end(&here->phases.counters);
    is_open = false;
    sn_counters_forget_files();
    if (here) pthread_setspecific(ends, NULL);
    here = NULL;
    is_refused = true;
}

/* ---- The beginning, and what this costs. ---- */

static bool add_counters(sn_counter_set *set, const char *names) {
    char name[64];
    while (*names) {
        size_t length = strcspn(names, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        if (!sn_counter_set_add(set, name)) return false;
        names += length + (names[length] == ',');
    }
    return true;
}

int sn_phases_begin(const sn_phases_plan *asked) {
    if (snprintf(plan.folder, sizeof plan.folder, "%s", asked->folder) >= (int)sizeof plan.folder) return ENAMETOOLONG;
    if (!add_counters(&plan.counters, asked->counters)) return EINVAL;
    plan.most_bytes = asked->most_bytes;
    switches_stacks = asked->switches_stacks;
    sn_phase_plan_complete(&plan);
    int error = pthread_key_create(&ends, on_thread_end);
    if (!error) error = pthread_atfork(NULL, NULL, in_child);
    if (error) return error;
    errno = 0;
    if (plan.is_simulated) sn_tell(SN_WINDOW_OPEN, 0, 0, 0, 0, 0);
    is_open = begin_thread() != NULL;
    return is_open ? 0 : errno ? errno : ENOMEM;
}

void sn_phases_start(int argc, char **argv, char **envp) {
    (void)argc, (void)argv, (void)envp;
    if (plan.is_simulated) sn_simulation_pause();
    if (here) sn_thread_phases_start(&here->phases);
    if (plan.is_simulated) sn_simulation_resume();
}

double sn_phases_cost(void) {
    enum { CALLS = 101, BYTES = 4 << 20, LINE = 64 };
    double took[CALLS];
    volatile char *other = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (other == MAP_FAILED) return 0;
    for (int i = 0; i < CALLS; i++) {
        for (size_t at = 0; at < BYTES; at += LINE) other[at]++;
        uint64_t began = sn_phase_now(&plan);
        sn_phases_enter(0, (uintptr_t)&began);
        sn_phases_leave(0, (uintptr_t)&began);
        double value = (double)(sn_phase_now(&plan) - began) * plan.ns_per_tick;
        int at = i;
        for (; at && took[at - 1] > value; at--) took[at] = took[at - 1];
        took[at] = value;
    }
    munmap((void *)(uintptr_t)other, BYTES);
    return took[CALLS / 2];
}
