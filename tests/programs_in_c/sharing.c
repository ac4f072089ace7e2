/* Threads and lines of memory: what each line is, is known. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 20000 };

struct counters {
    long first, second; /* on one line: false sharing */
    char apart[64 - 2 * sizeof(long)];
    long third; /* on a line of its own */
    char behind[64 - sizeof(long)];
    long both; /* the same bytes, by turns: true sharing */
    pthread_mutex_t lock;
    char end[64 - sizeof(long) - sizeof(pthread_mutex_t)];
    long constant; /* read only, once the threads run */
    char last[64 - sizeof(long)];
};

static struct counters *counters;
static pthread_barrier_t all_there; /* else one may be done before the other begins */

static void add(void) {
    pthread_mutex_lock(&counters->lock);
    counters->both++; /* both */
    pthread_mutex_unlock(&counters->lock);
}

static void *one(void *unused) {
    (void)unused;
    pthread_barrier_wait(&all_there);
    for (int i = 0; i < ROUNDS; i++) {
        ((volatile struct counters *)counters)->first++; /* first */
        ((volatile struct counters *)counters)->third += counters->constant; /* third */
        add();
    }
    return NULL;
}

static void *other(void *with_one) {
    if (with_one) pthread_barrier_wait(&all_there);
    for (int i = 0; i < ROUNDS; i++) {
        ((volatile struct counters *)counters)->second += counters->constant; /* second */
        add();
    }
    return NULL;
}

int main(void) {
    void *(*const work[])(void *) = {one, other, other};
    pthread_t threads[3];
    counters = aligned_alloc(64, sizeof *counters);
    *counters = (struct counters){.constant = 1};
    pthread_mutex_init(&counters->lock, NULL);
    pthread_barrier_init(&all_there, NULL, 2);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work[i], counters);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    pthread_create(&threads[2], NULL, work[2], NULL);
    pthread_join(threads[2], NULL);
    printf("%ld\n", counters->first + counters->second + counters->third + counters->both);
    return 0;
}
