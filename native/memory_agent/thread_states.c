/* The thread state of the running thread, for every block that is allocated.
 *
 * The interpreter's own function for it makes several accesses, which would be counted. They are not needed where
 * the variable can be read from here: in 3.11 it is a member of _PyRuntime; later it is a thread-local variable of
 * libpython without a symbol. It is found by its value, and by its distance from the thread pointer, which is the
 * same in all threads for objects that were loaded when the program started. Each thread checks that once.
 */
#define _GNU_SOURCE
#include "agent.h"

#include "internal/pycore_pystate.h"

#include "../core/base/thread_local.h"

#include <link.h>

#if PY_VERSION_HEX < 0x030C0000

void sn_find_thread_states(void) {}

PyThreadState *sn_thread_state(void) { return _PyThreadState_GET(); }

#else

static PyThreadState *ask(void) {
#if PY_VERSION_HEX >= 0x030D0000
    return PyThreadState_GetUnchecked();
#else
    return _PyThreadState_UncheckedGet();
#endif
}

/* Thread data of objects that were loaded at the start lies below the thread pointer, in every thread. Further below,
 * a thread may have nothing but a guard page. */
enum { FARTHEST = 8192 };

static uintptr_t offset; /* from the thread pointer, a negative number; 0: not found */
static _Thread_local enum { NOT_CHECKED, SAME, OTHER } here SN_STATIC_TLS;

static inline PyThreadState *read_at_offset(void) {
    return *(PyThreadState **)((uintptr_t)__builtin_thread_pointer() + offset);
}

struct search {
    uintptr_t inside; /* code of the interpreter */
    PyThreadState *wanted;
    uintptr_t at;
    unsigned found;
};

static int search_object(struct dl_phdr_info *object, size_t size, void *argument) {
    (void)size;
    struct search *search = argument;
    bool ours = false;
    size_t bytes = 0;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uintptr_t start = object->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && search->inside - start < part->p_memsz) ours = true;
        if (part->p_type == PT_TLS) bytes = part->p_memsz;
    }
    if (!ours || !object->dlpi_tls_data) return ours;
    PyThreadState **words = object->dlpi_tls_data;
    for (size_t i = 0; i < bytes / sizeof *words; i++)
        if (words[i] == search->wanted) search->at = (uintptr_t)&words[i], search->found++;
    return 1;
}

void sn_find_thread_states(void) {
    struct search search = {.inside = (uintptr_t)PyObject_Malloc, .wanted = ask()};
    dl_iterate_phdr(search_object, &search);
    uintptr_t distance = (uintptr_t)__builtin_thread_pointer() - search.at;
    if (search.found == 1 && distance <= FARTHEST) offset = 0 - distance;
}

PyThreadState *sn_thread_state(void) {
    if (here == SAME) return read_at_offset();
    PyThreadState *state = ask();
    if (here == NOT_CHECKED && state) here = offset && read_at_offset() == state ? SAME : OTHER;
    return state;
}

#endif
