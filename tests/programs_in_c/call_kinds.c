// Calls of all kinds, one kind for each argument, with results that show that they took place.
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static volatile int one = 1;

NOINLINE static int leaf(int x) { return x * one + 1; }
NOINLINE static int middle(int x) { return leaf(x) + leaf(x + 1); }
NOINLINE static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
NOINLINE static int odd(int n);
NOINLINE static int even(int n) { return n == 0 ? one : odd(n - 1) * one; }
NOINLINE static int odd(int n) { return n == 0 ? 0 : even(n - 1) * one; }

// Calls that LLVM may jump to, direct and by pointer.
NOINLINE static int last_of_all(int x) { return middle(x) * one; }
NOINLINE static int jumps(int x) { leaf(x); return last_of_all(x + 1); }
NOINLINE static int jumps_often(int n) { return n ? jumps_often(n - one) : jumps(n); }

static int (*volatile pointers[4])(int) = {leaf, middle, jumps, fib};
NOINLINE static int by_pointer(int x) { return pointers[x & 3](x); }

NOINLINE static int sum_of(int count, ...) {
    va_list rest;
    int sum = 0;
    va_start(rest, count);
    for (int i = 0; i < count; i++) sum += leaf(va_arg(rest, int));
    va_end(rest);
    return sum;
}
NOINLINE static double with_doubles(double a, float b, int count, ...) {
    va_list rest;
    va_start(rest, count);
    for (int i = 0; i < count; i++) a += va_arg(rest, double) * leaf(i);
    va_end(rest);
    return a * b;
}
typedef struct { long a[9]; } large;
NOINLINE static large with_large(large in, int many, int b, int c, int d, int e, int f, int g, int h) {
    in.a[many % 9] += leaf(b) + c + d + e + f + g + h;
    return in;
}
NOINLINE static int with_dynamic(int n) {
    volatile int values[n + 1];
    for (int i = 0; i <= n; i++) values[i] = leaf(i);
    return values[n] + (n > 0 ? with_dynamic(n - 1) : 0);
}
NOINLINE static int by_labels(int n) {
    static void *const labels[] = {&&up, &&down, &&end};
    int sum = 0, i = 0;
    goto *labels[n % 3];
up:
    sum += leaf(i++);
    goto *labels[i > 5 ? 2 : 1];
down:
    sum -= leaf(i++);
    goto *labels[i > 5 ? 2 : 0];
end:
    return sum;
}

NOINLINE static int compare(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return leaf(x) < leaf(y) ? -1 : x > y;
}
NOINLINE static int sorted(int count) {
    int values[64];
    for (int i = 0; i < count; i++) values[i] = i * 37 % 64;
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2];
}

static jmp_buf back;
NOINLINE static void deep_jump(int n) {
    if (n == 0) longjmp(back, 1);
    deep_jump(n - 1);
    leaf(n);
}
NOINLINE static int jumped(int rounds) {
    volatile int times = 0;
    if (setjmp(back)) leaf(100);
    if (times < rounds) {
        times++;
        middle(times);
        deep_jump(times);
    }
    return middle(times);
}
NOINLINE static int outer_of_jumped(int n) { return jumped(n) + leaf(n); }

