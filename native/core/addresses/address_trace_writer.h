/* Writing an address trace: no C library, no memory but what it is given, nothing that fails while accesses come.
 *
 * Blocks go to a callback. When that fails, writing stops for good, and what is dropped is counted.
 */
#ifndef SONDE_ADDRESS_TRACE_WRITER_H
#define SONDE_ADDRESS_TRACE_WRITER_H

#include "address_trace.h"

/* Append bytes to the trace; false: that was not possible, and will not be tried again. */
typedef bool sn_address_trace_write(void *context, const void *bytes, size_t size);

struct sn_address_trace;

/* What `memory` must have at least. Each slot of a segment takes 48 bytes more, each segment some 40. */
#define SN_ADDRESS_TRACE_LEAST (1536u * 1024u)
#define SN_ADDRESS_TRACE_NONE UINT32_MAX

/* Begin a trace in `memory`, zeroed and aligned to 8; the header is written at once. NULL: too little memory. */
struct sn_address_trace *sn_address_trace_place(void *memory, size_t bytes, sn_address_trace_write *write,
                                                void *context);

/* Define a segment of 1 to SN_ADDRESS_SLOTS slots: returns its number, which is that of an equal one if there is
 * any. SN_ADDRESS_TRACE_NONE: there is no memory left, or it has too many slots or an unknown kind. */
uint32_t sn_address_trace_segment(struct sn_address_trace *trace, const struct sn_trace_slot *slots, uint32_t n);

/* A segment has run. `addresses`: of its slots that are no fetches, in order; 0: the access did not happen.
 * A segment that was not defined is counted in `unknown_runs`. */
void sn_address_trace_run(struct sn_address_trace *trace, uint32_t segment, const uint64_t *addresses);

/* What runs from here on is another thread; the first one is 0. */
void sn_address_trace_thread(struct sn_address_trace *trace, uint32_t thread);

/* Write what there is, so that a reader sees it. */
void sn_address_trace_flush(struct sn_address_trace *trace);

/* Write what there is, and the end. What comes after is dropped. */
void sn_address_trace_finish(struct sn_address_trace *trace);

struct sn_address_trace_counts {
    uint64_t accesses;     /* taken, fetches included */
    uint64_t dropped;      /* accesses and fetches, because writing stopped */
    uint64_t unknown_runs; /* of segments that were not defined */
    uint64_t bytes;        /* written */
    uint32_t segments;     /* defined */
    bool failed;           /* a write failed */
};

struct sn_address_trace_counts sn_address_trace_count(const struct sn_address_trace *trace);

#endif
