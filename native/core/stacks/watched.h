/* What a stack sampler knows of the threads and processes that it looks at; of its own files only. */
#ifndef SONDE_WATCHED_H
#define SONDE_WATCHED_H

#include "../base/look_loop.h"
#include "../base/thread_clock.h"
#include "../base/thread_schedule.h"
#include "stack_sampler.h"
#include "thread_list.h"

typedef struct {
    uint32_t number; /* of the thread, in order of their appearance in all processes */
    uint64_t native_id;
    sn_stack_thread thread;
    sn_thread_schedule schedule;
    sn_stack_hint hint;
    sn_context *base;
    sn_stack_trail trail; /* up to the gaps of its clock that are not settled */
    sn_context *ends[SN_CLOCK_GAPS]; /* of these: what was seen at the end of each */
    bool was_seen, was_skipped; /* the latter since then */
    uint64_t looked;  /* when that was */
    sn_thread_clock clock; /* or that of its process where it has none */
    bool has_clock;
    uint64_t clock_ns; /* its clock at this look */
    uint64_t waiting; /* its turns when it was last seen to wait */
    sn_pause pause;
    int processor; /* that it had of late, + 1; 0: not known */
} sn_watched_thread;

typedef struct {
    pid_t pid;
    sn_python python;
    sn_memory_reader memory;
    sn_code_table codes;
    sn_target_state state;
    sn_watched_thread *threads;
    uint32_t count, room, seen;
    uint64_t interpreter; /* the only one */
    clockid_t clock;      /* of the time in which its threads had a processor */
    bool has_clock;
    sn_process_clock process;
    uint32_t since_list, failures;
    uint32_t idle, round; /* threads that waited at the last look; looks */
    uint64_t tasks_of, tasks; /* an interpreter, and where its running tasks are; 0: not found */
    uint64_t next_search;     /* for these */
    sn_known_task *known_tasks; /* (SN_KNOWN_TASKS,); NULL: none could be seen yet */
    uint64_t seldom_ns; /* owed to threads that seldom run */
    uint64_t stacks;
    sn_native_process *native; /* NULL: only Python functions are looked at */
    sn_watched_thread *others;           /* threads that have no state in Python, whose C functions are looked at */
    uint32_t other_count;
    uint64_t next_others; /* when they are looked for again */
    uint32_t tried, not_whole; /* stacks of running threads, of late */
    bool is_fast;              /* too many of them were not whole */
} sn_watched_process;

/* On which processor the sampler is. */
typedef struct {
    uint64_t before[16]; /* cpu_set_t: on which it may be */
    int moved;           /* to which one it was moved, + 1; 0: it was not */
    bool is_over;        /* it cannot be there, or is woken too late there */
    uint64_t round;      /* in which it was moved last */
    uint64_t rounds, late; /* of the loop, by then */
} sn_still;

struct sn_stack_sampler {
    sn_look_loop loop;
    sn_still still;
    sn_sampled_kind kind;
    sn_apart apart;
    sn_watched_process *targets;
    uint32_t count, room;
    sn_code_functions functions;
    sn_stack_reader *reader;
    sn_stack_tree tree;
    sn_known_calls known;
    sn_target_thread *threads;
    uint32_t thread_count, thread_room;
    uint32_t kept;
    sn_stack_sums sums;
    sn_listed_thread listed[SN_MOST_THREADS];
    sn_task_group groups[SN_MOST_TASK_GROUPS];
    uint32_t group_count;
    sn_native_stacks *native;
};

/* ---- watched_threads.c: which threads there are. ---- */

/* Take over what has changed; false when that cannot be told. */
bool sn_watched_update_list(sn_stack_sampler *sampler, sn_watched_process *process);

/* The same of those that run no Python: threads of pools of libraries. */
void sn_watched_update_others(sn_stack_sampler *sampler, sn_watched_process *process, uint64_t now);

/* Note that there is a thread, or what counts as one; false: memory is short. */
bool sn_watched_number(sn_stack_sampler *sampler, uint32_t process, uint64_t native_id, uint32_t *number);

void sn_watched_let_go(sn_stack_sampler *sampler, sn_watched_thread *thread);

/* ---- watched_time.c: what they ran. ---- */

/* A thread ran this, or nothing that counts, at this moment. */
void sn_watched_note(sn_stack_sampler *sampler, sn_watched_process *process, sn_watched_thread *thread, sn_context *context,
                     bool is_ready, uint64_t now);

/* Share out what a thread ran in the oldest gaps of its clock. */
void sn_watched_settle(sn_stack_sampler *sampler, sn_watched_thread *thread, uint32_t count);

/* ---- watched_tasks.c ---- */

/* See which tasks run, before a stack is read. */
void sn_watched_tasks(sn_stack_sampler *sampler, sn_watched_process *process, const sn_watched_thread *thread, uint64_t now);

/* Below which a stack is to be: the task that runs it, or its thread. */
sn_context *sn_watched_base(sn_stack_sampler *sampler, sn_watched_process *process, const sn_watched_thread *thread,
                            uint64_t now);

/* Before a running thread of a process is read: move to its processor, if its stacks change too fast to be read from another one. */
void sn_watched_still(sn_stack_sampler *sampler, const sn_watched_process *process, sn_watched_thread *thread);

/* After it was read. */
void sn_watched_is_whole(sn_stack_sampler *sampler, sn_watched_process *process, sn_watched_thread *thread, bool is_whole);

/* To wherever the sampler was before it was moved. */
void sn_still_return(sn_still *still);

#endif
