#include "thread_spools.h"

#include "../core/base/ticks.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define SHARE_OF_ADDRESS_SPACE 16 /* what is reserved of an address space that is limited: one part in so many */
#define PATH_ROOM 4096

static sn_spool_kind kind;
static sn_spools_plan plan;
static char folder[PATH_ROOM], command[PATH_ROOM], mechanism[64];
static bool begun, detached;
static sn_thread_spool *spools;
static pthread_mutex_t spools_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t ends;
static SN_THREAD_LOCAL sn_thread_spool *own_spool;
static SN_THREAD_LOCAL bool locking; /* the thread has the lock or waits for it: its signal handlers must not */

/* A new file in the spool folder; its path is left in `path`. With the lock. */
static int create_file(char path[PATH_ROOM]) {
    static unsigned files;
    for (unsigned attempt = 0; attempt < 100000; attempt++) {
        int length = snprintf(path, PATH_ROOM, "%s/%ld-%u.cells", folder, (long)getpid(), files++);
        if (length < 0 || length >= PATH_ROOM) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file >= 0 || errno != EEXIST) return file;
    }
    return -1;
}

static uint64_t cell_limit(bool is_first) {
    struct rlimit space;
    uint64_t most = is_first ? kind.first_limit : kind.further_limit;
    if (getrlimit(RLIMIT_AS, &space) || space.rlim_cur == RLIM_INFINITY) return most;
    uint64_t cells = space.rlim_cur / SHARE_OF_ADDRESS_SPACE / SN_CELL_BYTES;
    return cells < most ? cells : most;
}

static void claim(sn_thread_spool *spool) {
    sn_header *header = sn_cells_header(&spool->cells);
    header->parent_pid = (uint32_t)getppid();
    header->clock = plan.clock;
    header->start_ns = sn_monotonic_ns();
    header->start_ticks = plan.clock == SN_CLOCK_TSC ? sn_ticks() : header->start_ns;
    header->threads = 1;
    header->dropped_calls = 0;
    header->floor = 0;
    kind.claim(spool);
    __atomic_store_n(&header->pid, (uint32_t)getpid(), __ATOMIC_RELEASE);
}

static bool tell_of_process(sn_thread_spool *spool) {
    const uint32_t number[4] = {0}, length[4] = {(uint32_t)strlen(command), 0, (uint32_t)strlen(mechanism)};
    const char *const text[4] = {command, "", mechanism, ""};
    return sn_cells_record(&spool->cells, SN_RECORD_PROCESS, number, text, length);
}

static bool open_spool(sn_thread_spool *spool, bool is_first) {
    char path[PATH_ROOM];
    int file = create_file(path);
    if (file < 0) return false;
    sn_status status = sn_cells_create(&spool->cells, file, cell_limit(is_first));
    if (status == SN_OK) {
        if (kind.make(spool) && tell_of_process(spool) && sn_cells_release_file(&spool->cells, path)) {
            claim(spool);
            return true;
        }
        kind.unmake(spool);
        sn_cells_destroy(&spool->cells);
        status = SN_NO_MEMORY;
    }
    unlink(path);
    errno = status == SN_NO_SPACE ? ENOSPC : ENOMEM;
    return false;
}

static sn_thread_spool *take_ended(void) {
    for (sn_thread_spool *spool = spools; spool; spool = spool->next) {
        if (!spool->ended) continue;
        spool->ended = false;
        sn_cells_header(&spool->cells)->threads++;
        kind.claim(spool);
        return spool;
    }
    return NULL;
}

static sn_thread_spool *make(void) {
    sn_thread_spool *spool = calloc(1, kind.bytes);
    if (!spool) return NULL;
    if (!open_spool(spool, !spools)) {
        free(spool);
        return NULL;
    }
    spool->next = spools;
    return spools = spool;
}

sn_thread_spool *sn_thread_spool_begin(void) {
    if (!begun || detached || locking) return NULL;
    locking = true;
    int error = errno;
    pthread_mutex_lock(&spools_lock);
    sn_thread_spool *spool = take_ended();
    if (!spool) spool = make();
    pthread_mutex_unlock(&spools_lock);
    if (spool) {
        pthread_setspecific(ends, spool);
        own_spool = spool;
        kind.begin(spool);
    }
    errno = error;
    locking = false;
    return spool;
}

static void on_thread_end(void *value) {
    sn_thread_spool *spool = value;
    locking = true;
    own_spool = NULL;
    kind.end(spool);
    pthread_mutex_lock(&spools_lock);
    spool->ended = true;
    pthread_mutex_unlock(&spools_lock);
    locking = false;
}

