/* Being told of tasks: functions of C that coroutines, futures and tasks come down to are led through ours.
 *
 * As in led_functions.h, objects stay the same, only what they call changes: a program sees the same types, methods and
 * task factories, and subclasses of its own work as ever. What is led through is
 *
 *     when a task is made          Task.tp_init, and its wrapper `Task.__init__`
 *     when its memory is freed     Task.tp_dealloc
 *     each step                    the slot am_send of coroutines, and coroutine.throw (cancellation)
 *     when it can go on            Future.set_result, set_exception and cancel
 *
 * A coroutine that no such task runs (trio, a task written in Python, a generator) is left alone, and nothing is said of it.
 */
#include "task_hooks.h"

#include "led_functions.h"
#include "tasks.h"

#include <string.h>

static PySendResult (*send_itself)(PyObject *, PyObject *, PyObject **);
static _PyCFunctionFast throw_itself;
static initproc init_itself;
static destructor dealloc_itself;

static PySendResult told_send(PyObject *coroutine, PyObject *value, PyObject **result) {
    sn_step step = {SN_NO_TASK, 0};
    if (agent.active) step = sn_step_begin(coroutine);
    PySendResult how = send_itself(coroutine, value, result);
    if (step.task != SN_NO_TASK) sn_step_end(step, how, how == PYGEN_NEXT ? *result : NULL);
    return how;
}

static PyObject *told_throw(PyObject *coroutine, PyObject *const *arguments, Py_ssize_t count) {
    sn_step step = {SN_NO_TASK, 0};
    if (agent.active) step = sn_step_begin(coroutine);
    PyObject *result = throw_itself(coroutine, arguments, count);
    bool has_returned = !result && PyErr_ExceptionMatches(PyExc_StopIteration);
    PySendResult how = result ? PYGEN_NEXT : has_returned ? PYGEN_RETURN : PYGEN_ERROR;
    if (step.task != SN_NO_TASK) sn_step_end(step, how, result);
    return result;
}

static int told_init(PyObject *self, PyObject *arguments, PyObject *names) {
    PyObject *coroutine = PyTuple_GET_SIZE(arguments) ? PyTuple_GET_ITEM(arguments, 0) : NULL;
    if (!coroutine && names) coroutine = PyDict_GetItemString(names, "coro");
    if (agent.active && coroutine) sn_task_born(self, coroutine); /* it may begin at once (eager_start) */
    int status = init_itself(self, arguments, names);
    if (status) sn_task_gone(self);
    return status;
}

static void told_dealloc(PyObject *self) {
    sn_task_gone(self);
    dealloc_itself(self);
}

enum { SET_RESULT, SET_EXCEPTION, CANCEL, METHODS };

static const char *const method_names[METHODS] = {"set_result", "set_exception", "cancel"};
static PyCFunction itself[METHODS];

/* One for each way in which methods are called. */
#define TOLD(name, method)                                                                                             \
    static PyObject *name##_with_one(PyObject *self, PyObject *argument) {                                             \
        if (agent.active) sn_future_done(self);                                                                        \
        return itself[method](self, argument);                                                                         \
    }                                                                                                                  \
    static PyObject *name##_with_names(PyObject *self, PyObject *const *arguments, Py_ssize_t count,                   \
                                       PyObject *names) {                                                              \
        if (agent.active) sn_future_done(self);                                                                        \
        return SN_AS(_PyCFunctionFastWithKeywords, itself[method])(self, arguments, count, names);                     \
    }                                                                                                                  \
    static PyObject *name##_with_class(PyObject *self, PyTypeObject *type, PyObject *const *arguments, size_t count,   \
                                       PyObject *names) {                                                              \
        if (agent.active) sn_future_done(self);                                                                        \
        return SN_AS(PyCMethod, itself[method])(self, type, arguments, count, names);                                  \
    }

TOLD(told_set_result, SET_RESULT)
TOLD(told_set_exception, SET_EXCEPTION)
TOLD(told_cancel, CANCEL)

