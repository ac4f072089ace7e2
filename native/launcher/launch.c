/* Wait for the command, for as long as it may take, and write down how it went. */
#define _GNU_SOURCE
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_NS 5000000000 /* with processes that do not die of SIGKILL: they wait for a device */
#define FIRST_OTHER 3          /* descriptor that is not a standard stream */

static const int stopping[] = {SIGTERM, SIGINT, SIGQUIT, SIGHUP};

/* The last bytes that went through a pipe. */
typedef struct {
    char bytes[SN_TAIL_BYTES];
    uint64_t seen;
} tail_of_pipe;

/* What one command needs while it runs. */
typedef struct {
    const sn_launch_options *options;
    sn_launch_record *record;
    pid_t child;
    struct pollfd watched[3]; /* signals, the command's standard error, its standard output; -1 what is not watched */
    tail_of_pipe tail;
    bool asked; /* it was asked to end */
    int64_t deadline_ns;
} launch;

static int64_t clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void keep_tail(tail_of_pipe *tail, const char *bytes, size_t count) {
    for (size_t skip = count > SN_TAIL_BYTES ? count - SN_TAIL_BYTES : 0; skip < count; skip++) {
        tail->bytes[(tail->seen + skip) % SN_TAIL_BYTES] = bytes[skip];
    }
    tail->seen += count;
}

/* Take what is in a pipe; it is watched no more when nobody can write to it. */
static void drain(launch *run, struct pollfd *pipe_end, bool all) {
    char bytes[65536];
    bool is_error = pipe_end == &run->watched[1];
    do {
        ssize_t count = read(pipe_end->fd, bytes, sizeof bytes);
        if (count > 0) {
            if (is_error) keep_tail(&run->tail, bytes, (size_t)count);
        } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
            close(pipe_end->fd);
            pipe_end->fd = -1;
        } else if (errno == EAGAIN) {
            return;
        }
    } while (all && pipe_end->fd >= 0);
}

/* To the command's group, and to the command, which may have left it. */
static void send_signal(const launch *run, int signal_number) {
    kill(-run->child, signal_number);
    kill(run->child, signal_number);
}

/* Ask first, so that the command can tidy up; `grace_ns` later, or asked again, kill. */
static void ask_to_end(launch *run, sn_ending why) {
    if (run->asked) {
        send_signal(run, SIGKILL);
        run->deadline_ns = -1;
        return;
    }
    run->asked = true;
    run->record->ending = why;
    run->deadline_ns = clock_ns() + run->options->grace_ns;
    send_signal(run, SIGTERM);
    send_signal(run, SIGCONT);
}

/* Whether the command, and not an orphan, has ended; what it used is in the record then. */
static bool has_ended(launch *run, int64_t now_ns, const sn_counter_set *counters) {
    siginfo_t info;
    info.si_pid = 0;
    if (waitid(P_PID, (id_t)run->child, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == 0) return false;
    sn_launch_record *record = run->record;
    record->ended_ns = (uint64_t)now_ns;
    if (record->ending == SN_NOT_STARTED) record->ending = SN_ENDED;
    sn_read_counters(counters, record);
    kill(-run->child, SIGKILL); /* while its number, and so its group's, is not given to another */
    struct rusage usage;
    int status;
    if (wait4(run->child, &status, 0, &usage) < 0) return true;
    record->wait_status = status;
    record->user_us = (uint64_t)usage.ru_utime.tv_sec * 1000000u + (uint64_t)usage.ru_utime.tv_usec;
    record->system_us = (uint64_t)usage.ru_stime.tv_sec * 1000000u + (uint64_t)usage.ru_stime.tv_usec;
    record->peak_bytes = (uint64_t)usage.ru_maxrss * 1024u;
    record->minor_faults = (uint64_t)usage.ru_minflt;
    record->major_faults = (uint64_t)usage.ru_majflt;
    record->voluntary_switches = (uint64_t)usage.ru_nvcsw;
    record->involuntary_switches = (uint64_t)usage.ru_nivcsw;
    return true;
}

/* Signals that have come; true if the command may have ended. */
static bool take_signals(launch *run) {
    struct signalfd_siginfo came;
    bool child = false;
    while (read(run->watched[0].fd, &came, sizeof came) == sizeof came) {
        if (came.ssi_signo == SIGCHLD) {
            child = true;
        } else {
            ask_to_end(run, SN_STOPPED);
        }
    }
    return child;
}

static void wait_for_end(launch *run, const sn_counter_set *counters) {
    bool look = true; /* it may have ended before we watched */
    for (;;) {
        int64_t now_ns = clock_ns(); /* first of all: the command's end is what woke us up, if it did */
        if (look && has_ended(run, now_ns, counters)) return;
        if (run->deadline_ns >= 0 && now_ns >= run->deadline_ns) ask_to_end(run, SN_TIMED_OUT);
        struct timespec left, *patience = NULL;
        if (run->deadline_ns >= 0) {
            int64_t left_ns = run->deadline_ns > now_ns ? run->deadline_ns - now_ns : 0;
            left = (struct timespec){.tv_sec = left_ns / 1000000000, .tv_nsec = left_ns % 1000000000};
            patience = &left;
        }
        look = false;
        if (ppoll(run->watched, 3, patience, NULL) <= 0) continue;
        if (run->watched[0].revents) {
            now_ns = clock_ns();
            if (take_signals(run) && has_ended(run, now_ns, counters)) return;
        }
        for (int i = 1; i < 3; i++) {
            if (run->watched[i].fd >= 0 && run->watched[i].revents) drain(run, &run->watched[i], false);
        }
    }
}

/* Nothing but the standard streams, and what is meant to, reaches the command. */
static void close_others_on_exec(void) {
#if defined(SYS_close_range)
    if (syscall(SYS_close_range, FIRST_OTHER, ~0u, 1u << 2 /* CLOSE_RANGE_CLOEXEC */) == 0) return;
#endif
    long limit = sysconf(_SC_OPEN_MAX);
    if (limit < 0 || limit > 65536) limit = 65536; /* an older kernel, and a generous limit: what is likely */
    for (int descriptor = FIRST_OTHER; descriptor < limit; descriptor++) {
        int flags = fcntl(descriptor, F_GETFD);
        if (flags >= 0) fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC);
    }
}

