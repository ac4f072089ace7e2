/* CPython 3.12 and later: running and suspended activations of a thread, by their frames. */
#ifndef SONDE_PATHS_ACTIVATIONS_H
#define SONDE_PATHS_ACTIVATIONS_H

#include "../cpython/frames.h"

#include "counting.h"
#include "event_tables.h"

typedef struct {
    const sn_frame *frame;
    sn_routine_tables *routine;
    const sn_chain *chain; /* that it is in; what it does is not done yet */
    int64_t register_;
    int32_t raised; /* block in which an exception was raised that is not handled yet; -1: there is none */
    sn_slab_activation forest;
} sn_activation;

/* Those of the current thread that run, the innermost last. */
typedef struct {
    sn_activation *running;
    uint32_t depth, room;
    PyThreadState *state; /* the interpreter's side of this thread; NULL when a call has ended since it was known */
} sn_running;

extern _Thread_local sn_running sn_here __attribute__((tls_model("initial-exec")));

/* Between the beginnings and ends of calls, a thread has one state. */
static inline const sn_frame *sn_current_frame(void) {
    if (unlikely(!sn_here.state)) sn_here.state = sn_thread_state();
    return sn_frame_top(sn_here.state);
}

/* The same at the beginning of a call, where it may have another. */
static inline const sn_frame *sn_beginning_frame(void) {
    sn_here.state = sn_thread_state();
    return sn_frame_top(sn_here.state);
}

/* Deeper ones are looked for, and what is above them has gone unseen. */
sn_activation *sn_activation_below(const sn_frame *frame);

/* The activation of a frame that runs; NULL when its beginning was not seen. */
static inline sn_activation *sn_activation_of(const sn_frame *frame) {
    if (likely(sn_here.depth && sn_here.running[sn_here.depth - 1].frame == frame))
        return &sn_here.running[sn_here.depth - 1];
    return sn_activation_below(frame);
}

/* Begin one; NULL when there is no memory. */
sn_activation *sn_activation_push(const sn_frame *frame);

/* The innermost one has ended. */
static inline void sn_activation_pop(void) {
    sn_here.depth--;
    sn_here.state = NULL;
}

/* A generator's is put aside until its frame goes on, perhaps in another thread. */
void sn_activation_suspend(sn_activation *activation);
sn_activation *sn_activation_resume(const sn_frame *frame);

/* A frame begins where there was another: forget what was suspended there. */
void sn_activation_forget(const sn_frame *frame);

#endif
