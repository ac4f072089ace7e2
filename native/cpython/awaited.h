/* What a coroutine awaits, and where a task was made: places in the program's own code, where there is any. */
#ifndef SONDE_AWAITED_H
#define SONDE_AWAITED_H

#include "agent.h"

typedef struct {
    uint32_t function, line; /* SN_NO_FUNCTION: not known */
} sn_place;

typedef struct {
    sn_place at;           /* the innermost await of the program's own code, else that of the outermost coroutine */
    uint32_t in;           /* what it awaits: a coroutine function of a library; SN_NO_FUNCTION: a future itself */
} sn_awaited;

/* The frame of a coroutine, or of a generator, that has not ended; NULL of anything else. */
sn_frame *sn_coroutine_frame(PyObject *coroutine);
/* The function of a coroutine that has not ended. */
uint32_t sn_coroutine_function(PyObject *coroutine);
/* Of a coroutine that is suspended. */
sn_awaited sn_what_awaits(PyObject *coroutine);
/* The place in the calling thread's frames that makes a task now. */
sn_place sn_place_of_making(void);
/* How long ago, in nanoseconds, the timer was due by which the loop of the calling thread now runs; 0: no timer. */
uint64_t sn_overdue_ns(void);

#endif
