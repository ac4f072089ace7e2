#include "path_forests.h"

#include "keeping_registers.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PATH_ROOM 4096
#define THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))

typedef struct thread_forest {
    sn_slab_forest forest;
    volatile bool busy; /* its thread is in here */
    bool ended;
    struct thread_forest *next; /* all of the process */
} thread_forest;

static THREAD_LOCAL thread_forest *own;
static THREAD_LOCAL bool beginning; /* so that a signal handler does not wait for the lock of its thread */
static char folder[PATH_ROOM];
static uint32_t k;
static uint64_t most;
static bool begun;
static thread_forest *forests;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t ends;

static thread_forest *make(void) {
    static unsigned files;
    char path[PATH_ROOM];
    if (snprintf(path, sizeof path, "%s/%ld-%u.paths", folder, (long)getpid(), files++) >= PATH_ROOM) return NULL;
    thread_forest *made = calloc(1, sizeof *made);
    int file = made ? open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    if (file < 0) goto failed;
    if (sn_slab_create(&made->forest, file, k, most) != SN_OK) {
        unlink(path);
        goto failed;
    }
    made->next = forests;
    return forests = made;
failed:
    free(made);
    return NULL;
}

/* The forest of the calling thread; NULL if it cannot have one. */
static thread_forest *begin(void) {
    if (!begun || beginning) return NULL;
    beginning = true;
    pthread_mutex_lock(&lock);
    thread_forest *found = forests;
    while (found && !found->ended) found = found->next;
    if (!found) found = make();
    if (found) found->ended = false;
    pthread_mutex_unlock(&lock);
    if (found) pthread_setspecific(ends, found);
    own = found;
    beginning = false;
    return found;
}

static void on_thread_end(void *value) {
    own = NULL;
    beginning = true; /* destructors that come later count nothing */
    pthread_mutex_lock(&lock);
    ((thread_forest *)value)->ended = true;
    pthread_mutex_unlock(&lock);
}

static void detach(void) {
    begun = false;
    own = NULL;
}

/* The forest, marked as busy; NULL: nothing can be counted. */
static thread_forest *enter(int *error) {
    *error = errno;
    thread_forest *here = own ? own : begin();
    if (!here) return NULL;
    if (here->busy) {
        here->forest.nodes[SN_SLAB_TOP].count++;
        return NULL;
    }
    here->busy = true;
    atomic_signal_fence(memory_order_seq_cst);
    return here;
}

static void leave(thread_forest *here, int error) {
    atomic_signal_fence(memory_order_seq_cst);
    here->busy = false;
    errno = error;
}

SN_FOR_ASSEMBLY void sn_paths_enter_slowly(sn_slab_activation *activation, uint32_t routine) {
    int error;
    thread_forest *here = enter(&error);
    *activation = (sn_slab_activation){.position = here ? 0 : SN_PATHS_FRESH};
    if (!here) return;
    sn_slab_begin(&here->forest, routine, activation);
    leave(here, error);
}

SN_FOR_ASSEMBLY void sn_paths_next_slowly(sn_slab_activation *activation, uint64_t id, uint32_t routine) {
    int error;
    thread_forest *here = enter(&error);
    if (!here) return;
    if (activation->position == SN_PATHS_FRESH) sn_slab_begin(&here->forest, routine, activation);
    sn_slab_next(&here->forest, activation, id);
    leave(here, error);
}

#if defined(__x86_64__)
SN_KEEPING_ALL_REGISTERS(sn_paths_enter)
SN_KEEPING_ALL_REGISTERS(sn_paths_next)
#else
void sn_paths_enter(sn_slab_activation *activation, uint32_t routine) { sn_paths_enter_slowly(activation, routine); }
void sn_paths_next(sn_slab_activation *activation, uint64_t id, uint32_t routine) {
    sn_paths_next_slowly(activation, id, routine);
}
#endif

int sn_path_forests_begin(const char *asked, uint32_t asked_k, uint64_t asked_most) {
    if (snprintf(folder, sizeof folder, "%s", asked) >= PATH_ROOM) return ENAMETOOLONG;
    k = asked_k;
    most = asked_most;
    int error = pthread_key_create(&ends, on_thread_end);
    if (!error) error = pthread_atfork(NULL, NULL, detach);
    if (error) return error;
    begun = true;
    errno = 0;
    if (!begin()) return errno ? errno : ENOMEM;
    return 0;
}
