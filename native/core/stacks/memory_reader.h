/* Where the memory of the process that is looked at comes from: the system, or a test. */
#ifndef SONDE_MEMORY_READER_H
#define SONDE_MEMORY_READER_H

#include "../base/process_memory.h"

#include <stdbool.h>

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

#endif
