/* The spool of this process: where its cells go, and what becomes of them at a fork. */
#define _GNU_SOURCE
#include "spool.h"

#include "bursts.h"
#include "calibration.h"
#include "clock.h"
#include "notes.h"
#include "outer_context.h"
#include "recording.h"
#include "tasks.h"
#include "thread_base.h"
#include "threads.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define CELL_LIMIT (UINT64_C(1) << 26) /* 67 million contexts, 4 GiB */

#define PATH_ROOM 4096
#define SHARE_OF_ADDRESS_SPACE 16 /* what is reserved of an address space that is limited: one part in so many */

static int prepared = -1; /* file made ready for the child of a fork that is under way */
static char prepared_path[PATH_ROOM];
static sn_thread *forking_thread; /* in a child that will be followed, until it is */

/* A new file in the spool folder; its path is left in `path`. */
static int create_file(char path[PATH_ROOM]) {
    for (unsigned attempt = 0; attempt < 100000; attempt++) {
        int length = snprintf(path, PATH_ROOM, "%s/%ld-%u.cells", agent.spool, (long)getpid(), attempt);
        if (length < 0 || (size_t)length >= PATH_ROOM) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file >= 0 || errno != EEXIST) return file;
    }
    return -1;
}

static void claim(void) {
    sn_header *header = agent.header;
    header->parent_pid = (uint32_t)getppid();
    header->clock = agent.sampled ? SN_CLOCK_SAMPLED : agent.clock;
    header->start_ticks = sn_running_clock() & agent.tick_mask;
    header->start_ns = sn_monotonic_ns();
    header->threads = 0;
    header->dropped_calls = 0;
    header->resyncs = 0;
    header->end_ticks = 0;
    header->replaced_ticks = 0;
    header->lost_events = 0;
    header->floor = 0;
    header->bursts = 0;
    header->looked_ticks = 0;
    header->taken = agent.last = 0;
    header->unseen_ticks = agent.of_processor ? 1 : agent.gap;
    const uint32_t costs[] = {(uint32_t)agent.costs.enter, (uint32_t)agent.costs.leave,
                              (uint32_t)agent.builtin_costs.enter, (uint32_t)agent.builtin_costs.leave};
    memcpy(header->costs, costs, sizeof costs);
    if (agent.sampled) sn_counting_costs(header->costs);
    header->pid = (uint32_t)getpid();
}

/* A child would go on writing into its parent's cells. One that will be followed counts nothing until
 * sn_after_fork_child has given it cells of its own: the interpreter may run other hooks before. One that is not followed,
 * or was not forked through the interpreter, counts nothing at all, and has a private view of the cells that
 * frames on its stack will still close. Runs in the child, without the GIL. */
static void leave_parents_cells(void) {
    sn_outer_after_fork();
    if (!agent.active) return;
    agent.active = false;
    if (prepared >= 0) {
        forking_thread = sn_thread_here;
        sn_thread_here = NULL;
        return;
    }
    agent.detached = true;
    if (agent.trace_path) sn_trace_abandon(&agent.trace);
    sn_thread_here = NULL;
    int file = sn_cells_open_file(&agent.cells), flags = MAP_PRIVATE | MAP_FIXED;
    if (file < 0) flags |= MAP_ANONYMOUS;
    mmap(agent.cells.base, agent.cells.committed * SN_CELL_BYTES, PROT_READ | PROT_WRITE, flags, file, 0);
    if (file >= 0) close(file);
}

static uint64_t cell_limit(void) {
    struct rlimit space;
    if (getrlimit(RLIMIT_AS, &space) || space.rlim_cur == RLIM_INFINITY) return CELL_LIMIT;
    uint64_t cells = space.rlim_cur / SHARE_OF_ADDRESS_SPACE / SN_CELL_BYTES;
    return cells < CELL_LIMIT ? cells : CELL_LIMIT;
}