static volatile sig_atomic_t handled;
NOINLINE static void handler(int number) { handled += leaf(number) > 0; middle(handled); }
NOINLINE static void raises(int n) { for (int i = 0; i < n; i++) raise(i % 2 ? SIGUSR1 : SIGUSR2), leaf(i); }
static sigjmp_buf out_of_handler;
NOINLINE static void jumping_handler(int number) { middle(number); siglongjmp(out_of_handler, 1); }
NOINLINE static int raises_and_jumps(int n) {
    volatile int left = n;
    sigsetjmp(out_of_handler, 1);
    if (left-- > 0) raise(SIGALRM), leaf(1000); // never called
    return middle(n);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;
NOINLINE static void *works(void *argument) {
    long mine = 0;
    for (int i = 0; i < 200; i++) mine += by_pointer(i % 3 + (int)(long)argument % 2), mine += fib(5);
    pthread_mutex_lock(&lock);
    total += mine;
    pthread_mutex_unlock(&lock);
    if ((long)argument % 4 == 0) pthread_exit(NULL);
    return NULL;
}
static pthread_key_t key;
NOINLINE static void destroys(void *value) { middle((int)(long)value); }
NOINLINE static void *has_destructor(void *argument) { pthread_setspecific(key, argument); return works(argument); }
NOINLINE static void threads(int count) {
    pthread_t thread[16];
    pthread_key_create(&key, destroys);
    for (int round = 0; round < 2; round++) { // the second's take the trees of the first's
        for (long i = 0; i < count; i++) pthread_create(&thread[i], NULL, i % 2 ? works : has_destructor, (void *)(i + 1));
        for (int i = 0; i < count; i++) pthread_join(thread[i], NULL);
    }
}

NOINLINE static void forks(int depth) {
    fflush(stdout);
    pid_t child = fork();
    middle(depth);
    if (child == 0) {
        if (depth > 0) forks(depth - 1);
        fib(4);
        printf("child %d\n", depth);
        exit(depth);
    }
    int status;
    waitpid(child, &status, 0);
    leaf(WEXITSTATUS(status));
}

static ucontext_t main_context, contexts[2];
NOINLINE static void yields(int me) { swapcontext(&contexts[me], &main_context); }
NOINLINE static void coroutine(int me) {
    for (int i = 0; i < 3; i++) middle(i), yields(me), leaf(i);
}
NOINLINE static void resumes(int which) {
    leaf(which);
    swapcontext(&main_context, &contexts[which]);
    middle(which); // of this frame, whatever ran in between
}
NOINLINE static void coroutines(void) {
    static char stacks[2][1 << 17];
    for (int i = 0; i < 2; i++) {
        getcontext(&contexts[i]);
        contexts[i].uc_stack.ss_sp = stacks[i];
        contexts[i].uc_stack.ss_size = sizeof stacks[i];
        contexts[i].uc_link = &main_context;
        makecontext(&contexts[i], (void (*)(void))coroutine, 1, i);
    }
    for (int i = 0; i < 8; i++) resumes(i % 2);
    fib(3);
}

NOINLINE static void at_end(void) { printf("end %d\n", middle(7)); }
NOINLINE __attribute__((noreturn)) static void ends(int status) { atexit(at_end); leaf(status); exit(status); }

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    int sum = 0;
    if (!strcmp(how, "plain")) for (int i = 0; i < 40; i++) sum += by_pointer(i % 8) + jumps_often(i) + even(i) + sorted(64) + by_labels(i) + with_dynamic(i);
    if (!strcmp(how, "arguments")) {
        large value = {{1, 2, 3, 4, 5, 6, 7, 8, 9}};
        for (int i = 0; i < 9; i++) value = with_large(value, i, i, 3, 4, 5, 6, 7, 8);
        for (int i = 0; i < 9; i++) sum += (int)value.a[i];
        printf("%d %.3f\n", sum_of(6, 1, 2, 3, 4, 5, 6), with_doubles(1.5, 2.5f, 3, 1.0, 2.0, 3.0));
    }
    if (!strcmp(how, "jumps")) sum = outer_of_jumped(9) + outer_of_jumped(3);
    if (!strcmp(how, "signals")) {
        signal(SIGUSR1, handler);
        signal(SIGUSR2, handler);
        signal(SIGALRM, jumping_handler);
        raises(10);
        sum = raises_and_jumps(5) + (int)handled;
    }
    if (!strcmp(how, "threads")) threads(8), sum = (int)total;
    if (!strcmp(how, "fork")) forks(2);
    if (!strcmp(how, "coroutines")) coroutines();
    printf("%s %d %d\n", how, sum, middle(sum & 7));
    ends(argc + 3);
}
