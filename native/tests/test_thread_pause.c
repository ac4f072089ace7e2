/* Pauses of a child's thread: it notices nothing, whatever happens meanwhile. */
#define _GNU_SOURCE
#include "check.h"

#include "../core/native_stacks/thread_pause.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

/* What child and test tell each other. */
typedef struct {
    volatile long turns, signals, interrupted, is_waiting;
} shared;

static shared *board;

static void on_signal(int number) {
    (void)number;
    board->signals++;
}

static void handle_signal(void) {
    struct sigaction action = {.sa_handler = on_signal}; /* calls are not begun again */
    sigaction(SIGUSR1, &action, NULL);
}

static void count_turns(void) {
    handle_signal();
    for (;;) board->turns++;
}

static pid_t start(void (*run)(void)) {
    board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(board != MAP_FAILED);
    pid_t child = fork();
    if (!child) {
        run();
        _exit(0);
    }
    return child;
}

static void rest(void) { nanosleep(&(struct timespec){0, 200000}, NULL); }

/* Wait for what the child does; if it does not, the test does not end. */
static void wait_until_more(const volatile long *number, long than) {
    while (*number <= than) rest();
}

/* On a busy machine the thread may stop late: whether it stands still in the end; if not, it is over. */
static bool begin(sn_pause *pause, sn_registers *registers) {
    sn_pause_result result;
    while ((result = sn_pause_begin(pause, registers)) == SN_PAUSE_LATE) rest();
    if (result == SN_PAUSE_REFUSED || result == SN_PAUSE_UNKNOWN) SKIP("the system does not let a process trace its children");
    return result == SN_PAUSE_BEGUN;
}

static int status_after(pid_t child, int signal) {
    int status = 0;
    if (signal) kill(child, signal);
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    return status;
}

static void a_thread_stands_still_and_goes_on(void) {
    pid_t child = start(count_turns);
    sn_pause pause = sn_pause_of(child, child);
    sn_registers registers;
    wait_until_more(&board->turns, 0);
    for (unsigned i = 0; i < 20; i++) {
        CHECK(begin(&pause, &registers));
        CHECK(sn_stack_pointer(&registers) && sn_program_counter(&registers) && registers.has_all);
        CHECK(sn_pause_is_traced(child));
        long turns = board->turns;
        rest();
        CHECK_EQUAL(board->turns, turns);
        CHECK(sn_pause_end(&pause) >= 200000);
        CHECK(!sn_pause_is_traced(child));
        wait_until_more(&board->turns, turns);
    }
    CHECK_EQUAL(WTERMSIG(status_after(child, SIGKILL)), SIGKILL);
}

static void a_signal_of_the_pause_is_delivered_once(void) {
    pid_t child = start(count_turns);
    sn_pause pause = sn_pause_of(child, child);
    sn_registers registers;
    wait_until_more(&board->turns, 0);
    for (long i = 0; i < 20; i++) {
        if (i % 2) kill(child, SIGUSR1); /* it may be what stops the thread */
        CHECK(begin(&pause, &registers));
        if (!(i % 2)) kill(child, SIGUSR1);
        sn_pause_end(&pause);
        wait_until_more(&board->signals, i);
        long turns = board->turns;
        wait_until_more(&board->turns, turns);
        CHECK_EQUAL(board->signals, i + 1);
    }
    CHECK_EQUAL(WTERMSIG(status_after(child, SIGKILL)), SIGKILL);
}

static void note(long result) {
    if (result < 0 && errno == EINTR) board->interrupted++;
}

/* Calls that fail with EINTR when a tracer stops their thread, where nobody cares, and some that the system begins again. */
static void wait_in_calls(void) {
    int epoll = epoll_create1(0), sockets[2];
    char byte;
    struct epoll_event event;
    const struct timeval limit = {0, 3000};
    socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
    setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    for (;;) {
        note(epoll_wait(epoll, &event, 1, 3));
        note(recv(sockets[0], &byte, 1, 0));
        note(read(sockets[0], &byte, 1));
        note(poll(NULL, 0, 3));
        note(nanosleep(&(struct timespec){0, 3000000}, NULL));
        board->turns++;
    }
}

static void system_calls_go_on(void) {
    pid_t child = start(wait_in_calls);
    sn_pause pause = sn_pause_of(child, child);
    sn_registers registers;
    unsigned pauses = 0;
    while (pauses < 100 || board->turns < 4) {
        if (begin(&pause, &registers)) pauses++;
        sn_pause_end(&pause);
        if (pauses % 4 == 0) nanosleep(&(struct timespec){0, 4000000}, NULL); /* timeouts begin again with the calls */
    }
    CHECK_EQUAL(board->interrupted, 0);
    CHECK_EQUAL(WTERMSIG(status_after(child, SIGKILL)), SIGKILL);
}

static void wait_for_signal(void) {
    struct epoll_event event;
    int epoll = epoll_create1(0);
    handle_signal();
    for (;;) {
        board->is_waiting++;
        note(epoll_wait(epoll, &event, 1, -1));
        board->turns++;
    }
}

