/* CPython 3.12 and later: activations by their frames, those of calls on a stack for each thread. */
#ifndef SONDE_PATHS_ACTIVATIONS_H
#define SONDE_PATHS_ACTIVATIONS_H

#include "../cpython/frames.h"

#include "counting.h"
#include "event_tables.h"

#include "../core/base/thread_local.h"

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

extern _Thread_local sn_running sn_here SN_STATIC_TLS;

/* Generators and coroutines keep their frames while others run, perhaps in other threads. */
static inline bool sn_is_generator(PyObject *code) {
    return ((PyCodeObject *)code)->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR);
}

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

/* That of a generator, wherever it runs. */
sn_activation *sn_generator_activation(const sn_frame *frame);

/* The activation of the current frame; NULL when its beginning was not seen. It stays until another begins. */
static inline sn_activation *sn_current_activation(PyObject *code) {
    if (unlikely(sn_is_generator(code))) return sn_generator_activation(sn_frame_top(sn_thread_state()));
    const sn_frame *frame = sn_current_frame();
    if (likely(sn_here.depth && sn_here.running[sn_here.depth - 1].frame == frame))
        return &sn_here.running[sn_here.depth - 1];
    return sn_activation_below(frame);
}

/* Begin one; NULL when there is no memory. */
sn_activation *sn_activation_begin(PyObject *code);

/* It has ended. */
void sn_generator_end(const sn_frame *frame);

static inline void sn_activation_end(const sn_activation *activation, PyObject *code) {
    if (unlikely(sn_is_generator(code))) {
        sn_generator_end(activation->frame);
        return;
    }
    sn_here.depth--;
    sn_here.state = NULL;
}

#endif
