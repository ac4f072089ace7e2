/* What another process must be given to know a code object, and memory that consists of such pieces.
 *
 * No memory is allocated, nothing is locked: a signal handler tells what it sees.
 */
#ifndef SONDE_CODE_PIECES_H
#define SONDE_CODE_PIECES_H

#include "code_table.h"
#include "sample_ring.h"

enum { SN_CODE_PIECES = 4 };

/* Where the pieces of the code object at `address` lie: (SN_CODE_PIECES,). False: it is none, or is not to be known. */
bool sn_code_pieces(const sn_memory_reader *reader, const sn_python_layout *layout, uint64_t code_type, uint64_t address,
                    sn_ring_piece *pieces);

/* Bytes of a record with these pieces. */
uint32_t sn_code_record_bytes(const sn_ring_piece *pieces);

/* Fill the record, all but its head; false: memory was not there. */
bool sn_code_record_fill(const sn_memory_reader *reader, uint64_t address, const sn_ring_piece *pieces,
                         sn_record_code *record);

/* A reader of the pieces of a record, which is whole. */
sn_memory_reader sn_code_record_reader(const sn_record_code *record);

/* Whether a record that somebody else has written is whole. */
bool sn_code_record_is_whole(const sn_record_code *record);

#endif
