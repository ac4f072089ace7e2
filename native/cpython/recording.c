/* Recording: every event that is counted goes into a trace as well (core/trace/trace_writer.h). */
#define _GNU_SOURCE
#include "recording.h"

#include "cursor.h"
#include "notes.h"
#include "threads.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PATH_ROOM 4096
/* Time in units of 2^5 ticks, some 10 ns: shorter than what a call takes, and a pause fits into a byte. */
#define UNIT_SHIFT_TSC 5u
#define UNIT_SHIFT_NS 4u

static const char *command_line;

/* The first process has the path itself, others have their number behind it. */
static sn_status create(void) {
    char path[PATH_ROOM];
    sn_trace_about about = {
        .clock = agent.clock,
        .unit_shift = agent.clock == SN_CLOCK_TSC ? UNIT_SHIFT_TSC : UNIT_SHIFT_NS,
        .pid = (uint32_t)getpid(),
        .parent_pid = (uint32_t)getppid(),
        .start_ticks = agent.header->start_ticks,
        .start_ns = agent.header->start_ns,
        .text = {command_line, PY_VERSION, agent.mechanism->name},
    };
    for (int i = 0; i < 3; i++) about.length[i] = (uint32_t)strlen(about.text[i]);
    sn_status status = sn_trace_create(&agent.trace, agent.trace_path, &about);
    for (unsigned attempt = 0; status == SN_SYSTEM && errno == EEXIST && attempt < 1000; attempt++) {
        int length = attempt ? snprintf(path, sizeof path, "%s.%ld-%u", agent.trace_path, (long)getpid(), attempt)
                             : snprintf(path, sizeof path, "%s.%ld", agent.trace_path, (long)getpid());
        if (length < 0 || (size_t)length >= sizeof path) {
            errno = ENAMETOOLONG;
            return SN_SYSTEM;
        }
        status = sn_trace_create(&agent.trace, path, &about);
    }
    if (status == SN_OK) agent.trace.lost_told = &agent.header->lost_events;
    return status;
}

int sn_recording_start(const char *path, const char *command) {
    agent.trace_path = strdup(path);
    command_line = strdup(command);
    if (!agent.trace_path || !command_line) {
        PyErr_NoMemory();
        return -1;
    }
    sn_status status = create();
    if (status == SN_OK) return 0;
    if (status != SN_SYSTEM) errno = status == SN_NO_SPACE ? ENOSPC : ENOMEM;
    PyErr_SetFromErrnoWithFilename(PyExc_OSError, path);
    return -1;
}

void sn_recording_up_to_now(void) {
    if (!agent.trace_path) return;
    for (sn_cursor *cursor = agent.hot.cursors; cursor; cursor = cursor->next)
        if (cursor->now || agent.clock == SN_CLOCK_NONE) sn_cursor_lose((sn_thread *)cursor, sn_chosen_how());
}

void sn_recording_finish(void) {
    if (!agent.trace_path) return;
    sn_recording_up_to_now();
    sn_trace_finish(&agent.trace, sn_running_clock(), sn_monotonic_ns());
}

void sn_recording_after_fork(void) {
    if (!agent.trace_path) return;
    sn_trace_abandon(&agent.trace);
    if (create() != SN_OK) {
        sn_note("events-not-recorded", 1, "a forked child could not make a trace of its own");
        return;
    }
    sn_functions_record();
    if (!sn_thread_here) return;
    /* What runs was found, not called. */
    for (const sn_context *below = agent.hot.root; below != sn_thread_here->cursor.current;) {
        const sn_context *next = sn_thread_here->cursor.current;
        while (next->parent != below) next = next->parent;
        if (!sn_hot_is_base(&agent.hot, next)) sn_cursor_record(sn_thread_here, SN_EVENT_FOUND, next);
        below = next;
    }
}
