/* Address traces in memory, for tests and fuzzers: a program that walks through lists and arrays. */
#ifndef SONDE_EXAMPLE_ADDRESS_TRACE_H
#define SONDE_EXAMPLE_ADDRESS_TRACE_H

#include "../core/addresses/address_trace_reader.h"
#include "../core/addresses/address_trace_writer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXAMPLE_SEGMENTS 12u
#define EXAMPLE_MEMORY (4u << 20)

typedef struct {
    uint8_t *bytes;
    size_t size, room;
    size_t most; /* a write beyond this fails */
} example_file;

static inline bool example_append(void *context, const void *bytes, size_t size) {
    example_file *file = context;
    if (file->size + size > file->most) return false;
    if (file->size + size > file->room) {
        file->room = 2 * (file->size + size);
        file->bytes = realloc(file->bytes, file->room);
        if (!file->bytes) abort();
    }
    memcpy(file->bytes + file->size, bytes, size);
    file->size += size;
    return true;
}

static inline uint64_t example_draw(uint64_t *random) {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

/* Segment n has n % 7 + 1 slots, the last one many; every fourth slot is a fetch. */
static inline uint32_t example_slots(uint32_t number, struct sn_trace_slot *slots) {
    uint32_t n = number == EXAMPLE_SEGMENTS - 1 ? 150 : number % 7 + 1;
    for (uint32_t i = 0; i < n; i++)
        slots[i] = (struct sn_trace_slot){
            .ip = 0x400000 + 256 * number + 4 * i, .size = (uint16_t)(1u << (i % 5)), .kind = (uint8_t)((i + 1) % 4)};
    return n;
}

typedef struct {
    uint64_t ip, address;
    uint32_t thread;
    uint16_t size;
    uint8_t kind;
} example_access;

typedef struct {
    uint64_t random, step;
    uint32_t thread;
    uint32_t segment;
    uint64_t addresses[SN_ADDRESS_SLOTS];
} example_program;

/* The next run: which segment, its addresses. Returns how many accesses it has; `accesses` may be NULL. */
static inline size_t example_run(example_program *p, example_access *accesses) {
    struct sn_trace_slot slots[SN_ADDRESS_SLOTS];
    uint64_t draw = example_draw(&p->random);
    p->step++;
    if (draw % 97 == 0) p->thread = (uint32_t)(draw >> 40);
    p->segment = draw % 11 ? (p->segment + 1) % (EXAMPLE_SEGMENTS - 1) : (uint32_t)(draw >> 8) % EXAMPLE_SEGMENTS;
    uint32_t n = example_slots(p->segment, slots), at = 0;
    size_t count = 0;
    uint64_t node = 0x10000000 + (example_draw(&p->random) % 64) * 4096;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t address = slots[i].ip;
        if (slots[i].kind != SN_ADDRESS_FETCH) {
            uint64_t odd = example_draw(&p->random);
            address = i % 3 == 0 ? 0x7fff0000 - 8 * i : i % 3 == 1 ? node + 8 * i : 0x20000000 + 16 * p->step;
            if (odd % 50 == 0) address = odd >> (odd >> 8) % 64;
            if (odd % 60 == 1) address = 0;
            p->addresses[at++] = address;
            if (!address) continue;
        }
        if (accesses)
            accesses[count] = (example_access){slots[i].ip, address, p->thread, slots[i].size, slots[i].kind};
        count++;
    }
    return count;
}

static inline example_program example_begin(uint64_t seed) { return (example_program){.random = seed | 1}; }

/* Write `runs` runs, with a flush after every `flush` of them; 0: never. */
static inline struct sn_address_trace_counts example_write(example_file *file, uint64_t seed, uint32_t runs,
                                                           uint32_t flush) {
    void *memory =
        mmap(NULL, EXAMPLE_MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) abort();
    struct sn_address_trace *trace = sn_address_trace_place(memory, EXAMPLE_MEMORY, example_append, file);
    struct sn_trace_slot slots[SN_ADDRESS_SLOTS];
    uint32_t numbers[EXAMPLE_SEGMENTS];
    for (uint32_t i = 0; i < EXAMPLE_SEGMENTS; i++) numbers[i] = SN_ADDRESS_TRACE_NONE;
    example_program p = example_begin(seed);
    for (uint32_t i = 0; i < runs; i++) {
        example_run(&p, NULL);
        if (numbers[p.segment] == SN_ADDRESS_TRACE_NONE)
            numbers[p.segment] = sn_address_trace_segment(trace, slots, example_slots(p.segment, slots));
        sn_address_trace_thread(trace, p.thread);
        sn_address_trace_run(trace, numbers[p.segment], p.addresses);
        if (flush && i % flush == flush - 1) sn_address_trace_flush(trace);
    }
    sn_address_trace_finish(trace);
    struct sn_address_trace_counts counts = sn_address_trace_count(trace);
    munmap(memory, EXAMPLE_MEMORY);
    return counts;
}

/* A descriptor of a file with these bytes. */
static inline int example_descriptor(const uint8_t *bytes, size_t size) {
    int file = memfd_create("trace", 0);
    if (file < 0 || write(file, bytes, size) != (ssize_t)size || lseek(file, 0, SEEK_SET)) abort();
    return file;
}

#define EXAMPLE_ROOM 512u
typedef struct {
    uint64_t ip[EXAMPLE_ROOM], address[EXAMPLE_ROOM];
    uint16_t size[EXAMPLE_ROOM];
    uint8_t kind[EXAMPLE_ROOM];
    uint32_t thread[EXAMPLE_ROOM];
} example_table;

static inline struct sn_address_columns example_columns(example_table *table) {
    return (struct sn_address_columns){table->ip, table->address, table->size, table->kind, table->thread};
}

#endif
