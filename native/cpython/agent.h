/* What lives in the measured process: one agent, with per-thread cursors into one tree.
 *
 * Every function of the agent is called with the GIL held, unless it says otherwise. Nothing in it
 * runs Python code, raises, or prints while a program is measured.
 */
#ifndef SONDE_AGENT_H
#define SONDE_AGENT_H

#include "frames.h"

#include "../core/trace/event_kind.h"
#include "../core/contexts/hot_tree.h"
#include "../core/base/stopped_clock.h"
#include "../core/base/ticks.h"
#include "../core/samples/shown_stack.h"
#include "../core/trace/trace_writer.h"

#include <stddef.h>

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* A cursor of the tree, with what we need to know of the thread in its owner's words. */
typedef union {
    sn_cursor cursor;
    struct {
        uint64_t cursor_words[5];
        union {
            char *stack_floor;     /* below this address the C stack is in danger (eval hook only) */
            sn_shown_stack *stack; /* when only starts are seen; NULL at first */
        };
        PyThreadState *state; /* the interpreter's side of this thread, NULL when not known (threads.c) */
        uint32_t number;     /* from 0 */
        uint32_t ended;      /* the thread is gone: another may have the cursor */
    };
} sn_thread;

static_assert(offsetof(sn_thread, stack_floor) == offsetof(sn_cursor, owner), "thread layout");
static_assert(sizeof(sn_thread) == sizeof(sn_cursor), "thread layout");

/* What it costs to watch a call begin, and end, in ticks; zero when that is not to be taken out. */
typedef struct sn_event_costs {
    uint64_t enter, leave;
} sn_event_costs;

/* Watching in bursts. */
typedef struct {
    uint64_t interval_ns, length_ns; /* 0: no bursts, watched all the time */
    uint32_t one_in;       /* adaptive: a burst in a well-sampled context takes place one time in so many; 0: always */
    uint32_t weight;       /* what each call of this burst counts */
    uint32_t over;         /* not 0: the next call that is seen has something to do, see bursts.h */
    bool by_hand;          /* the program says when, see blocks.h: there is no interval, and nothing is scaled up */
    bool unwatched;        /* this burst is left out, or over before it was begun: the hook is out */
    uint64_t started, stopped; /* ticks */
    uint64_t stopped_running; /* the same moment as `stopped`, by the clock that does not stand */
    uint64_t due_ns;       /* when the burst that is to begin was due; 0: none is */
    uint64_t left_ns;      /* how long the burst lasts from its beginning on */
    uint64_t forked_ns;
} sn_bursts;

/* A way of seeing calls. */
typedef struct {
    const char *name;
    int (*start)(void);   /* -1 with a Python exception when it cannot */
    void (*stop)(void);
    bool (*intact)(void); /* false when the program has removed or replaced our hook */
    void (*pause)(void);  /* take the hook out; NULL when it cannot be had in bursts */
    void (*resume)(void); /* and put it in again */
} sn_mechanism;

typedef struct {
    sn_cells cells;
    sn_hot_tree hot;
    sn_header *header;
    uint32_t **lines_of;   /* by function number: line + 1 by instruction, 0 not yet looked up; or NULL */
    sn_clock_kind clock;
    sn_bursts bursts;
    sn_hot_plan plan;      /* which contexts are kept */
    bool builtins;         /* count calls of C functions too */
    bool starts_only;      /* ends are not seen, see starts.h */
    bool by_thread;        /* keep threads apart, see thread_base.h */
    bool by_line;          /* another process samples lines: threads are to be known from their beginning */
    bool sampled;          /* another process samples times, see ../core/samples/context_sampler.h: likewise */
    bool of_processor;     /* sampled times are of threads that have a processor */
    bool follow;           /* go on in forked children */
    bool active;
    bool calibrates;       /* other threads than the calling one are not to be seen */
    bool begun;            /* the program has begun: start-up of the interpreter is over */
    bool has_tracer;       /* the program had a trace or profile function, see monitoring.h */
    bool detached;         /* this is a forked child that is not followed: count nothing */
    char *spool;           /* folder of the cell files */
    const sn_mechanism *mechanism;
    char *trace_path;      /* events are recorded into a file there, or beside it; NULL: they are not */
    sn_trace_writer trace;
    uint64_t tick_mask;    /* recorded times are multiples of a power of two; all that is counted goes by them */
    uint64_t last;         /* what the clock has shown, see stopped_clock.h; what it has lost is in the header */
    uint64_t gap;          /* times are what threads ran, see processor_clock.h; 0: they are elapsed time */
    sn_event_costs costs, builtin_costs; /* of calls of Python functions, and of C functions */
    uint64_t counting_ps, builtin_counting_ps; /* sampled times: what counting one of them costs, in picoseconds; 0: stays in */
} sn_agent;

extern sn_agent agent;

/* How calls are counted; a constant wherever it is asked for, so that each hook has only what it needs. */
typedef enum { SN_PLAIN = 0, SN_TIMED = 1, SN_IN_BURSTS = 2, SN_RECORDED = 4, SN_HOWS = 8 } sn_how;

static inline sn_how sn_chosen_how(void) {
    return (sn_how)((agent.clock == SN_CLOCK_NONE ? SN_PLAIN : SN_TIMED) |
                    (agent.bursts.interval_ns || agent.bursts.by_hand ? SN_IN_BURSTS : SN_PLAIN) | (agent.trace_path ? SN_RECORDED : SN_PLAIN));
}

#endif
