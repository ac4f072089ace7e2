/* Samples on their way from the process that takes them to the one that reads them: a ring in a file that both have mapped.
 *
 * Threads of the process write from signal handlers, at the same time and without locks: each reserves a piece of the ring,
 * fills it, and commits it by its first word. One reader takes what was committed, in the order of reservation, and clears
 * the room for later. The file outlives the process: what was committed is read even if that was killed.
 *
 *   header, SN_RING_HEADER bytes | ring, a power of two
 *
 * A record is not split at the end of the ring: a PAD fills the rest.
 */
#ifndef SONDE_SAMPLE_RING_H
#define SONDE_SAMPLE_RING_H

#include "python_layout.h"

#include <string.h>

#define SN_RING_MAGIC UINT64_C(0x31676e6972646e73) /* sndring1 */

enum {
    SN_RING_HEADER = 8192,
    SN_RING_COMMAND = 4096, /* bytes of a command line that are kept, at most */
};

/* Why a process is not sampled any more. */
typedef enum {
    SN_RING_RUNS = 0,
    SN_RING_ENDED,    /* the interpreter came to its end */
    SN_RING_REPLACED, /* the program became another one (exec) */
    SN_RING_TAKEN,    /* the program has set a handler of its own for the signal */
    SN_RING_BLOCKED,  /* the program blocks the signal */
    SN_RING_STOPPED,  /* the reader has asked for it */
    SN_RING_CLOSED,   /* the program has closed the file of the counter; noticed at its end */
} sn_ring_state;

/* What went wrong, or by, in the process; counted there. */
typedef enum {
    SN_RING_LOST,      /* samples, as the ring was full */
    SN_RING_BUSY,      /* samples, as too many threads took one at the same time */
    SN_RING_TORN,      /* stacks that could not be believed: the interpreter was changing them */
    SN_RING_TOO_DEEP,  /* stacks */
    SN_RING_LATE,      /* signals that came when the program let them, not when they were due */
    SN_RING_ELSEWHERE, /* signals in threads whose stack the mechanism cannot take */
    SN_RING_UNARMED,   /* threads that the system gave no timer */
    SN_RING_ONLY_USER, /* 1: nothing is sampled while threads are in the kernel, which the system does not allow */
    SN_RING_SIGNALS,   /* all signals */
    SN_RING_COUNTS,
} sn_ring_count;

typedef struct {
    uint64_t magic;
    uint32_t header_bytes, pid;
    uint32_t version; /* of its Python, as PY_VERSION_HEX */
    uint32_t state;   /* sn_ring_state */
    uint32_t stop;    /* set by the reader: it wants no more */
    uint32_t signal;
    uint32_t sending; /* set by another process while it sends the signal, if that is what triggers */
    uint64_t ring_bytes;
    uint64_t code_type;
    uint64_t began_ns; /* processor time of the first thread when the sampling began */
    sn_python_layout layout;
    uint64_t counts[SN_RING_COUNTS];
    uint32_t command_bytes;
    char command[SN_RING_COMMAND];
    uint64_t head __attribute__((aligned(64))); /* reserved up to here; positions grow for ever */
    uint64_t tail __attribute__((aligned(64))); /* read up to here */
} sn_ring_header; /* SN_RING_HEADER bytes at most */

/* Kinds of records. */
enum { SN_RECORD_PAD = 1, SN_RECORD_SAMPLE, SN_RECORD_CODE };

/* The beginning of each. Written last: 0 while the record is being filled. */
typedef struct {
    uint32_t bytes; /* with this, a multiple of 8 */
    uint32_t kind;
} sn_record_head;

typedef struct {
    sn_record_head head;
    uint32_t thread; /* its number in the system */
    uint32_t frames; /* that follow, innermost first; 0: no Python function runs, or the thread ends */
    uint64_t ran_ns; /* processor time of the thread */
} sn_record_sample;

typedef struct {
    uint64_t code, instruction;
} sn_ring_frame;

/* Pieces of memory that tell what a code object is: as many (from, bytes) pairs, then their bytes, each padded to 8. */
typedef struct {
    sn_record_head head;
    uint64_t address;
    uint32_t pieces, reserved;
} sn_record_code;

typedef struct {
    uint64_t from, bytes;
} sn_ring_piece;

static inline uint8_t *sn_ring_at(const sn_ring_header *ring, uint64_t position) {
    return (uint8_t *)ring + SN_RING_HEADER + (position & (ring->ring_bytes - 1));
}

static inline void sn_ring_note(sn_ring_header *ring, sn_ring_count what) {
    __atomic_fetch_add(&ring->counts[what], 1, __ATOMIC_RELAXED);
}

/* Reserve a record of so many bytes, a multiple of 8; NULL: there is no room, which is counted. All but its first word may be
 * written then. Safe in signal handlers. */
static inline void *sn_ring_reserve(sn_ring_header *ring, uint64_t bytes) {
    uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_RELAXED), pad;
    do {
        uint64_t rest = ring->ring_bytes - (head & (ring->ring_bytes - 1));
        pad = rest < bytes ? rest : 0;
        uint64_t tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
        if (bytes > ring->ring_bytes / 2 || head + pad + bytes - tail > ring->ring_bytes) {
            sn_ring_note(ring, SN_RING_LOST);
            return NULL;
        }
    } while (!__atomic_compare_exchange_n(&ring->head, &head, head + pad + bytes, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
    if (pad) {
        const sn_record_head of_pad = {(uint32_t)pad, SN_RECORD_PAD};
        uint64_t word;
        memcpy(&word, &of_pad, sizeof word);
        __atomic_store_n((uint64_t *)(void *)sn_ring_at(ring, head), word, __ATOMIC_RELEASE);
    }
    return sn_ring_at(ring, head + pad);
}

static inline void sn_ring_commit(void *record, uint32_t kind, uint32_t bytes) {
    const sn_record_head head = {bytes, kind};
    uint64_t word;
    memcpy(&word, &head, sizeof word);
    __atomic_store_n((uint64_t *)record, word, __ATOMIC_RELEASE);
}

#endif
