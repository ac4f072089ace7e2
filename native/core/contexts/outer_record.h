/* What an interpreter's spool says of its contexts from which code was called that it has compiled: the numbers that they
 * have in the spools of that code. A record's first string is a word for each number, from the record's own first number on,
 * which the writer goes on changing; a number is never given again. */
#ifndef SONDE_OUTER_RECORD_H
#define SONDE_OUTER_RECORD_H

#include <stdint.h>

#define SN_OUTER_IS_NUMBER (UINT64_C(1) << 63) /* the low half is another number, which means the same */
#define SN_OUTER_MOVED (UINT64_C(1) << 62)     /* the context was pruned: it is the caller that was left */
/* The low half: the cell of the context; 0: none. */

/* Words of a record. */
#define SN_OUTER_WORDS 4096u

#endif
