/* A hierarchy of caches that is told of references and says how deep each had to go.
 *
 *   instruction cache --.
 *   level 1, data ------+--> level 2, unified --> level 3, unified --> memory
 *
 * A reference to several lines is one reference, and one miss of a level where any of them is missing. Without libc:
 * the caller gives the memory (see miss_kinds.h for the only thing that may grow).
 *
 * Whether a line may be in several levels:
 *   NEITHER    Nobody minds. A reference that misses goes to the next level whole, and every level on the way takes the
 *              line in. Counts of misses are those of cachegrind with LRU and two levels.
 *   INCLUSIVE  Likewise, and a line that leaves a level leaves the levels above it, too.
 *   EXCLUSIVE  A line is in one level only, though level 1 and the instruction cache may share it. Those of its lines
 *              that a reference misses are moved to its first level; what leaves a level goes to the next. What leaves
 *              one first-level cache while it is in the other stays there.
 * A store that misses takes the line in, or (no write-allocate) leaves the level as it is and is passed on.
 *
 * A line that is written becomes dirty in the level that took the store; dirty when it leaves, it makes the copy in the
 * next level that has one dirty, without counting as a use of it, or goes to memory. (EXCLUSIVE: the line itself moves.)
 * That is one write-back for each level that it leaves downwards.
 */
#ifndef SONDE_CACHE_MODEL_H
#define SONDE_CACHE_MODEL_H

#include "cache_level.h"
#include "miss_kinds.h"

#define SN_CACHE_LEVELS 3u
#define SN_CACHE_WAYS 64u

struct sn_cache_geometry {
    uint64_t size; /* bytes; sets = size / (ways * line) is a power of two */
    uint32_t ways; /* 1 .. SN_CACHE_WAYS */
    uint32_t line; /* bytes, a power of two, 8 .. 4096 */
};

enum sn_cache_inclusion { SN_CACHE_NEITHER, SN_CACHE_INCLUSIVE, SN_CACHE_EXCLUSIVE };

enum sn_cache_operation { SN_CACHE_LOAD, SN_CACHE_STORE, SN_CACHE_FETCH, SN_CACHE_OPERATIONS };

/* Lines do not become shorter from a level to the next, and are equally long unless NEITHER. */
struct sn_cache_settings {
    struct sn_cache_geometry instruction;
    struct sn_cache_geometry level[SN_CACHE_LEVELS];
    uint32_t levels; /* 1 .. 3 */
    uint32_t policy, inclusion;
    uint32_t write_allocate; /* 0: a store that misses takes nothing in */
    uint32_t classify;       /* not 0: tell the kinds of first-level misses apart; every reference takes longer */
    uint64_t seed;           /* of the random policy */
};

struct sn_cache {
    struct sn_cache_level instruction;
    struct sn_cache_level level[SN_CACHE_LEVELS];
    uint32_t levels, policy, inclusion;
    bool write_allocate, classify;
    bool common; /* LRU, NEITHER, write-allocate, nothing classified: what a faster way is known for */
    enum sn_miss_kind last_kind;
    struct sn_miss_kinds data_kinds, fetch_kinds; /* with `classify` */
    uint64_t references[SN_CACHE_OPERATIONS];     /* counted by sn_cache_run only */
};

/* Bytes that sn_cache_place takes; 0: the settings are not valid. */
size_t sn_cache_bytes(const struct sn_cache_settings *settings);

/* An empty cache somewhere in `memory`, which may have any alignment. NULL: the settings are not valid. */
struct sn_cache *sn_cache_place(void *memory, const struct sn_cache_settings *settings);

/* Where memory for more lines comes from, with `classify`; it stays in use until sn_cache_release. */
void sn_cache_grow_with(struct sn_cache *cache, const struct sn_cache_memory *memory);

/* Give back what was taken; the cache is not to be used any more. */
void sn_cache_release(struct sn_cache *cache);

/* Why the last reference that missed its first-level cache did, with `classify`; of several lines, the first that
 * missed. */
static inline enum sn_miss_kind sn_cache_miss_kind(const struct sn_cache *cache) { return cache->last_kind; }

/* The addresses of all lines of a level, set by set. `level`: number from 0, or SN_CACHE_LEVELS for the instruction
 * cache. `into` has room for as many as the level has ways in all. Returns their number. */
size_t sn_cache_lines(const struct sn_cache *cache, unsigned level, uint64_t *into);

/* A reference of any kind, without the fast path. */
unsigned sn_cache_reference(struct sn_cache *cache, uint64_t address, unsigned size, unsigned operation);

/* Likewise; `hint` is set to the entry of the last of its lines in the first-level cache, if it is there. Most
 * instructions find their line where it was: a caller may look at that entry first, and if it is the one and the policy
 * is LRU, set its stamp to ++clock instead of asking. Whoever does so must not use the fast paths below. */
unsigned sn_cache_reference_near(struct sn_cache *cache, uint64_t address, unsigned size, unsigned operation,
                                 uint32_t *hint);

/* Whether a reference is to the most recent line of its set only, which changes nothing but that it may become dirty. */
static inline bool sn_cache_front_hit(struct sn_cache_level *level, uint64_t address, unsigned size, bool store) {
    uint64_t within = address & level->line_mask, line = address >> level->line_bits;
    if (within + size - 1 >= level->front_room) return false;
    uint64_t *front = sn_level_front(level, line), entry = *front;
    if (!sn_entry_is(entry, line)) return false;
    /* Written only if it changes, as the next reference will read it; one test, as stores cannot be foretold. */
    if (__builtin_expect(store & ~entry, 0)) *front = entry | 1;
    return true;
}

/* A load or store of `size` bytes (0 is taken as 1). Returns how many levels missed it: 0 .. levels. */
static inline unsigned sn_cache_data(struct sn_cache *cache, uint64_t address, unsigned size, bool store) {
    if (__builtin_expect(sn_cache_front_hit(&cache->level[0], address, size, store), 1)) return 0;
    return sn_cache_reference(cache, address, size, store ? SN_CACHE_STORE : SN_CACHE_LOAD);
}

/* An instruction is read. Returns how many of instruction cache and unified levels missed it: 0 .. levels. */
static inline unsigned sn_cache_fetch(struct sn_cache *cache, uint64_t address, unsigned size) {
    if (__builtin_expect(sn_cache_front_hit(&cache->instruction, address, size, false), 1)) return 0;
    return sn_cache_reference(cache, address, size, SN_CACHE_FETCH);
}

/* Many references, in order, counted in `references`.
 * sizes: bytes of each; NULL: 1. operations: sn_cache_operation of each; NULL: loads. What is beyond the last operation
 * is a load. depths: how many levels missed each; may be NULL. */
void sn_cache_run(struct sn_cache *cache, const uint64_t *addresses, const uint8_t *sizes, const uint8_t *operations,
                  uint8_t *depths, size_t count);

#endif
