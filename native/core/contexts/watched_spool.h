/* A spool that another process writes, in our memory while it grows.
 *
 * As much is mapped as the file has; nothing that is read is trusted. */
#ifndef SONDE_WATCHED_SPOOL_H
#define SONDE_WATCHED_SPOOL_H

#include "../base/cells.h"

typedef struct {
    uint8_t *bytes;   /* what is mapped; NULL: nothing any more. It may move with each update */
    uint64_t size;
    uint64_t base;    /* the writer's address of cell 0 */
    uint64_t cells;   /* that are published, and mapped */
    uint64_t scanned; /* that have been looked through */
    uint32_t pid;
    char *path;
} sn_watched_spool;

/* `writable`: what is written into the bytes goes into the file. SN_BAD_INPUT: the file at `path` is no spool, or has no
 * process yet. */
sn_status sn_watched_spool_open(sn_watched_spool *spool, const char *path, bool writable);
void sn_watched_spool_close(sn_watched_spool *spool);

/* See what has been published since. */
void sn_watched_spool_update(sn_watched_spool *spool);

/* The next record, which is whole, or cursor among the cells that have not been looked through; false when there is none. */
bool sn_watched_spool_next(sn_watched_spool *spool, uint64_t *cell);

/* The cell at an address of the writer's, also if it was published just now; NULL when there is none. As an update. */
void *sn_watched_spool_find(sn_watched_spool *spool, uint64_t address);

static inline const sn_header *sn_watched_spool_header(const sn_watched_spool *spool) {
    return (const sn_header *)(const void *)spool->bytes;
}

/* A word that its writer may be changing. */
static inline uint64_t sn_watched_word(const void *at) { return __atomic_load_n((const uint64_t *)at, __ATOMIC_RELAXED); }

#endif
