/* All tasks of asyncio in other processes, looked at over and over: what they wait for, as a calling context tree with times.
 *
 * A context is what a task awaits, below what awaits the task: the chain of its awaiter, that of its awaiter, and so on; what
 * awaits each other in a circle begins with itself. Below the innermost frame is a leaf: WAITS, for tasks, or READY; none where
 * the task runs. Each task has its own time in it, as it went by: from one look to the next, half of the time goes to the contexts in
 * which tasks were at the first, and half to those at the second. So a task that is seen at one look and not at the next counts up to
 * the middle between the two, and what tasks have that live for less than that is right on average. See presence.h.
 *
 * Guarantee: what all contexts have together is the sum over tasks of the time from the middle before the first look that saw them
 *     to the middle after the last one.
 * Cost: see waiting_tasks.h; 64 bytes and 0.3 us for each task, besides.
 */
#ifndef SONDE_TASK_SAMPLER_H
#define SONDE_TASK_SAMPLER_H

#include "stack_sampler.h"
#include "waiting_tasks.h"

/* Leaves of this tree: the numbers of those of threads. */
enum { SN_TASK_LEAF_WAITS = 1, SN_TASK_LEAF_WAITS_FOR_TASKS, SN_TASK_LEAF_READY };

typedef struct sn_task_sampler sn_task_sampler;

/* NULL when memory is short. `period_ns` as in ../base/look_loop.h. */
sn_task_sampler *sn_task_sampler_create(uint64_t period_ns);
void sn_task_sampler_destroy(sn_task_sampler *sampler);

/* As of sn_stack_sampler. */
sn_python_result sn_task_sampler_add(sn_task_sampler *sampler, pid_t pid, sn_status *status);
sn_status sn_task_sampler_add_python(sn_task_sampler *sampler, pid_t pid, const sn_python *python, const sn_memory_reader *memory);
void sn_task_sampler_run(sn_task_sampler *sampler, uint64_t ns);
void sn_task_sampler_stop(sn_task_sampler *sampler);
void sn_task_sampler_look(sn_task_sampler *sampler, uint64_t now);

typedef struct {
    uint64_t rounds, late;      /* looks at which a process had asyncio; of all, those that came late */
    uint64_t looks;             /* at such processes */
    uint64_t first_ns, last_ns; /* of the first of these rounds, and the last */
    uint64_t without_room, replaced;
    uint64_t took_ns; /* processor time of ours */
    bool has_asyncio, is_unknown;
    sn_task_sums tasks;
} sn_task_sampler_sums;

sn_task_sampler_sums sn_task_sampler_told(const sn_task_sampler *sampler);
const sn_stack_tree *sn_task_sampler_tree(const sn_task_sampler *sampler);
const sn_code_functions *sn_task_sampler_functions(const sn_task_sampler *sampler);
uint32_t sn_task_sampler_targets(const sn_task_sampler *sampler);
sn_target sn_task_sampler_target(const sn_task_sampler *sampler, uint32_t number);
uint32_t sn_task_sampler_groups(const sn_task_sampler *sampler);
const sn_task_group *sn_task_sampler_group(const sn_task_sampler *sampler, uint32_t number);
sn_target_thread sn_task_sampler_thread(const sn_task_sampler *sampler, uint32_t number);

/* The tasks of a process at the last look, until the next one; and their frames. */
const sn_seen_task *sn_task_sampler_seen(const sn_task_sampler *sampler, uint32_t target, uint32_t *count);
const sn_chain_frame *sn_task_sampler_frames(const sn_task_sampler *sampler, uint32_t target);

/* The name of one of them, see sn_waiting_name. */
uint32_t sn_task_sampler_name(sn_task_sampler *sampler, uint32_t target, const sn_seen_task *task, char name[SN_TASK_NAME]);

#endif
