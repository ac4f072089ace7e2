/* The spool: an append-only store of 64-byte cells, in memory or in a shared file.
 *
 * The measured process writes cells; any other process may read the file at any moment,
 * also after the writer was killed. Nothing is flushed, locked or copied: the file is a
 * shared mapping, so what was counted survives the process that counted it.
 *
 *   cell 0..2   sn_header
 *   cell 3..    the root, contexts (one cell each, or two: see context_tree.h), cursors of threads
 *               (one cell each) and records (a head cell and the payload's cells), in order of creation
 *
 * The mapping has a fixed base address for the whole life of the writer; pointers inside
 * cells are absolute addresses of the writer, which the reader rebases.
 */
#ifndef SONDE_CELLS_H
#define SONDE_CELLS_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SN_MAGIC "SONDESPL"
#define SN_VERSION 2u
#define SN_CELL_BYTES 64u
#define SN_HEADER_CELLS 3u

/* First word of every cell. Addresses of code objects are aligned and far above these;
 * a context whose code object was freed has an odd key (see context_tree.h). */
enum { SN_TAG_FREE = 0, SN_TAG_RECORD = 2, SN_TAG_ROOT = 4, SN_TAG_CURSOR = 6, SN_TAG_SIDE = 8, SN_TAG_LAST = 8 };

/* SAMPLED: the writer has no clock; another process credits nanoseconds (../samples/context_sampler.h), and every context
 * has a side, with the squares of what it was credited. `costs` are in picoseconds then; `looked_ticks` and `burst_start` are
 * nanoseconds for which threads had a processor, and waited for one. */
typedef enum { SN_CLOCK_NONE = 0, SN_CLOCK_TSC = 1, SN_CLOCK_MONOTONIC = 2, SN_CLOCK_SAMPLED = 3 } sn_clock_kind;

/* Which contexts are kept: all, or those that are hot by calls or by time (hot_tree.h). */
typedef enum { SN_METRIC_NONE = 0, SN_METRIC_CALLS = 1, SN_METRIC_TIME = 2 } sn_metric;

typedef struct {
    char magic[8];
    uint32_t version;
    uint32_t cell_bytes;
    uint64_t base;          /* writer's address of cell 0 */
    uint64_t used;          /* cells published; written last, with release order */
    uint32_t pid;           /* 0: prepared for a fork that did not take place */
    uint32_t parent_pid;
    uint32_t clock;         /* sn_clock_kind */
    uint32_t threads;       /* threads that ever counted a call */
    uint64_t start_ticks;   /* a pair read together: */
    uint64_t start_ns;      /* CLOCK_MONOTONIC at start_ticks */
    uint64_t dropped_calls; /* activations that found no room for a new context */
    uint64_t resyncs;       /* times the current context was found again by walking the stack */
    uint64_t end_ticks;     /* set on an orderly end, else 0 */
    uint64_t changes;       /* odd while contexts are being removed and cells used again, see spool_file.h */
    uint64_t floor;         /* no context that is not here has more calls, or ticks, than this */
    uint32_t metric;        /* sn_metric */
    uint32_t counters;      /* contexts that are monitored at most; 0: all */
    uint64_t bursts;        /* bursts that have ended; 0 when the program was watched all the time */
    uint64_t looked_ticks;  /* how long they were, together */
    uint64_t burst_start;   /* tick at which the burst that goes on began, 0 when none does */
    uint64_t first_burst;   /* tick at which the first began */
    uint64_t replaced_ticks; /* tick at which the program replaced itself by another (exec), else 0 */
    uint64_t lost_events;   /* events that found no room in the trace, or in the tree */
    uint64_t taken;         /* ticks that were taken out of all times but the start, as what watching cost */
    uint32_t costs[4];      /* of one event, in ticks: beginning and end of a call, and of a call of a C function */
    uint64_t unseen_ticks;  /* times are of the processor, but for waits shorter than this; 0: they are elapsed time */
} sn_header;

