/* The lock of an interpreter in another process: who has it, and whether he collects garbage. */
#ifndef SONDE_INTERPRETER_LOCK_H
#define SONDE_INTERPRETER_LOCK_H

#include "memory_reader.h"
#include "python_process.h"

/* What is read of it, at one moment. */
typedef struct {
    uint64_t holder; /* state of the thread that has it, or had it last */
    int32_t locked, collecting;
} sn_lock_words;

enum { SN_LOCK_PIECES = 3 };

/* Where the lock of an interpreter is; 0: there is none yet, or it cannot be read. */
uint64_t sn_interpreter_lock_find(const sn_memory_reader *memory, const sn_python *python, uint64_t interpreter);

/* What is to be read, into `words`: (SN_LOCK_PIECES,). */
void sn_interpreter_lock_pieces(const sn_python_layout *layout, uint64_t interpreter, uint64_t lock, sn_lock_words *words,
                                sn_piece *pieces);

/* The state of the thread that has the lock; 0: none has. */
static inline uint64_t sn_lock_holder(const sn_lock_words *words) { return words->locked == 1 ? words->holder : 0; }

/* Whether a thread that waits at this address in its memory waits for the lock. */
static inline bool sn_is_in_lock(const sn_python_layout *layout, uint64_t lock, uint64_t address) {
    return lock && address >= lock + layout->lock_conditions && address < lock + layout->lock_bytes;
}

#endif
