/* What lives in the measured process: one agent, with per-thread cursors into one tree.
 *
 * Every function here is called with the GIL held, unless it says otherwise. Nothing in the
 * agent runs Python code, raises, or prints while a program is measured.
 */
#ifndef SONDE_AGENT_H
#define SONDE_AGENT_H

#include "frames.h"

#include "../core/context_tree.h"
#include "../core/ticks.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

typedef struct sn_thread {
    sn_context *current; /* context of the function now running on this thread */
    sn_context *root;
    char *stack_floor;   /* below this address the C stack is in danger (eval hook only) */
    PyThreadState *state; /* the interpreter's side of this thread, NULL when not known (threads.c) */
    struct sn_thread *next_free;
} sn_thread;

typedef struct {
    sn_cells cells;
    sn_tree tree;
    sn_header *header;
    uint32_t **lines_of;   /* by function number: line + 1 by instruction, 0 not yet looked up; or NULL */
    sn_clock_kind clock;
    bool builtins;         /* count calls of C functions too */
    bool follow;           /* go on in forked children */
    bool active;
    bool begun;            /* the program has begun: start-up of the interpreter is over */
    bool detached;         /* this is a forked child that is not followed: count nothing */
    char *spool;           /* folder of the cell files */
} sn_agent;

extern sn_agent agent;

/* One pointer per thread in the static TLS block: no call to reach it. */
extern _Thread_local sn_thread *sn_thread_here __attribute__((tls_model("initial-exec")));

/* threads.c */
int sn_threads_init(void);
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
/* Number of the function that `code` belongs to, new ones are described in the spool.
 * SN_NO_FUNCTION when there is no room. `frame` may be NULL. */
uint32_t sn_function_of_code(PyObject *code, const sn_frame *frame);
uint32_t sn_function_of_builtin(PyObject *callable, uint64_t *key);
bool sn_function_is_builtin(uint32_t function);
uint32_t sn_function_call_line(uint32_t function, const sn_frame *caller, PyObject *code);
/* Remember that `context` runs `function`, so that it can be found when the code is freed. */
void sn_function_adopt(uint32_t function, sn_context *context);

/* cursor.c: the moves of a thread's cursor in the tree */
/* The context of `caller` on this thread, found by walking the stack; NULL when it has none
 * and there is no room for it. */
sn_context *sn_cursor_resync(sn_thread *thread, sn_frame *caller);
sn_context *sn_cursor_child(sn_context *parent, PyObject *code, const sn_frame *frame, uint32_t line);
void sn_cursor_leave_slow(sn_thread *thread, uint64_t key);
sn_context *sn_cursor_parent_slow(sn_thread *thread, sn_frame *caller, uint32_t *line);

static inline uint64_t sn_now(void) {
    return likely(agent.clock == SN_CLOCK_TSC) ? sn_ticks() : sn_monotonic_ns();
}

/* Where a call from `caller` hangs, and the line it comes from; NULL when it cannot be stored. */
static inline sn_context *sn_cursor_parent(sn_thread *thread, sn_frame *caller, uint32_t *line) {
    sn_context *at = thread->current;
    PyObject *code;
    if (unlikely(!caller) || (code = sn_frame_executable(caller), unlikely(at->key != (uint64_t)(uintptr_t)code)))
        return sn_cursor_parent_slow(thread, caller, line);
    const uint32_t *lines = agent.lines_of[at->function];
    uint32_t known = likely(lines != NULL) ? lines[sn_frame_instruction(caller, code)] : 0;
    *line = likely(known) ? known - 1 : sn_function_call_line(at->function, caller, code);
    return at;
}

/* Begin an activation of `context`. */
static inline void sn_cursor_open(sn_thread *thread, sn_context *context, bool timed) {
    context->calls++;
    thread->current = context;
    if (timed) context->entered = sn_now();
}

/* End the running activation of `context`; the caller moves the cursor. */
static inline void sn_cursor_close(sn_thread *thread, sn_context *context, bool timed) {
    if (timed && likely(context->entered)) {
        uint64_t now = sn_now();
        context->ticks += now - context->entered;
        context->entered = 0;
        thread->root->entered = now;
    }
}

/* Enter `code`, called from `caller`; NULL when there is no room to count it. */
static inline sn_context *sn_cursor_enter(sn_thread *thread, PyObject *code, sn_frame *frame, sn_frame *caller,
                                          bool timed) {
    uint32_t line = 0;
    sn_context *at = sn_cursor_parent(thread, caller, &line);
    if (unlikely(!at)) return NULL;
    sn_context *child = sn_tree_front(at, (uint64_t)(uintptr_t)code, line);
    if (unlikely(!child)) {
        child = sn_cursor_child(at, code, frame, line);
        if (!child) return NULL;
    }
    sn_cursor_open(thread, child, timed);
    return child;
}

/* Leave `key` by an event; heals the cursor when it points elsewhere. */
static inline void sn_cursor_leave(sn_thread *thread, uint64_t key, bool timed) {
    sn_context *at = thread->current;
    if (unlikely(at->key != key)) {
        sn_cursor_leave_slow(thread, key);
        return;
    }
    sn_cursor_close(thread, at, timed);
    thread->current = at->parent;
}

/* The same for a function written in C, called from the frame `caller`; others are ignored. */
void sn_cursor_enter_builtin(sn_thread *thread, sn_frame *caller, PyObject *callable);
void sn_cursor_leave_builtin(sn_thread *thread, PyObject *callable);

/* Whether the frame is the first one of the program itself: nothing called it, and it is not
 * import machinery that the interpreter uses on its way. That is the body of a script, or what
 * runs a module for `-m`, the import of its packages included. */
bool sn_frame_begins_program(const sn_frame *frame, sn_frame *caller);

/* spool.c */
int sn_spool_open(void);                     /* -1 with a Python exception */
void sn_spool_note(const char *kind, uint32_t amount, const char *detail);
int sn_spool_register_fork(PyObject *module);
PyObject *sn_before_fork(PyObject *module, PyObject *unused);
PyObject *sn_after_fork_parent(PyObject *module, PyObject *unused);
PyObject *sn_after_fork_child(PyObject *module, PyObject *unused);

/* The three mechanisms; each returns -1 with a Python exception when it cannot start. */
int sn_eval_hook_start(void);
void sn_eval_hook_stop(void);
bool sn_eval_hook_intact(void);
int sn_monitoring_start(void);
void sn_monitoring_stop(void);
bool sn_monitoring_intact(void);
int sn_set_profile_start(void);
void sn_set_profile_stop(void);
bool sn_set_profile_intact(void);
void sn_set_profile_take_over(void);         /* from the eval hook, for good */

typedef struct {
    const char *name;
    int (*start)(void);
    void (*stop)(void);
    bool (*intact)(void); /* false when the program has removed or replaced our hook */
} sn_mechanism;

#endif
