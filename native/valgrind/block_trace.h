/* Blocks and their runs, for the address trace.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SONDE_BLOCK_TRACE_H
#define SONDE_BLOCK_TRACE_H

#include "../core/addresses/address_trace_writer.h"
#include "tool.h"

extern Bool tracing;

void block_trace_start(void); /* if one was asked for */
void block_trace_define(struct block *block);
void block_trace_write(const struct way_out *way);
struct sn_address_trace_counts block_trace_finish(void);

/* The block was left. */
static inline void block_trace_run(const struct way_out *way) {
    if (__builtin_expect(tracing, 0)) block_trace_write(way);
}

#endif
