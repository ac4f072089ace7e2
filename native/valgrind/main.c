/* sonde's Valgrind tool: every access of a program, with the code that made it and the object that it went to.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "tool.h"

#include "allocators.h"
#include "block_trace.h"

#include "pub_tool_libcproc.h"

/* A child that was forked is another program: it runs on, and is not measured. Here, in the system call, Valgrind
 * discards no translations, so its code goes on calling helpers, which do nothing; until it makes a request. */
static void in_a_child(ThreadId tid) {
    (void)tid;
    options.record = NULL;
    options.launcher = 0;
    tracing = False;
    is_forked = True;
    current->paused = 1;
}

/* A thread begins its turn, of 100,000 blocks: often enough for what is to be done now and then. */
static void turn(ThreadId tid, ULong blocks_so_far) {
    launcher_look(blocks_so_far);
    if (clock_ >= next_snapshot) {
        next_snapshot = clock_ + options.snapshot;
        record_write(False);
    }
    accesses_renew();
    thread_runs(tid);
    allocators_of(current);
}

static void start(void) {
    options_apply();
    types_start();
    threads_start();
    window_open = options.whole_run;
    if (options.snapshot) next_snapshot = options.snapshot;
    advised = sn_advice.start != NULL;
    block_trace_start();
    if (advised) sn_advice.start();
    VG_(atfork)(NULL, NULL, in_a_child);
    launcher_watch();
}

static void finish(Int exit_code) {
    (void)exit_code; /* always 0: the core does not tell */
    finish_run();
}

static void before_options(void) {
    VG_(details_name)("sonde");
    VG_(details_version)(NULL);
    VG_(details_description)("where memory is accessed from, and what is accessed");
    VG_(details_copyright_author)("sonde's authors, under the GPL, version 2 or later");
    VG_(details_bug_reports_to)("sonde");
    VG_(details_avg_translation_sizeB)(500);
    VG_(basic_tool_funcs)(start, instrument, finish);
    VG_(needs_command_line_options)(options_read, options_usage, options_usage);
    VG_(needs_client_requests)(answer_request);
    VG_(track_start_client_code)(turn);
    VG_(track_die_mem_munmap)(memory_gone);
    VG_(track_die_mem_brk)(memory_gone);
}

VG_DETERMINE_INTERFACE_VERSION(before_options)
