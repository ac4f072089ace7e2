/* What lives in the measured process: one agent, with per-thread cursors into one tree.
 *
 * Every function here is called with the GIL held, unless it says otherwise. Nothing in the
 * agent runs Python code, raises, or prints while a program is measured.
 */
#ifndef SONDE_AGENT_H
#define SONDE_AGENT_H

#include "frames.h"

#include "../core/event_kind.h"
#include "../core/hot_tree.h"
#include "../core/stopped_clock.h"
#include "../core/ticks.h"
#include "../core/trace_writer.h"

#include <stddef.h>

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* The frames of a thread's contexts, from the outermost to the current one. */
typedef struct {
    uint32_t depth, room;
    sn_frame *frames[];
} sn_stack;

/* A cursor of the tree, with what we need to know of the thread in its owner's words. */
typedef union {
    sn_cursor cursor;
    struct {
        uint64_t cursor_words[5];
        union {
            char *stack_floor;   /* below this address the C stack is in danger (eval hook only) */
            sn_stack *stack;     /* when only starts are seen; NULL at first */
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

typedef struct {
    sn_cells cells;
    sn_hot_tree hot;
    sn_header *header;
    uint32_t **lines_of;   /* by function number: line + 1 by instruction, 0 not yet looked up; or NULL */
    sn_clock_kind clock;
    sn_hot_plan plan;      /* which contexts are kept */
    bool builtins;         /* count calls of C functions too */
    bool starts_only;      /* ends are not seen, see starts.c */
    bool follow;           /* go on in forked children */
    bool active;
    bool begun;            /* the program has begun: start-up of the interpreter is over */
    bool detached;         /* this is a forked child that is not followed: count nothing */
    char *spool;           /* folder of the cell files */
    const struct sn_mechanism *mechanism;
    char *trace_path;      /* events are recorded into a file there, or beside it; NULL: they are not */
    sn_trace_writer trace;
    uint64_t tick_mask;    /* recorded times are multiples of a power of two; all that is counted goes by them */
    uint64_t last;         /* what the clock has shown, see stopped_clock.h; what it has lost is in the header */
    sn_event_costs costs, builtin_costs; /* of calls of Python functions, and of C functions */
} sn_agent;

extern sn_agent agent;

/* Watching in bursts (bursts.c). */
typedef struct {
    uint64_t interval_ns, length_ns; /* 0: no bursts, watched all the time */
    uint32_t one_in;       /* adaptive: a burst in a well-sampled context takes place one time in so many; 0: always */
    uint32_t weight;       /* what each call of this burst counts */
    uint32_t over;         /* not 0: the next call that is seen has something to do, see bursts.c */
    bool unwatched;        /* this burst is left out, or over before it was begun: the hook is out */
    uint64_t started, stopped; /* ticks */
    uint64_t due_ns;       /* when the burst that is to begin was due; 0: none is */
    uint64_t left_ns;      /* how long the burst lasts from its beginning on */
    uint64_t forked_ns;
} sn_bursts;

extern sn_bursts bursts;

/* How calls are counted; a constant wherever it is asked for, so that each hook has only what it needs. */
typedef enum { SN_PLAIN = 0, SN_TIMED = 1, SN_IN_BURSTS = 2, SN_RECORDED = 4, SN_HOWS = 8 } sn_how;

/* One pointer per thread in the static TLS block: no call to reach it. */
extern _Thread_local sn_thread *sn_thread_here __attribute__((tls_model("initial-exec")));

/* threads.c */
int sn_threads_init(void);
void sn_threads_forget(void);               /* the calling one, and that there ever were others */
sn_thread *sn_thread_begin(void);           /* NULL when there is no room */
void sn_threads_after_fork(void);
/* The top frame when it runs `code`, after asking the interpreter anew which thread this is. */
sn_frame *sn_thread_frame_slow(sn_thread *thread, const PyObject *code);

static inline sn_thread *sn_thread_get(void) {
    sn_thread *thread = sn_thread_here;
    return likely(thread != NULL) ? thread : sn_thread_begin();
}

/* The frame that has just begun to run `code`; NULL when it cannot be found. The remembered
 * thread state saves a call into the interpreter; it is checked, since embedding programs may
 * swap thread states. */
static inline sn_frame *sn_thread_frame(sn_thread *thread, const PyObject *code) {
    if (likely(thread->state != NULL)) {
        sn_frame *frame = sn_frame_top(thread->state);
        if (likely(frame && sn_frame_executable(frame) == code)) return frame;
    }
    return sn_thread_frame_slow(thread, code);
}

/* functions.c */
#define SN_NO_FUNCTION UINT32_MAX
int sn_functions_init(void);
void sn_functions_forget(void); /* all of them, before another init */
/* Number of the function that `code` belongs to, new ones are described in the spool.
 * SN_NO_FUNCTION when there is no room. `frame` may be NULL. */
uint32_t sn_function_of_code(PyObject *code, const sn_frame *frame);
uint32_t sn_function_of_builtin(PyObject *callable, uint64_t *key);
bool sn_function_is_builtin(uint32_t function);
uint32_t sn_function_call_line(uint32_t function, const sn_frame *caller, PyObject *code);
/* Remember that `context` runs `function`, so that it can be found when the code is freed. */
void sn_function_adopt(uint32_t function, sn_context *context);
void sn_functions_record(void); /* describe all that are known in a new trace */
void sn_function_abandon(sn_context *context); /* it is about to be removed */

/* cursor.c: the moves of a thread's cursor in the tree */
/* The context of `caller` on this thread, found by walking the stack; NULL when it has none
 * and there is no room for it. */
sn_context *sn_cursor_resync(sn_thread *thread, sn_frame *caller);
/* The child for an activation that begins (`called`) or was found running; NULL when there is no room. */
sn_context *sn_cursor_child(sn_context *parent, PyObject *code, const sn_frame *frame, uint32_t line, bool called);
void sn_cursor_leave_slow(sn_thread *thread, uint64_t key);
/* What runs is not known any more; it ran up to now. */
void sn_cursor_lose(sn_thread *thread, sn_how how);
sn_context *sn_cursor_parent_slow(sn_thread *thread, sn_frame *caller, uint32_t *line);

/* The clock that does not stand still while events are watched. */
static inline uint64_t sn_running_clock(void) {
    return likely(agent.clock == SN_CLOCK_TSC) ? sn_ticks() : sn_monotonic_ns();
}

/* The time, without what watching has cost up to now; a thread of our own may ask. */
static inline uint64_t sn_now(void) {
    uint64_t taken = __atomic_load_n(&agent.header->taken, __ATOMIC_RELAXED);
    uint64_t last = __atomic_load_n(&agent.last, __ATOMIC_RELAXED);
    return sn_clock_now(taken, last, sn_running_clock()) & agent.tick_mask;
}

/* Nothing shorter has a thread wait for a processor, as a rule; some 0.3 ms of a counter, 1 ms of nanoseconds. */
#define SN_LONG_PAUSE (UINT64_C(1) << 20)

/* clock.c */
uint64_t sn_ticks_in(uint64_t ns);
/* The same after a long pause, or when the clock stands. */
uint64_t sn_now_at_event_slow(uint64_t running, uint64_t cost);

/* The time of an event that costs so much. */
static inline uint64_t sn_now_at_event(uint64_t cost) {
    uint64_t running = sn_running_clock(), taken = agent.header->taken + cost, passed = running - taken - agent.last;
    if (unlikely(passed >= SN_LONG_PAUSE)) return sn_now_at_event_slow(running, cost);
    agent.header->taken = taken;
    return (agent.last += passed) & agent.tick_mask;
}

/* Where a call from `caller` hangs, and the line it comes from; NULL when it cannot be stored. */
static inline sn_context *sn_cursor_parent(sn_thread *thread, sn_frame *caller, uint32_t *line) {
    sn_context *at = thread->cursor.current;
    PyObject *code;
    if (unlikely(!caller) || (code = sn_frame_executable(caller), unlikely(at->key != (uint64_t)(uintptr_t)code)))
        return sn_cursor_parent_slow(thread, caller, line);
    const uint32_t *lines = agent.lines_of[at->function];
    uint32_t known = likely(lines != NULL) ? lines[sn_frame_instruction(caller, code)] : 0;
    *line = likely(known) ? known - 1 : sn_function_call_line(at->function, caller, code);
    return at;
}

/* Write what has just happened to `context`; its time is that of the last credit. */
static inline void sn_cursor_record(sn_thread *thread, uint32_t kind, const sn_context *context) {
    sn_trace_event(&agent.trace, kind, thread->number, context->function, sn_line_of(context), thread->cursor.now);
}

/* Begin an activation of `context`, a child of what runs; its time begins where the last credit ended. */
static inline void sn_cursor_open(sn_thread *thread, sn_context *context, sn_how how) {
    context->calls += how & SN_IN_BURSTS ? bursts.weight : 1;
    thread->cursor.current = context;
    if (how & SN_RECORDED) sn_cursor_record(thread, SN_EVENT_ENTER, context);
}

/* What runs has run until the event that costs so much. */
static inline void sn_cursor_credit(sn_thread *thread, uint64_t cost, sn_how how) {
    if (!(how & SN_TIMED)) return;
    if (how & SN_IN_BURSTS) sn_hot_credit_weighted(&thread->cursor, sn_now_at_event(cost), bursts.weight);
    else sn_hot_credit(&thread->cursor, sn_now_at_event(cost));
}

/* End what runs. */
static inline void sn_cursor_close(sn_thread *thread, uint64_t cost, sn_how how) {
    sn_cursor_credit(thread, cost, how);
    if (how & SN_RECORDED) sn_cursor_record(thread, SN_EVENT_LEAVE, thread->cursor.current);
    sn_hot_leave(&agent.hot, &thread->cursor);
}

/* Enter `code`, called from `caller`; NULL when there is no room to count it. */
static inline sn_context *sn_cursor_enter(sn_thread *thread, PyObject *code, sn_frame *frame, sn_frame *caller,
                                          sn_how how) {
    uint32_t line = 0;
    sn_context *at = sn_cursor_parent(thread, caller, &line);
    if (unlikely(!at)) return NULL;
    sn_cursor_credit(thread, agent.costs.enter, how);
    sn_context *child = sn_tree_front(at, (uint64_t)(uintptr_t)code, line);
    if (unlikely(!child)) {
        child = sn_cursor_child(at, code, frame, line, true);
        if (!child) return NULL;
        thread->cursor.skipped = 0; /* there is room */
    }
    sn_cursor_open(thread, child, how);
    return child;
}

/* Leave `key` by an event; heals the cursor when it points elsewhere. */
static inline void sn_cursor_leave(sn_thread *thread, uint64_t key, sn_how how) {
    if (unlikely(thread->cursor.current->key != key)) sn_cursor_leave_slow(thread, key);
    else sn_cursor_close(thread, agent.costs.leave, how);
}

/* The same for a function written in C, called from the frame `caller`; others are ignored. */
void sn_cursor_enter_builtin(sn_thread *thread, sn_frame *caller, PyObject *callable);
void sn_cursor_leave_builtin(sn_thread *thread, PyObject *callable);

/* Whether the frame is the first one of the program itself: nothing called it, and it is not
 * import machinery that the interpreter uses on its way. That is the body of a script, or what
 * runs a module for `-m`, the import of its packages included. */
bool sn_frame_begins_program(const sn_frame *frame, sn_frame *caller);

/* starts.c: Python 3.12 and later */
void sn_starts_enter(sn_thread *thread, PyObject *code, sn_frame *frame);
/* The frame of what has become the current context; false when there is no room. */
bool sn_starts_push(sn_thread *thread, sn_frame *frame);

/* calibration.c */
void sn_calibrate(void); /* costs stay zero when they cannot be measured */

/* spool.c */
int sn_spool_open(void);                     /* -1 with a Python exception */
void sn_spool_note(const char *kind, uint32_t amount, const char *detail);
int sn_spool_register_fork(PyObject *module);
PyObject *sn_before_fork(PyObject *module, PyObject *unused);
PyObject *sn_after_fork_parent(PyObject *module, PyObject *unused);
PyObject *sn_after_fork_child(PyObject *module, PyObject *unused);

/* recording.c */
int sn_recording_start(const char *path, const char *command); /* -1 with a Python exception */
void sn_recording_function(uint32_t first_line, uint32_t flags, const char *const text[3], const uint32_t length[3]);
void sn_recording_up_to_now(void); /* what runs did so until now; it is found again if it goes on */
void sn_recording_finish(void);
void sn_recording_after_fork(void); /* in a child that is followed */

/* replacing.c */
void sn_replacing_init(void); /* from here on, a program that replaces itself says so in the spool */

/* The three mechanisms; each returns -1 with a Python exception when it cannot start. */
int sn_eval_hook_start(void);
void sn_eval_hook_stop(void);
void sn_eval_hook_resume(void);
bool sn_eval_hook_intact(void);
int sn_monitoring_start(void);
void sn_monitoring_stop(void);
void sn_monitoring_resume(void);
bool sn_monitoring_intact(void);
int sn_set_profile_start(void);
void sn_set_profile_stop(void);
bool sn_set_profile_intact(void);
void sn_set_profile_take_over(void);         /* from the eval hook, for good */

typedef struct sn_mechanism {
    const char *name;
    int (*start)(void);
    void (*stop)(void);
    bool (*intact)(void); /* false when the program has removed or replaced our hook */
    void (*pause)(void);  /* take the hook out; NULL when it cannot be had in bursts */
    void (*resume)(void); /* and put it in again */
} sn_mechanism;

/* bursts.c; all with the GIL held. */
void sn_bursts_begin(void);      /* the program begins, and with it the first burst */
void sn_burst_end(void);
bool sn_burst_turn(void);        /* bursts.over has been seen: whether the burst is over; it has been ended then */
void sn_bursts_pause(void);      /* until the next one: the thread that keeps the time ends */
void sn_bursts_go_on(void);
void sn_bursts_after_fork(void); /* in a child that is followed */

static inline sn_how sn_chosen_how(void) {
    return (sn_how)((agent.clock == SN_CLOCK_NONE ? SN_PLAIN : SN_TIMED) | (bursts.interval_ns ? SN_IN_BURSTS : SN_PLAIN) |
                    (agent.trace_path ? SN_RECORDED : SN_PLAIN));
}

/* Whether the burst is over; it has been ended then, and what was seen is not to be counted. */
static inline bool sn_burst_is_over(sn_how how) {
    if (!(how & SN_IN_BURSTS) || likely(!__atomic_load_n(&bursts.over, __ATOMIC_RELAXED))) return false;
    return sn_burst_turn();
}

#endif
