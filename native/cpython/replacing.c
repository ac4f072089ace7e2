/* A program that replaces itself by another (exec): what it counted ends there, and the spool says so. A program that
 * leaves by `os._exit`, as children of multiprocessing do: nothing of it runs afterwards, not even what is registered
 * for the end.
 *
 * `posix.execv` and `posix.execve`, which all of `os.exec*` come down to, and `posix._exit` are led through functions
 * of ours (led_functions.h). An audit hook would be told of them too, but with one in place every audited call (id(),
 * open(), imports) would build its arguments for it.
 *
 * An exec by C code is not seen: such a program ends with its last event if what it becomes is measured, else with its
 * process.
 */
#include "replacing.h"

#include "clock.h"
#include "led_functions.h"
#include "recording.h"
#include "tasks.h"
#include "thread_base.h"

static PyCFunction execv_itself, execve_itself, exit_itself;

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
    return not_replaced(SN_AS(_PyCFunctionFast, execv_itself)(module, arguments, count));
}

static PyObject *told_execve(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    about_to_be_replaced();
    return not_replaced(SN_AS(_PyCFunctionFastWithKeywords, execve_itself)(module, arguments, count, names));
}

static PyObject *told_exit(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    if (agent.active) count_up_to_now();
    return SN_AS(_PyCFunctionFastWithKeywords, exit_itself)(module, arguments, count, names);
}

void sn_replacing_init(void) {
    PyObject *posix = PyImport_ImportModule("posix");
    if (!posix) {
        PyErr_Clear();
        return;
    }
    const int with_names = METH_FASTCALL | METH_KEYWORDS;
    sn_lead_function(posix, "execv", METH_FASTCALL, SN_AS(PyCFunction, told_execv), &execv_itself);
    sn_lead_function(posix, "execve", with_names, SN_AS(PyCFunction, told_execve), &execve_itself);
    sn_lead_function(posix, "_exit", with_names, SN_AS(PyCFunction, told_exit), &exit_itself);
    Py_DECREF(posix);
}
