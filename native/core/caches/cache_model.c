#include "cache_model.h"

#define INLINED static inline __attribute__((always_inline))

/* Larger ones are a slip of the pen, and sizes in bytes would overflow. */
#define LARGEST_SIZE (UINT64_C(1) << 40)
#define ALIGNMENT 64u

static uint64_t lines_of(const struct sn_cache_geometry *geometry) { return geometry->size / geometry->line; }

static bool is_power(uint64_t number) { return number && !(number & (number - 1)); }

static bool geometry_valid(const struct sn_cache_geometry *geometry) {
    if (geometry->ways < 1 || geometry->ways > SN_CACHE_WAYS || geometry->size > LARGEST_SIZE) return false;
    if (geometry->line < 8 || geometry->line > 4096 || !is_power(geometry->line)) return false;
    uint64_t way = (uint64_t)geometry->ways * geometry->line;
    return geometry->size % way == 0 && is_power(geometry->size / way);
}

static bool settings_valid(const struct sn_cache_settings *settings) {
    if (settings->levels < 1 || settings->levels > SN_CACHE_LEVELS || settings->policy > SN_CACHE_RANDOM ||
        settings->inclusion > SN_CACHE_EXCLUSIVE || !geometry_valid(&settings->instruction))
        return false;
    for (uint32_t k = 0; k < settings->levels; k++) {
        if (!geometry_valid(&settings->level[k])) return false;
        uint32_t line = settings->level[k].line, above = settings->level[k ? k - 1 : 0].line;
        bool one_length = line == above && line == settings->instruction.line;
        if (settings->inclusion != SN_CACHE_NEITHER && !one_length) return false;
        if (line < above || (k && line < settings->instruction.line)) return false;
    }
    return true;
}

static size_t rounded(size_t bytes) { return (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1); }

/* Takes parts off the front of the caller's memory; without memory it only adds them up. */
struct shelf {
    char *memory;
    size_t used;
};

static void *part(struct shelf *shelf, size_t bytes) {
    char *at = shelf->memory ? shelf->memory + shelf->used : NULL;
    shelf->used += rounded(bytes);
    return at;
}

