/* What it costs to watch a call, measured at the start of a run.
 *
 * A loop of calls of a function that does nothing is run unwatched, and watched, in a tree that is thrown away. What
 * the loop takes longer when it is watched is the cost of a call: part of it falls between the clock readings at a
 * call's beginning and at its end, and so on the callee, the rest on the caller. Who of the two the call itself belongs
 * to, that is what it costs unwatched beyond a loop without it, nobody can tell: half of it to each.
 *
 * Where another process samples times there are no clock readings: the cost is what the loop takes longer. Where beginnings
 * of calls are all that is seen, that process sees the callee meanwhile, as its frame is there by then. Of the eval hook it
 * sees nearly all in the caller, as the cursor is in the callee for less than the call takes; else half of it each.
 *
 * Watched and unwatched runs take turns, and medians over the turns are taken: another program on the machine disturbs
 * some of them. The loops exist twice, since the interpreter rewrites code as it runs, in another way when it is watched.
 */
#include "calibration.h"

#include "clock.h"
#include "functions.h"
#include "threads.h"

#include <signal.h>
#include <string.h>

#define TURNS 9u
#define CALLS (agent.sampled ? 1000u : 200u) /* a clock at each call takes most of the time */
#define CELLS (UINT64_C(1) << 14) /* of the tree that is thrown away: 1 MiB of address space, hardly any of it used */

static const char program[] = "def empty(one): pass\n"
                              "def empty_loop(times):\n"
                              "    for _ in times: pass\n"
                              "def calls(times):\n"
                              "    for each in times: empty(each)\n"
                              "def builtin_calls(times):\n"
                              "    for _ in times: nothing()\n";

static PyObject *nothing(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    Py_RETURN_NONE;
}

static PyMethodDef nothing_method = {"nothing", nothing, METH_NOARGS, NULL};

/* Ticks of the turns, for one kind of function. */
typedef struct {
    uint64_t unwatched[TURNS], watched[TURNS], caller[TURNS], callee[TURNS];
} readings;

/* The functions of the program, made anew. */
static PyObject *compiled(void) {
    PyObject *globals = PyDict_New(), *called = PyCFunction_New(&nothing_method, NULL), *done = NULL;
    if (globals && called && !PyDict_SetItemString(globals, "nothing", called))
        done = PyRun_String(program, Py_file_input, globals, globals);
    if (!done) Py_CLEAR(globals);
    Py_XDECREF(done);
    Py_XDECREF(called);
    return globals;
}

/* Run a loop of the program; its ticks, 0 when it cannot be run. */
static uint64_t run(PyObject *globals, const char *loop, PyObject *times) {
    PyObject *function = PyDict_GetItemString(globals, loop); /* borrowed */
    uint64_t begun = sn_running_clock();
    PyObject *done = function ? PyObject_CallOneArg(function, times) : NULL;
    uint64_t ended = sn_running_clock();
    Py_XDECREF(done);
    return done ? ended - begun : 0;
}

/* Ticks that the tree has for a code object or C function, in all contexts. */
static uint64_t ticks_of(uint64_t key) {
    uint64_t ticks = 0;
    const sn_context *context;
    for (uint64_t cell = SN_HEADER_CELLS; (context = sn_tree_next(&agent.hot.tree, &cell));)
        if (context->key == key) ticks += context->ticks;
    return ticks;
}

static uint64_t code_key(PyObject *globals, const char *name) {
    PyObject *function = PyDict_GetItemString(globals, name);
    return function && PyFunction_Check(function) ? (uint64_t)(uintptr_t)PyFunction_GET_CODE(function) : 0;
}

static void take_turn(readings *r, unsigned turn, PyObject *const globals[2], const char *loop, uint64_t callee,
                      PyObject *times) {
    uint64_t caller = code_key(globals[1], loop), in_caller = ticks_of(caller), in_callee = ticks_of(callee);
    r->unwatched[turn] = run(globals[0], loop, times);
    if (agent.mechanism->start()) PyErr_Clear();
    r->watched[turn] = run(globals[1], loop, times);
    agent.mechanism->stop();
    r->caller[turn] = ticks_of(caller) - in_caller;
    r->callee[turn] = ticks_of(callee) - in_callee;
}

static double median(const double values[TURNS]) {
    double sorted[TURNS];
    for (unsigned i = 0, at; i < TURNS; i++) {
        for (at = i; at > 0 && sorted[at - 1] > values[i]; at--) sorted[at] = sorted[at - 1];
        sorted[at] = values[i];
    }
    return sorted[TURNS / 2];
}

/* Turn by turn: where the processor is faster in some turns than in others, medians of what is watched and of what is not
 * may be of different ones. */
