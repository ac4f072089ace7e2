/* How long a load takes, by pointer chasing: each load has its address from the one before, so that none overlap.
 *
 * The nodes of a chase are linked to one cycle in random order, which no prefetcher foresees; one that does not fit into
 * a cache misses it at every step, as the same order comes again and again. Cycles are those of the processor as it
 * runs at that moment, told by a chain of multiplications, each of which takes three.
 */
#ifndef SONDE_LOAD_LATENCY_H
#define SONDE_LOAD_LATENCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether it is known here how long a multiplication takes, and how to empty the caches. */
bool sn_load_latency_known(void);

/* Link `nodes` (2 or more), `stride` bytes (a multiple of 8) from one to the next, to one cycle: the first 8 bytes of each
 * become the address of the next one. Cost: O(nodes). */
void sn_chase_link(void *memory, size_t nodes, size_t stride, uint64_t seed);

/* Cycles of one load, of `loads` in a chase that is linked. `flushed`: all of it is out of all caches before; then
 * `loads` should not be more than there are nodes. 0: not known here. */
double sn_chase_cycles(void *memory, size_t nodes, size_t stride, size_t loads, bool flushed);

#endif
