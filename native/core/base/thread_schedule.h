/* What the system tells of a thread of another process: how long it has had a processor, and whether it wants one.
 *
 * A process cannot ask for the clock of another's thread. The system writes what that clock has come to into a file
 * (schedstat); of a thread that runs, when the scheduler looks at it, which it does at each of its ticks at the latest.
 *
 * Cost, on a machine of 2020: 0.7 us for the time, 8 us for the state; 17 and 26 when files are opened each time.
 * A system call that a thread waits in is told to those who may read its memory.
 */
#ifndef SONDE_THREAD_SCHEDULE_H
#define SONDE_THREAD_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct {
    pid_t process, thread;
    bool keeps_files; /* open from one question to the next */
    int time_file, state_file, call_file; /* -1: not open */
} sn_thread_schedule;

static inline sn_thread_schedule sn_thread_schedule_of(pid_t process, pid_t thread, bool keeps_files) {
    return (sn_thread_schedule){process, thread, keeps_files, -1, -1, -1};
}

void sn_thread_schedule_close(sn_thread_schedule *schedule);

/* For how long the thread has had a processor, and how often it was given one; false when the system does not say, or the
 * thread has ended. */
bool sn_thread_schedule_time(sn_thread_schedule *schedule, uint64_t *ran_ns, uint64_t *turns);

/* For how long it has had a processor, and for how long it has waited for one; likewise. */
bool sn_thread_schedule_delay(sn_thread_schedule *schedule, uint64_t *ran_ns, uint64_t *waited_ns);

/* Whether the thread has a processor, or could have one. */
bool sn_thread_schedule_is_ready(sn_thread_schedule *schedule);

/* The number of the processor that it has, or had last; -1: the system does not say. */
int sn_thread_schedule_processor(sn_thread_schedule *schedule);

/* What a thread waits in; NONE: it runs, or is about to. UNKNOWN: the system does not say. */
typedef enum { SN_WAIT_UNKNOWN, SN_WAIT_NONE, SN_WAIT_FUTEX, SN_WAIT_OTHER } sn_thread_wait;

/* Where a thread waits: its stack pointer, and the instruction that comes next. False: it runs, or the system does not say. */
bool sn_thread_schedule_registers(sn_thread_schedule *schedule, uint64_t *stack, uint64_t *instruction);

/* What the thread waits in; of a futex, where that is in its memory. */
sn_thread_wait sn_thread_schedule_wait(sn_thread_schedule *schedule, uint64_t *address);

#endif
