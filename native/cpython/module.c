/* The extension module `sonde._agent`: what is loaded into the measured process.
 *
 * It is plain C and small, because its load time is start-up time of the program, and it
 * needs nothing else of sonde, so that it can be loaded by path into any interpreter of its
 * version.
 */
#include "blocks.h"
#include "bursts.h"
#include "calibration.h"
#include "clock.h"
#include "eval_hook.h"
#include "extension_probes.h"
#include "frame_record.h"
#include "functions.h"
#include "monitoring.h"
#include "notes.h"
#include "outer_context.h"
#include "recording.h"
#include "replacing.h"
#include "set_profile.h"
#include "spool.h"
#include "starts.h"
#include "task_hooks.h"
#include "tasks.h"
#include "thread_base.h"
#include "threads.h"
#include "unseen.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static const sn_mechanism mechanisms[] = {
#if PY_VERSION_HEX < 0x030C0000
    {"cpython-eval-hook", sn_eval_hook_start, sn_eval_hook_stop, sn_eval_hook_intact, sn_eval_hook_stop,
     sn_eval_hook_resume},
#else
    {"cpython-monitoring", sn_monitoring_start, sn_monitoring_stop, sn_monitoring_intact, sn_monitoring_stop,
     sn_monitoring_resume},
#endif
    {"cpython-set-profile", sn_set_profile_start, sn_set_profile_stop, sn_set_profile_intact, NULL, NULL},
};

static const sn_mechanism *find_mechanism(const char *name) {
    for (size_t i = 0; i < sizeof mechanisms / sizeof *mechanisms; i++)
        if (!strcmp(mechanisms[i].name, name)) return &mechanisms[i];
    return NULL;
}

PyDoc_STRVAR(start_doc, "start(spool, mechanism, command, timed, builtins, follow, launcher_pid, metric, space_saving, "
                        "counters, nodes, interval_ns, burst_ns, one_in, raw, by_thread, by_line, trace, by_hand=False)\n--\n\n"
                        "Count calls from the program's first frame on, into a new file in the folder `spool`. "
                        "timed: 0 calls only, 1 elapsed time, 2 the time that each thread runs, "
                        "3 and 4 the same, sampled by another process. "
                        "metric: 0 keeps every context; 1 and 2 those that are hot by calls or time. "
                        "interval_ns: 0 watches all the time; one_in: 0 leaves out no burst; "
                        "raw: times include what it costs to watch calls; by_thread: threads have trees of their own; "
                        "by_line: another process may sample which lines run; "
                        "trace: empty records none. "
                        "by_hand: nothing is watched before `watch`, and in turns with `pause`.");

enum { SN_OF_PROCESSOR = 2, SN_SAMPLED = 3, SN_SAMPLED_OF_PROCESSOR = 4 }; /* `timed` of start */

