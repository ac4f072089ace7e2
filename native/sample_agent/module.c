/* The extension module `sonde._sample_agent`: lets the measured process sample its own stacks. See agent.h.
 *
 * It needs nothing else of sonde, so that it can be loaded by its path into any interpreter of its version.
 */
#include "agent.h"

#include <errno.h>
#include <sys/prctl.h>
#include <unistd.h>

sn_sampling sn_sampling_now;

/* Besides that of counters: one that no processor raises, that no program uses, and of which no second one queues. */
static int signal_of(sn_trigger trigger) {
    return trigger == SN_BY_TASK_CLOCK || trigger == SN_BY_CYCLES ? SIGTRAP : SIGSTKFLT;
}

void sn_sampling_end(sn_ring_state why) {
    sn_ring_header *ring = __atomic_exchange_n(&sn_sampling_now.ring, NULL, __ATOMIC_ACQ_REL);
    if (!ring) return; /* it stays mapped: others may be writing */
    if (!sn_triggers_end() && why == SN_RING_ENDED) why = SN_RING_CLOSED;
    sn_take_end(ring);
    __atomic_store_n(&ring->state, (uint32_t)why, __ATOMIC_SEQ_CST);
}

static PyObject *refuse(const char *what, int error) {
    return PyErr_Format(PyExc_OSError, "%s: %s", what, strerror(error));
}

PyDoc_STRVAR(start_doc, "start(folder, trigger, period, ring_bytes, is_polling, follows, launcher, command)\n--\n\n"
                        "Sample this process into a ring in the folder. A period is nanoseconds, or cycles.");

static PyObject *start(PyObject *module, PyObject *arguments) {
    (void)module;
    const char *folder, *command;
    Py_ssize_t command_bytes;
    int trigger, is_polling, follows, launcher, error;
    unsigned long long period, ring_bytes;
    if (!PyArg_ParseTuple(arguments, "yiKKppiy#", &folder, &trigger, &period, &ring_bytes, &is_polling, &follows, &launcher, &command,
                          &command_bytes))
        return NULL;
    if (Py_Version >> 16 != PY_VERSION_HEX >> 16)
        return PyErr_Format(PyExc_ImportError, "the agent was built for Python %s", PY_VERSION);
    if (trigger < 0 || trigger >= SN_TRIGGERS || !period || ring_bytes < 4096 || ring_bytes & (ring_bytes - 1))
        return PyErr_Format(PyExc_ValueError, "no such trigger, period or ring");
    if (is_polling && !sn_polling_is_known)
        return PyErr_Format(PyExc_OSError, "how Python %s keeps its queue of calls with this C library is not known", PY_VERSION);
    if (sn_sampling_now.folder) return PyErr_Format(PyExc_RuntimeError, "the agent is running already");
    if (!sn_own_memory_can_be_read())
        return refuse("the system does not let the program read its memory by process_vm_readv", EPERM);
    sn_sampling_now.trigger = (sn_trigger)trigger;
    sn_sampling_now.period = period;
    sn_sampling_now.ring_bytes = ring_bytes;
    sn_sampling_now.is_polling = is_polling;
    sn_sampling_now.follows = follows;
    sn_sampling_now.launcher = launcher;
    sn_sampling_now.signal = signal_of((sn_trigger)trigger);
    sn_sampling_now.command_bytes = (uint32_t)(command_bytes < SN_RING_COMMAND ? command_bytes : SN_RING_COMMAND);
    memcpy(sn_sampling_now.command, command, sn_sampling_now.command_bytes);
    sn_sampling_now.folder = strdup(folder);
    if (!sn_sampling_now.folder || !sn_known_code_begin()) return PyErr_NoMemory();
    if ((error = sn_ring_open())) return refuse("cannot make the ring for samples", error);
    sn_ring_header *ring = sn_sampling_now.ring;
    if ((error = sn_forks_begin()) || (error = sn_signals_begin())) {
        sn_sampling_now.ring = NULL;
        return refuse("cannot handle the signal", error);
    }
    sn_signals_follow_program();
    sn_thread_starts_begin();
    if ((error = sn_triggers_begin())) {
        sn_sampling_end(SN_RING_STOPPED);
        ring->magic = 0;
        return refuse(trigger == SN_BY_TIMER ? "the system gives no timer for it" : "the system gives no counter for it", error);
    }
    /* As one process with the one that was asked to run it: neither survives a SIGKILL of the other. */
    if (getppid() == launcher) prctl(PR_SET_PDEATHSIG, SIGKILL);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(finish_doc, "finish()\n--\n\nSample no more.");

static PyObject *finish(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    sn_sampling_end(SN_RING_ENDED); /* signals that are on their way still find our handler */
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"start", start, METH_VARARGS, start_doc},
                                {"finish", finish, METH_NOARGS, finish_doc},
                                {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_sample_agent",
                                        .m_doc = "Lets the measured process sample its own stacks.", .m_size = -1,
                                        .m_methods = methods};

PyMODINIT_FUNC PyInit__sample_agent(void) { return PyModule_Create(&definition); }
