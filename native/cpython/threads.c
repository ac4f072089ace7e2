/* Threads: a cursor for each, found again through thread-local storage.
 *
 * A thread that ends leaves its cursor to the next one that begins: a program with a thread per
 * request does not need a cursor per request.
 */
#include "threads.h"

#include "cursor.h"
#include "thread_base.h"

#include <pthread.h>

_Thread_local sn_thread *sn_thread_here SN_STATIC_TLS;

_Thread_local bool sn_thread_unseen SN_STATIC_TLS;

_Thread_local bool sn_thread_calibrates;

static pthread_key_t ends;
static uint32_t thread_count;

/* Runs at thread exit, without the GIL: the tree must not be touched. */
static void on_thread_end(void *value) {
    sn_thread *thread = value;
    thread->cursor.now = 0; /* what it ran, if anything, does not go on running */
    sn_thread_base_end();
    __atomic_store_n(&thread->ended, 1, __ATOMIC_RELEASE);
    sn_thread_here = NULL;
}

void sn_threads_forget(void) {
    pthread_setspecific(ends, NULL);
    sn_thread_here = NULL;
    thread_count = 0;
}

int sn_threads_init(void) { return pthread_key_create(&ends, on_thread_end) ? -1 : 0; }

#if PY_VERSION_HEX < 0x030C0000
/* Half of the stack stays the program's own: the eval hook turns Python calls into C calls. */
static char *stack_floor(void) {
    pthread_attr_t attributes;
    void *lowest = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes)) return NULL;
    pthread_attr_getstack(&attributes, &lowest, &size);
    pthread_attr_destroy(&attributes);
    char *here = __builtin_frame_address(0);
    char *low = lowest;
    return low < here ? low + (size_t)(here - low) / 2 : NULL;
}
#endif

#define WATCH "sonde.thread"

/* The interpreter clears the dictionary of a thread state before it frees the state. */
static void on_state_cleared(PyObject *watch) {
    const void *state = PyCapsule_GetPointer(watch, WATCH);
    for (sn_cursor *cursor = agent.hot.cursors; cursor; cursor = cursor->next)
        if (((sn_thread *)cursor)->state == state) ((sn_thread *)cursor)->state = NULL;
}

static bool watch_state(PyThreadState *state) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *dictionary = PyThreadState_GetDict(), *watch = NULL; /* borrowed */
    bool watched = false;
    if (dictionary && !(watched = PyDict_GetItemString(dictionary, WATCH) != NULL)) {
        watch = PyCapsule_New(state, WATCH, on_state_cleared);
        watched = watch && !PyDict_SetItemString(dictionary, WATCH, watch);
        Py_XDECREF(watch);
    }
    PyErr_Restore(type, value, trace);
    return watched;
}

sn_frame *sn_thread_frame_slow(sn_thread *thread, const PyObject *code) {
    PyThreadState *state = sn_thread_state();
    if (!state) return NULL;
    if (thread->state != state) thread->state = watch_state(state) ? state : NULL;
    sn_frame *frame = sn_frame_top(state);
    return frame && sn_frame_executable(frame) == code ? frame : NULL;
}

static sn_thread *take_ended(void) {
    for (sn_cursor *cursor = agent.hot.cursors; cursor; cursor = cursor->next) {
        sn_thread *thread = (sn_thread *)cursor;
        if (!__atomic_load_n(&thread->ended, __ATOMIC_ACQUIRE)) continue;
        thread->ended = 0;
        sn_cursor_lose(thread, (sn_how)(sn_chosen_how() & ~SN_TIMED));
        cursor->current = agent.hot.root; /* the base was that of the other thread */
        return thread;
    }
    return NULL;
}

sn_thread *sn_thread_begin(void) {
    if (!agent.active || sn_thread_unseen || (agent.calibrates && !sn_thread_calibrates)) return NULL;
    sn_thread *thread = take_ended();
    if (!thread) {
        thread = (sn_thread *)sn_hot_cursor(&agent.hot, agent.gap || agent.sampled ? 1 : 0);
        if (!thread) return NULL;
        thread->number = thread_count++;
    }
    PyThreadState *state = agent.by_line || agent.sampled ? sn_thread_state() : NULL;
    thread->state = state && watch_state(state) ? state : NULL;
#if PY_VERSION_HEX < 0x030C0000
    thread->stack_floor = stack_floor();
#endif
    agent.header->threads++;
    pthread_setspecific(ends, thread);
    sn_thread_here = thread;
    sn_clock_begin(thread);
    return thread;
}

/* Only the forking thread exists in the child. */
void sn_threads_after_fork(void) {
    for (sn_cursor *cursor = agent.hot.cursors; cursor; cursor = cursor->next) {
        if (cursor == &sn_thread_here->cursor) continue;
        sn_hot_lose(&agent.hot, cursor);
        cursor->now = 0;
        ((sn_thread *)cursor)->ended = 1;
    }
}