static PyObject *start(PyObject *module, PyObject *arguments) {
    const char *spool, *name, *command, *trace;
    int timed, builtins, follow, launcher, metric, space_saving, raw, by_thread, by_line, by_hand = 0;
    unsigned counters, one_in;
    unsigned long long nodes, interval_ns, length_ns;
    if (!PyArg_ParseTuple(arguments, "ysyippiipIKKKIpppy|p", &spool, &name, &command, &timed, &builtins, &follow, &launcher,
                          &metric, &space_saving, &counters, &nodes, &interval_ns, &length_ns, &one_in, &raw,
                          &by_thread, &by_line, &trace, &by_hand))
        return NULL;
    if (metric < SN_METRIC_NONE || metric > SN_METRIC_TIME || (metric && (!counters || !nodes)))
        return PyErr_Format(PyExc_ValueError, "no such metric, or no counters or nodes for it");
    if (agent.active) return PyErr_Format(PyExc_RuntimeError, "the agent is running already");
    const sn_mechanism *mechanism = find_mechanism(name);
    if (!mechanism) return PyErr_Format(PyExc_ValueError, "no mechanism '%s' in this Python", name);
    if (timed < 0 || timed > SN_SAMPLED_OF_PROCESSOR || (timed >= SN_OF_PROCESSOR && *trace))
        return PyErr_Format(PyExc_ValueError, "no such time, or a trace cannot have it: it has one clock for all threads");
    if (interval_ns && (!mechanism->pause || !metric || timed >= SN_SAMPLED))
        return PyErr_Format(PyExc_ValueError, "the mechanism '%s' cannot be had in bursts, or the tree is exact", name);
    if (by_hand && (!mechanism->pause || metric || interval_ns || *trace || timed > 1 || follow))
        return PyErr_Format(PyExc_ValueError, "the mechanism '%s' cannot be had in blocks, or not with the rest", name);
    if (agent.detached) { /* what a fork has left us of its parent's */
        sn_threads_forget();
        sn_functions_forget();
        agent.detached = false;
    }
    agent.has_tracer = false;
    agent.mechanism = mechanism;
    agent.bursts.by_hand = false;
    agent.bursts.interval_ns = interval_ns;
    agent.bursts.length_ns = length_ns;
    agent.bursts.one_in = one_in;
    agent.plan = (sn_hot_plan){(sn_metric)metric, space_saving, counters, nodes};
    agent.spool = strdup(spool);
    if (!agent.spool) return PyErr_NoMemory();
    agent.builtins = builtins;
    agent.follow = follow;
    agent.sampled = timed >= SN_SAMPLED;
    agent.of_processor = timed == SN_SAMPLED_OF_PROCESSOR;
    agent.clock = !timed || agent.sampled ? SN_CLOCK_NONE : sn_ticks_steady() ? SN_CLOCK_TSC : SN_CLOCK_MONOTONIC;
    agent.tick_mask = *trace && agent.clock != SN_CLOCK_NONE ? ~UINT64_C(31) : ~UINT64_C(0);
    if (sn_threads_init()) return NULL;
    uint64_t gap = timed == SN_OF_PROCESSOR ? sn_processor_gap_ticks() : 0;
    if (timed == SN_OF_PROCESSOR && !gap) return PyErr_SetFromErrno(PyExc_OSError);
    agent.gap = gap ? INT64_MAX : 0; /* the cost of asking is not that of watching */
    agent.by_line = by_line;
    agent.starts_only = PY_VERSION_HEX >= 0x030C0000 && mechanism == mechanisms && sn_starts_suffice();
    if (!raw && timed) sn_calibrate();
    agent.gap = gap;
    agent.by_thread = by_thread;
    if (sn_spool_open() || (*trace && sn_recording_start(trace, command))) return NULL;
    const char *text[4] = {command, PY_VERSION, mechanism->name, NULL};
    uint32_t number[4] = {0};
    uint32_t length[4] = {(uint32_t)strlen(text[0]), (uint32_t)strlen(text[1]), (uint32_t)strlen(text[2]), 0};
    if (!sn_cells_record(&agent.cells, SN_RECORD_PROCESS, number, text, length)) return PyErr_NoMemory();
    if ((by_line || agent.sampled) && !sn_frame_record()) return PyErr_NoMemory();
    if (sn_functions_init() || sn_spool_register_fork(module)) return NULL;
    if (by_hand) {
        agent.bursts.by_hand = agent.begun = true;
        agent.bursts.weight = 1;
    } else {
        sn_replacing_init();
        sn_task_hooks_init();
    }
    /* As one process with the one that was asked to run it: neither survives a SIGKILL of the other. */
    if (getppid() == launcher) prctl(PR_SET_PDEATHSIG, SIGKILL);
    agent.active = true;
    if (mechanism->start()) {
        agent.active = false;
        return NULL;
    }
    if (by_hand) return sn_block_pause(module, NULL);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(stop_doc, "stop()\n--\n\nStop counting, for good.");

static PyObject *stop(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    if (!agent.active) Py_RETURN_NONE;
    sn_bursts_pause();
    agent.active = false;
    agent.mechanism->stop();
    sn_set_profile_stop();
    Py_RETURN_NONE;
}

PyDoc_STRVAR(finish_doc, "finish()\n--\n\nSay in the spool that the program came to its end, and whether "
                         "anything kept us from seeing it all.");

static PyObject *finish(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    if (!agent.active) Py_RETURN_NONE;
    sn_bursts_pause();
#if PY_VERSION_HEX >= 0x030C0000
    sn_monitoring_look_for_tracer();
#endif
    if (!agent.mechanism->intact() && !sn_set_profile_intact())
        sn_note("hook-removed", 1,
                "the program replaced or removed sonde's hook (sys.setprofile, sys.monitoring or a frame "
                "evaluator): calls after that were not counted");
    if (agent.gap) sn_processor_credit_all();
    sn_tasks_up_to_now();
    sn_thread_bases_up_to_now();
    agent.header->end_ticks = sn_now();
    if (agent.trace_path) {
        /* What is counted and what is recorded are to be the same: both end here. */
        sn_recording_finish();
        return stop(module, NULL);
    }
    Py_RETURN_NONE;
}

static PyObject *is_running(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    return PyBool_FromLong(agent.active);
}

PyDoc_STRVAR(available_doc, "available()\n--\n\nNames of the mechanisms in this build, best first.");

static PyObject *available(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    size_t count = sizeof mechanisms / sizeof *mechanisms;
    PyObject *names = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; names && i < count; i++) {
        PyObject *name = PyUnicode_FromString(mechanisms[i].name);
        if (!name) Py_CLEAR(names);
        else PyTuple_SET_ITEM(names, (Py_ssize_t)i, name);
    }
    return names;
}

