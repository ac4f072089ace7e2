/* Memory of the probes' own, in place of the C library's: included before all else in what runs in here.
 *
 * The program may be in the middle of `malloc` when a signal handler of its calls code with probes, and its `malloc` may be
 * code with probes.
 *
 * Pieces have sizes that are powers of two, and those that were given back are used again. Each thread has its own.
 * Cost: O(1); up to half of a piece is not used.
 */
#ifndef SONDE_OWN_MEMORY_H
#define SONDE_OWN_MEMORY_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* what includes this defines it too late */
#endif

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void *sn_own_malloc(size_t bytes);
void *sn_own_calloc(size_t count, size_t bytes);
void *sn_own_realloc(void *piece, size_t bytes);
void sn_own_free(void *piece);
char *sn_own_strdup(const char *text);

#define malloc sn_own_malloc
#define calloc sn_own_calloc
#define realloc sn_own_realloc
#define free sn_own_free
#undef strdup
#define strdup sn_own_strdup

#endif
