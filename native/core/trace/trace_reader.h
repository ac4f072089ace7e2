/* Reading a trace: whole, cut off, damaged, or still being written, without trusting it.
 *
 * A reader goes through the file once, in memory that does not grow with the number of events. Bytes are
 * looked at only when their check is right: what is delivered is what was written, from the first event on
 * without a gap.
 */
#ifndef SONDE_TRACE_READER_H
#define SONDE_TRACE_READER_H

#include "trace_format.h"

typedef enum {
    SN_TRACE_MORE = 0,  /* events were read; there may be others */
    SN_TRACE_END,       /* the recording ended here, in an orderly way */
    SN_TRACE_CUT,       /* the file ends here, the recording did not: it goes on, was killed, or part of the file is
                         * missing (`unreadable` bytes of it are there). Asked again, the reader looks again. */
    SN_TRACE_DAMAGED,   /* from here on it is not what was written */
    SN_TRACE_FOREIGN,   /* not a trace */
    SN_TRACE_NEWER,     /* a trace of a later version, see header.version */
    SN_TRACE_NO_MEMORY,
    SN_TRACE_UNREADABLE /* errno tells */
} sn_trace_result;

/* Where and why the reading ended, for DAMAGED and CUT. */
typedef struct {
    uint64_t block;      /* SN_TRACE_NO_BLOCK: in the header */
    uint64_t offset;     /* in the file */
    uint64_t unreadable; /* bytes of the block that are there, but cannot be verified without those that are not */
    const char *what;    /* a fact, as a clause; NULL when there is no problem */
} sn_trace_problem;

#define SN_TRACE_NO_BLOCK UINT64_MAX

typedef struct {
    uint32_t first_line, flags;
    uint32_t length[3];
    size_t text; /* qualified name, module, file: one after the other, in sn_trace_reader.text */
} sn_trace_definition;

typedef struct {
    sn_trace_header header; /* valid after opening; its end and losses as they were when last looked at */
    char *about[3];         /* command, version of Python, mechanism; header.length bytes each */
    sn_trace_problem problem;
    uint64_t events; /* delivered */
    uint64_t block;  /* being read */

    sn_trace_definition *functions;
    uint32_t function_count;
    char *text;

    /* The rest is the reader's own. */
    sn_trace_result ended;  /* DAMAGED and END are final */
    bool begun, finished;   /* whether the block has a head; whether the header was seen to have its end */
    uint32_t verified, at;  /* bytes of the block: known to be right; decoded */
    uint64_t check;         /* of those verified */
    uint64_t units;         /* time of the event before */
    uint64_t latest;        /* the largest time that can be, in units */
    uint8_t *bytes;
    sn_trace_model *model;
    size_t function_room, text_used, text_room;
    uint64_t forgotten;     /* blocks given back to the file system */
    int file;
    char *path;
} sn_trace_reader;

/* Columns of events, to be filled by the reader; `ticks` are in units of the clock. */
typedef struct {
    uint8_t *kind;
    uint32_t *thread, *function, *line;
    uint64_t *ticks;
} sn_trace_columns;

/* MORE: open. Anything else: closed, and says why; header.version is set for NEWER. */
sn_trace_result sn_trace_open(sn_trace_reader *reader, const char *path);
/* The same with an open file, which the reader takes over. */
sn_trace_result sn_trace_open_file(sn_trace_reader *reader, int file);
void sn_trace_close(sn_trace_reader *reader);

/* Read up to `room` (at least 1) events. MORE: `*count` of them, at least 1. Anything else: none. */
sn_trace_result sn_trace_read(sn_trace_reader *reader, const sn_trace_columns *columns, size_t room, size_t *count);

/* Give back the storage of blocks that were read, while the trace is still being written. They can
 * not be read again. False: the file cannot be changed. */
bool sn_trace_forget(sn_trace_reader *reader);

/* The last pair of clock readings in the file, to find the clock's rate with that of the start: the end, or the
 * beginning of the last block. False: there is none. */
bool sn_trace_last_pair(sn_trace_reader *reader, uint64_t *ticks, uint64_t *ns);

/* From ticks to nanoseconds of CLOCK_MONOTONIC, in place. Does nothing for clocks other than the counter. */
void sn_trace_nanoseconds(const sn_trace_header *header, double ns_per_tick, uint64_t *ticks, size_t count);

#endif
