#define _GNU_SOURCE
#include "thread_base.h"

#include "functions.h"

#include "../core/base/thread_local.h"
#include "../core/contexts/task_record.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

static uint32_t base_count;
static sn_context *of_further_threads;

/* What a thread took, in the spool. Its clock is asked for by number: another thread may have to. */
typedef struct {
    sn_thread_counts *counts; /* NULL: there was no room */
    clockid_t clock;
    bool lives;
} base_times;

static base_times times[SN_MOST_BASES];
static _Thread_local base_times *times_here SN_STATIC_TLS;

static void begin_times(base_times *of) {
    of->lives = of->counts && !pthread_getcpuclockid(pthread_self(), &of->clock);
    if (!of->lives) return;
    *of->counts = (sn_thread_counts){.began_ns = sn_monotonic_ns(), .processor_began_ns = sn_clock_ns(CLOCK_THREAD_CPUTIME_ID)};
    times_here = of;
}

static void times_up_to_now(base_times *of, clockid_t clock) {
    uint64_t processor_ns = sn_clock_ns(clock);
    if (!processor_ns) return; /* it has ended, and will say itself when */
    of->counts->processor_ended_ns = processor_ns;
    of->counts->ended_ns = sn_monotonic_ns();
}

void sn_thread_base_end(void) {
    if (!times_here) return;
    times_here->lives = false;
    times_up_to_now(times_here, CLOCK_THREAD_CPUTIME_ID);
    times_here = NULL;
}

void sn_thread_bases_up_to_now(void) {
    for (uint32_t i = 0; i < base_count && i < SN_MOST_BASES; i++)
        if (times[i].lives) times_up_to_now(&times[i], times[i].clock);
}

void sn_thread_bases_after_fork(void) {
    for (uint32_t i = 0; i < base_count && i < SN_MOST_BASES; i++) {
        times[i].lives = false;
        if (times[i].counts) *times[i].counts = (sn_thread_counts){0};
    }
    if (times_here) begin_times(times_here);
}

/* What Python calls a thread: `Thread._bootstrap`, in which all of them begin, has the thread as its argument. A new
 * reference, or NULL. Runs nothing of the program's: neither properties, nor finalizers. */
static PyObject *name_of_thread(const sn_frame *outermost) {
    if (!outermost) return NULL;
    const PyCodeObject *code = (const PyCodeObject *)sn_frame_executable(outermost);
    PyObject *globals = outermost->f_globals;
    if (code->co_argcount != 1 || PyUnicode_CompareWithASCIIString(code->co_qualname, "Thread._bootstrap")) return NULL;
    PyObject *module = globals && PyDict_CheckExact(globals) ? PyDict_GetItemString(globals, "__name__") : NULL;
    if (!module || !PyUnicode_Check(module) || PyUnicode_CompareWithASCIIString(module, "threading")) return NULL;
    PyObject *thread = sn_frame_first_local(outermost);
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

static void count_times(uint32_t number) {
    static const sn_thread_counts zeros;
    const uint32_t numbers[4] = {number}, length[4] = {sizeof zeros};
    const char *text[4] = {(const char *)&zeros};
    times[number - 1].counts = sn_cells_add_record(&agent.cells, SN_RECORD_THREAD, numbers, text, length);
    begin_times(&times[number - 1]);
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
    else if (base) count_times(base_count);
    Py_XDECREF(name);
    PyErr_Restore(type, value, trace);
    return base;
}
