// Functions that are left in all the ways there are. With TWIN, each tells the times of its own calls, in the file that
// the environment names: "enter name", "leave name nanoseconds" lines of the main thread, in order.
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <pthread.h>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#define PHASE __attribute__((noinline)) static

static volatile int sink;

#ifdef TWIN
static FILE *told;
static thread_local bool is_main;
static long now() {
    timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec * 1000000000L + at.tv_nsec;
}
struct Seen {
    const char *name;
    long begun;
    explicit Seen(const char *of) : name(of) {
        if (is_main) fprintf(told, "enter %s\n", name);
        begun = now();
    }
    ~Seen() {
        long ended = now();
        if (is_main) fprintf(told, "leave %s %ld\n", name, ended - begun);
    }
};
#define SEEN Seen seen(__func__);
#else
#define SEEN
#endif

PHASE int returns(int n) {
    SEEN
    for (int i = 0; i < n; i++) sink = sink + i;
    return n;
}

PHASE int jumped_to(int n) {
    SEEN
    return returns(n) + 1;
}
// Its place on the stack is that of what it calls last.
PHASE int jumps_on(int n) {
    sink = n;
    return jumped_to(n);
}

PHASE void fails(int n) {
    SEEN
    if (returns(n)) throw std::runtime_error("it fails");
    sink = n;
}
PHASE void lets_through(int n) {
    SEEN
    fails(n);
    sink = n;
}
PHASE int knows_others(int n) {
    SEEN
    try {
        lets_through(n);
    } catch (std::bad_alloc &) {
        return 0;
    }
    return 1;
}
PHASE int catches(int n) {
    SEEN
    try {
        return knows_others(n);
    } catch (std::exception &) {
        return returns(n);
    }
}

PHASE void thousand() { __asm__ volatile(".rept 1000\n nop\n .endr"); }

static jmp_buf back;
PHASE void jumps_back(int n) {
    returns(n);
    longjmp(back, 1);
}
PHASE void is_skipped(int n) {
    jumps_back(n);
    sink = n;
}
PHASE int lands(int n) {
    if (setjmp(back)) return returns(n);
    is_skipped(n);
    return 0;
}

PHASE int dives(int n) {
    if (!n) return 0;
    return dives(n - 1) + (sink = 1);
}

PHASE void handles(int) { sink = 1; }
PHASE void is_interrupted() {
    signal(SIGUSR1, handles);
    raise(SIGUSR1);
    sink = 2;
}

PHASE void *leaves_thread(void *) {
    returns(1);
    pthread_exit(nullptr);
}
PHASE void in_thread(int n) { returns(n); }
PHASE void starts_threads() {
    std::thread one(in_thread, 3), two(in_thread, 4);
    pthread_t three;
    pthread_create(&three, nullptr, leaves_thread, nullptr);
    pthread_join(three, nullptr);
    one.join();
    two.join();
}

PHASE void forks() {
    fflush(stdout);
    int status;
    pid_t child = fork();
    if (!child) {
        returns(5);
        printf("child\n");
        fflush(stdout);
        _exit(4);
    }
    waitpid(child, &status, 0);
    printf("child ended with %d\n", WEXITSTATUS(status));
}

PHASE void ends(const char *how) {
    printf("ends\n");
    fflush(stdout);
    if (!strcmp(how, "abort")) abort();
    if (!strcmp(how, "_exit")) _exit(7);
    exit(7);
}

int main(int count, char **words) {
#ifdef TWIN
    is_main = true;
    told = fopen(getenv("TOLD"), "w");
#endif
    printf("%d %d %d\n", returns(2), jumps_on(3), catches(4));
#ifndef TWIN
    printf("%d\n", lands(5));
    printf("%d\n", dives(3000));
    is_interrupted();
    starts_threads();
    forks();
    thousand();
#else
    fclose(told);
#endif
    ends(count > 1 ? words[1] : "exit");
}
