/* Where the memory of the process that is looked at comes from: the system, or a test. */
#ifndef SONDE_MEMORY_READER_H
#define SONDE_MEMORY_READER_H

#include "../base/process_memory.h"

#include <stdbool.h>
#include <string.h>

/* Read pieces in their order; returns how many were read whole, from the first on. `*result` says why not all were. */
typedef unsigned sn_read_pieces(void *at, const sn_piece *pieces, unsigned count, sn_read_result *result);

typedef struct {
    sn_read_pieces *read;
    void *at;
} sn_memory_reader;

/* Read one piece; false when it is not there. */
static inline bool sn_read_one(const sn_memory_reader *reader, uint64_t from, void *to, size_t bytes) {
    const sn_piece piece = {from, to, bytes};
    sn_read_result result;
    return reader->read(reader->at, &piece, 1, &result) == 1;
}

/* Read a word; 0 also when it is not there. */
static inline uint64_t sn_read_word(const sn_memory_reader *reader, uint64_t address) {
    uint64_t word = 0;
    return address && sn_read_one(reader, address, &word, sizeof word) ? word : 0;
}

/* A word of what was read, wherever it stands there. */
static inline uint64_t sn_word_at(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

static inline unsigned sn_read_of_process(void *pid, const sn_piece *pieces, unsigned count, sn_read_result *result) {
    return sn_process_read_leading((pid_t)(intptr_t)pid, pieces, count, result);
}

/* The memory of a process: its number is all there is to keep. */
static inline sn_memory_reader sn_memory_of_process(pid_t pid) {
    return (sn_memory_reader){sn_read_of_process, (void *)(intptr_t)pid};
}

#endif
