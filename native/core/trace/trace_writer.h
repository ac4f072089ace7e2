/* Writing a trace in the measured process: one writer at a time (under the GIL), no allocation while
 * events are written, nothing that can fault.
 *
 * The file is mapped shared and grows in steps that are backed by storage before they are written, so
 * that what was written outlives the process, however it ends: every event is published as it is
 * written. When the storage runs out the recording stops for good, and what is lost is counted.
 */
#ifndef SONDE_TRACE_WRITER_H
#define SONDE_TRACE_WRITER_H

#include "trace_format.h"

typedef struct {
    uint32_t clock;      /* sn_clock_kind */
    uint32_t unit_shift; /* 4 suits nanoseconds, 5 counters of 2 to 4 GHz; at most 62 */
    uint32_t pid, parent_pid;
    uint64_t start_ticks, start_ns;
    const char *text[3]; /* command (words separated by newlines), version of Python, mechanism; */
    uint32_t length[3];  /* the command is cut off where the header would be too long */
} sn_trace_about;

typedef struct {
    uint8_t *block;      /* the open block, in the window */
    uint32_t used;       /* bytes of it; SN_TRACE_STOPPED when there is no block */
    uint32_t unit_shift;
    uint64_t short_time; /* longest pause that fits a byte, in units; 0: there is no clock */
    uint64_t now;        /* time of the event before, in units */
    uint64_t check;      /* of the open block, so far */
    uint64_t events;     /* written */
    sn_trace_model *model;

    sn_trace_header *header; /* NULL: nothing is recorded */
    uint16_t *index;         /* from hashes of edges to their numbers */
    uint32_t functions;      /* defined */
    uint64_t blocks;         /* begun */
    uint64_t lost;
    uint64_t *lost_told;     /* where that is to be known too; or NULL */
    uint8_t *window;         /* the part of the file that is mapped for writing */
    size_t window_bytes;
    uint8_t *window_end;     /* end of the last whole block in it */
    uint64_t reserved;       /* blocks backed by storage */
    char *path;              /* where the file is found again: no descriptor is kept, see sn_cells_release_file */
    uint64_t device, inode;
} sn_trace_writer;

/* The largest event, with a switch of threads and the definition of an edge, takes less than this. */
#define SN_TRACE_EVENT_BYTES 64u
#define SN_TRACE_LAST_START (SN_TRACE_ROOM - SN_TRACE_EVENT_BYTES)
#define SN_TRACE_STOPPED UINT32_MAX

/* Make the file `path`, which must not exist; an absolute path, if the process may change its folder.
 * SN_SYSTEM: errno tells; SN_NO_SPACE, SN_NO_MEMORY; SN_BAD_INPUT: unit_shift, or a text is too long. */
sn_status sn_trace_create(sn_trace_writer *writer, const char *path, const sn_trace_about *about);

/* Define the next function: numbers are given in order, 0, 1, 2, ... Text: qualified name, module, file;
 * any bytes, at most SN_TRACE_TEXT_BYTES each. False, and no number is given: it does not fit, or
 * the recording has stopped. */
bool sn_trace_function(sn_trace_writer *writer, uint32_t first_line, uint32_t flags, const char *const text[3],
                       const uint32_t length[3]);

/* Write the end of the recording, and leave the file no longer than needed. */
void sn_trace_finish(sn_trace_writer *writer, uint64_t ticks, uint64_t ns);

/* Let go of the file without a word, as a forked child must: it is its parent's. The writer takes
 * events as before, and drops them. */
void sn_trace_abandon(sn_trace_writer *writer);

/* Record nothing more; what is lost goes on being counted. */
void sn_trace_stop(sn_trace_writer *writer);

/* Say that there was an event which is not recorded. */
void sn_trace_lose(sn_trace_writer *writer);

/* Every case that sn_trace_event leaves. */
void sn_trace_event_slowly(sn_trace_writer *writer, uint32_t kind, uint32_t thread, uint32_t function, uint32_t line,
                           uint64_t ticks);

static inline sn_trace_block *sn_trace_open_block(const sn_trace_writer *writer) {
    return (sn_trace_block *)writer->block;
}

static inline void sn_trace_publish(sn_trace_writer *writer) {
    __atomic_store_n(&sn_trace_open_block(writer)->state, sn_trace_state(writer->check, writer->used),
                     __ATOMIC_RELEASE);
}

/* The event that was expected, as nearly all are: one byte. False: it is another, nothing was done. */
static inline bool sn_trace_event_quickly(sn_trace_writer *writer, uint32_t kind, uint32_t thread, uint32_t function,
                                          uint32_t line, uint64_t ticks) {
    sn_trace_model *model = writer->model;
    uint64_t units = ticks >> writer->unit_shift, pause;
    uint32_t used = writer->used, operation;
    if (__builtin_sub_overflow(units, writer->now, &pause)) return false;
    if (used >= SN_TRACE_LAST_START || thread != model->now.thread || pause > writer->short_time) return false;
    if (kind == SN_TRACE_ENTER) {
        uint32_t edge = model->next[model->now.last];
        if (model->edge[edge].function != function || model->edge[edge].line != line) return false;
        sn_trace_model_entered(model, edge);
        operation = SN_TRACE_OP_SAME;
    } else if (kind == SN_TRACE_LEAVE) {
        sn_trace_model_left(model);
        operation = SN_TRACE_OP_LEAVE;
    } else {
        return false;
    }
    uint8_t byte = (uint8_t)(operation | pause << 2);
    writer->block[sizeof(sn_trace_block) + used] = byte;
    writer->used = used + 1;
    writer->check = sn_trace_check_byte(writer->check, byte);
    writer->now = units;
    writer->events++;
    sn_trace_publish(writer);
    return true;
}

/* Append an event. `function` and `line` matter for ENTER and FOUND; functions are defined before. A time
 * before that of the last event of any thread is taken for the same. */
static inline void sn_trace_event(sn_trace_writer *writer, uint32_t kind, uint32_t thread, uint32_t function,
                                  uint32_t line, uint64_t ticks) {
    if (!__builtin_expect(sn_trace_event_quickly(writer, kind, thread, function, line, ticks), 1))
        sn_trace_event_slowly(writer, kind, thread, function, line, ticks);
}

#endif
