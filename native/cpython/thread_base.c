#define _GNU_SOURCE
#include "thread_base.h"

#include "functions.h"

#include <string.h>
#include <unistd.h>

static uint32_t base_count;
static sn_context *of_further_threads;

/* What Python calls a thread: `Thread._bootstrap`, in which all of them begin, has the thread as its argument. A new
 * reference, or NULL. Runs nothing of the program's: neither properties, nor finalizers. */
static PyObject *name_of_thread(const sn_frame *outermost) {
    if (!outermost) return NULL;
    const PyCodeObject *code = (const PyCodeObject *)sn_frame_executable(outermost);
    PyObject *globals = outermost->f_globals;
    if (code->co_argcount != 1 || PyUnicode_CompareWithASCIIString(code->co_qualname, "Thread._bootstrap")) return NULL;
    PyObject *module = globals && PyDict_CheckExact(globals) ? PyDict_GetItemString(globals, "__name__") : NULL;
    if (!module || !PyUnicode_Check(module) || PyUnicode_CompareWithASCIIString(module, "threading")) return NULL;
#if PY_VERSION_HEX >= 0x030E0000
    PyObject *thread = PyStackRef_AsPyObjectBorrow(outermost->localsplus[0]);
#else
    PyObject *thread = outermost->localsplus[0];
#endif
    int collecting = PyGC_Disable(); /* a dictionary that is made may set off a collection */
    PyObject *attributes = thread ? PyObject_GenericGetDict(thread, NULL) : NULL;
    PyObject *name = attributes && PyDict_CheckExact(attributes) ? PyDict_GetItemString(attributes, "_name") : NULL;
    name = name && PyUnicode_CheckExact(name) ? Py_NewRef(name) : NULL;
    Py_XDECREF(attributes);
    if (collecting) PyGC_Enable();
    return name;
}

/* What the interpreter began with has no Thread in its frames. */
static PyObject *name_of_main_thread(void) { return getpid() == gettid() ? PyUnicode_FromString("MainThread") : NULL; }

static sn_context *new_base(PyObject *name) {
    uint32_t function = sn_function_of_thread(name, base_count + 1);
    if (function == SN_NO_FUNCTION) return NULL;
    sn_context *base = sn_hot_add(&agent.hot, agent.hot.root, sn_dead_key(function), SN_BASE, function, false);
    base_count += base != NULL;
    return base;
}

sn_context *sn_thread_base(const sn_frame *outermost) {
    if (of_further_threads) return of_further_threads;
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    bool is_last = base_count == SN_MOST_BASES - 1;
    PyObject *name = is_last ? PyUnicode_FromString("(further threads)") : name_of_thread(outermost);
    if (!name) name = name_of_main_thread();
    sn_context *base = new_base(name);
    if (is_last) of_further_threads = base;
    Py_XDECREF(name);
    PyErr_Restore(type, value, trace);
    return base;
}
