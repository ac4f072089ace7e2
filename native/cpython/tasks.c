/* Tasks: what is known of each while it lives, and the sums over those that are alike, which are in the spool.
 *
 *     made     ready    step         awaits        done: ready    step
 *      |---------------|------------|--------------|-------------|------ ...
 *                ready      run         awaited         ready
 *
 * Each moment between the making of a task and its end is in one of the three, by one clock: the program's, which does not go
 * on while it is watched.
 */
#include "tasks.h"

#include "awaited.h"
#include "clock.h"
#include "functions.h"
#include "threads.h"

#include "../core/base/address_map.h"
#include "../core/base/thread_local.h"
#include "../core/contexts/task_record.h"

#include <stdlib.h>
#include <string.h>

#define MOST_GROUPS 2048u  /* of tasks; further ones have no name, or are one group */
#define MOST_AWAITS 16384u /* places that are told apart */
#define LONGEST_NAME 256u
#define NONE UINT32_MAX

/* The loop of a thread. Never given back: tasks may outlive their thread. */
typedef struct loop {
    struct loop *next;
    uint64_t since; /* tick since which it has had tasks */
    uint32_t live, steps; /* steps: within one another */
    uint64_t step_began;
} loop;

typedef struct {
    PyObject *self, *coroutine; /* borrowed; NULL: the slot is free, or the coroutine has ended */
    PyObject *future;           /* borrowed: the task keeps it alive while it awaits it; NULL: none */
    uint32_t next_waiter;       /* of the same future, or next free slot */
    sn_task_counts *group;      /* NULL before the first step */
    sn_await_counts *await;     /* NULL: not told apart */
    loop *loop;
    sn_place made_at, goes_on_at;
    uint64_t born, since, ready_since; /* ready_since: 0, what it awaits is not there */
    bool runs;
} task;

typedef struct {
    uint64_t identity; /* hash of what makes it what it is */
    void *counts;
} summed;

static task *tasks;
static uint32_t task_room, first_free = NONE, generation;
static sn_address_map task_of_self, task_of_coroutine, waiters; /* waiters: the first task that awaits a future */
static summed *groups, *awaits;
static uint32_t group_count, await_count;
static sn_address_map group_of, await_of;
static sn_loop_counts *all_loops;
static loop *loops;
static _Thread_local loop *loop_here SN_STATIC_TLS;
static uint64_t latest;
static PyObject *get_name;

void sn_tasks_named_by(PyObject *method) { get_name = Py_NewRef(method); }

static uint64_t now(void) {
    uint64_t shown = sn_now();
    if ((int64_t)(shown - latest) > 0) latest = shown;
    return latest;
}

/* Watching is none of the program's time. */
static void take_out_since(uint64_t running) {
    if (agent.costs.enter && sn_thread_here) sn_clock_take_out_since(running, sn_thread_here);
}

static void *new_record(sn_record_kind kind, const uint32_t number[4], const void *counts, size_t bytes, PyObject *name) {
    Py_ssize_t size = 0;
    const char *text = name ? PyUnicode_AsUTF8AndSize(name, &size) : NULL;
    if (!text) {
        PyErr_Clear(); /* a name that is no text */
        size = 0;
    }
    uint32_t length[4] = {(uint32_t)bytes, size > LONGEST_NAME ? LONGEST_NAME : (uint32_t)size, 0, 0};
    const char *texts[4] = {counts, text, NULL, NULL};
    return sn_cells_add_record(&agent.cells, kind, number, texts, length);
}

/* The counts of what is described by `words` and `name`; NULL when there is no room. */
static void *counts_of(summed **all, uint32_t *count, uint32_t most, sn_address_map *places, sn_record_kind kind,
                       const uint32_t words[4], size_t bytes, PyObject *name) {
    static const uint8_t zeros[sizeof(sn_task_counts)];
    uint64_t identity = 14695981039346656037u; /* FNV-1a; of 64 bits, so that two being one is not to be feared */
    for (int i = 0; i < 4; i++) identity = (identity ^ words[i]) * 1099511628211u;
    for (Py_ssize_t i = 0; name && i < PyUnicode_GET_LENGTH(name); i++)
        identity = (identity ^ PyUnicode_READ_CHAR(name, i)) * 1099511628211u;
    identity |= 16; /* 0 and 1 are no addresses */
    uint32_t found = sn_address_find(places, (uintptr_t)identity);
    if (found != SN_NO_NUMBER) return (*all)[found].counts;
    if (*count >= most) return NULL;
    if (!*all && !(*all = malloc(most * sizeof **all))) return NULL;
    void *counts = new_record(kind, words, zeros, bytes, name);
    if (!counts || !sn_address_add(places, (uintptr_t)identity, *count)) return NULL;
    (*all)[*count] = (summed){identity, counts};
    ++*count;
    return counts;
}