/* splitmix64 (Steele, Lea, Flood, OOPSLA 2014): neighbouring seeds give unlike states. */
static uint64_t mixed(uint64_t seed) {
    seed += UINT64_C(0x9e3779b97f4a7c15);
    seed = (seed ^ seed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    seed = (seed ^ seed >> 27) * UINT64_C(0x94d049bb133111eb);
    seed ^= seed >> 31;
    return seed ? seed : 1;
}

static void lay_out_level(struct shelf *shelf, struct sn_cache_level *level, const struct sn_cache_geometry *geometry,
                          const struct sn_cache_settings *settings, uint32_t number) {
    size_t lines = (size_t)lines_of(geometry), sets = lines / geometry->ways;
    uint64_t *entries = (uint64_t *)part(shelf, lines * sizeof *entries);
    uint64_t *stamps = settings->policy == SN_CACHE_LRU ? (uint64_t *)part(shelf, lines * sizeof *stamps) : NULL;
    uint64_t *trees = settings->policy == SN_CACHE_PLRU ? (uint64_t *)part(shelf, sets * sizeof *trees) : NULL;
    uint8_t *recent = (uint8_t *)part(shelf, sets);
    if (!level) return;
    *level = (struct sn_cache_level){.entries = entries, .stamps = stamps, .trees = trees, .recent = recent};
    level->random = mixed(settings->seed + number);
    level->set_mask = sets - 1;
    level->line_mask = geometry->line - 1;
    level->ways = geometry->ways;
    level->leaves = 1;
    while (level->leaves < level->ways) level->leaves *= 2;
    level->line_bits = (uint32_t)__builtin_ctz(geometry->line);
    level->front_room = settings->classify ? 0 : geometry->line;
    for (size_t i = 0; i < lines; i++) entries[i] = SN_NO_LINE;
    if (stamps) __builtin_memset(stamps, 0, lines * sizeof *stamps);
    if (trees) __builtin_memset(trees, 0, sets * sizeof *trees);
    __builtin_memset(recent, 0, sets);
}

static void lay_out_kinds(struct shelf *shelf, struct sn_miss_kinds *kinds, const struct sn_cache_geometry *geometry) {
    void *memory = part(shelf, sn_miss_kinds_bytes(lines_of(geometry)));
    if (kinds) sn_miss_kinds_place(kinds, memory, lines_of(geometry));
}

/* With memory, and so with a cache, everything is set; without, only measured. */
static struct sn_cache *lay_out(struct shelf *shelf, const struct sn_cache_settings *settings) {
    struct sn_cache *cache = (struct sn_cache *)part(shelf, sizeof *cache);
    if (cache)
        *cache = (struct sn_cache){.levels = settings->levels, .policy = settings->policy,
                                   .inclusion = settings->inclusion, .write_allocate = settings->write_allocate != 0,
                                   .classify = settings->classify != 0,
                                   .common = settings->policy == SN_CACHE_LRU && settings->write_allocate &&
                                             settings->inclusion == SN_CACHE_NEITHER && !settings->classify};
    for (uint32_t k = 0; k < settings->levels; k++)
        lay_out_level(shelf, cache ? &cache->level[k] : NULL, &settings->level[k], settings, k);
    lay_out_level(shelf, cache ? &cache->instruction : NULL, &settings->instruction, settings, SN_CACHE_LEVELS);
    if (settings->classify) {
        lay_out_kinds(shelf, cache ? &cache->data_kinds : NULL, &settings->level[0]);
        lay_out_kinds(shelf, cache ? &cache->fetch_kinds : NULL, &settings->instruction);
    }
    return cache;
}

size_t sn_cache_bytes(const struct sn_cache_settings *settings) {
    if (!settings_valid(settings)) return 0;
    struct shelf shelf = {NULL, 0};
    lay_out(&shelf, settings);
    return shelf.used + ALIGNMENT;
}

struct sn_cache *sn_cache_place(void *memory, const struct sn_cache_settings *settings) {
    if (!settings_valid(settings)) return NULL;
    struct shelf shelf = {(char *)memory + (-(uintptr_t)memory & (ALIGNMENT - 1)), 0};
    return lay_out(&shelf, settings);
}

void sn_cache_grow_with(struct sn_cache *cache, const struct sn_cache_memory *memory) {
    cache->data_kinds.memory = cache->fetch_kinds.memory = memory;
}

void sn_cache_release(struct sn_cache *cache) {
    sn_miss_kinds_release(&cache->data_kinds);
    sn_miss_kinds_release(&cache->fetch_kinds);
}

size_t sn_cache_lines(const struct sn_cache *cache, unsigned number, uint64_t *into) {
    const struct sn_cache_level *level = number == SN_CACHE_LEVELS ? &cache->instruction : &cache->level[number];
    size_t ways = (size_t)(level->set_mask + 1) * level->ways, count = 0;
    for (size_t i = 0; i < ways; i++)
        if (level->entries[i] != SN_NO_LINE) into[count++] = level->entries[i] >> 1 << level->line_bits;
    return count;
}

/* The levels that a reference passes: its first-level cache, then the unified ones. */
INLINED struct sn_cache_level *on_the_way(struct sn_cache *cache, unsigned operation, uint32_t number) {
    return number == 0 && operation == SN_CACHE_FETCH ? &cache->instruction : &cache->level[number];
}

/* `entry` has left the level with this number. */
INLINED void follow_up(struct sn_cache *cache, uint32_t policy, struct sn_cache_level *level, uint32_t number,
                       uint64_t entry) {
    uint64_t line = entry >> 1;
    if (cache->inclusion == SN_CACHE_INCLUSIVE && number > 0) {
        sn_level_remove(&cache->instruction, policy, line);
        for (uint32_t above = 0; above < number; above++) {
            uint64_t copy = sn_level_remove(&cache->level[above], policy, line);
            if (copy == SN_NO_LINE || !(copy & 1)) continue;
            cache->level[above].write_backs++;
            entry |= 1;
        }
    }
    if (!(entry & 1)) return;
    level->write_backs++;
    for (uint32_t below = number + 1; below < cache->levels; below++)
        if (sn_level_soil(&cache->level[below], line << level->line_bits >> cache->level[below].line_bits)) break;
}

/* Classify the misses of a line, whether it is one or not. Returns the kind. */
INLINED enum sn_miss_kind kind_of(struct sn_cache *cache, uint64_t line, unsigned operation) {
    struct sn_miss_kinds *kinds = operation == SN_CACHE_FETCH ? &cache->fetch_kinds : &cache->data_kinds;
    return sn_miss_kinds_touch(kinds, line, cache->write_allocate || operation != SN_CACHE_STORE);
}

INLINED void count_kind(struct sn_cache *cache, unsigned operation, enum sn_miss_kind kind) {
    struct sn_miss_kinds *kinds = operation == SN_CACHE_FETCH ? &cache->fetch_kinds : &cache->data_kinds;
    kinds->counts[kind]++;
    cache->last_kind = kind;
}

/* A level is asked for all lines of a reference. Returns whether it has them. */
INLINED bool ask_level(struct sn_cache *cache, uint32_t policy, uint32_t number, uint64_t first_byte,
                       uint64_t last_byte, unsigned operation) {
    struct sn_cache_level *level = on_the_way(cache, operation, number);
    bool allocate = cache->write_allocate || operation != SN_CACHE_STORE;
    bool dirty = operation == SN_CACHE_STORE && (number == 0 || !allocate), all = true;
    enum sn_miss_kind first_kind = SN_MISS_UNKNOWN;
    for (uint64_t line = first_byte >> level->line_bits; line <= last_byte >> level->line_bits; line++) {
        enum sn_miss_kind kind =
            number == 0 && cache->classify ? kind_of(cache, line, operation) : SN_MISS_UNKNOWN;
        if (sn_level_touch(level, policy, line, dirty)) continue;
        if (all) first_kind = kind;
        all = false;
        if (!allocate) continue;
        uint64_t evicted = sn_level_fill(level, policy, line, dirty);
        if (evicted != SN_NO_LINE) follow_up(cache, policy, level, number, evicted);
    }
    if (all) return true;
    level->misses[operation]++;
    if (number == 0 && cache->classify) count_kind(cache, operation, first_kind);
    return false;
}

/* What left a first-level cache goes down from level to level, each pushing out the next. */
static inline void push_down(struct sn_cache *cache, uint32_t policy, struct sn_cache_level *level, uint64_t entry) {
    struct sn_cache_level *other = level == &cache->instruction ? &cache->level[0] : &cache->instruction;
    uint32_t way = sn_level_find(other, entry >> 1);
    if (way != other->ways) {
        other->entries[(size_t)(entry >> 1 & other->set_mask) * other->ways + way] |= entry & 1;
        return;
    }
    for (uint32_t below = 1;; below++) {
        level->write_backs += entry & 1;
        if (below == cache->levels) return;
        level = &cache->level[below];
        entry = sn_level_fill(level, policy, entry >> 1, entry & 1);
        if (entry == SN_NO_LINE) return;
    }
}

/* A line is fetched from below, or stored to there, with EXCLUSIVE. Returns how many levels missed it. */
static inline unsigned move_up(struct sn_cache *cache, uint32_t policy, uint64_t line, unsigned operation) {
    struct sn_cache_level *first = on_the_way(cache, operation, 0);
    unsigned depth = 1;
    if (operation == SN_CACHE_STORE && !cache->write_allocate) {
        while (depth < cache->levels && !sn_level_touch(&cache->level[depth], policy, line, true)) depth++;
        return depth;
    }
    uint64_t moved = SN_NO_LINE;
    for (; depth < cache->levels; depth++) {
        moved = sn_level_remove(&cache->level[depth], policy, line);
        if (moved != SN_NO_LINE) break;
    }
    bool dirty = operation == SN_CACHE_STORE || (moved != SN_NO_LINE && (moved & 1));
    uint64_t evicted = sn_level_fill(first, policy, line, dirty);
    if (evicted != SN_NO_LINE) push_down(cache, policy, first, evicted);
    return depth;
}

INLINED unsigned exclusive(struct sn_cache *cache, uint32_t policy, uint64_t first_byte, uint64_t last_byte,
                           unsigned operation) {
    struct sn_cache_level *first = on_the_way(cache, operation, 0);
    enum sn_miss_kind first_kind = SN_MISS_UNKNOWN;
    unsigned deepest = 0;
    for (uint64_t line = first_byte >> first->line_bits; line <= last_byte >> first->line_bits; line++) {
        enum sn_miss_kind kind = cache->classify ? kind_of(cache, line, operation) : SN_MISS_UNKNOWN;
        if (sn_level_touch(first, policy, line, operation == SN_CACHE_STORE)) continue;
        if (deepest == 0) first_kind = kind;
        unsigned depth = move_up(cache, policy, line, operation);
        deepest = depth > deepest ? depth : deepest;
    }
    for (uint32_t number = 0; number < deepest; number++) on_the_way(cache, operation, number)->misses[operation]++;
    if (deepest && cache->classify) count_kind(cache, operation, first_kind);
    return deepest;
}

INLINED unsigned reference(struct sn_cache *cache, uint32_t policy, uint64_t address, unsigned size,
                           unsigned operation) {
    uint64_t last_byte = address + (size ? size - 1 : 0);
    if (last_byte < address) last_byte = UINT64_MAX;
    if (cache->inclusion == SN_CACHE_EXCLUSIVE) return exclusive(cache, policy, address, last_byte, operation);
    unsigned depth = 0;
    while (depth < cache->levels && !ask_level(cache, policy, depth, address, last_byte, operation)) depth++;
    return depth;
}

static __attribute__((noinline)) unsigned reference_lru(struct sn_cache *cache, uint64_t address, unsigned size,
                                                        unsigned operation) {
    return reference(cache, SN_CACHE_LRU, address, size, operation);
}

static __attribute__((noinline)) unsigned reference_plru(struct sn_cache *cache, uint64_t address, unsigned size,
                                                         unsigned operation) {
    return reference(cache, SN_CACHE_PLRU, address, size, operation);
}

static __attribute__((noinline)) unsigned reference_random(struct sn_cache *cache, uint64_t address, unsigned size,
                                                           unsigned operation) {
    return reference(cache, SN_CACHE_RANDOM, address, size, operation);
}

unsigned sn_cache_reference(struct sn_cache *cache, uint64_t address, unsigned size, unsigned operation) {
    if (cache->policy == SN_CACHE_LRU) return reference_lru(cache, address, size, operation);
    if (cache->policy == SN_CACHE_PLRU) return reference_plru(cache, address, size, operation);
    return reference_random(cache, address, size, operation);
}

/* A reference to one line, which its first-level cache has not: each level on the way takes it in. */
INLINED unsigned take_in(struct sn_cache *cache, struct sn_cache_level *first, uint64_t address, unsigned operation) {
    unsigned depth = 0;
    for (struct sn_cache_level *level = first;; level = &cache->level[depth]) {
        uint64_t line = address >> level->line_bits;
        if (depth && sn_level_touch(level, SN_CACHE_LRU, line, false)) return depth;
        uint64_t evicted = sn_level_fill(level, SN_CACHE_LRU, line, depth == 0 && operation == SN_CACHE_STORE);
        if (evicted & 1 && evicted != SN_NO_LINE) follow_up(cache, SN_CACHE_LRU, level, depth, evicted);
        level->misses[operation]++;
        if (++depth == cache->levels) return depth;
    }
}

unsigned sn_cache_reference_near(struct sn_cache *cache, uint64_t address, unsigned size, unsigned operation,
                                 uint32_t *hint) {
    struct sn_cache_level *level = on_the_way(cache, operation, 0);
    uint64_t first = address >> level->line_bits, last = (address + (size ? size - 1 : 0)) >> level->line_bits;
    size_t set = (size_t)(last & level->set_mask);
    unsigned depth = 0;
    if (first == last && cache->common) {
        uint32_t way = sn_level_find(level, last);
        if (way != level->ways) {
            level->entries[set * level->ways + way] |= operation == SN_CACHE_STORE;
            sn_level_promote(level, SN_CACHE_LRU, set, way);
        } else {
            depth = take_in(cache, level, address, operation);
        }
        *hint = (uint32_t)(set * level->ways + level->recent[set]);
        return depth;
    }
    depth = sn_cache_reference(cache, address, size, operation);
    uint32_t way = sn_level_find(level, last);
    if (way != level->ways) *hint = (uint32_t)(set * level->ways + way);
    return depth;
}

/* A reference to one line that its first-level cache has, though not as the most recent of its set. */
INLINED bool hit(struct sn_cache_level *level, uint32_t policy, uint64_t address, unsigned size, bool store) {
    uint64_t within = address & level->line_mask;
    return within + size - 1 < level->front_room && sn_level_touch(level, policy, address >> level->line_bits, store);
}

INLINED void run(struct sn_cache *cache, uint32_t policy,
                 unsigned (*missed)(struct sn_cache *, uint64_t, unsigned, unsigned), const uint64_t *addresses,
                 const uint8_t *sizes, const uint8_t *operations, uint8_t *depths, size_t count) {
    uint64_t stores = 0, fetches = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned size = sizes ? sizes[i] : 1, operation = operations ? operations[i] : SN_CACHE_LOAD;
        if (operation >= SN_CACHE_OPERATIONS) operation = SN_CACHE_LOAD;
        struct sn_cache_level *level = on_the_way(cache, operation, 0);
        bool store = operation == SN_CACHE_STORE;
        unsigned depth = 0;
        if (!sn_cache_front_hit(level, addresses[i], size, store) && !hit(level, policy, addresses[i], size, store))
            depth = missed(cache, addresses[i], size, operation);
        stores += store;
        fetches += operation == SN_CACHE_FETCH;
        if (depths) depths[i] = (uint8_t)depth;
    }
    cache->references[SN_CACHE_LOAD] += count - stores - fetches;
    cache->references[SN_CACHE_STORE] += stores;
    cache->references[SN_CACHE_FETCH] += fetches;
}

void sn_cache_run(struct sn_cache *cache, const uint64_t *addresses, const uint8_t *sizes, const uint8_t *operations,
                  uint8_t *depths, size_t count) {
    switch (cache->policy) {
    case SN_CACHE_LRU:
        run(cache, SN_CACHE_LRU, reference_lru, addresses, sizes, operations, depths, count);
        break;
    case SN_CACHE_PLRU:
        run(cache, SN_CACHE_PLRU, reference_plru, addresses, sizes, operations, depths, count);
        break;
    default:
        run(cache, SN_CACHE_RANDOM, reference_random, addresses, sizes, operations, depths, count);
    }
}
