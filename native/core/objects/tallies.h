/* How often the lines of a cache were accessed, counted beside the cache.
 *
 * Nearly all accesses are to lines that the model of the nearest cache has at the time. They are counted in tallies of
 * its lines, which are few and so lie in the real cache, and not in the records of objects, which lie anywhere: samples
 * of a full profile of CPython were in the finding and changing of those for a third. With tallies it took 0.7 to 0.8
 * of the time. A line's tallies go to the objects when the line leaves, and those of a piece of memory when it changes
 * hands.
 */
#ifndef SONDE_TALLIES_H
#define SONDE_TALLIES_H

#include "../caches/cache_level.h"
#include "lives.h"

/* Of one granule. `count` is 4 * accesses + flags: loads may be counted here if something lies there; stores if, too,
 * no store says anything of it. */
enum { SN_TALLY_LOADS = 1, SN_TALLY_STORES = 2, SN_TALLY_ONE = 4 };
struct sn_tally {
    uint32_t count;
    uint32_t last; /* the clock at the last access, its lower half */
};

struct sn_tallies {
    struct sn_tally *tallies; /* of each entry of the cache, its granules */
    uint64_t *lines;          /* of each entry: the line that they are of, SN_NO_LINE if none */
    uint32_t granule_bits;    /* granules of a line, as a power of two */
    uint64_t since;           /* no tally was made before, by the clock */
    struct sn_cache_level *level;
    struct sn_lives *lives;
};

/* No more accesses than that between two calls of sn_tallies_renew: a tally would overflow. */
enum { SN_TALLIES_LAST = 1 << 30 };

/* Tallies for a level of a cache that is still empty. False when there is no memory. */
bool sn_tallies_start(struct sn_tallies *tallies, struct sn_cache_level *level, struct sn_lives *lives);

/* The level took in what was not there of the lines from `first` to `last`, byte addresses. To be called before any of
 * them is looked up in `tallies`. Cost: O(ways). */
void sn_tallies_filled(struct sn_tallies *tallies, uint64_t first, uint64_t last);

/* Likewise, when it is known that this entry of the level took in this line, and nothing else was. */
void sn_tallies_replaced(struct sn_tallies *tallies, uint32_t entry, uint64_t line);

/* What was counted in [base, base + size) goes to the objects there, and it is not known any more what lies there.
 * Cost: O(ways) for each line, at most the size of the cache. */
void sn_tallies_collect(struct sn_tallies *tallies, uint64_t base, uint64_t size);

/* Collect everything, and begin anew. */
void sn_tallies_renew(struct sn_tallies *tallies, uint64_t clock);

/* The tally of an address whose line is in this entry of the cache. */
static inline struct sn_tally *sn_tally_at(const struct sn_tallies *tallies, uint32_t entry, uint64_t address) {
    uint64_t granule = (address & tallies->level->line_mask) >> SN_GRANULE_BITS;
    return &tallies->tallies[((uint64_t)entry << tallies->granule_bits) + granule];
}

#endif