static bool is_numbered(PyObject *name) {
    if (PyUnicode_GET_LENGTH(name) < 6) return false;
    for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(name); i++) {
        Py_UCS4 c = PyUnicode_READ_CHAR(name, i);
        if (i < 5 ? c != (Py_UCS4)"Task-"[i] : c < '0' || c > '9') return false;
    }
    return true;
}

static sn_task_counts *group_of_task(const task *t) {
    PyObject *name = get_name ? PyObject_CallOneArg(get_name, t->self) : NULL;
    if (name && (!PyUnicode_CheckExact(name) || is_numbered(name))) Py_CLEAR(name);
    PyErr_Clear();
    uint32_t words[4] = {sn_coroutine_function(t->coroutine), t->made_at.function, t->made_at.line, 0};
    const uint32_t further[4] = {SN_NO_FUNCTION, SN_NO_FUNCTION, 0, 0};
    sn_task_counts *counts = NULL;
    for (int attempt = 0; attempt < 3 && !counts; attempt++)
        counts = counts_of(&groups, &group_count, MOST_GROUPS / 2 + (uint32_t)attempt * (MOST_GROUPS / 4), &group_of,
                           SN_RECORD_TASKS, attempt < 2 ? words : further, sizeof *counts, attempt ? NULL : name);
    Py_XDECREF(name);
    return counts;
}

static uint32_t number_of_group(const sn_task_counts *counts) {
    for (uint32_t i = 0; i < group_count; i++)
        if (groups[i].counts == counts) return i;
    return NONE;
}

/* Of a future that is awaited without a coroutine of a library between: what it is. */
static PyObject *name_of_future(PyObject *future, uint32_t *in) {
    uint32_t other = sn_address_find(&task_of_self, (uintptr_t)future);
    if (other != SN_NO_NUMBER) {
        if (tasks[other].coroutine) *in = sn_coroutine_function(tasks[other].coroutine);
        return PyUnicode_FromString("task");
    }
    const char *name = Py_TYPE(future)->tp_name, *dot = strrchr(name, '.');
    return PyUnicode_FromString(dot ? dot + 1 : name);
}

static sn_await_counts *await_of_task(task *t, PyObject *yielded) {
    sn_awaited what = sn_what_awaits(t->coroutine);
    t->goes_on_at = what.at;
    if (what.at.function == SN_NO_FUNCTION) return NULL;
    PyObject *name = what.in == SN_NO_FUNCTION && yielded != Py_None ? name_of_future(yielded, &what.in) : NULL;
    PyErr_Clear();
    uint32_t words[4] = {number_of_group(t->group), what.at.function, what.at.line, what.in};
    sn_await_counts *counts = counts_of(&awaits, &await_count, MOST_AWAITS, &await_of, SN_RECORD_AWAIT, words,
                                        sizeof *counts, name);
    Py_XDECREF(name);
    return counts;
}

static loop *loop_of_thread(void) {
    if (loop_here) return loop_here;
    if (!all_loops) {
        static const sn_loop_counts zeros;
        const uint32_t numbers[4] = {0};
        all_loops = new_record(SN_RECORD_LOOPS, numbers, &zeros, sizeof zeros, NULL);
    }
    loop *made = all_loops ? calloc(1, sizeof *made) : NULL;
    if (!made) return NULL;
    made->next = loops;
    loops = made;
    all_loops->loops++;
    return loop_here = made;
}

static void leave_loop(task *t, uint64_t at) {
    if (--t->loop->live == 0) all_loops->span += at - t->loop->since;
}

