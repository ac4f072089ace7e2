/* Calls of malloc, operator new and their kind.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SONDE_ALLOCATORS_H
#define SONDE_ALLOCATORS_H

#include "tool.h"

enum allocator {
    NO_ALLOCATOR,
    ALLOCATOR_MALLOC,         /* (size) */
    ALLOCATOR_CALLOC,         /* (count, size) */
    ALLOCATOR_REALLOC,        /* (block, size) */
    ALLOCATOR_REALLOCARRAY,   /* (block, count, size) */
    ALLOCATOR_MEMALIGN,       /* (alignment, size) */
    ALLOCATOR_POSIX_MEMALIGN, /* (block *, alignment, size); not 0: it failed */
    ALLOCATOR_FREE,           /* (block) */
    ALLOCATOR_NEW,            /* (size) */
    ALLOCATOR_NEW_ALIGNED,    /* (size, alignment) */
    ALLOCATOR_DELETE,         /* (block) */
    ALLOCATOR_THROWS,         /* __cxa_throw: all of them are left */
};

/* What kind of function has its first instruction there. */
enum allocator allocator_at(Addr ip);

/* To be called with each block before it is instrumented: what is to be executed instead, in which a call of such a
 * function was not followed; NULL: the block is as it should be. Settles whether calls are followed in the next one. */
IRSB *followed_call_anew(const IRSB *in, Addr start);

/* Called at its first instruction: with the stack pointer, and the registers of the first three arguments. */
void allocator_called(UWord kind, Addr stack_pointer, UWord a, UWord b, UWord c);

/* What the stack pointer is when the innermost of these functions that the running thread is in has returned; 0: it is
 * in none. To be called then, with the register of results. */
extern Addr allocator_returns;
void allocator_returned(UWord result);

/* This thread runs from now on. */
void allocators_of(const struct thread *thread);

#endif
