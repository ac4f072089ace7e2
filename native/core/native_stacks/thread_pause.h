/* A thread of another process, stopped for the moment in which it is looked at.
 *
 * The system stops it (PTRACE_SEIZE, PTRACE_INTERRUPT) without a signal, and lets it go on where it was. It is traced during the
 * pause only, so that its signals, forks and ends are nobody's business but the program's for the rest of the time:
 *
 *   a signal that arrives meanwhile    is delivered when the pause ends
 *   a stopped process (SIGSTOP, ^Z)    stays stopped
 *   a system call                      is begun again by the system; where that would fail with EINTR, which happens if the thread
 *                                      began to wait just now, we have it begun again, unless a signal handler runs
 *   our own end                        ends the pause
 *
 * Who pauses is always the same thread. It takes nothing away of what `wait` tells, so that who waits for the program's end is
 * told of it. If that is another thread of our process, it has to ask without taking stops away, too (WNOWAIT): to the system they
 * are of a child that both of them wait for.
 */
#ifndef SONDE_THREAD_PAUSE_H
#define SONDE_THREAD_PAUSE_H

#include "registers.h"

#include <sys/types.h>

typedef enum {
    SN_PAUSE_BEGUN = 0,
    SN_PAUSE_LATE,     /* it did not stop in time, as the system has something to do for it: ask again with sn_pause_settle */
    SN_PAUSE_OVER,     /* the thread has ended */
    SN_PAUSE_REFUSED,  /* the system does not let us, or another tracer has it */
    SN_PAUSE_UNKNOWN,  /* registers of this machine are not known */
} sn_pause_result;

typedef struct {
    pid_t process, thread;
    bool is_pending; /* asked for, and not ended */
    int signal;      /* that is to be delivered; 0: none */
    uint64_t began;  /* when it stood still: a moment of CLOCK_MONOTONIC, in nanoseconds; a little too early, or when we were told */
} sn_pause;

static inline sn_pause sn_pause_of(pid_t process, pid_t thread) { return (sn_pause){process, thread, false, 0, 0}; }

/* Stop the thread, and read its registers. Only after BEGUN it has to be ended.
 * Cost: some 10 us on two processors, while the thread loses as much; more on a machine that is busy. */
sn_pause_result sn_pause_begin(sn_pause *pause, sn_registers *registers);

/* Let it go on. Returns for how many nanoseconds it stood still. */
uint64_t sn_pause_end(sn_pause *pause);

/* A pause that came late, or whose thread was being killed: end it if it has begun by now. Whether nothing is pending any more. */
bool sn_pause_settle(sn_pause *pause);

/* The same of a thread that is gone: wait a moment until it is. What ends waits for its tracer, and who replaces a program (exec) for all
 * of its threads. */
void sn_pause_finish(sn_pause *pause);

/* Whether another process traces this one. */
bool sn_pause_is_traced(pid_t process);

/* Pauses tell our process nothing by SIGCHLD; ends of children still do. */
void sn_pause_make_quiet(void);

#endif
