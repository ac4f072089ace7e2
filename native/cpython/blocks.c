/* Blocks: the program says itself from when to when it is watched.
 *
 * There is one tree for the whole life of the process, in which counts only grow: what a block has counted is the
 * difference of two copies of it. So blocks may lie in one another, and one that is entered again finds its contexts.
 * Between blocks the hook is out, as between bursts (bursts.h), whose ways are taken here, too: frames that began or ended
 * unseen are found out by walking the stack. But nothing keeps time, and nothing is scaled up.
 *
 * A thread other than the one that begins the block is counted from its first call in the block on.
 */
#include "blocks.h"

#include "cursor.h"
#include "spool.h"
#include "threads.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static bool is_ready(void) {
    if (agent.active && agent.bursts.by_hand) return true;
    PyErr_SetString(PyExc_RuntimeError, "no blocks are watched in this process");
    return false;
}

/* What runs has run until now. */
static void credit_all(void) {
    uint64_t now = sn_now();
    for (sn_cursor *cursor = agent.hot.cursors; cursor; cursor = cursor->next) {
        bool has_ended = !cursor->now || __atomic_load_n(&((sn_thread *)cursor)->ended, __ATOMIC_ACQUIRE);
        if (!has_ended && now > cursor->now && cursor->current != agent.hot.root) sn_hot_credit(cursor, now);
    }
}

PyObject *sn_block_watch(PyObject *module, PyObject *skip) {
    (void)module;
    long frames = PyLong_AsLong(skip);
    if (PyErr_Occurred() || !is_ready()) return NULL;
    sn_thread *thread = sn_thread_get();
    if (!thread) return PyErr_NoMemory();
    (void)sn_thread_frame_slow(thread, NULL); /* gets to know the thread's state */
    sn_frame *frame = sn_frame_python(sn_frame_top(sn_thread_state()));
    while (frame && frames-- > 0) frame = sn_frame_python(frame->previous);
    uint64_t resyncs = agent.header->resyncs;
    if (frame) sn_cursor_resync(thread, frame);
    agent.header->resyncs = resyncs; /* this is no repair */
    agent.mechanism->resume();
    thread->cursor.now = sn_now();
    Py_RETURN_NONE;
}

PyObject *sn_block_pause(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    if (!is_ready()) return NULL;
    credit_all();
    for (sn_cursor *cursor = agent.hot.cursors; cursor; cursor = cursor->next)
        sn_cursor_lose((sn_thread *)cursor, (sn_how)(sn_chosen_how() & ~SN_TIMED));
    agent.mechanism->pause();
    Py_RETURN_NONE;
}

PyObject *sn_block_mark(PyObject *module, PyObject *path) {
    (void)module;
    if (!is_ready()) return NULL;
    const char *name = PyBytes_AsString(path);
    if (!name) return NULL;
    uint64_t began = sn_running_clock();
    credit_all();
    agent.header->end_ticks = sn_now();
    int file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int error = file < 0 ? errno : sn_spool_copy(file, agent.cells.used * SN_CELL_BYTES);
    agent.header->end_ticks = 0;
    if (file >= 0) close(file);
    if (sn_thread_here) sn_clock_take_out_since(began, sn_thread_here); /* of an outer block, which goes on */
    if (!error) Py_RETURN_NONE;
    errno = error;
    return PyErr_SetFromErrnoWithFilename(PyExc_OSError, name);
}
