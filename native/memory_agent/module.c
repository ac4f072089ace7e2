/* The extension module `sonde._memory_agent`: what is loaded into the measured Python.
 *
 * It is plain C and small, and needs nothing else of sonde, so that it can be loaded by path into any interpreter of
 * its version. Outside of sonde's tool `start` does nothing at all.
 */
#include "agent.h"

#include <string.h>

static bool closes_at_end, active;

static PyObject *finish(PyObject *self, PyObject *unused) {
    (void)self, (void)unused;
    if (closes_at_end) sn_close_window();
    sn_pause();
    sn_tell_types(); /* those that the program made: the tool knows them by their short names */
    sn_resume();
    Py_RETURN_NONE;
}

static PyMethodDef finish_method = {"sonde_ends", finish, METH_NOARGS, NULL};

/* atexit calls last what was registered first: after the program's own functions, when its threads have ended. */
static int finish_at_exit(void) {
    PyObject *modules = PyImport_GetModuleDict();
    bool was_there = PyDict_GetItemString(modules, "atexit");
    PyObject *atexit = PyImport_ImportModule("atexit");
    PyObject *function = atexit ? PyCFunction_New(&finish_method, NULL) : NULL;
    PyObject *done = function ? PyObject_CallMethod(atexit, "register", "O", function) : NULL;
    if (done && !was_there && PyDict_DelItemString(modules, "atexit")) PyErr_Clear();
    Py_XDECREF(function);
    Py_XDECREF(atexit);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

PyDoc_STRVAR(start_doc, "start(window, collections)\n--\n\n"
                        "Tell the tool around this process, if there is one, what is in it from now on. "
                        "window: program, manual or all.");

static PyObject *start(PyObject *module, PyObject *arguments) {
    (void)module;
    const char *window;
    int collections;
    if (!PyArg_ParseTuple(arguments, "sp", &window, &collections)) return NULL;
    bool program = !strcmp(window, "program"), all = !strcmp(window, "all");
    if (!program && !all && strcmp(window, "manual"))
        return PyErr_Format(PyExc_ValueError, "no window '%s': it is program, manual or all", window);
    if (Py_Version >> 16 != PY_VERSION_HEX >> 16)
        return PyErr_Format(PyExc_ImportError, "the agent was built for Python %s", PY_VERSION);
    if (active || sn_ask(0, SN_UNDER_TOOL, 0, 0, 0, 0, 0) != 1) Py_RETURN_NONE;
    active = true;
    sn_pause();
    int failed = finish_at_exit() || (collections && sn_watch_collections()) || (program && sn_wait_for_program());
    if (!failed) {
        closes_at_end = program;
        sn_tell_own_code();
        sn_tell_layout();
        sn_find_thread_states();
        sn_tell(SN_THREAD_STATE, (uint64_t)(uintptr_t)sn_thread_state(), 0, 0, 0, 0);
        sn_hook_allocators();
        if (!program) sn_tell_everything(); /* for windows that C code opens */
    }
    sn_resume();
    if (failed) return NULL;
    if (all) sn_open_window(false);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(open_window_doc,
             "open_window()\n--\n\nCount memory accesses from here on. Without sonde's tool, nothing.");

static PyObject *open_window(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    sn_open_window(active);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(close_window_doc,
             "close_window()\n--\n\nCount no more memory accesses. Without sonde's tool, nothing.");

static PyObject *close_window(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    sn_close_window();
    Py_RETURN_NONE;
}

PyDoc_STRVAR(pause_doc, "pause()\n--\n\nWhat this thread does from here on is not the program's. Nests.");

static PyObject *pause_thread(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    sn_pause();
    Py_RETURN_NONE;
}

PyDoc_STRVAR(resume_doc, "resume()\n--\n\nEnd what pause() began.");

static PyObject *resume_thread(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    sn_resume();
    Py_RETURN_NONE;
}

PyDoc_STRVAR(code_loaded_doc, "code_loaded(address, size, name, number)\n--\n\n"
                              "There is machine code now. number: in the list of whoever loaded it.");
PyDoc_STRVAR(code_unloaded_doc, "code_unloaded(address)\n--\n\nThe code that begins at address is there no more.");
PyDoc_STRVAR(program_window_doc,
             "program_window(own)\n--\n\n"
             "Addresses of two C functions: void (int, char **, char **) opens the window, void (void) closes it. "
             "own: address and size of code that is not the program's.");
PyDoc_STRVAR(finder_doc, "finder(name, find_spec)\n--\n\n"
                         "A find_spec for sys.meta_path that calls the given one for the module of that name only.");

static PyMethodDef methods[] = {
    {"start", start, METH_VARARGS, start_doc},
    {"open_window", open_window, METH_NOARGS, open_window_doc},
    {"close_window", close_window, METH_NOARGS, close_window_doc},
    {"pause", pause_thread, METH_NOARGS, pause_doc},
    {"resume", resume_thread, METH_NOARGS, resume_doc},
    {"code_loaded", sn_code_loaded, METH_VARARGS, code_loaded_doc},
    {"code_unloaded", sn_code_unloaded, METH_O, code_unloaded_doc},
    {"program_window", sn_program_window, METH_O, program_window_doc},
    {"finder", sn_finder, METH_VARARGS, finder_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        .m_name = "sonde._memory_agent",
                                        .m_doc = "Tells sonde's Valgrind tool about this interpreter.",
                                        .m_size = 0,
                                        .m_methods = methods,
                                        .m_slots = slots};

PyMODINIT_FUNC PyInit__memory_agent(void) { return PyModuleDef_Init(&definition); }
