/* Streams to be recorded, and traces made by the book with any payload. */
#ifndef SONDE_EXAMPLE_TRACE_H
#define SONDE_EXAMPLE_TRACE_H

#include "../core/trace/trace_reader.h"
#include "../core/trace/trace_writer.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t kind, thread, function, line;
    uint64_t ticks;
} example_event;

#define EXAMPLE_TRACE_FUNCTIONS 40u

static inline uint64_t example_random(uint64_t *state) { /* as in check.h, which the fuzzers do without */
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static inline bool example_function(sn_trace_writer *writer, uint32_t number) {
    char name[32];
    snprintf(name, sizeof name, "f%u", number);
    const char *text[3] = {name, "app", "app.py"};
    const uint32_t length[3] = {(uint32_t)strlen(name), 3, 6};
    return sn_trace_function(writer, 10 * number + 1, 3, text, length);
}

static inline sn_trace_about example_about(uint32_t clock, uint32_t unit_shift) {
    return (sn_trace_about){.clock = clock,
                            .unit_shift = unit_shift,
                            .pid = 42,
                            .parent_pid = 41,
                            .start_ticks = 1000,
                            .start_ns = 5000,
                            .text = {"python\napp.py", "3.12.1", "cpython-monitoring"},
                            .length = {13, 6, 18}};
}

/* The next event of a random stream. `wild`: 0 as programs are; 1 also with strange values. */
static inline example_event example_next(uint64_t *random, uint64_t *ticks, bool wild) {
    uint64_t dice = example_random(random);
    example_event e = {.thread = dice % 16 ? 0 : (uint32_t)(dice >> 8) % 3};
    e.kind = dice >> 4 & 31 ? 1 + (dice >> 9 & 1) : 1 + (uint32_t)(dice >> 10) % 5;
    uint64_t pause = dice >> 20 & 63 ? (dice >> 26) % 700 : (dice >> 26) % 1000000;
    uint32_t function = (uint32_t)(dice >> 33) % 4, line = (uint32_t)(dice >> 36) % 3;
    if (wild && !(dice >> 40 & 15)) {
        function = (uint32_t)(dice >> 33) % EXAMPLE_TRACE_FUNCTIONS;
        line = (dice >> 44 & 1) ? UINT32_MAX - (uint32_t)(dice >> 45 & 1) : (uint32_t)(dice >> 45 & 0xFFFF);
        if (dice >> 50 & 1) e.thread = (uint32_t)(dice >> 30) % 200;
        if ((dice >> 51 & 7) == 0) e.thread = UINT32_MAX;
        if ((dice >> 54 & 7) == 0) pause <<= 24;
        if ((dice >> 57 & 3) == 0) pause = 0 - (uint64_t)(dice >> 26 & 1023); /* backwards */
    }
    if (e.kind == SN_TRACE_ENTER || e.kind == SN_TRACE_FOUND) {
        e.function = function;
        e.line = line;
    }
    *ticks += pause;
    e.ticks = *ticks;
    return e;
}

static inline void example_write(sn_trace_writer *writer, example_event e) {
    sn_trace_event(writer, e.kind, e.thread, e.function, e.line, e.ticks);
}

/* What the reader should give for an event that was written, when the one before it was at `*before`. */
static inline example_event example_read_back(example_event e, const sn_trace_header *header, uint64_t *before) {
    uint64_t units = e.ticks >> header->unit_shift;
    if (units > *before) *before = units;
    e.ticks = header->clock == SN_CLOCK_NONE ? 0 : *before << header->unit_shift;
    return e;
}

/* A trace in memory with right checksums around any payload, which must fit `room`; returns its size. */
static inline size_t example_trace_around(uint8_t *bytes, const uint8_t *payload, uint32_t size, uint32_t clock,
                                          uint32_t unit_shift, uint64_t events) {
    sn_trace_header header = {.magic = SN_TRACE_MAGIC,
                              .version = SN_TRACE_VERSION,
                              .header_bytes = SN_TRACE_HEADER_STEP,
                              .block_bytes = SN_TRACE_BLOCK_BYTES,
                              .clock = clock,
                              .unit_shift = unit_shift};
    header.check = sn_trace_check(0, &header, offsetof(sn_trace_header, check));
    header.lost_check = sn_trace_check(header.check, &header.lost, sizeof header.lost);
    sn_trace_block head = {.magic = SN_TRACE_BLOCK_MAGIC};
    uint64_t check = sn_trace_check(sn_trace_block_check(header.check, &head), payload, size);
    head.state = sn_trace_state(check, size);
    if (events != UINT64_MAX) {
        head.events = events;
        head.seal = sn_trace_seal(check, &head);
        header.events = events;
        header.blocks = 1;
        header.end_check = sn_trace_check(header.check, &header.end_ticks,
                                          offsetof(sn_trace_header, end_check) - offsetof(sn_trace_header, end_ticks));
    }
    memset(bytes, 0, SN_TRACE_HEADER_STEP);
    memcpy(bytes, &header, sizeof header);
    memcpy(bytes + SN_TRACE_HEADER_STEP, &head, sizeof head);
    if (size) memcpy(bytes + SN_TRACE_HEADER_STEP + sizeof head, payload, size);
    return SN_TRACE_HEADER_STEP + sizeof head + size;
}

/* Columns for a reader, in one piece. */
typedef struct {
    sn_trace_columns columns;
    size_t room;
} example_columns;

static inline example_columns example_columns_of(size_t room) {
    example_columns c = {{malloc(room), malloc(4 * room), malloc(4 * room), malloc(4 * room), malloc(8 * room)}, room};
    return c;
}

static inline void example_columns_free(example_columns *c) {
    free(c->columns.kind);
    free(c->columns.thread);
    free(c->columns.function);
    free(c->columns.line);
    free(c->columns.ticks);
}

static inline example_event example_at(const example_columns *c, size_t i) {
    return (example_event){c->columns.kind[i], c->columns.thread[i], c->columns.function[i], c->columns.line[i],
                           c->columns.ticks[i]};
}

static inline bool example_equal(example_event a, example_event b) {
    return a.kind == b.kind && a.thread == b.thread && a.function == b.function && a.line == b.line &&
           a.ticks == b.ticks;
}

#endif
