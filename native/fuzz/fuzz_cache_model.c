/* Any bytes as settings and references: the settings are refused, or the references go as deep in a batch as one by one,
 * and what the settings say of lines in several levels is so in the end. */
#include "fuzz.h"

#include "../core/caches/cache_model.h"

#include <string.h>

#define MOST_BYTES (1 << 20)
#define MOST_REFERENCES 256

static struct sn_cache *made(const struct sn_cache_settings *settings, void **memory) {
    *memory = malloc(sn_cache_bytes(settings));
    struct sn_cache *cache = *memory ? sn_cache_place(*memory, settings) : NULL;
    if (!cache) exit(0);
    return cache;
}

static bool holds(const struct sn_cache *cache, unsigned level, uint64_t line) {
    const struct sn_cache_level *it = level == SN_CACHE_LEVELS ? &cache->instruction : &cache->level[level];
    return sn_level_find(it, line >> it->line_bits) != it->ways;
}

static void check_inclusion(const struct sn_cache *cache, uint32_t inclusion) {
    static uint64_t lines[MOST_BYTES / 8];
    if (inclusion == SN_CACHE_NEITHER) return;
    for (unsigned above = 0; above <= SN_CACHE_LEVELS; above++) {
        if (above >= cache->levels && above != SN_CACHE_LEVELS) continue;
        size_t count = sn_cache_lines(cache, above, lines);
        for (unsigned below = above == SN_CACHE_LEVELS ? 1 : above + 1; below < cache->levels; below++)
            for (size_t i = 0; i < count; i++)
                PROMISE(holds(cache, below, lines[i]) == (inclusion == SN_CACHE_INCLUSIVE));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct sn_cache_settings settings;
    static uint64_t addresses[MOST_REFERENCES];
    static uint8_t sizes[MOST_REFERENCES], operations[MOST_REFERENCES], depths[MOST_REFERENCES];
    if (size < sizeof settings) return 0;
    memcpy(&settings, bytes, sizeof settings);
    size_t needed = sn_cache_bytes(&settings), count = (size - sizeof settings) / 4;
    if (!needed || needed > MOST_BYTES) return 0;
    if (count > MOST_REFERENCES) count = MOST_REFERENCES;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *at = bytes + sizeof settings + 4 * i;
        addresses[i] = at[0] | (uint64_t)(at[1] & 31) << 8;
        if (at[1] & 128) addresses[i] = ~addresses[i];
        sizes[i] = at[2];
        operations[i] = at[3];
    }
    void *memory[2];
    struct sn_cache *whole = made(&settings, &memory[0]), *single = made(&settings, &memory[1]);
    sn_cache_run(whole, addresses, sizes, operations, depths, count);
    for (size_t i = 0; i < count; i++) {
        unsigned operation = operations[i] < SN_CACHE_OPERATIONS ? operations[i] : SN_CACHE_LOAD;
        PROMISE(sn_cache_reference(single, addresses[i], sizes[i], operation) == depths[i]);
    }
    PROMISE(depths[0] <= settings.levels || !count);
    check_inclusion(whole, settings.inclusion);
    for (unsigned k = 0; k < settings.levels; k++)
        PROMISE(whole->level[k].write_backs == single->level[k].write_backs);
    for (int i = 0; i < 2; i++) free(memory[i]);
    return 0;
}

static uint64_t next(uint64_t *random) {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

size_t fuzz_example(uint8_t *bytes, size_t room, uint64_t *random) {
    struct sn_cache_settings settings = {.levels = (uint32_t)(1 + next(random) % 3),
                                         .policy = (uint32_t)(next(random) % 3),
                                         .inclusion = (uint32_t)(next(random) % 3),
                                         .write_allocate = (uint32_t)(next(random) % 2),
                                         .classify = (uint32_t)(next(random) % 2),
                                         .seed = next(random)};
    for (unsigned k = 0; k < 4; k++) {
        uint32_t ways = (uint32_t)(1 + next(random) % 9);
        uint64_t sets = UINT64_C(1) << next(random) % 4;
        *(k < 3 ? &settings.level[k] : &settings.instruction) = (struct sn_cache_geometry){sets * ways * 32, ways, 32};
    }
    size_t size = sizeof settings + 4 * (1 + next(random) % MOST_REFERENCES);
    PROMISE(size <= room);
    memcpy(bytes, &settings, sizeof settings);
    for (size_t at = sizeof settings; at < size; at++) bytes[at] = (uint8_t)next(random);
    return size;
}
