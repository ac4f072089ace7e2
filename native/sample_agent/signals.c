/* The signal, and what the program does with it.
 *
 * The program may set a handler for it, block it, or become another program. For that, the functions of the interpreter that
 * do it are led through ours (../cpython/led_functions.h): the sampling ends before, and that is told. Signals that are not
 * ours do what they would have done without us.
 *
 * Our handler stays for good: a thread that sleeps, or waits for a processor, may still have a signal of ours before it, which
 * would end the program if nobody handled it. What the program installs comes behind ours.
 */
#define _GNU_SOURCE
#include "agent.h"

#include "../cpython/led_functions.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct sigaction before; /* what the signal does without us */
static PyCFunction signal_itself, mask_itself, execv_itself, execve_itself;

/* A signal that was sent by somebody else, or by a breakpoint. */
static void pass_on(int number, siginfo_t *info, void *context) {
    if (before.sa_flags & SA_SIGINFO && before.sa_sigaction) {
        before.sa_sigaction(number, info, context);
    } else if (before.sa_handler == SIG_DFL) {
        sigaction(number, &before, NULL);
        syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number); /* delivered when this handler returns */
    } else if (before.sa_handler != SIG_IGN) {
        before.sa_handler(number);
    }
}

static void on_signal(int number, siginfo_t *info, void *context) {
    int error = errno;
    bool is_late;
    sn_ring_header *ring = sn_sampling_now.ring;
    if (!sn_trigger_is_ours(info, &is_late)) {
        pass_on(number, info, context);
    } else if (ring) {
        sn_ring_note(ring, SN_RING_SIGNALS);
        if (__atomic_load_n(&ring->stop, __ATOMIC_RELAXED)) sn_sampling_end(SN_RING_STOPPED);
        else if (is_late) sn_ring_note(ring, SN_RING_LATE);
        else if (sn_sampling_now.is_polling) sn_poll();
        else sn_take_sample();
    }
    errno = error;
}

static int install(void) {
    struct sigaction ours = {.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK}; /* some stacks are small */
    ours.sa_sigaction = on_signal;
    sigfillset(&ours.sa_mask); /* handlers of the program see a whole stack, as they would without us */
    return sigaction(sn_sampling_now.signal, &ours, &before) ? errno : 0;
}

int sn_signals_begin(void) { return install(); }

static void rest_ns(long ns) {
    struct timespec rest = {0, ns};
    while (nanosleep(&rest, &rest) && errno == EINTR) {}
}

/* The state says already that no more are to be sent. A sender that was killed meanwhile is not waited for. */
static void let_sender_end(const sn_ring_header *ring) {
    for (unsigned i = 0; i < 200 && __atomic_load_n(&ring->sending, __ATOMIC_SEQ_CST); i++) rest_ns(1000000);
}

/* Most signals that are on their way arrive meanwhile. */
static void let_signals_arrive(const sn_ring_header *ring) {
    let_sender_end(ring);
    rest_ns(2000000);
}

static void end_for_program(sn_ring_state why) {
    const sn_ring_header *ring = sn_sampling_now.ring;
    sn_sampling_end(why);
    let_signals_arrive(ring);
}

static PyObject *led_signal(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    bool is_ours = count == 2 && PyLong_Check(arguments[0]) && PyLong_AsLong(arguments[0]) == sn_sampling_now.signal;
    PyErr_Clear();
    if (is_ours && sn_sampling_now.ring) end_for_program(SN_RING_TAKEN);
    PyObject *result = SN_AS(_PyCFunctionFast, signal_itself)(module, arguments, count);
    struct sigaction now;
    /* What it ignores is ignored, in what it becomes, too. */
    if (is_ours && result && !sigaction(sn_sampling_now.signal, NULL, &now) && now.sa_handler != SIG_IGN) install();
    return result;
}

/* If the program waits for signals that it blocks, ours is not to be among them. */
static PyObject *led_mask(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    PyObject *result = SN_AS(_PyCFunctionFast, mask_itself)(module, arguments, count);
    const sn_ring_header *ring = sn_sampling_now.ring;
    sigset_t now;
    if (!result || !ring || pthread_sigmask(SIG_BLOCK, NULL, &now) ||
        !sigismember(&now, sn_sampling_now.signal))
        return result;
    end_for_program(SN_RING_BLOCKED);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, sn_sampling_now.signal);
    const struct timespec at_once = {0, 0};
    while (sigtimedwait(&only, NULL, &at_once) > 0) {}
    return result;
}

static void about_to_be_replaced(void) {
    sn_ring_header *ring = sn_sampling_now.ring;
    if (!ring) return;
    sn_triggers_pause();
    sn_take_end(ring);
    __atomic_store_n(&ring->state, SN_RING_REPLACED, __ATOMIC_SEQ_CST);
    let_sender_end(ring);
}

static PyObject *not_replaced(PyObject *result) {
    if (!sn_sampling_now.ring) return result;
    __atomic_store_n(&sn_sampling_now.ring->state, SN_RING_RUNS, __ATOMIC_RELEASE);
    sn_triggers_go_on();
    return result;
}

static PyObject *led_execv(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    about_to_be_replaced();
    return not_replaced(SN_AS(_PyCFunctionFast, execv_itself)(module, arguments, count));
}

static PyObject *led_execve(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    about_to_be_replaced();
    return not_replaced(SN_AS(_PyCFunctionFastWithKeywords, execve_itself)(module, arguments, count, names));
}

static void lead(const char *module_name, const char *name, int flags, PyCFunction ours, PyCFunction *theirs) {
    PyObject *module = PyImport_ImportModule(module_name);
    if (module) sn_lead_function(module, name, flags, ours, theirs);
    else PyErr_Clear();
    Py_XDECREF(module);
}

void sn_signals_follow_program(void) {
    lead("_signal", "signal", METH_FASTCALL, SN_AS(PyCFunction, led_signal), &signal_itself);
    lead("_signal", "pthread_sigmask", METH_FASTCALL, SN_AS(PyCFunction, led_mask), &mask_itself);
    lead("posix", "execv", METH_FASTCALL, SN_AS(PyCFunction, led_execv), &execv_itself);
    lead("posix", "execve", METH_FASTCALL | METH_KEYWORDS, SN_AS(PyCFunction, led_execve), &execve_itself);
}
