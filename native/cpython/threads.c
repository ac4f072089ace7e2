/* Threads: a cursor and a tree for each, found again through thread-local storage.
 *
 * A thread that ends leaves its tree to the next one that begins: trees are merged at the
 * end anyway, and a program with a thread per request does not grow a tree per request.
 */
#include "agent.h"

#include <pthread.h>
#include <stdlib.h>

_Thread_local sn_thread *sn_thread_here __attribute__((tls_model("initial-exec")));

static pthread_key_t ends;
static pthread_mutex_t free_lock = PTHREAD_MUTEX_INITIALIZER;
static sn_thread *free_threads;

/* Runs at thread exit, without the GIL. */
static void on_thread_end(void *value) {
    sn_thread *thread = value;
    pthread_mutex_lock(&free_lock);
    thread->next_free = free_threads;
    free_threads = thread;
    pthread_mutex_unlock(&free_lock);
    sn_thread_here = NULL;
}

int sn_threads_init(void) { return pthread_key_create(&ends, on_thread_end) ? -1 : 0; }

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

#define WATCH "sonde.thread"

/* The interpreter clears the dictionary of a thread state before it frees the state. */
static void on_state_cleared(PyObject *watch) {
    (void)watch;
    if (sn_thread_here) sn_thread_here->state = NULL;
}

static bool watch_state(void) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *dictionary = PyThreadState_GetDict(), *watch = NULL; /* borrowed */
    bool watched = false;
    if (dictionary && !(watched = PyDict_GetItemString(dictionary, WATCH) != NULL)) {
        watch = PyCapsule_New(&free_threads, WATCH, on_state_cleared);
        watched = watch && !PyDict_SetItemString(dictionary, WATCH, watch);
        Py_XDECREF(watch);
    }
    PyErr_Restore(type, value, trace);
    return watched;
}

sn_frame *sn_thread_frame_slow(sn_thread *thread, const PyObject *code) {
    PyThreadState *state = sn_thread_state();
    if (!state) return NULL;
    if (thread->state != state) thread->state = watch_state() ? state : NULL;
    sn_frame *frame = sn_frame_top(state);
    return frame && sn_frame_executable(frame) == code ? frame : NULL;
}

static sn_thread *take_free(void) {
    pthread_mutex_lock(&free_lock);
    sn_thread *thread = free_threads;
    if (thread) free_threads = thread->next_free;
    pthread_mutex_unlock(&free_lock);
    return thread;
}

sn_thread *sn_thread_begin(void) {
    if (!agent.active) return NULL;
    sn_thread *thread = take_free();
    if (!thread) {
        thread = calloc(1, sizeof *thread);
        if (!thread) return NULL;
        thread->root = sn_tree_root(&agent.tree);
        if (!thread->root) {
            free(thread);
            return NULL;
        }
    }
    thread->current = thread->root;
    thread->state = NULL;
    thread->stack_floor = stack_floor();
    agent.header->threads++;
    pthread_setspecific(ends, thread);
    sn_thread_here = thread;
    return thread;
}

/* Only the forking thread exists in the child; a lock held by another would stay held. */
void sn_threads_after_fork(void) { pthread_mutex_init(&free_lock, NULL); }
