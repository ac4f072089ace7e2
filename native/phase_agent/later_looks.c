/* A thread that waits until all methods are to be looked at again, since nothing may be told by then. On 3.11 all calls
 * are seen, and the next one does it. Later it takes the interpreter's lock for a moment, a few times in a run; and Python
 * warns of forks while there are threads: so it ends before the first one, and it is looked again when something is told.
 */
#define _GNU_SOURCE
#include "online.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake;
static pthread_t waiting;
static bool is_running, is_over; /* the second under the lock */
static int own_id;               /* of the thread; read when it has been joined */

static bool sleep_until(uint64_t ns) {
    struct timespec until = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    pthread_mutex_lock(&lock);
    while (!is_over && pthread_cond_timedwait(&wake, &lock, &until) != ETIMEDOUT) {}
    bool goes_on = !is_over;
    pthread_mutex_unlock(&lock);
    return goes_on;
}

static void *look_later(void *unused) {
    (void)unused;
    own_id = (int)syscall(SYS_gettid);
    uint64_t began = sn_monotonic_ns();
    for (uint64_t after = SN_FIRST_LOOK_NS; sleep_until(began + after); after *= 2) {
#if PY_VERSION_HEX < 0x030C0000
        __atomic_store_n(&agent.is_look_due, true, __ATOMIC_RELAXED);
#else
        PyGILState_STATE gil = PyGILState_Ensure();
        if (agent.open) sn_hooks_begin_anew();
        PyGILState_Release(gil);
#endif
    }
    return NULL;
}

#if PY_VERSION_HEX < 0x030C0000
static bool register_fork(void) { return true; }
#else
static PyObject *before_fork(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    sn_later_looks_end();
    Py_RETURN_NONE;
}

static PyMethodDef hook = {"sonde_before_fork", before_fork, METH_NOARGS, NULL};

static bool register_fork(void) {
    PyObject *os = PyImport_ImportModule("os"), *callable = os ? PyCFunction_New(&hook, NULL) : NULL;
    PyObject *method = callable ? PyObject_GetAttrString(os, "register_at_fork") : NULL;
    PyObject *none = method ? PyTuple_New(0) : NULL, *names = none ? Py_BuildValue("{sO}", "before", callable) : NULL;
    PyObject *done = names ? PyObject_Call(method, none, names) : NULL;
    bool is_registered = done != NULL;
    Py_XDECREF(done);
    Py_XDECREF(names);
    Py_XDECREF(none);
    Py_XDECREF(method);
    Py_XDECREF(callable);
    Py_XDECREF(os);
    if (!is_registered) PyErr_Clear();
    return is_registered;
}
#endif

void sn_later_looks_begin(void) {
    if (!register_fork()) return;
    pthread_condattr_t monotonic;
    sigset_t all, before;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for threads of the program */
    is_running = !pthread_create(&waiting, NULL, look_later, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    /* Without the thread, methods that become phases later are not found. */
}

/* The system counts a thread for a moment after it was joined. */
static void await_exit(void) {
    enum { MOST_LOOKS = 2000 };
    static const struct timespec moment = {0, 50000};
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d", own_id);
    for (int look = 0; look < MOST_LOOKS && !access(path, F_OK); look++) nanosleep(&moment, NULL);
}

/* The thread may be about to take the interpreter's lock. */
void sn_later_looks_end(void) {
    if (!is_running) return;
    is_running = false;
    pthread_mutex_lock(&lock);
    is_over = true;
    pthread_cond_broadcast(&wake);
    pthread_mutex_unlock(&lock);
    Py_BEGIN_ALLOW_THREADS
    pthread_join(waiting, NULL);
    await_exit();
    Py_END_ALLOW_THREADS
}

bool sn_later_looks_run(void) { return is_running; }
