/* The threads of a CPython in another process: the states that its interpreters list. */
#ifndef SONDE_THREAD_LIST_H
#define SONDE_THREAD_LIST_H

#include "memory_reader.h"
#include "python_process.h"

enum { SN_MOST_THREADS = 4096, SN_MOST_INTERPRETERS = 64 };

typedef struct {
    uint64_t state;
    uint64_t native_id; /* 0: it has not begun */
    uint64_t interpreter;
} sn_listed_thread;

/* The threads that there are: (SN_MOST_THREADS,) of room. False: the list cannot be read, or changed meanwhile. */
bool sn_thread_list(const sn_memory_reader *memory, const sn_python *python, sn_listed_thread *threads, uint32_t *count);

/* Whether the list is still this one, that of one interpreter, by as few system calls as can be. False as well when it
 * cannot be read. `*interpreter`: where it was found last, or 0. */
bool sn_thread_list_is(const sn_memory_reader *memory, const sn_python *python, const sn_listed_thread *threads,
                       uint32_t count, uint64_t *interpreter);

#endif