PyDoc_STRVAR(recommended_doc, "recommended(builtins)\n--\n\nName of the fastest mechanism that sees what is asked for.");

static PyObject *recommended(PyObject *module, PyObject *builtins) {
    (void)module;
    bool fastest = true;
#if PY_VERSION_HEX < 0x030C0000
    /* A frame evaluator sees no C functions; the profile function does. */
    fastest = !PyObject_IsTrue(builtins);
#else
    (void)builtins;
#endif
    return PyUnicode_FromString(mechanisms[fastest ? 0 : 1].name);
}

PyDoc_STRVAR(when_doc, "when_first_called(file_end, name, callable)\n--\n\n"
                       "Call the callable, unseen, before a function of that qualified name, in a file whose path ends so, is "
                       "called for the first time.");
PyDoc_STRVAR(around_doc, "around(before, callable, after)\n--\n\n"
                         "A method that calls the callable, and before and after it, unseen, what else is given, with the same "
                         "arguments, without keywords; None: nothing, whose result is None. What these raise is ignored.");
PyDoc_STRVAR(outer_doc, "outer_context()\n--\n\nAddresses of `sn_outer_enter` and `sn_outer_leave`.");

static PyObject *outer_context(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    sn_outer_make_room();
    return Py_BuildValue("(NN)", PyLong_FromVoidPtr((void *)(uintptr_t)sn_outer_enter),
                         PyLong_FromVoidPtr((void *)(uintptr_t)sn_outer_leave));
}

static PyMethodDef methods[] = {{"start", start, METH_VARARGS, start_doc},
                                {"stop", stop, METH_NOARGS, stop_doc},
                                {"finish", finish, METH_NOARGS, finish_doc},
                                {"is_running", is_running, METH_NOARGS, NULL},
                                {"watch", sn_block_watch, METH_O, NULL},
                                {"pause", sn_block_pause, METH_NOARGS, NULL},
                                {"mark", sn_block_mark, METH_O, NULL},
                                {"when_first_called", sn_when_first_called, METH_VARARGS, when_doc},
                                {"around", sn_around, METH_VARARGS, around_doc},
                                {"outer_context", outer_context, METH_NOARGS, outer_doc},
                                {"expect_probes", sn_expect_probes, METH_VARARGS, NULL},
                                {"has_probes", sn_has_probes, METH_O, NULL},
                                {"recommended", recommended, METH_O, recommended_doc},
                                {"available", available, METH_NOARGS, available_doc},
                                {"before_fork", sn_before_fork, METH_NOARGS, NULL},
                                {"after_fork_parent", sn_after_fork_parent, METH_NOARGS, NULL},
                                {"after_fork_child", sn_after_fork_child, METH_NOARGS, NULL},
                                {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "_agent", .m_doc = "Counts calls inside the measured process.", .m_size = -1,
    .m_methods = methods};

PyMODINIT_FUNC PyInit__agent(void) { return PyModule_Create(&definition); }
