/* Tasks of asyncio: how long each ran, awaited, and was ready but had to wait for its loop. */
#ifndef SONDE_TASKS_H
#define SONDE_TASKS_H

#include "agent.h"

#define SN_NO_TASK UINT32_MAX

/* A step of a task that goes on; none if `task` is SN_NO_TASK. */
typedef struct {
    uint32_t task, generation;
} sn_step;

/* A task is made that will run a coroutine. */
void sn_task_born(PyObject *task, PyObject *coroutine);
/* The memory of a task is given back. */
void sn_task_gone(PyObject *task);
/* A coroutine is resumed; most are none of a task, but awaited by another one. */
sn_step sn_step_begin(PyObject *coroutine);
/* `yielded`: the future that is awaited now, None for a moment; NULL: the coroutine has ended, as `how` says. */
void sn_step_end(sn_step step, PySendResult how, PyObject *yielded);
/* Whoever awaits the future can go on. */
void sn_future_done(PyObject *future);
/* Tasks that live have lived until now. */
void sn_tasks_up_to_now(void);
/* The child of a fork has no tasks. */
void sn_tasks_after_fork(void);
/* What tells the names of tasks: a method of their type. */
void sn_tasks_named_by(PyObject *get_name);

#endif