static uint32_t new_slot(void) {
    if (first_free == NONE) {
        uint32_t room = task_room ? 2 * task_room : 256;
        task *grown = realloc(tasks, room * sizeof *grown);
        if (!grown) return NONE;
        tasks = grown;
        for (uint32_t i = room; i-- > task_room; first_free = i) tasks[i] = (task){.next_waiter = first_free};
        task_room = room;
    }
    uint32_t slot = first_free;
    first_free = tasks[slot].next_waiter;
    return slot;
}

void sn_task_born(PyObject *self, PyObject *coroutine) {
    if (!PyCoro_CheckExact(coroutine) || sn_address_slot(&task_of_coroutine, (uintptr_t)coroutine)) return;
    uint64_t running = sn_running_clock(), at = now();
    sn_task_gone(self);
    loop *of = loop_of_thread();
    uint32_t slot = of ? new_slot() : NONE;
    if (slot == NONE) return;
    tasks[slot] = (task){.self = self, .coroutine = coroutine, .next_waiter = NONE, .loop = of, .born = at, .since = at,
                         .ready_since = at, .made_at = sn_place_of_making()};
    if (!of->live++) of->since = at;
    sn_address_add(&task_of_self, (uintptr_t)self, slot);
    sn_address_add(&task_of_coroutine, (uintptr_t)coroutine, slot);
    take_out_since(running);
}

static void stop_waiting(uint32_t slot) {
    task *t = &tasks[slot];
    if (!t->future) return;
    sn_slot *first = sn_address_slot(&waiters, (uintptr_t)t->future);
    if (first && first->number == slot) {
        if (t->next_waiter == NONE) sn_address_remove(&waiters, (uintptr_t)t->future);
        else first->number = t->next_waiter;
    } else if (first) {
        uint32_t at = first->number;
        while (tasks[at].next_waiter != NONE && tasks[at].next_waiter != slot) at = tasks[at].next_waiter;
        if (tasks[at].next_waiter == slot) tasks[at].next_waiter = t->next_waiter;
    }
    t->future = NULL;
    t->next_waiter = NONE;
}

/* What it was since the last change, until now; before its first step it is of no group. */
static void credit(task *t, uint64_t at) {
    uint64_t passed = at - t->since, ready = 0;
    if (t->runs) {
        t->group->run += passed;
    } else if (t->group) {
        if (t->ready_since) ready = t->ready_since > t->since ? at - t->ready_since : passed;
        t->group->ready += ready;
        t->group->awaited += passed - ready;
        if (t->await) {
            t->await->ready += ready;
            t->await->awaited += passed - ready;
            if (passed - ready > t->await->longest) t->await->longest = passed - ready;
        }
    }
    t->since = at;
}

static void end_life(uint32_t slot, uint64_t at) {
    task *t = &tasks[slot];
    stop_waiting(slot);
    if (t->group) {
        t->group->ended++;
        t->group->life += at - t->born;
    }
    leave_loop(t, at);
    sn_address_remove(&task_of_coroutine, (uintptr_t)t->coroutine);
    t->coroutine = NULL;
}

void sn_task_gone(PyObject *self) {
    uint32_t slot = sn_address_find(&task_of_self, (uintptr_t)self);
    if (slot == SN_NO_NUMBER) return;
    sn_address_remove(&task_of_self, (uintptr_t)self);
    if (tasks[slot].coroutine) { /* it was never awaited to its end */
        uint64_t at = now();
        credit(&tasks[slot], at);
        end_life(slot, at);
    }
    tasks[slot] = (task){.next_waiter = first_free};
    first_free = slot;
}

sn_step sn_step_begin(PyObject *coroutine) {
    sn_step step = {SN_NO_TASK, generation};
    uint32_t slot = sn_address_find(&task_of_coroutine, (uintptr_t)coroutine);
    if (slot == SN_NO_NUMBER || tasks[slot].runs) return step;
    uint64_t running = sn_running_clock(), at = now();
    loop *here = loop_of_thread();
    task *t = &tasks[slot];
    if (!t->group) {
        t->group = group_of_task(t);
        t->goes_on_at = (sn_place){sn_coroutine_function(coroutine), 0};
        if (!t->group || !here) return step;
        t->group->tasks++;
    }
    credit(t, at);
    stop_waiting(slot);
    t->runs = true;
    if (!here->steps++) here->step_began = at;
    step.task = slot;
    take_out_since(running);
    return step;
}

