#define _GNU_SOURCE
#include "thread_pause.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A thread that runs on another processor stops in microseconds: so long we ask again and again. One that waits for a processor must get
 * one first, maybe ours: we sleep until it stops, and are woken then. One that is in the middle of what cannot be interrupted stops when
 * that ends, which may be late. */
enum { ASKING_NS = 10000, SLEEP_NS = 20000, PATIENCE_NS = 20000000 };
#define STOPPED_BY_US (SIGTRAP | PTRACE_EVENT_STOP << 8)
/* -ERESTARTNOHAND: the system begins the call again unless a handler runs. */
#define BEGIN_AGAIN (-514L)

typedef enum { NOT_YET, STOPPED, ENDED, GONE } wait_result;

/* What the system says of the thread; it is asked without taking the answer away. */
static wait_result ask(pid_t thread, int how, int *status) {
    siginfo_t about = {0};
    int options = WSTOPPED | WEXITED | WNOWAIT | __WALL | __WNOTHREAD | how;
    if (waitid(P_PID, (id_t)thread, &about, options)) return errno == EINTR ? NOT_YET : GONE;
    if (!about.si_pid) return NOT_YET;
    *status = about.si_status;
    return about.si_code == CLD_TRAPPED || about.si_code == CLD_STOPPED ? STOPPED : ENDED;
}

static uint64_t now(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
}

/* The line of `stat` after the name: the state, then numbers. */
static bool read_stat(pid_t process, pid_t thread, char text[512]) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/stat", (long)process, (long)thread);
    FILE *file = fopen(path, "re");
    if (!file) return false;
    size_t bytes = fread(text, 1, 511, file);
    fclose(file);
    text[bytes] = 0;
    const char *name_end = strrchr(text, ')');
    if (!name_end || strlen(name_end) < 5) return false;
    memmove(text, name_end + 2, strlen(name_end + 2) + 1);
    return true;
}

static bool waits_for_processor(const sn_pause *pause) {
    char text[512];
    return read_stat(pause->process, pause->thread, text) && *text == 'R';
}

static bool has_ended(const sn_pause *pause) {
    char text[512];
    return !read_stat(pause->process, pause->thread, text) || *text == 'Z' || *text == 'X';
}

/* `*running`: the last moment at which it did not stand still yet; if we slept until then, that at which we were woken. */
static wait_result wait_for_stop(const sn_pause *pause, int *status, uint64_t *running) {
    uint64_t began = *running = now();
    for (;;) {
        wait_result result = ask(pause->thread, WNOHANG, status);
        if (result != NOT_YET) return result;
        *running = now();
        if (*running - began > PATIENCE_NS) return NOT_YET;
        if (*running - began < ASKING_NS) continue;
        if (waits_for_processor(pause)) {
            result = ask(pause->thread, 0, status);
            *running = now(); /* until it was switched to, it waited for others, not for us */
            return result;
        }
        nanosleep(&(struct timespec){0, SLEEP_NS}, NULL);
    }
}

static pid_t parent_of(pid_t process) {
    char text[512];
    return read_stat(process, process, text) ? (pid_t)strtol(text + 1, NULL, 10) : 0;
}

/* A thread that has ended while it was traced waits until its tracer has been told; then its process learns of it. A child of
 * ours is left to who waits for it. */
static void take_end(const sn_pause *pause) {
    int status;
    if (pause->thread == pause->process && parent_of(pause->process) == getpid()) return;
    waitpid(pause->thread, &status, __WALL | __WNOTHREAD | WNOHANG);
}

#if SN_HAS_REGISTERS
static bool is_begun_again(long call) {
    static const short calls[] = {
        SYS_read, SYS_readv, SYS_write, SYS_writev, SYS_recvfrom, SYS_recvmsg, SYS_sendto, SYS_sendmsg, SYS_accept, SYS_accept4,
        SYS_epoll_wait, SYS_epoll_pwait, 441 /* epoll_pwait2 */, SYS_semop, SYS_semtimedop, SYS_rt_sigtimedwait, SYS_io_getevents,
        333 /* io_pgetevents */};
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i] == call) return true;
    return false;
}

