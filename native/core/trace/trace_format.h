/* The trace: a recorded stream of events in a file, as writer and reader see it (docs/trace-file.md).
 *
 *   header          what was recorded; its texts; the end of the recording
 *   block 0, 1, ... 64 KiB each: a head, then events and definitions of functions
 *
 * Events are predicted, and most take one byte. What predicts them is a table that writer and reader
 * keep alike: a pure function of the bytes so far, of bounded size. All numbers are little-endian.
 */
#ifndef SONDE_TRACE_FORMAT_H
#define SONDE_TRACE_FORMAT_H

#include "../base/cells.h"

#include <string.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "traces are written as they lie in memory");

#define SN_TRACE_MAGIC "SONDETRC"
#define SN_TRACE_VERSION 1u
#define SN_TRACE_HEADER_STEP 4096u          /* the header's size is a multiple of this, ... */
#define SN_TRACE_HEADER_LIMIT (16u * 4096u) /* ... and at most this */
#define SN_TRACE_BLOCK_BYTES 65536u
#define SN_TRACE_BLOCK_MAGIC 0x4B4C4253u /* "SBLK" */

/* Texts of a definition are at most this long, so that it fits a block. */
#define SN_TRACE_TEXT_BYTES 16384u

/* Kinds of events; the numbers are those of sn_event_kind. */
enum { SN_TRACE_ENTER = 1, SN_TRACE_LEAVE = 2, SN_TRACE_UNWIND = 3, SN_TRACE_FOUND = 4, SN_TRACE_LOST = 5 };

typedef struct {
    char magic[8];
    uint32_t version;
    uint32_t header_bytes;
    uint32_t block_bytes;
    uint32_t clock;      /* sn_clock_kind */
    uint32_t unit_shift; /* times are stored in units of 2 to the power of this, in ticks */
    uint32_t pid, parent_pid;
    uint32_t length[3];   /* of the texts that follow: command, version of Python, mechanism */
    uint64_t start_ticks; /* a pair read together: */
    uint64_t start_ns;    /* CLOCK_MONOTONIC at start_ticks */
    uint64_t check;       /* of all that is above, and of the texts */
    /* Written by an orderly end; end_check last. */
    uint64_t end_ticks, end_ns;
    uint64_t events, blocks;
    uint64_t end_check; /* of the four above; 0: the recording goes on, or was cut off */
    /* Events after the storage had run out. lost_check is written first, so it may be one ahead. */
    uint64_t lost, lost_check;
} sn_trace_header;

typedef struct {
    uint32_t magic;
    uint32_t index;
    uint64_t first_event; /* events before this block */
    uint64_t units;       /* time of the event before, or of the start */
    uint64_t ticks, ns;   /* the two clocks read together when the block was begun */
    uint64_t state;       /* bytes used, and a check of them: changes with every event; see sn_trace_state */
    uint64_t events;      /* in this block; valid when it is sealed */
    uint64_t seal;        /* check of state and events, 0: not sealed */
} sn_trace_block;

static_assert(sizeof(sn_trace_header) == 128, "layout of the header");
static_assert(sizeof(sn_trace_block) == 64, "layout of a block's head");

#define SN_TRACE_ROOM (SN_TRACE_BLOCK_BYTES - (uint32_t)sizeof(sn_trace_block))

/* A checksum that can go on where it stopped: for each byte, check = (check + byte) * M, modulo 2^64.
 * M is odd, so that one changed byte always changes the result, and so do nearly all other changes.
 * Eight steps at a time are eight independent multiplications. */
#define SN_TRACE_M UINT64_C(0x9E3779B97F4A7C15) /* 2^64 divided by the golden ratio: bits well mixed */

static inline uint64_t sn_trace_check_byte(uint64_t check, uint8_t byte) { return (check + byte) * SN_TRACE_M; }

static inline uint64_t sn_trace_check(uint64_t check, const void *bytes, size_t size) {
    const uint64_t m = SN_TRACE_M, m2 = m * m, m3 = m2 * m, m4 = m2 * m2, m5 = m4 * m, m6 = m4 * m2, m7 = m4 * m3,
                   m8 = m4 * m4;
    const uint8_t *b = (const uint8_t *)bytes;
    for (; size >= 8; size -= 8, b += 8)
        check = (check + b[0]) * m8 + ((b[1] * m7 + b[2] * m6) + (b[3] * m5 + b[4] * m4)) +
                ((b[5] * m3 + b[6] * m2) + b[7] * m);
    for (; size; size--) check = sn_trace_check_byte(check, *b++);
    return check;
}

/* One word that is published at once: 17 bits of length, and the upper 47 of the check. */
#define SN_TRACE_USED_MASK UINT64_C(0x1FFFF)
static inline uint64_t sn_trace_state(uint64_t check, uint32_t used) { return (check & ~SN_TRACE_USED_MASK) | used; }

