#define _GNU_SOURCE
#include "agent.h"

#include "../core/base/thread_local.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id /* of musl, and of the manual; glibc has the field without that name */
#define sigev_notify_thread_id _sigev_un._tid
#endif

#ifndef TRAP_PERF
#define TRAP_PERF 6
#endif
/* As the kernel has it: the signal was blocked when it was due. */
#define LATE_FLAG 1u
enum { FLAGS_AT = 36 }; /* si_perf_flags in siginfo_t */
/* Low numbers are the program's: what it opens has the number that it would have without us. */
enum { LEAST_FILE = 512 };
/* Threads that have a timer at the same time. */
enum { MOST_TIMERS = 4096 };

static int event = -1;
/* Timers + 1, and which of them is the calling thread's; 0: none. */
static int timers[MOST_TIMERS];
static _Thread_local unsigned own_place SN_STATIC_TLS;
static const char is_of_timer; /* its address tells our timers' signals from others */

/* Bits of newer kernels than the headers may be. */
#ifndef PERF_ATTR_SIZE_VER7
#define PERF_ATTR_SIZE_VER7 128
#endif

/* A counter of the calling thread, and of the threads that it starts: each that overflows it gets a signal, at that very
 * instruction. No other process, and no fork, has it. */
static int open_event(bool only_user) {
    struct perf_event_attr attributes = {.size = sizeof attributes};
    bool is_clock = sn_sampling_now.trigger == SN_BY_TASK_CLOCK;
    attributes.type = is_clock ? PERF_TYPE_SOFTWARE : PERF_TYPE_HARDWARE;
    attributes.config = is_clock ? (uint64_t)PERF_COUNT_SW_TASK_CLOCK : (uint64_t)PERF_COUNT_HW_CPU_CYCLES;
    attributes.sample_period = sn_sampling_now.period;
    attributes.exclude_kernel = only_user;
    attributes.exclude_hv = 1;
    attributes.inherit = attributes.inherit_thread = attributes.remove_on_exec = attributes.sigtrap = 1;
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int begin_event(void) {
    event = open_event(false);
    bool only_user = event < 0 && (errno == EACCES || errno == EPERM);
    if (only_user) event = open_event(true);
    if (event < 0) return errno;
    if (only_user) sn_ring_note(sn_sampling_now.ring, SN_RING_ONLY_USER);
    int moved = fcntl(event, F_DUPFD_CLOEXEC, LEAST_FILE);
    if (moved >= 0) {
        close(event);
        event = moved;
    }
    return 0;
}

bool sn_triggers_are_each_threads_own(void) { return sn_sampling_now.trigger == SN_BY_TIMER; }

int sn_triggers_begin(void) {
    if (sn_sampling_now.trigger == SN_BY_TIMER) return sn_trigger_thread();
    return sn_sampling_now.trigger == SN_BY_MESSAGE ? 0 : begin_event();
}

static void set_timer(int timer, uint64_t ns) {
    const struct timespec every = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    const struct itimerspec times = {every, every};
    syscall(SYS_timer_settime, timer - 1, 0, &times, NULL);
}

static void keep_timer(int timer) {
    for (unsigned i = 0; i < MOST_TIMERS; i++) {
        int none = 0;
        if (!__atomic_compare_exchange_n(&timers[i], &none, timer, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) continue;
        own_place = i + 1;
        return;
    }
    syscall(SYS_timer_delete, timer - 1);
}

static void end_timer(unsigned place) {
    int timer = __atomic_exchange_n(&timers[place], 0, __ATOMIC_ACQ_REL);
    if (timer) syscall(SYS_timer_delete, timer - 1);
}

int sn_trigger_thread(void) {
    if (!sn_triggers_are_each_threads_own() || own_place) return 0;
    struct sigevent told = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = sn_sampling_now.signal};
    told.sigev_value.sival_ptr = (void *)(uintptr_t)&is_of_timer;
    told.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
    int timer;
    if (syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &told, &timer)) return errno;
    keep_timer(timer + 1);
    if (!own_place) return EAGAIN;
    set_timer(timer + 1, sn_sampling_now.period);
    return 0;
}

void sn_trigger_thread_no_more(void) {
    if (own_place) end_timer(own_place - 1);
    own_place = 0;
}

/* Whether the file is still ours: a program may close all that it finds, and open its own at the same number. */
static bool has_event(void) {
    static const char wanted[] = "anon_inode:[perf_event]";
    char path[32] = "/proc/self/fd/", found[sizeof wanted], digits[12];
    size_t used = strlen(path), count = 0;
    if (event < 0) return false;
    for (unsigned rest = (unsigned)event; rest; rest /= 10) digits[count++] = (char)('0' + rest % 10);
    while (count) path[used++] = digits[--count];
    path[used] = 0;
    return readlink(path, found, sizeof found) == sizeof wanted - 1 && !memcmp(found, wanted, sizeof wanted - 1);
}

void sn_triggers_pause(void) {
    if (has_event()) ioctl(event, PERF_EVENT_IOC_DISABLE, 0);
    if (own_place) set_timer(timers[own_place - 1], 0);
}

void sn_triggers_go_on(void) {
    if (has_event()) ioctl(event, PERF_EVENT_IOC_ENABLE, 0);
    if (own_place) set_timer(timers[own_place - 1], sn_sampling_now.period);
}

bool sn_triggers_end(void) {
    bool is_there = event < 0 || has_event();
    if (event >= 0 && is_there) {
        ioctl(event, PERF_EVENT_IOC_DISABLE, 0);
        close(event);
    }
    event = -1;
    for (unsigned i = 0; i < MOST_TIMERS && sn_triggers_are_each_threads_own(); i++) end_timer(i);
    return is_there;
}

void sn_triggers_after_fork(void) {
    if (event >= 0) close(event);
    event = -1;
    own_place = 0;
    memset(timers, 0, sizeof timers); /* they are not inherited */
}

bool sn_trigger_is_ours(const siginfo_t *info, bool *is_late) {
    uint32_t flags;
    *is_late = false;
    switch (sn_sampling_now.trigger) {
    case SN_BY_TIMER:
        return info->si_code == SI_TIMER && info->si_value.sival_ptr == &is_of_timer;
    case SN_BY_MESSAGE:
        return info->si_code == SI_TKILL && info->si_pid == sn_sampling_now.launcher;
    default:
        memcpy(&flags, (const char *)info + FLAGS_AT, sizeof flags);
        *is_late = flags & LATE_FLAG;
        return info->si_code == TRAP_PERF;
    }
}
