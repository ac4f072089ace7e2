/* One level of a cache: sets of ways, and which way of a full set a new line takes.
 *
 * An entry is line * 2 + dirty, where line = address / bytes of a line; lines have 8 bytes and more, so that no entry is
 * SN_NO_LINE. An entry keeps its way until it is evicted:
 *
 *   set 0   entries[0 .. ways)      stamps[0 .. ways)  LRU: when each was used last     recent[0]  way used last
 *                                   trees[0]           PLRU: one bit for each fork
 *   set 1   entries[ways .. 2 ways) ...
 *
 * A set's most recent line needs no bookkeeping when it is used again, whatever the policy: that is the fast path of
 * cache_model.h.
 *
 * Functions here take the policy as an argument that is a constant where they are inlined. No function looks at more
 * than one set. Cost: O(ways) each.
 */
#ifndef SONDE_CACHE_LEVEL_H
#define SONDE_CACHE_LEVEL_H

#include "../base/xorshift.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SN_NO_LINE UINT64_MAX

/* LRU: the line that was not used for longest goes. PLRU: a binary tree over the ways has a bit at each fork that
 * points away from what was used last; the way it points at goes. RANDOM: any way. Free ways are always taken first,
 * from the first on. */
enum sn_cache_policy { SN_CACHE_LRU, SN_CACHE_PLRU, SN_CACHE_RANDOM };

struct sn_cache_level {
    uint64_t *entries;
    uint64_t *stamps;    /* LRU: 0 for free ways */
    uint64_t *trees;     /* PLRU: bit n is fork n, the root is fork 1, below n are 2n and 2n + 1; set: points right */
    uint8_t *recent;
    uint64_t clock;      /* LRU: the last stamp */
    uint64_t random;     /* RANDOM: state of the generator, not 0 */
    uint64_t set_mask;
    uint64_t line_mask;  /* bytes of a line - 1 */
    uint32_t ways;
    uint32_t leaves;     /* ways, rounded up to a power of two */
    uint32_t line_bits;
    uint32_t front_room; /* bytes of a line if the fast path may be taken, else 0 */
    uint64_t misses[3];  /* references with a line that was not here, by sn_cache_operation */
    uint64_t write_backs; /* dirty lines that left */
};

/* Where the line of its set that was used last is. */
static inline uint64_t *sn_level_front(const struct sn_cache_level *level, uint64_t line) {
    size_t set = (size_t)(line & level->set_mask);
    return level->entries + set * level->ways + level->recent[set];
}

static inline bool sn_entry_is(uint64_t entry, uint64_t line) { return (entry ^ line << 1) <= 1; }

/* The way a line is in; `ways` if in none. */
static inline uint32_t sn_level_find(const struct sn_cache_level *level, uint64_t line) {
    const uint64_t *entries = level->entries + (size_t)(line & level->set_mask) * level->ways;
    uint32_t way = 0;
    while (way < level->ways && !sn_entry_is(entries[way], line)) way++;
    return way;
}

/* `way` of `set` was used. */
static inline void sn_level_promote(struct sn_cache_level *level, uint32_t policy, size_t set, uint32_t way) {
    level->recent[set] = (uint8_t)way;
    if (policy == SN_CACHE_LRU) level->stamps[set * level->ways + way] = ++level->clock;
    if (policy == SN_CACHE_PLRU) {
        uint64_t tree = level->trees[set];
        /* From the leaf up: a fork is left by its even child, and then points right. */
        for (uint32_t node = level->leaves + way; node > 1; node >>= 1) {
            uint64_t fork = UINT64_C(1) << (node >> 1);
            tree = node & 1 ? tree & ~fork : tree | fork;
        }
        level->trees[set] = tree;
    }
}

/* The upper half of a random number, scaled to the ways. */
static inline uint32_t sn_level_draw(struct sn_cache_level *level) {
    return (uint32_t)((sn_xorshift64(&level->random) >> 32) * level->ways >> 32);
}

/* The way that a new line takes. */
static inline uint32_t sn_level_victim(struct sn_cache_level *level, uint32_t policy, size_t set) {
    size_t first = set * level->ways;
    if (policy == SN_CACHE_LRU) {
        uint32_t oldest = 0;
        uint64_t least = level->stamps[first];
        for (uint32_t way = 1; way < level->ways; way++) {
            uint64_t stamp = level->stamps[first + way];
            oldest = stamp < least ? way : oldest;
            least = stamp < least ? stamp : least;
        }
        return oldest;
    }
    for (uint32_t way = 0; way < level->ways; way++)
        if (level->entries[first + way] == SN_NO_LINE) return way;
    if (policy == SN_CACHE_RANDOM) return sn_level_draw(level);
    /* Of ways that are no power of two, the leaves beyond the last way are never pointed at. */
    uint32_t node = 1, low = 0;
    for (uint32_t half = level->leaves >> 1; half; half >>= 1) {
        bool right = (level->trees[set] >> node & 1) && low + half < level->ways;
        node = 2 * node + right;
        low += right ? half : 0;
    }
    return low;
}

/* Use a line if it is here. */
static inline bool sn_level_touch(struct sn_cache_level *level, uint32_t policy, uint64_t line, bool dirty) {
    uint32_t way = sn_level_find(level, line);
    if (way == level->ways) return false;
    size_t set = (size_t)(line & level->set_mask);
    level->entries[set * level->ways + way] |= dirty;
    sn_level_promote(level, policy, set, way);
    return true;
}

/* Put in a line that is not here. Returns the entry that had to leave, or SN_NO_LINE. */
static inline uint64_t sn_level_fill(struct sn_cache_level *level, uint32_t policy, uint64_t line, bool dirty) {
    size_t set = (size_t)(line & level->set_mask);
    uint32_t way = sn_level_victim(level, policy, set);
    uint64_t *entry = level->entries + set * level->ways + way, evicted = *entry;
    *entry = line << 1 | dirty;
    sn_level_promote(level, policy, set, way);
    return evicted;
}

/* Take a line out. Returns its entry, or SN_NO_LINE. */
static inline uint64_t sn_level_remove(struct sn_cache_level *level, uint32_t policy, uint64_t line) {
    uint32_t way = sn_level_find(level, line);
    if (way == level->ways) return SN_NO_LINE;
    size_t at = (size_t)(line & level->set_mask) * level->ways + way;
    uint64_t entry = level->entries[at];
    level->entries[at] = SN_NO_LINE;
    if (policy == SN_CACHE_LRU) level->stamps[at] = 0;
    return entry;
}

/* Make a line dirty without using it. Returns whether it is here. */
static inline bool sn_level_soil(struct sn_cache_level *level, uint64_t line) {
    uint32_t way = sn_level_find(level, line);
    if (way == level->ways) return false;
    level->entries[(size_t)(line & level->set_mask) * level->ways + way] |= 1;
    return true;
}

#endif
