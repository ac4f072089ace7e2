/* Source lines of CPython instructions: the location tables of Python 3.11 and later (`co_linetable`).
 *
 * A table is a row of entries, each for 1 to 8 code units. Only the first byte of an entry has its highest bit set:
 *
 *   1 k k k k n n n   kind k, for n + 1 code units, then
 *     k = 0 .. 9      1 byte of columns; the line stays
 *     k = 10 .. 12    2 bytes of columns; the line grows by k - 10
 *     k = 13          the signed change of the line
 *     k = 14          the signed change of the line, then the distance of the end line, and the columns
 *     k = 15          nothing: no place in the source; the line stays for later entries
 *
 * Numbers are 6 bits to a byte, the lowest first, bit 6 says that more follow; signed ones have their sign in bit 0.
 * There is no C library where this runs: in a Valgrind tool, too.
 */
#ifndef SONDE_PYTHON_LINES_H
#define SONDE_PYTHON_LINES_H

#include <stddef.h>
#include <stdint.h>

/* The line of the instruction at code unit `instruction_index` (inline caches are code units, too), 1 or more.
 * 0: it has none, the table does not reach so far, or what stands before the answer is damaged.
 * Any bytes may be a table; nothing outside of it is read.
 * Cost: O(length). */
uint32_t sn_python_line(const uint8_t *table, size_t length, uint32_t first_line, uint32_t instruction_index);

#endif
