/* The process that launched the program. When it is killed the program is, too, as it would be alone; but what was found
 * out is written first.
 *
 * The kernel sends SIGTERM when the launcher ends. A program that does nothing about that signal is ended by it, and
 * Valgrind has the tool write its record. One that handles it has no time left to do so; one that ignores it is found to
 * be an orphan as it runs.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "tool.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

enum { BETWEEN_LOOKS = 1 << 20 }; /* blocks: some hundredths of a second */
enum { SET_PARENT_DEATH_SIGNAL = 1 }; /* PR_SET_PDEATHSIG: Valgrind's headers have no prctl */

static void end_if_orphaned(void) {
    if (!options.launcher || VG_(getppid)() == options.launcher) return;
    finish_run();
    VG_(exit)(128 + VKI_SIGKILL); /* nobody will ask */
}

static void before_signal(ThreadId tid, Int number, Bool alternative_stack) {
    (void)tid, (void)alternative_stack;
    if (number == VKI_SIGTERM) end_if_orphaned();
}

void launcher_watch(void) {
    if (!options.launcher) return;
    UWord answer = __NR_prctl;
    __asm__ volatile("syscall"
                     : "+a"(answer)
                     : "D"((UWord)SET_PARENT_DEATH_SIGNAL), "S"((UWord)VKI_SIGTERM), "d"(0UL)
                     : "rcx", "r11", "memory");
    VG_(track_pre_deliver_signal)(before_signal);
    end_if_orphaned(); /* it may have ended before the kernel was asked */
}

void launcher_look(ULong blocks_so_far) {
    static ULong next = BETWEEN_LOOKS;
    if (blocks_so_far < next) return;
    next = blocks_so_far + BETWEEN_LOOKS;
    end_if_orphaned();
}
