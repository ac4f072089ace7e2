/* Blocks and their runs, for the address trace: what comes before each way out of a block is a segment.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "block_trace.h"

#include "pub_tool_libcprint.h"

enum { MEMORY = 1 << 30 }; /* address space; what is not used costs nothing */

Bool tracing;
static struct sn_address_trace *trace;
static Int file = -1;
static UInt thread_told = 1;

static bool append(void *context, const void *bytes, size_t size) {
    (void)context;
    return output_append(file, bytes, size);
}

void block_trace_start(void) {
    if (!options.trace) return;
    file = output_open(options.trace);
    if (file < 0) {
        VG_(umsg)("sonde: cannot write the address trace '%s'\n", options.trace);
        return;
    }
    trace = sn_address_trace_place(need_pages(MEMORY), MEMORY, append, NULL);
    tracing = trace != NULL;
}

void block_trace_define(struct block *block) {
    static const UChar kinds[] = {
        [SLOT_LOAD] = SN_ADDRESS_LOAD, [SLOT_STORE] = SN_ADDRESS_STORE, [SLOT_MODIFY] = SN_ADDRESS_MODIFY};
    if (!tracing) return;
    for (UInt i = 0; i < block->way_count; i++) {
        struct way_out *way = &block->ways[i];
        struct sn_trace_slot slots[MOST_SLOTS];
        for (UInt slot = 0; slot < way->slots; slot++) {
            const struct slot *each = &block->slots[slot];
            slots[slot] = (struct sn_trace_slot){each->ip, each->size, kinds[each->kind]};
        }
        way->segment = way->slots ? sn_address_trace_segment(trace, slots, way->slots) : SN_ADDRESS_TRACE_NONE;
    }
}

void block_trace_write(const struct way_out *way) {
    if (!way->slots) return;
    if (current->number != thread_told) {
        thread_told = current->number;
        sn_address_trace_thread(trace, thread_told - 1);
    }
    sn_address_trace_run(trace, way->segment, addresses);
}

struct sn_address_trace_counts block_trace_finish(void) {
    if (!tracing) return (struct sn_address_trace_counts){0};
    sn_address_trace_finish(trace);
    return sn_address_trace_count(trace);
}
