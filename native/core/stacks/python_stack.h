/* The Python stack of a thread of another process, read while it runs.
 *
 * The thread calls and returns while we read. Which frame was on top is told by a pointer that is read before anything else; what is
 * read after it may be of later:
 *
 *   frames of callees   the part of the thread's stack in which the one on top is, twice, with the pointer in between: one system call,
 *                       some microseconds (stack_top.h)
 *   frames of callers   those that lie alone (of coroutines, and on the C stack) with these, if they were on a stack of late; else pieces of
 *                       memory that hold many frames each; again at the end
 *   code objects        are known; what stands at their addresses is read at the end and compared
 *
 * A stack is certain if what all frames run, who called them and the lines of the calls are the same both times, and the one on top
 * was on the stack in between. Else it is believed if each of its calls was seen before (known_calls.h). Where callees cannot be
 * believed, the stack is CUT: what is known of it is right.
 */
#ifndef SONDE_PYTHON_STACK_H
#define SONDE_PYTHON_STACK_H

#include "code_table.h"
#include "interpreter_lock.h"
#include "known_calls.h"

enum { SN_MOST_FRAMES = 8192 };

typedef enum {
    SN_STACK_READ = 0,
    SN_STACK_CUT,       /* callees that changed meanwhile are left out */
    SN_STACK_EMPTY,     /* the thread runs no Python function */
    SN_STACK_TORN,      /* it changed while it was read, each time that this was tried */
    SN_STACK_TOO_DEEP,
    SN_STACK_NO_ROOM,   /* for more code objects */
    SN_STACK_OVER,      /* the process has ended */
    SN_STACK_FORBIDDEN,
} sn_stack_result;

/* Where the frame on top of a thread was found last, and what held it: where to look first. Up to 3.12 each entry of the
 * interpreter from C holds its own, so that a thread in a callback changes them all the time. */
enum { SN_HOLDERS = 4, SN_LONE_FRAMES = 8 };
typedef struct {
    uint64_t top;
    uint64_t holders[SN_HOLDERS];  /* the last one first */
    uint64_t lone[SN_LONE_FRAMES]; /* frames of callers that lie alone, of late: so, too */
} sn_stack_hint;

/* More are seldom on a stack before one that a task runs: a task may run within another one's step ("eagerly"). */
enum { SN_MOST_COROUTINES = 32 };

/* A thread, and the lock of its interpreter, which is read at the moment at which its frame on top is. */
typedef struct {
    uint64_t state;
    uint64_t interpreter, lock; /* lock 0: it is not known where that is, and not read */
    sn_lock_words words;        /* what was read of it */
    uint32_t coroutine_count;   /* on the stack: those that are called first, the outermost one first */
    struct {
        uint64_t address;
        uint64_t caller; /* its frame; 0 as soon as the coroutine is suspended */
        uint32_t code;   /* index in the table */
        uint32_t frame;  /* index in the stack */
    } coroutines[SN_MOST_COROUTINES];
} sn_stack_thread;

typedef struct sn_stack_reader sn_stack_reader;

/* Room in which stacks are read; NULL when memory is short. */
sn_stack_reader *sn_stack_reader_create(void);
void sn_stack_reader_destroy(sn_stack_reader *reader);

/* Read the stack of a thread. `*frames`: outermost first, until the next one is read.
 *
 * Where frames have ended, or gone on to another line, since the first pointer was read, they may have done so before they were read: the
 * stack is believed as far as it is certain, and its further calls are `known`; NULL: none are. */
sn_stack_result sn_stack_read(sn_stack_reader *reader, const sn_memory_reader *memory, sn_code_table *table,
                              sn_code_functions *functions, const sn_known_calls *known, sn_stack_thread *thread, sn_stack_hint *hint,
                              const sn_stack_frame **frames, uint32_t *count);

/* How many frames of the stack that was read last, from the outermost one on, are certain; lines of calls of others are those that
 * sn_known_calls_line tells. */
uint32_t sn_stack_certain(const sn_stack_reader *reader);

/* The calls from C of the stack that was read last, outermost first: the address of what each has on the C stack, 0 where that is
 * not told (3.11). Until the next one is read. */
const uint64_t *sn_stack_entries(const sn_stack_reader *reader, uint32_t *count);

#endif
