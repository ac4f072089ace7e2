/* Reading a spool: any file, by whomever it was written or cut off, without trusting it. */
#ifndef SONDE_SPOOL_FILE_H
#define SONDE_SPOOL_FILE_H

#include "context_tree.h"

typedef struct {
    const uint8_t *bytes;
    size_t size;
    sn_header header;  /* as it was when opened */
    uint64_t cells;    /* cells that are both published and in the file */
    bool truncated;    /* the file ends before the published cells do */
    bool mapped;       /* whether `bytes` is ours to unmap */
    uint8_t *copy;     /* what `bytes` is when it was copied, ours to free */
} sn_spool_file;

typedef struct {
    sn_record_kind kind;
    uint32_t number[4];
    uint32_t length[4];
    const char *text[4]; /* not terminated; valid while the file is open */
} sn_spool_record;

#define SN_NO_ROW UINT64_MAX

/* One context, with its parent as a cell number; the root has parent SN_NO_ROW. */
typedef struct {
    uint64_t parent;
    uint64_t calls, ticks, error;
    uint64_t pruned_calls, pruned_ticks;
    double calls_squares, ticks_squares;
    uint32_t function, call_line;
    bool root, base; /* they count nothing of their own */
} sn_spool_context;

/* Where a thread is: the cell of what runs, and the tick of its last event. */
typedef struct {
    uint64_t current, now;
} sn_spool_cursor;

/* SKIP: nothing there; DAMAGED: something that cannot be what it says, *cell is past what is lost by it. */
typedef enum { SN_CELL_SKIP, SN_CELL_CONTEXT, SN_CELL_RECORD, SN_CELL_DAMAGED } sn_cell_kind;

/* A hot tree whose process may still be at work is copied between two changes, since its cells are
 * used again. SN_SYSTEM (errno tells), SN_NO_MEMORY, or SN_BAD_INPUT: not a spool, or another version. */
sn_status sn_spool_file_open(sn_spool_file *spool, const char *path);
/* The same over memory that the caller keeps alive. */
sn_status sn_spool_file_from(sn_spool_file *spool, const uint8_t *bytes, size_t size);
void sn_spool_file_close(sn_spool_file *spool);

/* Decode the cell at `*cell` into `context` or `record` and advance `*cell` past it.
 * Only called with *cell < spool->cells. Guarantee: a context's parent is less than
 * `spool->cells`, in an exact tree less than its own cell; numbers are no NaN; text lies within the
 * file. Whether the parent is itself a context, and whose, is for the caller to see. */
sn_cell_kind sn_spool_file_next(const sn_spool_file *spool, uint64_t *cell, sn_spool_context *context,
                                sn_spool_record *record);

/* The next cursor at or after `*cell`, which goes past it; false at the end. `current` may be anything. */
bool sn_spool_file_next_cursor(const sn_spool_file *spool, uint64_t *cell, sn_spool_cursor *cursor);

#endif
