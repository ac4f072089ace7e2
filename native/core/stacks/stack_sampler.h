/* The Python stacks of other processes, looked at over and over, as a calling context tree with times.
 *
 * Nothing runs in the processes, nothing is installed there, and they are not stopped. See python_stack.h for how a stack is
 * read, and stack_tree.h for how its time is found.
 *
 * Collecting garbage is what a thread does that has the interpreter's lock while the interpreter notes that it collects: read
 * at the moment at which the frame on top is. Python code that runs meanwhile (`__del__`, callbacks) has that below it, too.
 * A thread waits for the lock when it waits at a futex that is in the lock.
 *
 * Threads that wait are looked at in turns, 16 at each look; what was seen of one then stands for the time since it was looked at
 * before, not for halves of the times before and after: these would be too little for one that waits most of the time.
 *
 * Cost: for a thread that waits 1 us of ours, for one that runs some 15; see benches/bench_sampling.py.
 */
#ifndef SONDE_STACK_SAMPLER_H
#define SONDE_STACK_SAMPLER_H

#include "../native_stacks/native_stacks.h"
#include "asyncio_tasks.h"
#include "python_process.h"
#include "stack_tree.h"

typedef struct sn_stack_sampler sn_stack_sampler;

/* Time in which threads have a processor; all time, with what they wait apart, and what they wait for the interpreter's
 * lock; or time in which they have that. Collecting garbage is apart in all of them. */
typedef enum { SN_SAMPLE_PROCESSOR, SN_SAMPLE_WALL, SN_SAMPLE_LOCK } sn_sampled_kind;

/* Sums over all threads of all processes. */
typedef struct {
    uint64_t rounds, late;  /* of ../base/look_loop.h */
    uint64_t looks;         /* at threads */
    uint64_t waiting;       /* of these, threads waited */
    uint64_t stacks, cut;   /* read; of these, without callees that changed meanwhile */
    uint64_t outside;       /* no Python function ran */
    uint64_t torn;          /* had to be dropped, as the thread went on */
    uint64_t still;         /* looks at running threads from their own processor (watched_still.c) */
    uint64_t too_deep, without_room;
    uint64_t replaced;      /* code objects that were freed */
    uint64_t forbidden;     /* processes that we may not read */
    uint64_t first_ns, last_ns; /* of CLOCK_MONOTONIC: the first look, and the last */
} sn_stack_sums;

typedef enum { SN_TARGET_LOOKED_AT, SN_TARGET_ENDED, SN_TARGET_LOST } sn_target_state;

typedef struct {
    uint32_t pid, version, threads; /* that were ever seen */
    sn_target_state state;          /* LOST: where its interpreter was is none any more; it may have become another program */
    uint64_t stacks;
    bool is_free_threaded; /* its Python is built without a global lock */
} sn_target;

typedef struct {
    uint32_t process, native_id;
    uint64_t first_ns, last_ns; /* when it was seen */
} sn_target_thread;

/* Tasks of asyncio with one name, or without one, of one coroutine; they count as a thread of their own, whose native id is 0. */
typedef struct {
    uint32_t thread;
    bool is_named;
    uint32_t bytes;
    char name[SN_TASK_NAME]; /* UTF-8: theirs, or that of the coroutine */
} sn_task_group;

enum { SN_MOST_TASK_GROUPS = 256 }; /* those beyond are the last one, and have no name */

/* What has a tree of its own: nothing, each thread, or each group of tasks, and each thread for what it runs besides. */
typedef enum { SN_APART_NOTHING, SN_APART_THREADS, SN_APART_TASKS } sn_apart;

/* NULL when memory is short. `period_ns` as in ../base/look_loop.h. */
sn_stack_sampler *sn_stack_sampler_create(uint64_t period_ns, sn_sampled_kind kind, sn_apart apart);
void sn_stack_sampler_destroy(sn_stack_sampler *sampler);

/* Look at C functions, too, and stop threads for it; before processes are added. */
sn_libdw_result sn_stack_sampler_look_natively(sn_stack_sampler *sampler, sn_status *status);

/* What that was like; NULL: only Python functions are looked at. */
const sn_native_stacks *sn_stack_sampler_native(const sn_stack_sampler *sampler);

/* Look at another process, too; `*status` is SN_NO_MEMORY or SN_OK. */
sn_python_result sn_stack_sampler_add(sn_stack_sampler *sampler, pid_t pid, sn_status *status);

/* The same of a process whose memory comes from elsewhere. */
sn_status sn_stack_sampler_add_python(sn_stack_sampler *sampler, pid_t pid, const sn_python *python,
                                      const sn_memory_reader *memory);

/* As sn_look_loop_run and sn_look_loop_stop. */
void sn_stack_sampler_run(sn_stack_sampler *sampler, uint64_t ns);
void sn_stack_sampler_stop(sn_stack_sampler *sampler);

/* Look at each thread once; `now` of CLOCK_MONOTONIC, in nanoseconds, not less than the last. */
void sn_stack_sampler_look(sn_stack_sampler *sampler, uint64_t now);

sn_stack_sums sn_stack_sampler_sums(const sn_stack_sampler *sampler);
const sn_stack_tree *sn_stack_sampler_tree(const sn_stack_sampler *sampler);
const sn_code_functions *sn_stack_sampler_functions(const sn_stack_sampler *sampler);
uint32_t sn_stack_sampler_targets(const sn_stack_sampler *sampler);
sn_target sn_stack_sampler_target(const sn_stack_sampler *sampler, uint32_t number);
uint32_t sn_stack_sampler_threads(const sn_stack_sampler *sampler);
uint32_t sn_stack_sampler_task_groups(const sn_stack_sampler *sampler);
const sn_task_group *sn_stack_sampler_task_group(const sn_stack_sampler *sampler, uint32_t number);
sn_target_thread sn_stack_sampler_thread(const sn_stack_sampler *sampler, uint32_t number);

#endif