/* The check of a block begins with the header's, so that a block of another trace does not fit, and
 * covers what the head says. */
static inline uint64_t sn_trace_block_check(uint64_t header_check, const sn_trace_block *head) {
    return sn_trace_check(header_check, head, offsetof(sn_trace_block, state));
}

static inline uint64_t sn_trace_seal(uint64_t check, const sn_trace_block *head) {
    uint64_t seal = sn_trace_check(check, &head->state, sizeof head->state + sizeof head->events);
    return seal ? seal : 1;
}

/* A byte is an operation in its lower two bits, and in the upper six the time since the event before in
 * units, 63: 63 more than the varint that follows. Those of an escape are its code. */
enum { SN_TRACE_OP_ESCAPE = 0, SN_TRACE_OP_SAME = 1, SN_TRACE_OP_LEAVE = 2, SN_TRACE_OP_ENTER = 3 };
#define SN_TRACE_LONG_TIME 63u

enum {
    SN_TRACE_ESCAPE_THREAD = 1,   /* thread number: of the events that follow */
    SN_TRACE_ESCAPE_FORGET = 2,   /* the model begins anew */
    SN_TRACE_ESCAPE_FUNCTION = 3, /* first line, flags, three lengths, three texts: the next function */
    SN_TRACE_ESCAPE_UNWIND = 4,   /* time */
    SN_TRACE_ESCAPE_FOUND = 5,    /* time, edge */
    SN_TRACE_ESCAPE_LOST = 6      /* time */
};

/* What is remembered to predict: an edge is a function and the line that it is called from. */
#define SN_TRACE_EDGES 65536u /* number 0: no edge, or an unknown one */
#define SN_TRACE_DEPTH 1024u  /* levels of a stack whose edges are remembered */
#define SN_TRACE_THREADS 64u  /* threads that are remembered; two that are equal modulo this push each other out */

typedef struct {
    uint32_t function, line;
} sn_trace_edge;

typedef struct {
    uint64_t depth; /* activations that run */
    uint32_t last;  /* the last event: 2 * edge when it was entered, 2 * edge + 1 when it was left */
    uint32_t thread;
} sn_trace_place;

typedef struct {
    sn_trace_place now;  /* of the current thread */
    uint32_t edges;      /* numbers given: 1..edges */
    uint16_t *now_stack;
    sn_trace_place place[SN_TRACE_THREADS];
    sn_trace_edge edge[SN_TRACE_EDGES];
    uint16_t next[2 * SN_TRACE_EDGES]; /* by `last`: the edge entered after it the last time, or 0 */
    uint16_t stack[SN_TRACE_THREADS][SN_TRACE_DEPTH];
} sn_trace_model;

/* `model` is all zero; thread 0 is the current one. */
static inline void sn_trace_model_begin(sn_trace_model *model) {
    model->edge[0] = (sn_trace_edge){UINT32_MAX, UINT32_MAX}; /* equals no function */
    model->now_stack = model->stack[0];
}

/* Forget all edges, and with them what ran: the current thread stays. */
static inline void sn_trace_model_forget(sn_trace_model *model) {
    model->now = (sn_trace_place){.thread = model->now.thread};
    model->edges = 0;
    memset(model->place, 0, sizeof model->place);
    memset(model->next, 0, sizeof model->next);
}

static inline void sn_trace_model_switch(sn_trace_model *model, uint32_t thread) {
    model->place[model->now.thread % SN_TRACE_THREADS] = model->now;
    model->now = model->place[thread % SN_TRACE_THREADS];
    if (model->now.thread != thread) model->now = (sn_trace_place){.thread = thread};
    model->now_stack = model->stack[thread % SN_TRACE_THREADS];
}

static inline void sn_trace_model_entered(sn_trace_model *model, uint32_t edge) {
    if (model->now.depth < SN_TRACE_DEPTH) model->now_stack[model->now.depth] = (uint16_t)edge;
    model->now.depth++;
    model->now.last = 2 * edge;
}

static inline void sn_trace_model_left(sn_trace_model *model) {
    uint32_t edge = 0;
    if (model->now.depth && --model->now.depth < SN_TRACE_DEPTH) edge = model->now_stack[model->now.depth];
    model->now.last = 2 * edge + 1;
}

static inline void sn_trace_model_lost(sn_trace_model *model) {
    model->now.depth = 0;
    model->now.last = 0;
}

/* Little-endian groups of seven bits, the highest bit of a byte says that another follows. */
#define SN_TRACE_VARINT_BYTES 10u

static inline uint8_t *sn_trace_put_varint(uint8_t *to, uint64_t value) {
    for (; value > 0x7F; value >>= 7) *to++ = (uint8_t)(value | 0x80);
    *to++ = (uint8_t)value;
    return to;
}

#endif
