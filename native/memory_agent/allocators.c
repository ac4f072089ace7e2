/* SN_ALLOCATE, SN_REALLOCATE, SN_FREE: hooks around the interpreter's allocators of objects and of what they own.
 *
 * PyMem_RawMalloc is not hooked: malloc is watched elsewhere. The size is what was asked for.
 */
#include "agent.h"

#include "internal/pycore_gc.h"

static PyMemAllocatorEx inner[2]; /* by enum sn_domain: what was there before */
static const PyMemAllocatorDomain domains[2] = {[SN_DOMAIN_OBJECT] = PYMEM_DOMAIN_OBJ,
                                                [SN_DOMAIN_MEMORY] = PYMEM_DOMAIN_MEM};

/* While the free lists are emptied, the allocator of objects has nothing. */
static bool refusing;

#define CALLER ((uint64_t)(uintptr_t)__builtin_return_address(0))

static inline __attribute__((always_inline)) void *allocated(void *block, size_t size, enum sn_domain domain,
                                                             uint64_t caller) {
    if (block)
        sn_tell(SN_ALLOCATE, (uint64_t)(uintptr_t)block, size, domain, (uint64_t)(uintptr_t)sn_thread_state(), caller);
    return block;
}

static inline __attribute__((always_inline)) void *reallocated(void *old, void *block, size_t size,
                                                               enum sn_domain domain, uint64_t caller) {
    if (!old) return allocated(block, size, domain, caller);
    if (block)
        sn_tell(SN_REALLOCATE, (uint64_t)(uintptr_t)old, (uint64_t)(uintptr_t)block, size, domain, caller);
    return block;
}

#define HOOKS(NAME, DOMAIN)                                                                                           \
    static void *NAME##_malloc(void *context, size_t size) {                                                          \
        (void)context;                                                                                                \
        if (refusing) return NULL;                                                                                    \
        return allocated(inner[DOMAIN].malloc(inner[DOMAIN].ctx, size), size, DOMAIN, CALLER);                        \
    }                                                                                                                 \
    static void *NAME##_calloc(void *context, size_t count, size_t size) {                                            \
        (void)context;                                                                                                \
        if (refusing) return NULL;                                                                                    \
        return allocated(inner[DOMAIN].calloc(inner[DOMAIN].ctx, count, size), count * size, DOMAIN, CALLER);         \
    }                                                                                                                 \
    static void *NAME##_realloc(void *context, void *block, size_t size) {                                            \
        (void)context;                                                                                                \
        return reallocated(block, inner[DOMAIN].realloc(inner[DOMAIN].ctx, block, size), size, DOMAIN, CALLER);       \
    }                                                                                                                 \
    static void NAME##_free(void *context, void *block) {                                                             \
        (void)context;                                                                                                \
        if (block) sn_tell(SN_FREE, (uint64_t)(uintptr_t)block, DOMAIN, 0, 0, 0);                                     \
        inner[DOMAIN].free(inner[DOMAIN].ctx, block);                                                                 \
    }                                                                                                                 \
    static const PyMemAllocatorEx NAME##_hooks = {NULL, NAME##_malloc, NAME##_calloc, NAME##_realloc, NAME##_free};

HOOKS(object, SN_DOMAIN_OBJECT)
HOOKS(memory, SN_DOMAIN_MEMORY)

void sn_hook_allocators(void) {
    PyMemAllocatorEx hooks[2] = {[SN_DOMAIN_OBJECT] = object_hooks, [SN_DOMAIN_MEMORY] = memory_hooks};
    for (int domain = 0; domain < 2; domain++) PyMem_GetAllocator(domains[domain], &inner[domain]);
    for (int domain = 0; domain < 2; domain++) PyMem_SetAllocator(domains[domain], &hooks[domain]);
}

/* Free lists: they are emptied by allocating while there is nothing else to be had, told, and filled again in the
 * opposite order, which leaves them as they were. */

enum { MOST_KEPT = 2048, /* more than any list keeps: 2000 tuples of a length */
       MOST_LENGTH = 20 };

static PyObject *new_float(Py_ssize_t length) { return (void)length, PyFloat_FromDouble(0.0); }
#if PY_VERSION_HEX >= 0x030E0000
static PyObject *new_number(Py_ssize_t length) { return (void)length, PyLong_FromLong(1 << 20); } /* none that is always there */
#endif
#if PY_VERSION_HEX >= 0x030F0000
static PyObject *new_complex(Py_ssize_t length) { return (void)length, PyComplex_FromDoubles(0.0, 0.0); }
#endif
static PyObject *new_dict(Py_ssize_t length) { return (void)length, PyDict_New(); }

static void tell_free_list(PyObject *(*make)(Py_ssize_t), Py_ssize_t length, PyTypeObject *type, size_t head) {
    static PyObject *kept[MOST_KEPT];
    size_t count = 0;
    refusing = true;
    while (count < MOST_KEPT && (kept[count] = make(length))) count++;
    refusing = false;
    PyErr_Clear();
    size_t size = head + (size_t)_PyObject_VAR_SIZE(type, length);
    for (size_t i = 0; i < count; i++)
        sn_tell(SN_OBJECT, (uint64_t)(uintptr_t)kept[i] - head, size, (uint64_t)(uintptr_t)type, 1, 0);
    while (count) Py_DECREF(kept[--count]);
}

void sn_tell_free_lists(void) {
    const size_t head = sizeof(PyGC_Head);
    tell_free_list(new_float, 0, &PyFloat_Type, 0);
    tell_free_list(PyList_New, 0, &PyList_Type, head);
    tell_free_list(new_dict, 0, &PyDict_Type, head);
#if PY_VERSION_HEX >= 0x030E0000
    tell_free_list(new_number, 1, &PyLong_Type, 0);
#endif
#if PY_VERSION_HEX >= 0x030F0000
    tell_free_list(new_complex, 0, &PyComplex_Type, 0);
#endif
    for (Py_ssize_t length = 1; length <= MOST_LENGTH; length++)
        tell_free_list(PyTuple_New, length, &PyTuple_Type, head);
}