static void a_handler_interrupts_a_call_as_ever(void) {
    pid_t child = start(wait_for_signal);
    sn_pause pause = sn_pause_of(child, child);
    sn_registers registers;
    for (long i = 0; i < 20; i++) {
        wait_until_more(&board->is_waiting, i);
        rest();
        CHECK(begin(&pause, &registers));
        kill(child, SIGUSR1);
        sn_pause_end(&pause);
        wait_until_more(&board->turns, i);
        CHECK_EQUAL(board->interrupted, i + 1);
    }
    CHECK_EQUAL(WTERMSIG(status_after(child, SIGKILL)), SIGKILL);
}

static void a_stopped_process_stays_stopped(void) {
    pid_t child = start(count_turns);
    sn_pause pause = sn_pause_of(child, child);
    sn_registers registers;
    int status;
    wait_until_more(&board->turns, 0);
    kill(child, SIGSTOP);
    CHECK_EQUAL(waitpid(child, &status, WUNTRACED), child);
    CHECK(begin(&pause, &registers));
    sn_pause_end(&pause);
    rest();
    long turns = board->turns;
    rest();
    CHECK_EQUAL(board->turns, turns);
    kill(child, SIGCONT);
    wait_until_more(&board->turns, turns);
    CHECK_EQUAL(WTERMSIG(status_after(child, SIGKILL)), SIGKILL);
}

static void end_soon(void) {
    for (board->turns = 1; board->turns < 300000;) board->turns++;
    _exit(7);
}

static void how_a_child_ends_is_told_to_who_waits_for_it(void) {
    sn_registers registers;
    for (unsigned i = 0; i < 5; i++) {
        pid_t child = start(end_soon);
        sn_pause pause = sn_pause_of(child, child);
        while (begin(&pause, &registers)) sn_pause_end(&pause);
        CHECK_EQUAL(WEXITSTATUS(status_after(child, 0)), 7);
    }
}

static void a_process_that_is_killed_in_the_pause_ends(void) {
    pid_t child = start(count_turns);
    sn_pause pause = sn_pause_of(child, child);
    sn_registers registers;
    CHECK(begin(&pause, &registers));
    kill(child, SIGKILL);
    sn_pause_end(&pause);
    CHECK_EQUAL(WTERMSIG(status_after(child, 0)), SIGKILL);
}

static void *spin(void *unused) {
    (void)unused;
    board->is_waiting = syscall(SYS_gettid);
    while (!board->interrupted) board->turns++;
    return NULL;
}

/* A process of two threads; the first one becomes another program while the second one runs. */
static void become_another_program(void) {
    pthread_t second;
    pthread_create(&second, NULL, spin, NULL);
    wait_until_more(&board->turns, 0);
    while (!board->signals) {} /* until the test has begun */
    execl("/bin/sh", "sh", "-c", "exit 5", (char *)NULL);
    _exit(6);
}

static void a_program_is_replaced_while_its_threads_are_paused(void) {
    sn_registers registers;
    alarm(60); /* who execs waits for all of its threads */
    for (unsigned i = 0; i < 20; i++) {
        pid_t child = start(become_another_program);
        wait_until_more(&board->is_waiting, 0);
        sn_pause pause = sn_pause_of(child, (pid_t)board->is_waiting);
        board->signals = 1;
        while (begin(&pause, &registers)) {
            if (i % 2) rest(); /* so that it is killed in the pause */
            sn_pause_end(&pause);
            if (pause.is_pending) break;
        }
        sn_pause_finish(&pause);
        CHECK_EQUAL(WEXITSTATUS(status_after(child, 0)), 5);
    }
}

static void who_pauses_may_be_killed(void) {
    pid_t child = start(count_turns);
    wait_until_more(&board->turns, 0);
    pid_t other = fork();
    if (!other) {
        sn_pause pause = sn_pause_of(child, child);
        sn_registers registers;
        sn_pause_result result;
        while ((result = sn_pause_begin(&pause, &registers)) == SN_PAUSE_LATE) rest();
        if (result != SN_PAUSE_BEGUN) _exit(1);
        raise(SIGKILL);
    }
    int status = status_after(other, 0);
    if (WIFEXITED(status)) SKIP("the system does not let a process trace another's children");
    long turns = board->turns;
    wait_until_more(&board->turns, turns);
    CHECK_EQUAL(WTERMSIG(status_after(child, SIGKILL)), SIGKILL);
}

static void be_traced(void) {
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    count_turns();
}

static void who_is_traced_already_is_left_alone(void) {
    pid_t child = start(be_traced);
    sn_pause pause = sn_pause_of(child, child);
    sn_registers registers;
    wait_until_more(&board->turns, 0);
    CHECK_EQUAL(sn_pause_begin(&pause, &registers), SN_PAUSE_REFUSED);
    CHECK(sn_pause_is_traced(child));
    CHECK_EQUAL(WTERMSIG(status_after(child, SIGKILL)), SIGKILL);
}

int main(void) {
    const check_test tests[] = {TEST(a_thread_stands_still_and_goes_on),
                                TEST(a_signal_of_the_pause_is_delivered_once),
                                TEST(system_calls_go_on),
                                TEST(a_handler_interrupts_a_call_as_ever),
                                TEST(a_stopped_process_stays_stopped),
                                TEST(how_a_child_ends_is_told_to_who_waits_for_it),
                                TEST(a_process_that_is_killed_in_the_pause_ends),
                                TEST(a_program_is_replaced_while_its_threads_are_paused),
                                TEST(who_pauses_may_be_killed),
                                TEST(who_is_traced_already_is_left_alone)};
    return check_all(tests, sizeof tests / sizeof *tests);
}
