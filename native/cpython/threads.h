/* Threads: a cursor for each, found again through thread-local storage. */
#ifndef SONDE_THREADS_H
#define SONDE_THREADS_H

#include "agent.h"

#include "../core/base/thread_local.h"

/* One pointer per thread in the static TLS block: no call to reach it. */
extern _Thread_local sn_thread *sn_thread_here SN_STATIC_TLS;

/* What the thread does is none of the program's, see unseen.h. */
extern _Thread_local bool sn_thread_unseen SN_STATIC_TLS;

/* Finds out what watching costs: see agent.calibrates. */
extern _Thread_local bool sn_thread_calibrates;

int sn_threads_init(void);
void sn_threads_forget(void);               /* the calling one, and that there ever were others */
sn_thread *sn_thread_begin(void);           /* NULL when there is no room, or it is not to be seen */
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

#endif
