/* The extension module `sonde._path_agent`: what counts paths of functions in the measured process.
 *
 * Plain C, and small: it needs nothing else of sonde, so that it can be loaded by its path into any interpreter of its
 * version. What is Python's part (graphs, numbers, rewriting) is in `sonde.instruments.paths.sources.bytecode`.
 */
#include "code_watch.h"
#include "counting.h"
#include "events.h"
#include "probes.h"
#include "shown_code.h"
#include "shown_events.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

PyDoc_STRVAR(start_doc, "start(path, bursts, k, most_nodes, launcher_pid, by_events)\n--\n\nCount paths into a new "
                        "file, while a file of bursts, unless it is empty, says so; by events or by rewritten code.");

static PyObject *start(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *path, *bursts;
    unsigned k;
    unsigned long long most;
    int launcher, by_events;
    if (!PyArg_ParseTuple(arguments, "SSIKip", &path, &bursts, &k, &most, &launcher, &by_events)) return NULL;
    if (Py_Version >> 16 != PY_VERSION_HEX >> 16)
        return PyErr_Format(PyExc_ImportError, "the agent was built for Python %s", PY_VERSION);
    if (counting.open) return PyErr_Format(PyExc_RuntimeError, "the agent is running already");
    if (by_events ? sn_events_begin() : sn_shown_code_begin() || sn_shown_events_begin()) return NULL;
    if (sn_probes_init() || sn_counting_begin(PyBytes_AS_STRING(path), PyBytes_AS_STRING(bursts), k, most)) return NULL;
    /* As one process with the one that was asked to run it: neither survives a SIGKILL of the other. */
    if (getppid() == launcher) prctl(PR_SET_PDEATHSIG, SIGKILL);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(finish_doc, "finish()\n--\n\nCount no more. Paths of which it is not known which "
                         "they were, and activations that had no end.");

static PyObject *finish(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    counting.open = false;
    sn_events_end();
    return Py_BuildValue("(KK)", counting.lost, counting.unended);
}

static PyMethodDef methods[] = {
    {"start", start, METH_VARARGS, start_doc},
    {"finish", finish, METH_NOARGS, finish_doc},
    {"before_code", sn_before_code, METH_O, PyDoc_STR("before_code(callable)\n--\n\nCall it with each code object that "
                                                      "is about to be executed. What it raises is ignored.")},
    {"set_consts", sn_set_consts, METH_VARARGS, PyDoc_STR("set_consts(code, consts)\n--\n\nChange its constants.")},
    {"watch", sn_watch, METH_VARARGS, PyDoc_STR("watch(code, has_jumps, tables)\n--\n\nFollow its paths "
                                                "from its next activation on.")},
#if PY_VERSION_HEX < 0x030E0000 /* there, it is not known how code is rewritten */
    {"show_as", sn_show_as, METH_VARARGS, PyDoc_STR("show_as(code, original, origins)\n--\n\nWhat the program sees of "
                                                    "rewritten code, and of the offsets of its instructions.")},
#endif
    {"routine", sn_routine, METH_VARARGS, PyDoc_STR("routine(number, start)\n--\n\nWhat activations are made of.")},
    {"add", sn_add, METH_VARARGS, PyDoc_STR("add(value)\n--\n\nA probe that adds to the register.")},
    {"emit", sn_emit, METH_VARARGS, PyDoc_STR("emit(value, start)\n--\n\nA probe that ends a path.")},
    {"end", sn_end, METH_VARARGS, PyDoc_STR("end(value)\n--\n\nA probe that ends a path and the activation.")},
    {"whole", sn_whole, METH_VARARGS, PyDoc_STR("whole(number, value)\n--\n\nA probe for an activation of one path.")},
    {"lose", sn_lose, METH_VARARGS, PyDoc_STR("lose(start)\n--\n\nA probe for a path that is not known.")},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_path_agent",
                                        .m_doc = "Counts paths inside the measured process.", .m_size = -1,
                                        .m_methods = methods};

PyMODINIT_FUNC PyInit__path_agent(void) { return PyModule_Create(&definition); }
