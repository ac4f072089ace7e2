/* All tasks of asyncio in another process, and what they wait for, at about one moment.
 *
 * `_asyncio` keeps weak references to all tasks; each task holds its coroutine, and the future that it waits for. Tasks are read
 * some hundred at a time; all that was read of one is read again, and if it is not the same, the task is read anew, up to
 * MOST_TRIES times: then it is dropped, and counted. Hundreds may run between the first task that is read and the last, so two tasks are not
 * of one moment; that one awaits another is told only if it has been seen from both sides.
 *
 * Cost: some 3 us of ours for each task; memory in proportion to the tasks, of which SN_MOST_TASKS are looked at.
 */
#ifndef SONDE_WAITING_TASKS_H
#define SONDE_WAITING_TASKS_H

#include "await_chain.h"
#include "python_process.h"
#include "python_stack.h"
#include "task_awaiters.h"
#include "task_list.h"
#include "thread_list.h"

typedef enum {
    SN_TASK_RUNS,
    SN_TASK_READY, /* what it waited for is there, or it has not begun; its loop does something else */
    SN_TASK_WAITS,
    SN_TASK_WAITS_FOR_TASKS, /* one or more, as `gather` and groups do */
} sn_task_state;

typedef struct {
    uint32_t function, line; /* line 0: none is known */
} sn_chain_frame;

#define SN_NO_TASK UINT32_MAX

/* One task. Its chain is that of what its coroutine awaits; of one that runs, the stack from its coroutine on. */
typedef struct {
    uint64_t address, coroutine, name, waits_for;
    sn_task_state state;
    uint32_t first, count; /* of its frames, the outermost one first; none where its coroutine is none of Python's */
    uint32_t awaiters[SN_MOST_AWAITERS], awaiter_count; /* tasks that await it, by index */
    char awaited[SN_TYPE_NAME]; /* the type of what it waits for; empty: nothing, or not known */
    char made_of[SN_TYPE_NAME]; /* the type of its coroutine, where that is none of Python's */
    sn_awaiters may_await;      /* it: before both sides were seen */
} sn_seen_task;

/* How many tasks were... */
typedef struct {
    uint64_t seen;       /* and read */
    uint64_t changed;    /* dropped: each time that they were read, they changed meanwhile */
    uint64_t not_in_c;   /* of a class that is not derived from the C part's */
    uint64_t too_many;   /* beyond SN_MOST_TASKS */
    uint64_t cut;        /* read, but for the end of a very long chain */
    uint64_t without_room;
} sn_task_sums;

typedef struct sn_waiting_tasks sn_waiting_tasks;

/* NULL when memory is short. */
sn_waiting_tasks *sn_waiting_create(void);
void sn_waiting_destroy(sn_waiting_tasks *waiting);

typedef enum { SN_WAITING_READ = 0, SN_WAITING_NO_ASYNCIO, SN_WAITING_UNKNOWN, SN_WAITING_OVER, SN_WAITING_FORBIDDEN, SN_WAITING_NO_MEMORY } sn_waiting_result;

/* Look at all tasks. NO_ASYNCIO: there is none, or it is not imported yet; UNKNOWN: how this version lays tasks out. */
sn_waiting_result sn_waiting_look(sn_waiting_tasks *waiting, const sn_memory_reader *memory, const sn_python *python,
                                  sn_code_table *codes, sn_code_functions *functions, sn_stack_reader *reader);

/* What was seen, until the next look. */
const sn_seen_task *sn_waiting_seen(const sn_waiting_tasks *waiting, uint32_t *count);
const sn_chain_frame *sn_waiting_frames(const sn_waiting_tasks *waiting);
sn_task_sums sn_waiting_sums(const sn_waiting_tasks *waiting); /* of all looks */

/* The name of a task, as UTF-8, cut: (SN_TASK_NAME,), not terminated; 0: it cannot be read. Numbers are written out. */
uint32_t sn_waiting_name(sn_waiting_tasks *waiting, const sn_memory_reader *memory, sn_code_table *codes, uint64_t name,
                         char *to, uint32_t room);

#endif
