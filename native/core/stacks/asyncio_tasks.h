/* Which task of asyncio runs a coroutine, in another process.
 *
 * The module `_asyncio` keeps the tasks that run just now in a dictionary, one for each loop; from 3.14 on in the states of the
 * threads that run them. A task holds its coroutine; so a
 * task that is found to hold a coroutine of a stack that was read before is the one that runs it, if the innermost coroutine is
 * still on the stack: since 3.12 a task may run ("eagerly") within the step of another one.
 * Tasks that are written in Python, and other libraries, have none of this.
 */
#ifndef SONDE_ASYNCIO_TASKS_H
#define SONDE_ASYNCIO_TASKS_H

#include "python_stack.h"
#include "python_process.h"

/* Bytes of a task's name that are kept. */
enum { SN_TASK_NAME = 64 };

/* NUMBERED: nobody gave it a name but asyncio itself, `Task-7`. */
typedef enum { SN_TASK_NONE = 0, SN_TASK_NAMED, SN_TASK_NUMBERED } sn_task_result;

/* Where the dictionary of running tasks is; 0: there is none yet, or it cannot be read. Cost: all modules are looked at.
 * Where threads have their tasks, the interpreter itself. */
uint64_t sn_task_find_running(const sn_memory_reader *memory, const sn_python *python, uint64_t interpreter);

/* What the module `_asyncio` has by this name; 0: nothing, or it cannot be read. */
uint64_t sn_task_find_kept(const sn_memory_reader *memory, const sn_python *python, uint64_t interpreter, const char *name);

/* Whether asyncio has made this name of a task. */
bool sn_task_is_numbered(const char *name, uint32_t bytes);

/* The task that runs one of the coroutines on a stack, and the index of the code of that; its name as UTF-8, cut:
 * (SN_TASK_NAME,), not terminated. */
sn_task_result sn_task_of(const sn_memory_reader *memory, sn_code_table *table, uint64_t running,
                          const sn_stack_thread *thread, uint32_t *code, char *name, uint32_t *bytes);

#endif