static sn_event_costs costs_of(const readings *r, const uint64_t empty_loop[TURNS]) {
    double costs[TURNS], leaves[TURNS];
    for (unsigned i = 0; i < TURNS; i++) {
        double unwatched = (double)r->unwatched[i] / CALLS, callee = (double)r->callee[i] / CALLS;
        double call = unwatched - (double)empty_loop[i] / CALLS;
        costs[i] = (double)r->caller[i] / CALLS + callee - unwatched;
        leaves[i] = callee - (call > 0 ? call / 2 : 0);
    }
    double cost = median(costs), leave = median(leaves);
    if (cost <= 0) return (sn_event_costs){0};
    if (leave < 0) leave = 0;
    if (leave > cost) leave = cost;
    return (sn_event_costs){(uint64_t)(cost - leave + 0.5), (uint64_t)(leave + 0.5)};
}

#define PS_PER_NS 1000

static uint64_t counting_ps_of(const readings *r) {
    double costs[TURNS];
    for (unsigned i = 0; i < TURNS; i++) costs[i] = ((double)r->watched[i] - (double)r->unwatched[i]) / CALLS;
    double cost = median(costs);
    return cost > 0 ? (uint64_t)(PS_PER_NS * cost) : 0;
}

void sn_counting_costs(uint32_t costs[4]) {
    bool is_hook = agent.mechanism->pause && PY_VERSION_HEX < 0x030C0000;
    uint64_t before = agent.starts_only ? 0 : is_hook ? agent.counting_ps : agent.counting_ps / 2;
    const uint64_t all[] = {before, agent.counting_ps - before, agent.builtin_counting_ps / 2,
                            agent.builtin_counting_ps - agent.builtin_counting_ps / 2};
    for (int i = 0; i < 4; i++) costs[i] = all[i] < UINT32_MAX ? (uint32_t)all[i] : UINT32_MAX;
}

static void measure(PyObject *const globals[2], PyObject *times) {
    readings python = {0}, builtin = {0};
    uint64_t empty_loop[TURNS];
    for (unsigned warm = 0; warm < 2; warm++) take_turn(&python, 0, globals, "calls", code_key(globals[1], "empty"), times);
    for (unsigned turn = 0; turn < TURNS; turn++) {
        empty_loop[turn] = run(globals[0], "empty_loop", times);
        take_turn(&python, turn, globals, "calls", code_key(globals[1], "empty"), times);
        if (agent.builtins) take_turn(&builtin, turn, globals, "builtin_calls", (uint64_t)(uintptr_t)&nothing_method, times);
    }
    if (agent.sampled) {
        agent.counting_ps = counting_ps_of(&python);
        if (agent.builtins) agent.builtin_counting_ps = counting_ps_of(&builtin);
        return;
    }
    agent.costs = costs_of(&python, empty_loop);
    if (agent.builtins) agent.builtin_costs = costs_of(&builtin, empty_loop);
}

void sn_calibrate(void) {
    sigset_t all, before; /* what a handler raises among these calls would never reach the program */
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int collecting = PyGC_Disable();
    uint64_t tick_mask = agent.tick_mask;
    agent.tick_mask = ~UINT64_C(0);
    sn_status status = sn_cells_create(&agent.cells, -1, CELLS);
    if (status == SN_OK) status = sn_hot_create(&agent.hot, &agent.cells, &agent.plan, false);
    bool ready = status == SN_OK && !sn_functions_init();
    PyObject *globals[2] = {ready ? compiled() : NULL, ready ? compiled() : NULL};
    PyObject *times = PyObject_CallFunction((PyObject *)&PyRange_Type, "I", CALLS);
    if (globals[0] && globals[1] && times) {
        agent.header = sn_cells_header(&agent.cells);
        agent.bursts.weight = 1;
        agent.active = agent.begun = true;
        agent.calibrates = sn_thread_calibrates = true; /* their cursors would outlive the tree */
        measure(globals, times);
        agent.calibrates = sn_thread_calibrates = false;
        agent.active = agent.begun = false;
    }
    PyErr_Clear(); /* what cannot be measured is left in */
    Py_XDECREF(times);
    sn_threads_forget();
    if (ready) sn_functions_forget();
    sn_hot_free(&agent.hot);
    agent.hot.cursors = NULL; /* a thread state that is cleared looks for its cursor, even if the agent never starts */
    sn_cells_destroy(&agent.cells);
    agent.tick_mask = tick_mask;
    Py_XDECREF(globals[0]);
    Py_XDECREF(globals[1]);
    if (collecting) PyGC_Enable();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
