/* What a spool says of tasks of asyncio, and of threads: records whose first string is numbers, which the writer goes on changing. */
#ifndef SONDE_TASK_RECORD_H
#define SONDE_TASK_RECORD_H

#include <stdint.h>

/* Tasks of one coroutine, made at one place, with one name. A step is what a task runs between two suspensions. */
typedef struct {
    uint64_t tasks, ended, cancelled, failed; /* the last two are among those that have ended */
    uint64_t steps;
    uint64_t life;                            /* ticks, of tasks that have ended; the sum of the next three */
    uint64_t run, awaited, ready;
    uint64_t longest_step, longest_at;        /* `longest_at`: where it began, see sn_place_word */
} sn_task_counts;

/* What tasks of one group awaited at one place. */
typedef struct {
    uint64_t times, awaited, ready, longest;
} sn_await_counts;

/* The loops of all threads, together. `span`: ticks in which they had tasks; `held`: in which a step of one ran. */
typedef struct {
    uint64_t loops, span, held, longest_step, longest_at, longest_group;
} sn_loop_counts;

/* A thread that is kept apart, from its first counted call on; `ended`: 0 until its end, or that of the process. */
typedef struct {
    uint64_t began_ns, ended_ns;                     /* CLOCK_MONOTONIC */
    uint64_t processor_began_ns, processor_ended_ns; /* the time that it ran */
} sn_thread_counts;

/* A function and a line in one number; 0: no place. */
static inline uint64_t sn_place_word(uint32_t function, uint32_t line) { return (uint64_t)(function + 1) << 32 | line; }

#endif
