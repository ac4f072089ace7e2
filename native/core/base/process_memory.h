/* Reading the memory of another process, without stopping it. */
#ifndef SONDE_PROCESS_MEMORY_H
#define SONDE_PROCESS_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What is read of the other process: `from` there, `to` here. */
typedef struct {
    uint64_t from;
    void *to;
    size_t bytes;
} sn_piece;

enum { SN_MOST_PIECES = 5, SN_MOST_LEADING = 512 };

/* ABSENT: a piece is not in its memory; OVER: it has ended; FORBIDDEN: the system does not let us. */
typedef enum { SN_READ_ALL = 0, SN_READ_ABSENT, SN_READ_OVER, SN_READ_FORBIDDEN } sn_read_result;

/* Read up to SN_MOST_PIECES pieces by one system call. */
sn_read_result sn_process_read(pid_t pid, const sn_piece *pieces, unsigned count);

/* Read up to SN_MOST_LEADING pieces in their order by one system call; returns how many were read whole, from the first on.
 * What is read of the piece after them is undefined. `*result` is SN_READ_ALL if all were. */
unsigned sn_process_read_leading(pid_t pid, const sn_piece *pieces, unsigned count, sn_read_result *result);

#endif
