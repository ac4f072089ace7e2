/* What was counted so far, for a program that asks: of the thread that asks, which ran alone.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "tool.h"

static Bool is_asked;
static uint64_t since[SN_COUNTS]; /* of all threads, when the current one began to run */

/* Instructions are known by how often each block was left where: as many as it has up to there. Where calls do more than
 * count, they add them up. */
static uint64_t instructions_so_far(void) {
    uint64_t found = 0;
    if (options.mode == SN_FULL) return instructions_run;
    for (const struct block *block = blocks; block; block = block->next)
        for (UInt i = 0; i < block->way_count; i++) found += *block->ways[i].runs * block->ways[i].instructions;
    return found;
}

static void count_all(uint64_t *counts) {
    counts[SN_COUNT_INSTRUCTIONS] = instructions_so_far();
    counts[SN_COUNT_ACCESSES] = clock_;
    counts[SN_COUNT_FIRST_MISSES] = totals.misses[0];
    counts[SN_COUNT_BRANCH_MISSES] = branch_misses;
    counts[SN_COUNT_LAST_MISSES] = totals.misses[cache->levels - 1];
}

void counts_thread_stops(void) {
    uint64_t counts[SN_COUNTS];
    if (!is_asked) return;
    count_all(counts);
    for (UInt i = 0; i < SN_COUNTS; i++) {
        current->counts[i] += counts[i] - since[i];
        since[i] = counts[i];
    }
}

void counts_tell(uint64_t *answer) {
    if (!is_asked) count_all(since);
    is_asked = True;
    counts_thread_stops();
    for (UInt i = 0; i < SN_COUNTS; i++) answer[i] = current->counts[i];
}