static bool read_registers(const sn_pause *pause, bool is_ours, sn_registers *registers) {
    struct user_regs_struct r;
    struct iovec part = {&r, sizeof r};
    if (ptrace(PTRACE_GETREGSET, pause->thread, NT_PRSTATUS, &part) || part.iov_len != sizeof r) return false;
    /* These calls have done nothing when they fail so. */
    if (is_ours && (long)r.orig_rax >= 0 && (long)r.rax == -EINTR && is_begun_again((long)r.orig_rax)) {
        r.rax = (unsigned long)BEGIN_AGAIN;
        ptrace(PTRACE_SETREGSET, pause->thread, NT_PRSTATUS, &part);
    }
    const uint64_t values[] = {r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8,
                               r.r9,  r.r10, r.r11, r.r12, r.r13, r.r14, r.r15, r.rip};
    _Static_assert(sizeof values == sizeof registers->values, "all registers");
    memcpy(registers->values, values, sizeof values);
    registers->has_all = true;
    return true;
}
#else
static bool read_registers(const sn_pause *pause, bool is_ours, sn_registers *registers) {
    (void)pause, (void)is_ours, (void)registers;
    return false;
}
#endif

/* What a stop is: of our asking, of the process, or for a signal that is to be delivered. */
static bool take_stop(sn_pause *pause, int status) {
    pause->signal = status >> 8 ? 0 : status & 0x7f;
    return status == STOPPED_BY_US;
}

sn_pause_result sn_pause_begin(sn_pause *pause, sn_registers *registers) {
    int status = 0;
    if (!SN_HAS_REGISTERS) return SN_PAUSE_UNKNOWN;
    if (pause->is_pending && !sn_pause_settle(pause)) return SN_PAUSE_LATE;
    if (ptrace(PTRACE_SEIZE, pause->thread, 0, 0)) return errno == ESRCH || has_ended(pause) ? SN_PAUSE_OVER : SN_PAUSE_REFUSED;
    pause->is_pending = true;
    if (ptrace(PTRACE_INTERRUPT, pause->thread, 0, 0) && errno != ESRCH) return SN_PAUSE_LATE;
    wait_result result = wait_for_stop(pause, &status, &pause->began);
    if (result == NOT_YET) return SN_PAUSE_LATE;
    if (result == GONE && pause->thread != pause->process) { /* it may have become the first thread, by exec */
        const sn_pause first = sn_pause_of(pause->process, pause->process);
        result = wait_for_stop(&first, &status, &pause->began);
        if (result == STOPPED) ptrace(PTRACE_DETACH, pause->process, 0, status >> 8 ? 0 : (long)(status & 0x7f));
        result = GONE;
    }
    if (result != STOPPED) {
        if (result == ENDED) take_end(pause);
        pause->is_pending = false;
        return SN_PAUSE_OVER;
    }
    bool is_ours = take_stop(pause, status);
    if (read_registers(pause, is_ours, registers)) return SN_PAUSE_BEGUN;
    sn_pause_end(pause);
    return SN_PAUSE_OVER;
}

uint64_t sn_pause_end(sn_pause *pause) {
    if (!pause->is_pending) return 0;
    uint64_t ns = now() - pause->began;
    pause->is_pending = ptrace(PTRACE_DETACH, pause->thread, 0, (long)pause->signal) != 0;
    pause->signal = 0;
    if (pause->is_pending) sn_pause_settle(pause); /* it was killed in the pause, and perhaps has not ended yet */
    return ns;
}

bool sn_pause_settle(sn_pause *pause) {
    int status = 0;
    sn_registers registers;
    if (!pause->is_pending) return true;
    switch (ask(pause->thread, WNOHANG, &status)) {
    case NOT_YET:
        return false;
    case STOPPED:
        read_registers(pause, take_stop(pause, status), &registers);
        if (ptrace(PTRACE_DETACH, pause->thread, 0, (long)pause->signal)) return false; /* killed just now */
        break;
    case ENDED:
        take_end(pause);
        break;
    case GONE:
        break;
    }
    pause->is_pending = false;
    pause->signal = 0;
    return true;
}

void sn_pause_finish(sn_pause *pause) {
    uint64_t began = now();
    while (!sn_pause_settle(pause) && now() - began < PATIENCE_NS) nanosleep(&(struct timespec){0, SLEEP_NS}, NULL);
}

bool sn_pause_is_traced(pid_t process) {
    char path[64], *line = NULL;
    size_t room = 0;
    long tracer = 0;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)process);
    FILE *file = fopen(path, "re");
    if (!file) return false;
    while (getline(&line, &room, file) > 0)
        if (sscanf(line, "TracerPid: %ld", &tracer) == 1) break;
    free(line);
    fclose(file);
    return tracer != 0;
}

void sn_pause_make_quiet(void) {
    struct sigaction action;
    if (sigaction(SIGCHLD, NULL, &action) || action.sa_flags & SA_NOCLDSTOP) return;
    action.sa_flags |= SA_NOCLDSTOP;
    sigaction(SIGCHLD, &action, NULL);
}
