/* The agent in a measured CPython: tells the instrumentation what it cannot see by itself.
 *
 * What is excluded, and how:
 *   - what the agent does at start and at the end, and all that the interpreter does for it then: by SN_PAUSE;
 *   - what the agent's functions do by themselves later, in the hooks of the allocators: by SN_OWN_CODE, as a hook is
 *     called for every block and two more requests each time would cost more than the hook;
 *   - the interpreter's path to a hook, one indirect call: not excluded, nor its effects on caches.
 * The measured program differs from one without the agent in this: PyMem_GetAllocator tells our functions;
 * gc.callbacks has one function of ours (collections.c says why); atexit has one; addresses are others.
 * Nothing is left in sys.modules, sys.path or the environment.
 */
#ifndef SONDE_MEMORY_AGENT_H
#define SONDE_MEMORY_AGENT_H

#define PY_SSIZE_T_CLEAN
#define Py_BUILD_CORE_MODULE 1 /* the internal headers insist */
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

#include "../core/requests/client_request.h"
#include "../core/requests/requests.h"

static inline void sn_pause(void) { sn_tell(SN_PAUSE, 0, 0, 0, 0, 0); }
static inline void sn_resume(void) { sn_tell(SN_RESUME, 0, 0, 0, 0, 0); }

/* A thread's PyThreadState, NULL if it has none: found with accesses of our own code only, wherever possible. */
void sn_find_thread_states(void);
PyThreadState *sn_thread_state(void);

/* Where things are in this interpreter. */
void sn_tell_layout(void);

/* Where our code is. */
void sn_tell_own_code(void);

/* All types that descend from `object`; again when there may be more. */
void sn_tell_types(void);

/* One type, under `module.qualname` without `builtins.`. */
void sn_tell_type(PyTypeObject *type);

/* All objects that can be reached, and the types that only they lead to. */
void sn_tell_objects(void);

/* Whether it has a table of keys: a dict, or from 3.15 on a frozendict. */
static inline bool sn_is_dict(PyObject *object) {
#if PY_VERSION_HEX >= 0x030F0000
    return PyAnyDict_Check(object);
#else
    return PyDict_Check(object);
#endif
}

/* The memory that an object owns besides its block. */
void sn_tell_buffers(PyObject *object);

/* Blocks of PyObject_Malloc and PyMem_Malloc from now on. */
void sn_hook_allocators(void);

/* The dead objects that the interpreter keeps for later. Needs the hooks. */
void sn_tell_free_lists(void);

/* All that is there. */
void sn_tell_everything(void);

/* Collections from now on; -1 with an exception set: not possible. */
int sn_watch_collections(void);

/* Open the window when the program's first frame begins; -1 with an exception set: not possible. */
int sn_wait_for_program(void);

/* Open it, unless it is; close it. `active`: the agent is at work, and not only these requests. */
void sn_open_window(bool active);
void sn_close_window(void);

/* Functions of the module: machine code that is made while the program runs. */
PyObject *sn_code_loaded(PyObject *module, PyObject *arguments);
PyObject *sn_code_unloaded(PyObject *module, PyObject *address);
PyObject *sn_program_window(PyObject *module, PyObject *own);
PyObject *sn_finder(PyObject *module, PyObject *arguments);

#endif
