/* An event tells which way a branch goes. The edges up to the next one are known then, but they are taken later, or never:
 * an exception may come between. So what they do is done at the next event.
 */
#include "events.h"

#include "../cpython/monitoring_tool.h"
#include "activations.h"

#if PY_VERSION_HEX >= 0x030C0000

#include <stddef.h>

static int tool = -1;
static PyObject *disable; /* what a callback returns that is not to be called there again */
static Py_ssize_t tables_index = -1; /* of what is kept with code objects */

/* Offsets are small, and not negative. */
static inline uint32_t unit_of(PyObject *offset) {
    return ((PyLongObject *)offset)->long_value.ob_digit[0] / sizeof(_Py_CODEUNIT);
}

static inline sn_routine_tables *tables_of(PyObject *code) {
    void *tables = NULL;
    return PyUnstable_Code_GetExtra(code, tables_index, &tables) ? NULL : tables;
}

static inline void do_step(sn_activation *a, const sn_step *step) {
    if (step->kind == ADDS) {
        a->register_ += step->value;
        return;
    }
    sn_count_path(&a->forest, a->register_ + step->value);
    a->register_ = step->start;
}

static inline void do_steps(sn_activation *a) {
    const sn_step *step = a->routine->steps + a->chain->first, *end = step + a->chain->count;
    for (; step < end; step++) do_step(a, step);
}

/* Do what was done up to the end of a block, where there is an event. */
static inline void do_chain(sn_activation *a, int32_t block) {
    do_steps(a);
    if (a->chain->silent < 0) return;
    const sn_site *site = &a->routine->sites[a->chain->silent];
    const sn_chain *chains = a->routine->chains;
    a->chain = &chains[site->ways[chains[site->ways[0]].end != block]];
    do_steps(a);
}

static inline void enter_chain(sn_activation *a, int64_t chain) { a->chain = &a->routine->chains[chain]; }

static void begin(sn_routine_tables *routine, PyObject *code) {
    sn_activation *a = sn_activation_begin(code);
    if (!a) return;
    a->routine = routine;
    a->register_ = routine->start;
    a->raised = -1;
    enter_chain(a, routine->entry);
    a->forest = sn_count_activation(&routine->node, routine->number);
}

#define CALLBACK(name)                                                                                       \
    static PyObject *name(PyObject *self, PyObject *const *arguments, size_t count, PyObject *names)
#define UNUSED() (void)self, (void)arguments, (void)count, (void)names

CALLBACK(on_start) {
    UNUSED();
    sn_routine_tables *routine = tables_of(arguments[0]);
    if (likely(routine)) begin(routine, arguments[0]);
    Py_RETURN_NONE;
}

/* Code, offset, where it goes. */
CALLBACK(on_branch) {
    UNUSED();
    sn_activation *a = sn_current_activation(arguments[0]);
    if (unlikely(!a)) Py_RETURN_NONE;
    uint32_t at = unit_of(arguments[1]), to = unit_of(arguments[2]);
    int32_t number = a->routine->site_of[at];
    if (unlikely(number < 0)) Py_RETURN_NONE;
    const sn_site *site = &a->routine->sites[number];
    /* What notes the way is taken for the branch itself where a tool is told of each instruction; else it may stand before
     * another such note, which is of no branch. */
    if (unlikely(a->routine->block_of[at] != site->block && to != at + 1)) Py_RETURN_NONE;
    if (unlikely(site->is_silent)) return Py_NewRef(disable);
    do_chain(a, site->block);
    a->raised = -1; /* the end of an iterator may be an exception */
    enter_chain(a, site->ways[to >= (uint32_t)site->target]);
    Py_RETURN_NONE;
}

/* One way only: it may lead back. */
CALLBACK(on_jump) {
    UNUSED();
    sn_activation *a = sn_current_activation(arguments[0]);
    if (unlikely(!a)) Py_RETURN_NONE;
    int32_t number = a->routine->site_of[unit_of(arguments[1])];
    if (unlikely(number < 0)) Py_RETURN_NONE;
    do_chain(a, a->routine->block_of[unit_of(arguments[1])]);
    a->raised = -1;
    enter_chain(a, a->routine->sites[number].ways[0]);
    Py_RETURN_NONE;
}

CALLBACK(on_return) {
    UNUSED();
    sn_activation *a = sn_current_activation(arguments[0]);
    if (unlikely(!a)) Py_RETURN_NONE;
    do_chain(a, a->routine->outside - 1); /* `returned`, see code_graph.py */
    sn_activation_end(a, arguments[0]);
    Py_RETURN_NONE;
}

/* Also where an exception of a callee arrives, and where the end of an iterator is one. */
CALLBACK(on_raise) {
    UNUSED();
    sn_routine_tables *routine = tables_of(arguments[0]);
    sn_activation *a = routine ? sn_current_activation(arguments[0]) : NULL;
    uint32_t unit = unit_of(arguments[1]);
    if (a && unit < routine->units) a->raised = routine->block_of[unit];
    Py_RETURN_NONE;
}

/* Do what was done before the exception. False when the chain does not come there. */
static bool come_to(sn_activation *a, const sn_chain *chain, int32_t block) {
    const sn_step *step = a->routine->steps + chain->first, *end = step + chain->count;
    int64_t at = chain->block;
    if (chain->has_left && step < end) {
        do_step(a, step);
        at = step++->block;
    }
    for (; at != block && step < end; step++) {
        do_step(a, step);
        at = step->block;
    }
    return at == block;
}

static bool leads_to(const sn_routine_tables *routine, const sn_chain *chain, int32_t block) {
    const sn_step *step = routine->steps + chain->first, *end = step + chain->count;
    for (; step < end; step++)
        if (step->block == block) return true;
    return false;
}

