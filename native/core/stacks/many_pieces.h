/* Many pieces of a process's memory, of which some may not be there. */
#ifndef SONDE_MANY_PIECES_H
#define SONDE_MANY_PIECES_H

#include "memory_reader.h"

/* Read them, by as few system calls as can be. `is_there`: (count,), which of them were read. False when the process has ended,
 * or may not be read: then `*why` says it, and what was read is undefined. */
bool sn_read_many(const sn_memory_reader *memory, const sn_piece *pieces, uint32_t count, bool *is_there, sn_read_result *why);

#endif