/* glibc's posix_spawn, which started us, leaves the two signals that it uses itself ignored, and keeps `sigaction` off
 * them. Other ways to start a program do not, and it would see that. */
static void undo_posix_spawn(void) {
    unsigned long usual[8] = {0}; /* longer than any architecture's structure, whose zero is SIG_DFL */
    for (int number = 32; number <= 33; number++) syscall(SYS_rt_sigaction, number, usual, NULL, 8);
}

/* What the terminal sends is not for the launcher, and the command cannot ask it for anything: to open /dev/tty fails,
 * where otherwise the command would be stopped for good. A session of its own would do as much, and be given a scheduling
 * group of its own (sched_autogroup), which on a busy machine waits for milliseconds each time it wakes up. */
static void leave_terminal(void) {
    setpgid(0, 0);
    int terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0) return;
    ioctl(terminal, TIOCNOTTY);
    close(terminal);
}

/* A pipe whose other end, not blocking, is watched. */
static int pipe_to(struct pollfd *watched, bool wanted) {
    int ends[2];
    if (!wanted || pipe2(ends, O_CLOEXEC) < 0) return -1;
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    *watched = (struct pollfd){.fd = ends[0], .events = POLLIN};
    return ends[1];
}

static bool write_all(int descriptor, const void *bytes, size_t count) {
    for (const char *next = bytes; count;) {
        ssize_t written = write(descriptor, next, count);
        if (written < 0 && errno != EINTR) return false;
        if (written > 0) {
            next += written;
            count -= (size_t)written;
        }
    }
    return true;
}

static bool write_record(const launch *run) {
    const tail_of_pipe *tail = &run->tail;
    uint32_t kept = tail->seen < SN_TAIL_BYTES ? (uint32_t)tail->seen : SN_TAIL_BYTES;
    run->record->tail_bytes = kept;
    if (!write_all(run->options->record, run->record, sizeof *run->record)) return false;
    size_t first = (size_t)((tail->seen - kept) % SN_TAIL_BYTES), part = SN_TAIL_BYTES - first;
    if (part > kept) part = kept;
    return write_all(run->options->record, tail->bytes + first, part) &&
           write_all(run->options->record, tail->bytes, kept - part);
}

int sn_launch(const sn_launch_options *options) {
    static launch run; /* static: shared with the child of vfork, and too large for comfort on a stack */
    static sn_launch_record record;
    memset(&run, 0, sizeof run);
    memset(&record, 0, sizeof record);
    memcpy(record.magic, "SNDL", 4);
    record.version = SN_LAUNCHER_VERSION;
    run.options = options;
    run.record = &record;
    for (int i = 0; i < 3; i++) run.watched[i].fd = -1;

    sigset_t ours, before;
    sigemptyset(&ours);
    sigaddset(&ours, SIGCHLD);
    for (size_t i = 0; i < sizeof stopping / sizeof *stopping; i++) sigaddset(&ours, stopping[i]);
    int signals = signalfd(-1, &ours, SFD_NONBLOCK | SFD_CLOEXEC);
    sigaddset(&ours, SIGPIPE); /* whoever asked may have gone */
    sigprocmask(SIG_BLOCK, &ours, &before);
    signal(SIGCHLD, SIG_DFL); /* ignored, children would vanish without a word */
    undo_posix_spawn();
    leave_terminal();
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    bool orphaned = options->parent >= 0 && getppid() != options->parent; /* it ended before we could ask to be told */
    if (signals < 0 || orphaned) return SN_LAUNCHER_SYSTEM;
    run.watched[0] = (struct pollfd){.fd = signals, .events = POLLIN};
    sn_adopt_orphans();
    close_others_on_exec();

    int error = pipe_to(&run.watched[1], options->keep_tail);
    int output = pipe_to(&run.watched[2], options->drain_output);
    sn_counter_set counters = {.count = 0};
    if (options->count) sn_open_counters(&counters);
    run.child = sn_start_command(options, output, error, &before, &record);
    if (error >= 0) close(error);
    if (output >= 0) close(output);
    if (record.failed_errno) {
        if (run.child > 0) waitpid(run.child, NULL, 0);
    } else {
        run.deadline_ns = options->timeout_ns >= 0 ? (int64_t)record.started_ns + options->timeout_ns : -1;
        wait_for_end(&run, &counters);
        record.left_behind = sn_end_descendants(PATIENCE_NS);
        for (int i = 1; i < 3; i++) {
            if (run.watched[i].fd >= 0) drain(&run, &run.watched[i], true);
        }
    }
    return write_record(&run) ? SN_LAUNCHER_OK : SN_LAUNCHER_SYSTEM;
}
