/* Calls that are known beforehand, in two files of C, one of C++ and a library; `compared` it prints itself. */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART __attribute__((noinline))
#define KEPT __asm__ volatile("")

int of_other(int n);
int plus(int n);
int twice(int n);

static long compared;
static jmp_buf back;
static volatile int in_loop;

APART static int helper(int n) {
    KEPT;
    return n + 1;
}

APART int of_main(int n) {
    return helper(n) + helper(n + 1);
}

static int squared(int n) {
    return helper(n) * n; /* inlined */
}

static void *worker(void *nothing) {
    for (int i = 0; i < 100; i++) of_main(i);
    return nothing;
}

static int compare(const void *x, const void *y) {
    compared++;
    return *(const int *)x - *(const int *)y;
}

APART static void down(int n) {
    if (n) down(n - 1);
    else if (in_loop) longjmp(back, 1);
    KEPT;
}

APART static int forker(void) {
    int status, child = fork();
    if (!child) {
        for (int i = 0; i < 7; i++) of_other(i);
        _exit(3);
    }
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

int main(int argc, char **argv) {
    pthread_t threads[3];
    int sum = 0, values[50];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 50; i++) values[i] = (i * 37) % 50;
    qsort(values, 50, sizeof *values, compare);
    for (int i = 0; i < 10; i++) {
        sum += of_main(i) + of_other(i) + plus(i);
        sum += twice(i); /* in the library */
        sum += squared(i); /* squared */
        in_loop = 1;
        if (!setjmp(back)) down(2);
    }
    printf("%d %ld %d\n", sum, compared, forker());
    return argc > 1 ? atoi(argv[1]) : 0;
}