#define ALL_OF(name) \
    {name##_with_one, SN_AS(PyCFunction, name##_with_names), SN_AS(PyCFunction, name##_with_class)}
static const PyCFunction told[METHODS][3] = {ALL_OF(told_set_result), ALL_OF(told_set_exception), ALL_OF(told_cancel)};

static PyMethodDef *method_of(const PyTypeObject *type, const char *name) {
    for (PyMethodDef *method = type->tp_methods; method && method->ml_name; method++)
        if (!strcmp(method->ml_name, name)) return method;
    return NULL;
}

static int way_of(const PyMethodDef *method) {
    if (!method) return -1;
    switch (method->ml_flags) {
    case METH_O: return 0;
    case METH_FASTCALL | METH_KEYWORDS: return 1;
    case METH_METHOD | METH_FASTCALL | METH_KEYWORDS: return 2;
    default: return -1;
    }
}

static bool lead_coroutines(void) {
    PyMethodDef *throwing = method_of(&PyCoro_Type, "throw");
    const PyAsyncMethods *theirs = PyCoro_Type.tp_as_async;
    if (!throwing || throwing->ml_flags != METH_FASTCALL || !theirs || !theirs->am_send) return false;
    static PyAsyncMethods ours;
    ours = *theirs;
    send_itself = ours.am_send;
    ours.am_send = told_send;
    throw_itself = SN_AS(_PyCFunctionFast, throwing->ml_meth);
    throwing->ml_meth = SN_AS(PyCFunction, told_throw);
    PyCoro_Type.tp_as_async = &ours;
    return true;
}

static void lead_tasks(PyTypeObject *type, PyObject *init) {
    init_itself = type->tp_init;
    dealloc_itself = type->tp_dealloc;
    type->tp_init = told_init;
    type->tp_dealloc = told_dealloc;
    ((PyWrapperDescrObject *)init)->d_wrapped = (void *)told_init;
}

static void lead(PyTypeObject *task_type, PyTypeObject *future_type) {
    PyObject *init = _PyType_Lookup(task_type, PyUnicode_InternFromString("__init__")); /* borrowed */
    PyObject *naming = PyObject_GetAttrString((PyObject *)task_type, "get_name");
    PyMethodDef *methods[METHODS];
    bool is_known = init && Py_IS_TYPE(init, &PyWrapperDescr_Type) && PyDescr_TYPE(init) == task_type && naming;
    for (int i = 0; i < METHODS; i++) {
        methods[i] = method_of(future_type, method_names[i]);
        is_known = is_known && way_of(methods[i]) >= 0;
    }
    if (is_known && lead_coroutines()) {
        for (int i = 0; i < METHODS; i++) {
            itself[i] = methods[i]->ml_meth;
            methods[i]->ml_meth = told[i][way_of(methods[i])];
        }
        sn_tasks_named_by(naming);
        lead_tasks(task_type, init);
    }
    PyErr_Clear();
    Py_XDECREF(naming);
}

static void look_at(PyObject *module) {
    static bool is_led;
    const char *name = PyModule_Check(module) ? PyModule_GetName(module) : NULL;
    if (!name || is_led || strcmp(name, "_asyncio")) {
        PyErr_Clear();
        return;
    }
    PyObject *task_type = PyObject_GetAttrString(module, "Task"), *future_type = PyObject_GetAttrString(module, "Future");
    if (task_type && future_type && PyType_Check(task_type) && PyType_Check(future_type)) {
        is_led = true;
        lead((PyTypeObject *)task_type, (PyTypeObject *)future_type);
    }
    PyErr_Clear();
    Py_XDECREF(future_type);
    Py_XDECREF(task_type);
}

/* Modules of C come to be in one of these two. */
static PyCFunction dynamic_itself, builtin_itself;

static PyObject *told_of_module(PyCFunction run, PyObject *imp, PyObject *module) {
    PyObject *done = run(imp, module);
    if (done && agent.active) look_at(module);
    return done;
}

static PyObject *told_exec_dynamic(PyObject *imp, PyObject *module) {
    return told_of_module(dynamic_itself, imp, module);
}

static PyObject *told_exec_builtin(PyObject *imp, PyObject *module) {
    return told_of_module(builtin_itself, imp, module);
}

void sn_task_hooks_init(void) {
    PyObject *imp = PyImport_ImportModule("_imp");
    if (imp) {
        sn_lead_function(imp, "exec_dynamic", METH_O, told_exec_dynamic, &dynamic_itself);
        sn_lead_function(imp, "exec_builtin", METH_O, told_exec_builtin, &builtin_itself);
    }
    PyErr_Clear();
    Py_XDECREF(imp);
}
