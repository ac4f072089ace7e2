/* The threads of the program, of which one runs at a time.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "tool.h"

#include "pub_tool_threadstate.h"

static struct thread *threads; /* by Valgrind's number, which is used again */
static UInt last_number;
struct thread *current;
Bool has_threads;
Bool is_forked;

static struct thread thread_numbered(UInt number) {
    const Addr nowhere = ~(Addr)0;
    return (struct thread){.number = number, .paused = is_forked, .watched = {nowhere, nowhere, nowhere}, .line = ledger.places};
}

struct thread *thread_of(ThreadId tid) {
    struct thread *thread = &threads[tid];
    if (!thread->number) {
        *thread = thread_numbered(++last_number);
        has_threads = last_number > 1;
        sn_thread_begins(&sharing, last_number);
        for (Int when = SN_BEFORE; when <= SN_AFTER; when++)
            if (sn_advice.thread_create[when]) sn_advice.thread_create[when](thread->number);
    }
    return thread;
}

void thread_runs(ThreadId tid) {
    struct thread *thread = thread_of(tid);
    if (thread == current) return;
    context_add(current, clock_);
    counts_thread_stops();
    if (sn_advice.thread_switch[SN_BEFORE]) sn_advice.thread_switch[SN_BEFORE](thread->number);
    current = thread;
    if (sn_advice.thread_switch[SN_AFTER]) sn_advice.thread_switch[SN_AFTER](thread->number);
}

static void ends(ThreadId tid) {
    struct thread *thread = thread_of(tid);
    for (Int when = SN_BEFORE; when <= SN_AFTER; when++)
        if (sn_advice.thread_terminate[when]) sn_advice.thread_terminate[when](thread->number);
    context_thread_ends(thread);
    /* Its last instructions are its own. */
    sn_thread_ends(&sharing, thread->number);
    *thread = thread == current ? thread_numbered(thread->number) : (struct thread){0};
}

/* Whoever had its place before is another. It has a number from now on, as it could run from now on. */
static void begins(ThreadId parent, ThreadId tid) {
    (void)parent;
    context_thread_ends(&threads[tid]);
    threads[tid] = (struct thread){0};
    thread_of(tid);
}

void threads_start(void) {
    threads = need_pages((VG_N_THREADS + 1) * sizeof *threads);
    current = &threads[0];
    VG_(track_pre_thread_ll_create)(begins);
    VG_(track_pre_thread_ll_exit)(ends);
}