typedef enum {
    SN_RECORD_FUNCTION = 1,
    SN_RECORD_PROCESS = 2,
    SN_RECORD_NOTE = 3,
    SN_RECORD_TASKS = 4, /* this and the next two: ../contexts/task_record.h */
    SN_RECORD_AWAIT = 5,
    SN_RECORD_LOOPS = 6,
    SN_RECORD_THREAD = 7, /* processor time of a thread that is kept apart */
    SN_RECORD_LAYOUT = 8, /* ../lines/frame_layout.h */
    SN_RECORD_OUTER = 9,  /* ../contexts/outer_record.h */
    SN_RECORD_PATHS = 10, /* this and the next: ../../probes/path_counts.h */
    SN_RECORD_PATHS_TABLE = 11,
    SN_RECORD_CYCLES = 12, /* ../../probes/unit_cycles.h */
    SN_RECORD_SAMPLES = 13, /* ../samples/code_sampler.h */
    SN_RECORD_FRAMES = 14, /* ../samples/shown_stack.h */
} sn_record_kind;

/* Head of a record; `bytes` of payload follow in the next cells. */
typedef struct {
    uint64_t tag; /* SN_TAG_RECORD */
    uint32_t kind;
    uint32_t bytes;
    uint32_t number[4]; /* FUNCTION: first line, flags; NOTE: amount */
    uint32_t length[4]; /* byte lengths of the strings that make up the payload */
    uint8_t reserved[16];
} sn_record;

/* Whether a file that begins so is a spool that this code can read. */
static inline bool sn_is_spool(const sn_header *header) {
    return !memcmp(header->magic, SN_MAGIC, sizeof header->magic) && header->version == SN_VERSION &&
           header->cell_bytes == SN_CELL_BYTES;
}

static_assert(sizeof(sn_header) == SN_HEADER_CELLS * SN_CELL_BYTES, "header layout");
static_assert(sizeof(sn_record) == SN_CELL_BYTES, "record layout");

/* When storage has run out, so many requests are refused before the system is asked again:
 * asking takes a system call, and a program full of new contexts would make one at every call. */
#define SN_ASK_AGAIN 1024u

typedef struct {
    uint8_t *base;      /* start of the reserved range */
    uint64_t used;      /* cells handed out */
    uint64_t committed; /* cells backed by storage */
    uint64_t limit;     /* cells reserved */
    uint64_t refused;   /* requests since storage ran out */
    int file;           /* -1: private memory, or known by path only */
    char *path;         /* where the file is found again, see sn_cells_release_file */
    uint64_t device, inode;
} sn_cells;

typedef enum { SN_OK = 0, SN_NO_MEMORY, SN_NO_SPACE, SN_BAD_INPUT, SN_SYSTEM } sn_status;

/* Create a store. `file` is an empty file opened for reading and writing, or -1 for
 * private memory. Takes ownership of `file`. `limit` in cells; a smaller range is
 * reserved when the address space is limited. */
sn_status sn_cells_create(sn_cells *cells, int file, uint64_t limit);

/* Close the file and find it again by `path` whenever the store grows. A descriptor that was kept
 * would be at the mercy of the program around us: daemons close all of theirs, and the number
 * may come to mean a file of the program's own. False when memory is short; the file then
 * stays open. */
bool sn_cells_release_file(sn_cells *cells, const char *path);

/* Open the file of a store that knows it by path; -1 when it is not there any more. */
int sn_cells_open_file(const sn_cells *cells);

/* Back a range of a file by storage; false when there is none. A limit on the size of files is looked at first, since
 * going beyond it is a signal. */
bool sn_cells_reserve(int file, uint64_t from, uint64_t size);

/* Take `count` consecutive cells, zeroed; NULL when the store or the disk is full.
 * They become visible to readers with the next sn_cells_publish. */
void *sn_cells_take(sn_cells *cells, uint64_t count);

void sn_cells_publish(sn_cells *cells);
void sn_cells_destroy(sn_cells *cells);

/* Append a record with up to four strings, of zeros where the text is NULL, and return where the first is, at the beginning of a cell; NULL when there is
 * no room. */
void *sn_cells_add_record(sn_cells *cells, sn_record_kind kind, const uint32_t number[4], const char *const text[4],
                          const uint32_t length[4]);

static inline bool sn_cells_record(sn_cells *cells, sn_record_kind kind, const uint32_t number[4],
                                   const char *const text[4], const uint32_t length[4]) {
    return sn_cells_add_record(cells, kind, number, text, length) != NULL;
}

static inline sn_header *sn_cells_header(const sn_cells *cells) { return (sn_header *)cells->base; }

static inline uint64_t sn_record_cells(uint64_t bytes) { return 1 + (bytes + SN_CELL_BYTES - 1) / SN_CELL_BYTES; }

#endif
