/* Conditional branches, and how well they are foreseen: two-bit counters, found by the address of the branch and the
 * ways that the last branches went (gshare). Coarser than what processors have, and of the same kind: a branch that
 * follows no pattern is missed about every other time.
 * Source: McFarling, Combining Branch Predictors, WRL TN-36, 1993.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "tool.h"

enum { TABLE_BITS = 15, HISTORY_BITS = 12, TAKEN_FROM = 2, SURELY_TAKEN = 3 };

static UChar foreseen[1 << TABLE_BITS];
static UInt history; /* the last branch in the lowest bit */
uint64_t branch_misses;

VG_REGPARM(2) void branch_runs(Addr ip, UWord is_taken) {
    if (current->paused) return;
    UChar *counter = &foreseen[(ip ^ history) & ((1 << TABLE_BITS) - 1)];
    if ((*counter >= TAKEN_FROM) != (is_taken != 0)) branch_misses++;
    if (is_taken) {
        if (*counter < SURELY_TAKEN) ++*counter;
    } else if (*counter) {
        --*counter;
    }
    history = (history << 1 | (is_taken != 0)) & ((1 << HISTORY_BITS) - 1);
}