/* The step that one is within, if any, holds the loop. */
static void release_loop(loop *here, const task *t, uint64_t at) {
    uint64_t began = t->since, place = sn_place_word(t->goes_on_at.function, t->goes_on_at.line);
    if (at - began > t->group->longest_step) {
        t->group->longest_step = at - began;
        t->group->longest_at = place;
    }
    t->group->steps++;
    if (--here->steps) return;
    all_loops->held += at - here->step_began;
    if (at - began <= all_loops->longest_step) return;
    all_loops->longest_step = at - began;
    all_loops->longest_at = place;
    all_loops->longest_group = number_of_group(t->group);
}

/* Whoever awaits the future could have gone on since `late` ticks before now. */
static void wake(PyObject *future, uint64_t at, uint64_t late) {
    for (uint32_t slot = sn_address_find(&waiters, (uintptr_t)future); slot != NONE; slot = tasks[slot].next_waiter) {
        task *t = &tasks[slot];
        if (!t->ready_since) t->ready_since = late < at - t->since ? at - late : t->since ? t->since : 1;
    }
}

void sn_step_end(sn_step step, PySendResult how, PyObject *yielded) {
    if (!agent.active || step.generation != generation) return;
    uint64_t running = sn_running_clock(), at = now();
    task *t = &tasks[step.task];
    release_loop(loop_here, t, at);
    credit(t, at);
    t->runs = false;
    t->ready_since = 0;
    t->await = NULL;
    if (!yielded) {
        PyObject *error = how == PYGEN_ERROR ? PyErr_Occurred() : NULL;
        bool is_cancelled = error && !strcmp(((PyTypeObject *)error)->tp_name, "CancelledError");
        if (error) (*(is_cancelled ? &t->group->cancelled : &t->group->failed))++;
        PyObject *self = t->self;
        end_life(step.task, at);
        wake(self, at, 0);
        return;
    }
    t->await = await_of_task(t, yielded);
    if (t->await) t->await->times++;
    if (yielded == Py_None) {
        t->ready_since = at;
    } else {
        uint32_t first = sn_address_find(&waiters, (uintptr_t)yielded);
        t->future = yielded;
        t->next_waiter = first;
        if (first != SN_NO_NUMBER) sn_address_slot(&waiters, (uintptr_t)yielded)->number = step.task;
        else if (!sn_address_add(&waiters, (uintptr_t)yielded, step.task)) t->future = NULL;
    }
    take_out_since(running);
}

static bool in_step(void) { return loop_here && loop_here->steps; }

void sn_future_done(PyObject *future) {
    if (sn_address_find(&waiters, (uintptr_t)future) == SN_NO_NUMBER) return;
    uint64_t running = sn_running_clock();
    wake(future, now(), in_step() ? 0 : sn_ticks_in(sn_overdue_ns()));
    take_out_since(running);
}

void sn_tasks_up_to_now(void) {
    uint64_t at = now();
    for (uint32_t slot = 0; slot < task_room; slot++) {
        task *t = &tasks[slot];
        if (!t->coroutine || !t->group) continue;
        credit(t, at);
        t->group->life += at - t->born;
        t->born = at; /* the process may go on for a moment */
    }
    for (loop *each = loops; each; each = each->next) {
        if (each->live) all_loops->span += at - each->since;
        each->since = at;
        if (each->steps) all_loops->held += at - each->step_began;
        each->step_began = at;
    }
}

void sn_tasks_after_fork(void) {
    generation++;
    for (uint32_t i = 0; i < group_count; i++) memset(groups[i].counts, 0, sizeof(sn_task_counts));
    for (uint32_t i = 0; i < await_count; i++) memset(awaits[i].counts, 0, sizeof(sn_await_counts));
    if (all_loops) memset(all_loops, 0, sizeof *all_loops);
    sn_address_clear(&task_of_self);
    sn_address_clear(&task_of_coroutine);
    sn_address_clear(&waiters);
    free(tasks);
    tasks = NULL;
    task_room = 0;
    first_free = NONE;
    loops = loop_here = NULL;
}
