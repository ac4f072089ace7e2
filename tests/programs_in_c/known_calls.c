/* Calls whose contexts follow from the text; what cannot be known from it (how often qsort compares) is printed. */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART __attribute__((noinline))

static jmp_buf out;
static int compared;

APART int leaf(int n) {
    __asm__ volatile("");
    return n + 1;
}

APART int down(int n) {
    if (n == 0) longjmp(out, 1);
    int found = down(n - 1);
    __asm__ volatile("" : "+r"(found));
    return found;
}

APART int catcher(int n) {
    if (setjmp(out)) return leaf(1);
    return down(n);
}

APART static int compare(const void *a, const void *b) {
    compared++;
    return *(const int *)a - *(const int *)b;
}

APART void sorter(void) {
    int values[100];
    for (int i = 0; i < 100; i++) values[i] = i * 37 % 101;
    qsort(values, 100, sizeof *values, compare);
}

static inline int square(int n) { /* inlined */
    int first = leaf(n); /* first call */
    return first * leaf(n + 1); /* second call */
}

APART void *worker(void *unused) {
    for (int i = 0; i < 1000; i++) leaf(i);
    return unused;
}

APART int forker(void) {
    int status;
    pid_t child = fork();
    if (!child) {
        for (int i = 0; i < 500; i++) leaf(i);
        _exit(3);
    }
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

int main(int argc, char **argv) {
    int sum = 0;
    pthread_t threads[4];
    for (int i = 0; i < 10; i++) sum += catcher(5);
    sorter();
    for (int i = 0; i < 20; i++) sum += square(i); /* inlined call */
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    sum += forker();
    printf("%d %d\n", sum, compared);
    fflush(stdout);
    if (argc > 1 && !strcmp(argv[1], "wait")) pause();
    if (argc > 1 && !strcmp(argv[1], "abort")) abort();
    return argc > 1 ? atoi(argv[1]) : 0;
}
