#include "path_forests.h"

#include "keeping_registers.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PATH_ROOM 4096
#define THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))

typedef struct thread_forest {
    sn_slab_states states;
    volatile bool busy; /* its thread is in here */
    bool ended;
    struct thread_forest *next; /* all of the process */
} thread_forest;

static THREAD_LOCAL sn_slab_node *nodes_here;
static THREAD_LOCAL thread_forest *own;
static THREAD_LOCAL bool beginning; /* so that a signal handler does not wait for the lock of its thread */
static char folder[PATH_ROOM];
static uint32_t k, routines, *rows;
static uint64_t most;
static bool begun;
static sn_slab_node *nowhere; /* of threads that can have no forest: nobody looks there, and nothing follows */
static thread_forest *forests;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t ends;

/* Nodes that nothing follows. */
static void *blank(void *at, size_t bytes) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED : 0);
    void *made = mmap(at, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (made == MAP_FAILED) return NULL;
    memcpy(made, SN_MAGIC, sizeof((sn_header *)0)->magic);
    return made;
}

static thread_forest *make(void) {
    static unsigned files;
    char path[PATH_ROOM];
    if (snprintf(path, sizeof path, "%s/%ld-%u.paths", folder, (long)getpid(), files++) >= PATH_ROOM) return NULL;
    thread_forest *made = calloc(1, sizeof *made);
    int file = made ? open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    if (file < 0) goto failed;
    if (sn_slab_states_create(&made->states, file, k, most, routines, rows) != SN_OK) {
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
    nodes_here = found ? found->states.forest.nodes : nowhere;
    beginning = false;
    return found;
}

static void on_thread_end(void *value) {
    own = NULL;
    nodes_here = nowhere;
    beginning = true; /* destructors that come later count nothing */
    pthread_mutex_lock(&lock);
    ((thread_forest *)value)->ended = true;
    pthread_mutex_unlock(&lock);
}

/* Activations that a child goes on with keep the addresses of the parent's nodes. */
static void detach(void) {
    begun = false;
    own = NULL;
    nodes_here = nowhere;
    for (thread_forest *each = forests; each; each = each->next)
        if (!blank(each->states.forest.nodes, each->states.forest.cells.limit * SN_CELL_BYTES)) abort();
}

SN_FOR_ASSEMBLY void sn_paths_thread_forest_slowly(void) {
    int error = errno;
    if (!nodes_here && !begin()) nodes_here = nowhere;
    errno = error;
}

static int64_t state_of(int64_t node, uint32_t row, uint32_t first) {
    return SN_PATHS_STEP * node + (row && !(row & SN_PATHS_MANY) ? SN_PATHS_STEP - first : 0);
}

SN_FOR_ASSEMBLY int64_t sn_paths_follow_slowly(uint32_t *at, uint64_t id, uint32_t routine, uint32_t row, uint32_t first) {
    thread_forest *here = own;
    if (!here) return state_of(SN_SLAB_LIMBO, row, first);
    uintptr_t from = (uintptr_t)here->states.forest.nodes, in = ((uintptr_t)at - from) / sizeof(sn_slab_node);
    if (here->busy || (uintptr_t)at < from || in >= here->states.forest.used) {
        here->states.forest.nodes[SN_SLAB_TOP].count++;
        return state_of(SN_SLAB_LIMBO, row, first);
    }
    int error = errno;
    here->busy = true;
    atomic_signal_fence(memory_order_seq_cst);
    uint32_t node = sn_slab_row_of(&here->states, (uint32_t)in);
    uint32_t next = sn_slab_follow(&here->states, node, id, routine & ~SN_PATHS_MANY, row & ~SN_PATHS_MANY);
    int64_t state = state_of(next, row, first);
    if (node != SN_SLAB_LIMBO && next != SN_SLAB_LIMBO)
        *at = (uint32_t)(routine & SN_PATHS_MANY ? SN_PATHS_STEP * next : state);
    atomic_signal_fence(memory_order_seq_cst);
    here->busy = false;
    errno = error;
    return state;
}

#if defined(__x86_64__)
SN_KEEPING_ALL_REGISTERS(sn_paths_thread_forest)
SN_KEEPING_REGISTERS_BUT_RESULT(sn_paths_follow)
#else
void sn_paths_thread_forest(void) { sn_paths_thread_forest_slowly(); }
int64_t sn_paths_follow(uint32_t *at, uint64_t id, uint32_t routine, uint32_t row, uint32_t first) {
    return sn_paths_follow_slowly(at, id, routine, row, first);
}
#endif

static sn_bursts_page *page;

uint32_t *sn_paths_switch(void) {
    if (!page) page = sn_burst_page_reserve();
    return page ? &page->bursts.number : NULL;
}

int sn_paths_begin_bursts(int file) { return page ? sn_burst_page_begin(page, file) : ENOMEM; }

ptrdiff_t sn_path_forests_offset(void) { return (char *)&nodes_here - (char *)__builtin_thread_pointer(); }

int sn_path_forests_begin(const char *asked, uint32_t asked_k, uint64_t asked_most, uint32_t asked_routines,
                          const uint32_t *asked_rows) {
    if (snprintf(folder, sizeof folder, "%s", asked) >= PATH_ROOM) return ENAMETOOLONG;
    k = asked_k;
    most = asked_most;
    routines = asked_routines;
    rows = malloc((routines + (size_t)1) * sizeof *rows);
    if (!rows) return ENOMEM;
    memcpy(rows, asked_rows, routines * sizeof *rows);
    size_t used = SN_SLAB_FIRST;
    for (uint32_t i = 0; i < routines; i++) used += SN_SLAB_PLACES(rows[i]);
    nowhere = blank(NULL, used * sizeof *nowhere);
    if (!nowhere) return ENOMEM;
    int error = pthread_key_create(&ends, on_thread_end);
    if (!error) error = pthread_atfork(NULL, NULL, detach);
    if (error) return error;
    begun = true;
    errno = 0;
    if (!begin()) return errno ? errno : ENOMEM;
    return 0;
}