int sn_spool_open(void) {
    char path[PATH_ROOM];
    int file = create_file(path);
    if (file < 0) {
        PyErr_SetFromErrnoWithFilename(PyExc_OSError, agent.spool);
        return -1;
    }
    sn_status status = sn_cells_create(&agent.cells, file, cell_limit());
    if (status != SN_OK) {
        errno = status == SN_NO_SPACE ? ENOSPC : ENOMEM;
        PyErr_SetFromErrnoWithFilename(PyExc_OSError, agent.spool);
        return -1;
    }
    if (sn_hot_create(&agent.hot, &agent.cells, &agent.plan, agent.sampled) != SN_OK) {
        PyErr_NoMemory();
        return -1;
    }
    agent.header = sn_cells_header(&agent.cells);
    claim();
    if (!sn_cells_release_file(&agent.cells, path) || pthread_atfork(NULL, NULL, leave_parents_cells)) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

int sn_spool_copy(int file, uint64_t room) {
    uint64_t size = agent.cells.used * SN_CELL_BYTES, done = 0;
    int error = posix_fallocate(file, 0, (off_t)room);
    while (!error && done < size) {
        ssize_t written = pwrite(file, agent.cells.base + done, size - done, (off_t)done);
        if (written < 0 && errno != EINTR) error = errno;
        if (written > 0) done += (uint64_t)written;
    }
    return error;
}

/* In the parent, with the GIL: copy the cells while no thread can change them. */
PyObject *sn_before_fork(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    if (agent.active) sn_bursts_pause(); /* Python warns of forks while there are threads */
    if (!agent.active || !agent.follow) Py_RETURN_NONE;
    prepared = create_file(prepared_path);
    if (prepared < 0) Py_RETURN_NONE;
    uint32_t nobody = 0;
    int error = sn_spool_copy(prepared, agent.cells.committed * SN_CELL_BYTES);
    if (!error && pwrite(prepared, &nobody, sizeof nobody, offsetof(sn_header, pid)) != sizeof nobody) error = EIO;
    if (error) {
        close(prepared);
        prepared = -1;
        sn_note("fork-not-followed", 1, "there was no room for the cells of a forked child");
    }
    Py_RETURN_NONE;
}

PyObject *sn_after_fork_parent(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    if (prepared >= 0) close(prepared);
    prepared = -1;
    if (agent.active) sn_bursts_go_on();
    Py_RETURN_NONE;
}

/* The child counts from zero in a tree of the same shape: the frames that are on its stack
 * hold pointers into it. */
static void start_again(void) {
    for (uint64_t cell = SN_HEADER_CELLS; cell < agent.cells.used; cell++) {
        sn_context *context = (sn_context *)(agent.cells.base + cell * SN_CELL_BYTES);
        if (context->key == SN_TAG_RECORD) {
            cell += sn_record_cells(((sn_record *)context)->bytes) - 1;
            continue;
        }
        if (context->key == SN_TAG_CURSOR || context->key == SN_TAG_FREE) continue;
        if (context->key == SN_TAG_SIDE) {
            sn_side *side = (sn_side *)context;
            *side = (sn_side){.tag = SN_TAG_SIDE, .previous = side->previous};
            continue;
        }
        context->calls = 0;
        context->ticks = 0;
        context->error = 0;
    }
    sn_queue_restart(&agent.hot.queue);
    if (sn_thread_here) sn_clock_begin(sn_thread_here);
}

static void stop_in(PyObject *module) {
    PyObject *stopped = PyObject_CallMethod(module, "stop", NULL);
    if (stopped) Py_DECREF(stopped);
    else PyErr_Clear();
}

PyObject *sn_after_fork_child(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    if (agent.detached) {
        agent.bursts.interval_ns = 0;
        agent.active = true; /* for stop(), which takes the hooks out and ends it for good */
        stop_in(module);
        Py_RETURN_NONE;
    }
    if (prepared < 0) Py_RETURN_NONE;
    agent.active = true;
    sn_thread_here = forking_thread;
    int file = prepared;
    prepared = -1;
    size_t size = agent.cells.committed * SN_CELL_BYTES;
    size_t rest = agent.cells.limit * SN_CELL_BYTES - size;
    bool mapped = mmap(agent.cells.base, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED &&
                  (!rest || mmap(agent.cells.base + size, rest, PROT_NONE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, file,
                                 (off_t)size) != MAP_FAILED);
    if (!mapped) {
        stop_in(module);
        close(file);
        Py_RETURN_NONE;
    }
    agent.cells.file = file;
    sn_cells_release_file(&agent.cells, prepared_path);
    claim();
    if (sn_thread_here) agent.header->threads = 1;
    sn_threads_after_fork();
    start_again();
    sn_tasks_after_fork();
    sn_thread_bases_after_fork();
    sn_recording_after_fork();
    sn_bursts_after_fork();
    Py_RETURN_NONE;
}

int sn_spool_register_fork(PyObject *module) {
    PyObject *posix = PyImport_ImportModule("posix");
    PyObject *function = posix ? PyObject_GetAttrString(posix, "register_at_fork") : NULL;
    PyObject *none = PyTuple_New(0);
    PyObject *hooks = Py_BuildValue("{s:N,s:N,s:N}", "before", PyObject_GetAttrString(module, "before_fork"),
                                    "after_in_parent", PyObject_GetAttrString(module, "after_fork_parent"),
                                    "after_in_child", PyObject_GetAttrString(module, "after_fork_child"));
    PyObject *done = function && none && hooks ? PyObject_Call(function, none, hooks) : NULL;
    Py_XDECREF(done);
    Py_XDECREF(hooks);
    Py_XDECREF(none);
    Py_XDECREF(function);
    Py_XDECREF(posix);
    return done ? 0 : -1;
}