static bool come_through(sn_activation *a, int32_t block) {
    const sn_routine_tables *routine = a->routine;
    if (come_to(a, a->chain, block)) return true;
    if (a->chain->silent < 0) return false;
    const sn_site *site = &routine->sites[a->chain->silent];
    const sn_chain *way = &routine->chains[site->ways[!leads_to(routine, &routine->chains[site->ways[0]], block)]];
    return come_to(a, way, block);
}

/* The path ends by an exception. */
static void cut(sn_activation *a, int64_t handler) {
    const sn_routine_tables *routine = a->routine;
    bool known = a->raised >= 0 && come_through(a, a->raised);
    const sn_raise *found = NULL, *same = NULL;
    for (uint32_t i = 0; i < routine->raise_count && !found; i++) {
        if (routine->raises[i].handler != handler) continue;
        same = &routine->raises[i];
        if (known && same->block == a->raised) found = same;
    }
    a->raised = -1;
    if (found) sn_count_path(&a->forest, a->register_ + found->value);
    else counting.lost++;
    if (same) {
        a->register_ = same->start;
        enter_chain(a, same->chain);
    }
}

CALLBACK(on_handled) {
    UNUSED();
    sn_routine_tables *routine = tables_of(arguments[0]);
    sn_activation *a = routine ? sn_current_activation(arguments[0]) : NULL;
    uint32_t unit = unit_of(arguments[1]);
    if (a && unit < routine->units) cut(a, routine->block_of[unit]);
    Py_RETURN_NONE;
}

CALLBACK(on_unwind) {
    UNUSED();
    sn_routine_tables *routine = tables_of(arguments[0]);
    sn_activation *a = routine ? sn_current_activation(arguments[0]) : NULL;
    if (a) {
        cut(a, routine->outside);
        sn_activation_end(a, arguments[0]);
    }
    Py_RETURN_NONE;
}

/* LEFT and RIGHT stand in for BRANCH from 3.14 on. */
enum { START, RETURN, BRANCH, LEFT, RIGHT, JUMP, RAISE, RERAISE, HANDLED, UNWIND, EVENTS };
enum { JUMPS = JUMP, EVERYWHERE = RAISE };

static const struct {
    const char *name;
    vectorcallfunc call;
} event_kinds[EVENTS] = {
    {"PY_START", on_start},      {"PY_RETURN", on_return},
    {"BRANCH", on_branch},       {"BRANCH_LEFT", on_branch},
    {"BRANCH_RIGHT", on_branch}, {"JUMP", on_jump},
    {"RAISE", on_raise},         {"RERAISE", on_raise},
    {"EXCEPTION_HANDLED", on_handled}, {"PY_UNWIND", on_unwind},
};

static sn_callback callbacks[EVENTS];
static long bits[EVENTS];

static long bits_of(int from, int to) {
    long all = 0;
    for (int event = from; event < to; event++) all |= bits[event];
    return all;
}

/* 0: there is no such event. */
static long bit_of(PyObject *module, int event) {
    long bit = sn_monitoring_bit(module, event_kinds[event].name);
    PyErr_Clear();
    return bit < 0 ? 0 : bit;
}

int sn_events_begin(void) {
    PyObject *module = sn_monitoring_module();
    if (!module || (tool = sn_monitoring_take(module)) < 0) return -1;
    disable = PyObject_GetAttrString(module, "DISABLE");
    if (!disable) return -1;
    tables_index = PyUnstable_Eval_RequestCodeExtraIndex(sn_tables_free);
    if (tables_index < 0) {
        PyErr_SetString(PyExc_RuntimeError, "nothing can be kept with code objects");
        return -1;
    }
    for (int event = 0; event < EVENTS; event++) {
        bits[event] = bit_of(module, event);
        if (event == LEFT && bits[LEFT]) bits[BRANCH] = 0;
    }
    for (int event = 0; event < EVENTS; event++) {
        if (!bits[event]) continue;
        if (sn_monitoring_call(module, tool, bits[event], &callbacks[event], event_kinds[event].call)) return -1;
    }
    return sn_monitoring_ask(module, tool, bits_of(EVERYWHERE, EVENTS));
}

PyObject *sn_watch(PyObject *self, PyObject *arguments) {
    (void)self;
    PyObject *code, *tables, *module = sn_monitoring_module();
    int has_jumps;
    if (!module || !PyArg_ParseTuple(arguments, "O!pO!", &PyCode_Type, &code, &has_jumps, &PyTuple_Type,
                                     &tables))
        return NULL;
    if (tables_of(code)) return PyErr_Format(PyExc_ValueError, "the code is watched already");
    sn_routine_tables *new = sn_tables_new(tables);
    if (!new) return NULL;
    if (PyUnstable_Code_SetExtra(code, tables_index, new)) {
        sn_tables_free(new);
        return NULL;
    }
    long wanted = bits_of(START, JUMPS);
    if (has_jumps) wanted |= bits_of(JUMPS, EVERYWHERE);
    return PyObject_CallMethod(module, "set_local_events", "iOl", tool, code, wanted);
}

void sn_events_end(void) {
    sn_monitoring_free(tool);
    tool = -1;
}

#else

int sn_events_begin(void) {
    PyErr_SetString(PyExc_RuntimeError, "there is no sys.monitoring");
    return -1;
}

PyObject *sn_watch(PyObject *self, PyObject *arguments) {
    (void)self, (void)arguments;
    return sn_events_begin() ? NULL : Py_NewRef(Py_None);
}

void sn_events_end(void) {}

#endif
