#include "thread_tree.h"

#include "../core/base/ticks.h"
#include "linked_code.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define CELL_LIMIT (UINT64_C(1) << 26)  /* 67 million contexts, 4 GiB */
#define FURTHER_LIMIT (UINT64_C(1) << 22) /* of threads but the first: 4 million contexts */
#define SHARE_OF_ADDRESS_SPACE 16 /* what is reserved of an address space that is limited: one part in so many */
#define PATH_ROOM 4096

/* Never written to, and no context's parent. */
sn_context sn_probes_outside = {.key = SN_TAG_ROOT};

/* What a thread without a tree finds: nothing. */
static sn_context *nothing_near[SN_PROBES_NEAR] = {[0 ... SN_PROBES_NEAR - 1] = &sn_probes_outside};
SN_THREAD_LOCAL sn_probes_thread sn_probes_here = {&sn_probes_outside, nothing_near, 0};
SN_THREAD_LOCAL sn_thread_tree *sn_thread_tree_own;
static SN_THREAD_LOCAL sn_context no_room;
static SN_THREAD_LOCAL bool locking; /* the thread has the lock or waits for it: its signal handlers must not */

sn_outer sn_probes_outer;
static sn_probes_plan plan;
static char folder[PATH_ROOM], command[PATH_ROOM], mechanism[64];
static bool begun, detached;
static sn_thread_tree *trees;
static pthread_mutex_t trees_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t ends;

sn_context *sn_thread_tree_no_room(void) {
    no_room.key = SN_TAG_ROOT;
    return &no_room;
}

sn_context *sn_thread_tree_drop(sn_thread_tree *thread) {
    if (thread) thread->hot.header->dropped_calls++;
    return sn_thread_tree_no_room();
}

uint32_t sn_thread_tree_line(const void *return_address) {
    if (!plan.code_bytes) return sn_linked_line(return_address);
    uint64_t distance = (uint64_t)(uintptr_t)return_address - plan.code;
    return distance < plan.code_bytes && distance < SN_LINE_MASK ? (uint32_t)distance + 1 : 0;
}

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
    uint64_t most = is_first && !plan.outer.enter ? CELL_LIMIT : FURTHER_LIMIT; /* beside an interpreter's contexts: less */
    if (getrlimit(RLIMIT_AS, &space) || space.rlim_cur == RLIM_INFINITY) return most;
    uint64_t cells = space.rlim_cur / SHARE_OF_ADDRESS_SPACE / SN_CELL_BYTES;
    return cells < most ? cells : most;
}

static void claim(sn_thread_tree *tree) {
    sn_header *header = tree->hot.header;
    header->parent_pid = (uint32_t)getppid();
    header->clock = plan.timed ? SN_CLOCK_MONOTONIC : SN_CLOCK_NONE;
    header->start_ns = header->start_ticks = sn_monotonic_ns();
    header->threads = 1;
    header->dropped_calls = 0;
    header->floor = 0;
    /* For who looks from outside: the thread, and where it says what runs. */
    tree->cursor->owner[1] = (uint64_t)gettid();
    __atomic_store_n(&tree->cursor->owner[0], (uint64_t)(uintptr_t)&sn_probes_here.current, __ATOMIC_RELEASE);
    __atomic_store_n(&header->pid, (uint32_t)getpid(), __ATOMIC_RELEASE);
}

static bool tell_of_process(sn_thread_tree *tree) {
    const uint32_t number[4] = {0}, length[4] = {(uint32_t)strlen(command), 0, (uint32_t)strlen(mechanism)};
    const char *const text[4] = {command, "", mechanism, ""};
    return sn_cells_record(&tree->cells, SN_RECORD_PROCESS, number, text, length);
}

static bool open_spool(sn_thread_tree *tree, bool is_first) {
    char path[PATH_ROOM];
    int file = create_file(path);
    if (file < 0) return false;
    sn_status status = sn_cells_create(&tree->cells, file, cell_limit(is_first));
    if (status == SN_OK) {
        bool is_made = sn_hot_create(&tree->hot, &tree->cells, &plan.plan, false) == SN_OK &&
                       (tree->cursor = sn_hot_cursor(&tree->hot, 0)) != NULL && tell_of_process(tree) &&
                       sn_cells_release_file(&tree->cells, path);
        if (is_made) {
            claim(tree);
            return true;
        }
        sn_hot_free(&tree->hot);
        sn_cells_destroy(&tree->cells);
        status = SN_NO_MEMORY;
    }
    unlink(path);
    errno = status == SN_NO_SPACE ? ENOSPC : ENOMEM;
    return false;
}

static sn_thread_tree *take_ended(void) {
    for (sn_thread_tree *tree = trees; tree; tree = tree->next) {
        if (!tree->ended) continue;
        tree->ended = false;
        tree->hot.header->threads++;
        tree->cursor->owner[1] = (uint64_t)gettid();
        __atomic_store_n(&tree->cursor->owner[0], (uint64_t)(uintptr_t)&sn_probes_here.current, __ATOMIC_RELEASE);
        return tree;
    }
    return NULL;
}

static sn_thread_tree *make(void) {
    sn_thread_tree *tree = calloc(1, sizeof *tree);
    if (!tree) return NULL;
    if (!open_spool(tree, !trees)) {
        free(tree);
        return NULL;
    }
    tree->next = trees;
    return trees = tree;
}

