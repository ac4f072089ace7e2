/* The extension module `sonde._phase_agent`: what watches phases in the measured process.
 *
 * Plain C, and small: it needs nothing else of sonde, so that it can be loaded by its path into any interpreter of its
 * version. Which functions are watched is decided by sonde, before.
 */
#include "online.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

sn_phase_agent agent;
static bool counts_allocations;

static int add_counters(sn_counter_set *set, PyObject *names) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++) {
        const char *name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, i));
        if (!name) return -1;
        if (!sn_counter_set_add(set, name)) {
            PyErr_Format(PyExc_ValueError, "the agent cannot count '%s'", name);
            return -1;
        }
    }
    return 0;
}

static int watch_functions(PyObject *functions) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(functions); i++) {
        unsigned number;
        int line;
        PyObject *file, *name;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(functions, i), "IiUU", &number, &line, &file, &name) ||
            sn_watched_add(number, line, file, name))
            return -1;
    }
    return 0;
}

PyDoc_STRVAR(start_doc, "start(folder, counters, functions, most_bytes, launcher_pid, grain, least_ns)\n--\n\nWatch functions: "
                        "(number, first line, file or '', qualified name) of each; with a grain of 0 or more, others "
                        "while their calls are long enough. Each thread writes a file.");

static PyObject *start(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *folder, *counters, *functions;
    unsigned long long most_bytes;
    int launcher;
    if (!PyArg_ParseTuple(arguments, "SO!O!Kidd", &folder, &PyTuple_Type, &counters, &PyTuple_Type, &functions,
                          &most_bytes, &launcher, &agent.grain, &agent.least_ns))
        return NULL;
    if (Py_Version >> 16 != PY_VERSION_HEX >> 16)
        return PyErr_Format(PyExc_ImportError, "the agent was built for Python %s", PY_VERSION);
    if (agent.open) return PyErr_Format(PyExc_RuntimeError, "the agent is running already");
    if ((size_t)PyBytes_GET_SIZE(folder) >= sizeof agent.plan.folder)
        return PyErr_Format(PyExc_ValueError, "the path of the folder is too long");
    strcpy(agent.plan.folder, PyBytes_AS_STRING(folder));
    agent.plan.most_bytes = most_bytes;
    agent.is_online = agent.grain >= 0;
    if (add_counters(&agent.plan.counters, counters) || watch_functions(functions)) return NULL;
    sn_phase_plan_complete(&agent.plan);
    agent.start_ticks = sn_phase_now(&agent.plan);
    if (sn_threads_begin()) return NULL;
    counts_allocations = sn_counter_set_has(&agent.plan.counters, "allocations") ||
                         sn_counter_set_has(&agent.plan.counters, "allocated-bytes");
    if (counts_allocations && sn_allocations_begin()) return NULL;
    if (sn_collections_begin() || sn_hooks_begin()) return NULL;
    /* As one process with the one that was asked to run it: neither survives a SIGKILL of the other. */
    if (getppid() == launcher) prctl(PR_SET_PDEATHSIG, SIGKILL);
    agent.open = true;
    if (agent.is_online) sn_later_looks_begin();
    Py_RETURN_NONE;
}

PyDoc_STRVAR(finish_doc, "finish()\n--\n\nWatch no more.");

static PyObject *finish(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    if (agent.open) sn_threads_end_here();
    agent.open = false;
    sn_later_looks_end();
    sn_hooks_end();
    sn_collections_end();
    if (counts_allocations) sn_allocations_end();
    Py_RETURN_NONE;
}

PyDoc_STRVAR(available_doc, "available(counters)\n--\n\nWhere each is from on this machine, as a number; 0: nowhere.");

static PyObject *available(PyObject *module, PyObject *names) {
    (void)module;
    sn_counter_set set = {0};
    sn_thread_counters own;
    uint8_t source[SN_MOST_COUNTERS] = {0};
    if (!PyTuple_Check(names)) return PyErr_Format(PyExc_TypeError, "counters are a tuple");
    if (add_counters(&set, names)) return NULL;
    sn_counters_begin(&own, &set, source);
    sn_counters_end(&own);
    return PyBytes_FromStringAndSize((const char *)source, (Py_ssize_t)set.count);
}

static PyMethodDef methods[] = {{"start", start, METH_VARARGS, start_doc},
                                {"available", available, METH_O, available_doc},
                                {"finish", finish, METH_NOARGS, finish_doc},
                                {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_phase_agent",
                                        .m_doc = "Watches phases inside the measured process.", .m_size = -1,
                                        .m_methods = methods};

PyMODINIT_FUNC PyInit__phase_agent(void) { return PyModule_Create(&definition); }
