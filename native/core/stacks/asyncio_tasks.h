/* Which task of asyncio runs a coroutine, in another process.
 *
 * The module `_asyncio` keeps the tasks that run just now in a dictionary, one for each loop; from 3.14 on in the states of the
 * threads that run them. A task holds its coroutine; so a
 * task that is found to hold a coroutine of a stack that was read before is the one that runs it, if the innermost coroutine is
 * still on the stack: since 3.12 a task may run ("eagerly") within the step of another one.
 * Most steps are over before that can be asked. So tasks that were seen to run are remembered by their coroutines: one that holds it still
 * is the one that ran it, unless a coroutine within that one is of a function that was seen to be a task's own.
 * Tasks that are written in Python, and other libraries, have none of this.
 */
#ifndef SONDE_ASYNCIO_TASKS_H
#define SONDE_ASYNCIO_TASKS_H

#include "python_stack.h"
#include "python_process.h"

/* Bytes of a task's name that are kept. */
enum { SN_TASK_NAME = 64 };

/* A task that was seen to run; of many that are remembered at once, a later one may take the place of another. */
enum { SN_KNOWN_TASKS = 1 << 12 };
typedef struct {
    uint64_t coroutine, code, task; /* the code object that the coroutine runs; 0: none */
} sn_known_task;

/* NUMBERED: nobody gave it a name but asyncio itself, `Task-7`. */
typedef enum { SN_TASK_NONE = 0, SN_TASK_NAMED, SN_TASK_NUMBERED } sn_task_result;

/* Where the dictionary of running tasks is; 0: there is none yet, or it cannot be read. Cost: all modules are looked at.
 * Where threads have their tasks, the interpreter itself. */
uint64_t sn_task_find_running(const sn_memory_reader *memory, const sn_python *python, uint64_t interpreter);

/* What the module `_asyncio` has by this name; 0: nothing, or it cannot be read. */
uint64_t sn_task_find_kept(const sn_memory_reader *memory, const sn_python *python, uint64_t interpreter, const char *name);

/* Whether asyncio has made this name of a task. */
bool sn_task_is_numbered(const char *name, uint32_t bytes);

/* Remember the tasks that run now: (SN_KNOWN_TASKS,). Before a stack is read, since afterwards they may have ended. */
void sn_task_remember(const sn_memory_reader *memory, sn_code_table *table, uint64_t running, uint64_t state,
                      sn_known_task *known);

/* The task that runs one of the coroutines on a stack, and the index of the code of that; its name as UTF-8, cut:
 * (SN_TASK_NAME,), not terminated. */
sn_task_result sn_task_of(const sn_memory_reader *memory, sn_code_table *table, uint64_t running, sn_known_task *known,
                          const sn_stack_thread *thread, uint32_t *code, char *name, uint32_t *bytes);

#endif