sn_thread_tree *sn_thread_tree_begin(void) {
    if (!begun || detached || locking) return NULL;
    locking = true;
    int error = errno;
    pthread_mutex_lock(&trees_lock);
    sn_thread_tree *tree = take_ended();
    if (!tree) tree = make();
    pthread_mutex_unlock(&trees_lock);
    if (tree) {
        pthread_setspecific(ends, tree);
        for (unsigned i = 0; i < SN_PROBES_NEAR; i++) tree->near[i] = &sn_probes_outside;
        sn_probes_here.near = tree->near;
        sn_thread_tree_own = tree;
    }
    errno = error;
    locking = false;
    return tree;
}

static void on_thread_end(void *value) {
    sn_thread_tree *tree = value;
    locking = true;
    sn_probes_here = (sn_probes_thread){&sn_probes_outside, nothing_near, 0};
    sn_thread_tree_own = NULL;
    __atomic_store_n(&tree->cursor->owner[0], 0, __ATOMIC_RELEASE);
    pthread_mutex_lock(&trees_lock);
    tree->ended = true;
    pthread_mutex_unlock(&trees_lock);
    locking = false;
}

/* A copy of the cells for a child that goes on; frames on the stack hold pointers to where it will be mapped. */
static int copied(const sn_thread_tree *tree, char path[PATH_ROOM]) {
    int file = create_file(path);
    if (file < 0) return -1;
    uint64_t size = tree->cells.used * SN_CELL_BYTES, done = 0;
    bool is_whole = sn_cells_reserve(file, 0, tree->cells.committed * SN_CELL_BYTES);
    while (is_whole && done < size) {
        ssize_t written = pwrite(file, tree->cells.base + done, size - done, (off_t)done);
        if (written > 0) done += (uint64_t)written;
        else is_whole = written < 0 && errno == EINTR;
    }
    uint32_t nobody = 0;
    if (is_whole && pwrite(file, &nobody, sizeof nobody, offsetof(sn_header, pid)) == sizeof nobody) return file;
    close(file);
    unlink(path);
    return -1;
}

static void count_from_zero(sn_thread_tree *tree) {
    sn_context *context;
    if (tree->hot.tree.sided) *sn_side_of(tree->hot.root) = (sn_side){.tag = SN_TAG_SIDE};
    for (uint64_t cell = SN_HEADER_CELLS; (context = sn_tree_next(&tree->hot.tree, &cell));) {
        context->calls = context->ticks = context->error = 0;
        if (!tree->hot.tree.sided) continue;
        sn_side *side = sn_side_of(context);
        *side = (sn_side){.tag = SN_TAG_SIDE, .previous = side->previous};
    }
    if (tree->hot.space_saving) sn_queue_restart(&tree->hot.queue);
}

static bool map_instead(sn_thread_tree *tree, int file) {
    size_t size = tree->cells.committed * SN_CELL_BYTES, rest = tree->cells.limit * SN_CELL_BYTES - size;
    uint8_t *base = tree->cells.base;
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
        pthread_mutex_lock(&trees_lock);
    }
    prepared = locked_for_fork && plan.follow && !detached && sn_thread_tree_own
                   ? copied(sn_thread_tree_own, prepared_path)
                   : -1;
    errno = error;
}

/* In the child of a fork, of which one thread lives: it would go on writing into its parent's cells. */
static void leave_parents_cells(void) {
    sn_thread_tree *own = sn_thread_tree_own;
    pthread_mutex_init(&trees_lock, NULL);
    if (locked_for_fork) locking = false;
    trees = own;
    if (own) own->next = NULL;
    if (detached || (plan.follow && !own)) return;
    if (prepared >= 0 && map_instead(own, prepared)) {
        own->cells.file = prepared;
        sn_cells_release_file(&own->cells, prepared_path);
        prepared = -1;
        count_from_zero(own);
        claim(own);
        return;
    }
    if (prepared >= 0) close(prepared);
    /* Frames on the stack will still make their callers' contexts the current ones, but from here on, none is found and
     * nobody looks into those. */
    detached = true;
    trees = NULL;
    sn_thread_tree_own = NULL;
    sn_probes_here.near = nothing_near;
    pthread_setspecific(ends, NULL);
}

/* In the parent: child processes that are not followed are told of in its spool. */
static void note_fork(void) {
    static sn_record *note;
    const char *const text[4] = {"fork-not-followed", "forked child processes were not measured; --follow measures them"};
    const uint32_t number[4] = {1}, length[4] = {(uint32_t)strlen(text[0]), (uint32_t)strlen(text[1])};
    sn_thread_tree *own = sn_thread_tree_own;
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
        pthread_mutex_unlock(&trees_lock);
        locking = false;
    }
    errno = error;
}

int sn_thread_trees_begin(const sn_probes_plan *asked) {
    plan = *asked;
    if (snprintf(folder, sizeof folder, "%s", asked->folder) >= (int)sizeof folder) return ENAMETOOLONG;
    snprintf(command, sizeof command, "%s", asked->command);
    snprintf(mechanism, sizeof mechanism, "%s", asked->mechanism);
    sn_probes_outer = plan.outer;
    plan.folder = plan.command = plan.mechanism = NULL;
    int error = pthread_key_create(&ends, on_thread_end);
    if (!error) error = pthread_atfork(prepare_fork, go_on_after_fork, leave_parents_cells);
    if (error) return error;
    begun = true;
    errno = 0;
    if (!sn_thread_tree_begin()) return errno ? errno : ENOMEM;
    return 0;
}
