/* A program that replaces itself by another (exec): what it counted ends there, and the spool says so. A program that
 * leaves by `os._exit`, as children of multiprocessing do: nothing of it runs afterwards, not even what is registered
 * for the end.
 *
 * `posix.execv` and `posix.execve`, which all of `os.exec*` come down to, and `posix._exit` are led through functions
 * of ours: their objects stay the same, only what they call changes. An audit hook would be told of them too, but with
 * one in place every audited call (id(), open(), imports) would build its arguments for it.
 *
 * An exec by C code is not seen: such a program ends with its last event if what it becomes is measured, else with its
 * process.
 */
#include "replacing.h"

#include "clock.h"
#include "recording.h"
#include "tasks.h"
#include "thread_base.h"

typedef PyObject *(*fast_function)(PyObject *, PyObject *const *, Py_ssize_t);
typedef PyObject *(*fast_function_with_names)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);

static fast_function execv_itself;
static fast_function_with_names execve_itself, exit_itself;

static void count_up_to_now(void) {
    if (agent.gap) sn_processor_credit_all();
    sn_tasks_up_to_now();
    sn_thread_bases_up_to_now();
}

static void about_to_be_replaced(void) {
    if (!agent.active) return;
    sn_recording_up_to_now();
    count_up_to_now();
    agent.header->replaced_ticks = sn_now();
}

static PyObject *not_replaced(PyObject *result) {
    if (agent.active) agent.header->replaced_ticks = 0;
    return result;
}

static PyObject *told_execv(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    about_to_be_replaced();
    return not_replaced(execv_itself(module, arguments, count));
}

static PyObject *told_execve(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    about_to_be_replaced();
    return not_replaced(execve_itself(module, arguments, count, names));
}

static PyObject *told_exit(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    if (agent.active) count_up_to_now();
    return exit_itself(module, arguments, count, names);
}

/* The definition of a function of a module; NULL when it is not there, or is not called as we would call it. */
static PyMethodDef *definition_of(PyObject *module, const char *name, int flags) {
    PyObject *function = PyObject_GetAttrString(module, name);
    PyMethodDef *definition = NULL;
    if (function && PyCFunction_CheckExact(function)) definition = ((PyCFunctionObject *)function)->m_ml;
    PyErr_Clear();
    Py_XDECREF(function); /* definitions are static */
    return definition && definition->ml_flags == flags ? definition : NULL;
}

void sn_replacing_init(void) {
    PyObject *posix = PyImport_ImportModule("posix");
    if (!posix) {
        PyErr_Clear();
        return;
    }
    PyMethodDef *execv = definition_of(posix, "execv", METH_FASTCALL);
    if (execv) {
        execv_itself = (fast_function)(void (*)(void))execv->ml_meth;
        execv->ml_meth = (PyCFunction)(void (*)(void))told_execv;
    }
    PyMethodDef *execve = definition_of(posix, "execve", METH_FASTCALL | METH_KEYWORDS);
    if (execve) {
        execve_itself = (fast_function_with_names)(void (*)(void))execve->ml_meth;
        execve->ml_meth = (PyCFunction)(void (*)(void))told_execve;
    }
    PyMethodDef *leave = definition_of(posix, "_exit", METH_FASTCALL | METH_KEYWORDS);
    if (leave) {
        exit_itself = (fast_function_with_names)(void (*)(void))leave->ml_meth;
        leave->ml_meth = (PyCFunction)(void (*)(void))told_exit;
    }
    Py_DECREF(posix);
}