/* A copy of the cells for a child that goes on; frames on the stack hold pointers to where it will be mapped. */
static int copied(const sn_thread_spool *spool, char path[PATH_ROOM]) {
    int file = create_file(path);
    if (file < 0) return -1;
    uint64_t size = spool->cells.used * SN_CELL_BYTES, done = 0;
    bool is_whole = sn_cells_reserve(file, 0, spool->cells.committed * SN_CELL_BYTES);
    while (is_whole && done < size) {
        ssize_t written = pwrite(file, spool->cells.base + done, size - done, (off_t)done);
        if (written > 0) done += (uint64_t)written;
        else is_whole = written < 0 && errno == EINTR;
    }
    uint32_t nobody = 0;
    if (is_whole && pwrite(file, &nobody, sizeof nobody, offsetof(sn_header, pid)) == sizeof nobody) return file;
    close(file);
    unlink(path);
    return -1;
}

static bool map_instead(sn_thread_spool *spool, int file) {
    size_t size = spool->cells.committed * SN_CELL_BYTES, rest = spool->cells.limit * SN_CELL_BYTES - size;
    uint8_t *base = spool->cells.base;
    int flags = MAP_SHARED | MAP_FIXED;
    return mmap(base, size, PROT_READ | PROT_WRITE, flags, file, 0) != MAP_FAILED &&
           (!rest || mmap(base + size, rest, PROT_NONE, flags | MAP_NORESERVE, file, (off_t)size) != MAP_FAILED);
}

/* What a child of the fork that takes place will have: made before it, since its parent goes on changing the cells that
 * both see. */
static SN_THREAD_LOCAL int prepared = -1;
static char prepared_path[PATH_ROOM]; /* with the lock */

/* It is not locked when a signal handler forks that came while its thread was locking. */
static SN_THREAD_LOCAL bool locked_for_fork;

static void prepare_fork(void) {
    int error = errno;
    locked_for_fork = !locking;
    if (locked_for_fork) {
        locking = true;
        pthread_mutex_lock(&spools_lock);
    }
    prepared = locked_for_fork && plan.follow && !detached && own_spool
                   ? copied(own_spool, prepared_path)
                   : -1;
    errno = error;
}

/* In the child of a fork, of which one thread lives: it would go on writing into its parent's cells. */
static void leave_parents_cells(void) {
    sn_thread_spool *own = own_spool;
    pthread_mutex_init(&spools_lock, NULL);
    if (locked_for_fork) locking = false;
    spools = own;
    if (own) own->next = NULL;
    if (detached || (plan.follow && !own)) return;
    if (prepared >= 0 && map_instead(own, prepared)) {
        own->cells.file = prepared;
        sn_cells_release_file(&own->cells, prepared_path);
        prepared = -1;
        kind.restart(own);
        claim(own);
        return;
    }
    if (prepared >= 0) close(prepared);
    detached = true;
    spools = NULL;
    own_spool = NULL;
    kind.detach();
    pthread_setspecific(ends, NULL);
}

/* In the parent: child processes that are not followed are told of in its spool. */
static void note_fork(void) {
    static sn_record *note;
    const char *const text[4] = {"fork-not-followed", "forked child processes were not measured; --follow measures them"};
    const uint32_t number[4] = {1}, length[4] = {(uint32_t)strlen(text[0]), (uint32_t)strlen(text[1])};
    sn_thread_spool *own = own_spool;
    if (!own || own->busy || plan.follow || detached) return;
    if (note) {
        note->number[0]++;
        return;
    }
    void *payload = sn_cells_add_record(&own->cells, SN_RECORD_NOTE, number, text, length);
    if (payload) note = (sn_record *)payload - 1;
}

static void go_on_after_fork(void) {
    int error = errno;
    if (prepared >= 0) close(prepared);
    prepared = -1;
    note_fork();
    if (locked_for_fork) {
        pthread_mutex_unlock(&spools_lock);
        locking = false;
    }
    errno = error;
}

int sn_thread_spools_begin(const sn_spool_kind *kept, const sn_spools_plan *asked) {
    kind = *kept;
    plan = *asked;
    if (snprintf(folder, sizeof folder, "%s", asked->folder) >= (int)sizeof folder) return ENAMETOOLONG;
    snprintf(command, sizeof command, "%s", asked->command);
    snprintf(mechanism, sizeof mechanism, "%s", asked->mechanism);
    plan.folder = plan.command = plan.mechanism = NULL;
    int error = pthread_key_create(&ends, on_thread_end);
    if (!error) error = pthread_atfork(prepare_fork, go_on_after_fork, leave_parents_cells);
    if (error) return error;
    begun = true;
    if (plan.later) return 0;
    errno = 0;
    if (!sn_thread_spool_begin()) return errno ? errno : ENOMEM;
    return 0;
}
