/* What the interpreter does: garbage collections, which are phases of their own, and memory that is allocated.
 *
 * Those of young objects are many, and short: of them only the time is taken.
 * Collections are told by one more function in gc.callbacks, as there is no other way: the program can see it there.
 * Allocations are seen by a layer around the allocators, and only when they are asked for: they are many.
 */
#include "agent.h"

static bool is_of_young(PyObject *info) {
    PyObject *generation = PyDict_Check(info) ? PyDict_GetItemString(info, "generation") : NULL;
    return generation && PyLong_Check(generation) && PyLong_AsLong(generation) < 2;
}

static PyObject *on_collection(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    (void)self;
    if (count == 2 && PyUnicode_Check(arguments[0])) {
        bool is_start = !PyUnicode_CompareWithASCIIString(arguments[0], "start"), is_short = is_of_young(arguments[1]);
        if (!is_start && is_short) sn_phase_time(SN_COLLECTOR_NUMBER, SN_PHASE_SHORT_COLLECTION_END);
        else if (!is_start) sn_phase_leave(SN_COLLECTOR_NUMBER, SN_PHASE_RETURN);
        else if (is_short) sn_phase_time(SN_COLLECTOR_NUMBER, SN_PHASE_SHORT_COLLECTION);
        else sn_phase_enter(SN_COLLECTOR_NUMBER, SN_PHASE_COLLECTION);
        if (is_start) sn_interpreter_here.collections++; /* in the collector's own time */
    }
    Py_RETURN_NONE;
}

static PyMethodDef method = {"sonde_times_collections", (PyCFunction)(void (*)(void))on_collection, METH_FASTCALL, NULL};
static PyObject *callback;

static PyObject *callbacks(void) {
    PyObject *gc = PyImport_ImportModule("gc");
    PyObject *list = gc ? PyObject_GetAttrString(gc, "callbacks") : NULL;
    Py_XDECREF(gc);
    return list;
}

int sn_collections_begin(void) {
    PyObject *list = callbacks();
    callback = list ? PyCFunction_New(&method, NULL) : NULL;
    int failed = !callback || PyList_Append(list, callback);
    Py_XDECREF(list);
    return failed ? -1 : 0;
}

void sn_collections_end(void) {
    PyObject *list = callback ? callbacks() : NULL;
    PyObject *done = list ? PyObject_CallMethod(list, "remove", "O", callback) : NULL;
    if (!done) PyErr_Clear();
    Py_XDECREF(done);
    Py_XDECREF(list);
}

enum { DOMAINS = 2 };
static const PyMemAllocatorDomain domains[DOMAINS] = {PYMEM_DOMAIN_OBJ, PYMEM_DOMAIN_MEM};
static PyMemAllocatorEx below[DOMAINS];

static inline void count(size_t bytes) {
    sn_interpreter_here.allocations++;
    sn_interpreter_here.allocated_bytes += bytes;
}

static void *counted_malloc(void *context, size_t size) {
    const PyMemAllocatorEx *next = context;
    count(size);
    return next->malloc(next->ctx, size);
}

static void *counted_calloc(void *context, size_t number, size_t size) {
    const PyMemAllocatorEx *next = context;
    count(number * size);
    return next->calloc(next->ctx, number, size);
}

static void *counted_realloc(void *context, void *block, size_t size) {
    const PyMemAllocatorEx *next = context;
    count(size);
    return next->realloc(next->ctx, block, size);
}

static void passed_free(void *context, void *block) {
    const PyMemAllocatorEx *next = context;
    next->free(next->ctx, block);
}

int sn_allocations_begin(void) {
    for (int i = 0; i < DOMAINS; i++) {
        PyMem_GetAllocator(domains[i], &below[i]);
        PyMemAllocatorEx counted = {&below[i], counted_malloc, counted_calloc, counted_realloc, passed_free};
        PyMem_SetAllocator(domains[i], &counted);
    }
    return 0;
}

void sn_allocations_end(void) {
    for (int i = 0; i < DOMAINS; i++) {
        PyMemAllocatorEx now;
        PyMem_GetAllocator(domains[i], &now);
        if (now.ctx == &below[i]) PyMem_SetAllocator(domains[i], &below[i]); /* nobody has put a layer around it */
    }
}
