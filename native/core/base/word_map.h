/* A table from 64-bit keys to 32-bit numbers, for code without a C library. */
#ifndef SONDE_WORD_MAP_H
#define SONDE_WORD_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct sn_word_entry {
    uint64_t key;
    uint32_t value; /* 0: the place is empty */
};

/* Open addressing, linear probing, at most half full. All zero is an empty map. */
struct sn_word_map {
    struct sn_word_entry *entries;
    uint64_t mask; /* entries - 1, a power of two less one */
    uint64_t used;
};

static inline uint64_t sn_word_home(uint64_t key, uint64_t mask) {
    key *= UINT64_C(0x9E3779B97F4A7C15); /* Fibonacci hashing: 2^64 over the golden ratio */
    return (key >> 32) & mask;
}

/* What `key` stands for, 0 when it is not there. */
static inline uint32_t sn_word_get(const struct sn_word_map *map, uint64_t key) {
    if (!map->entries) return 0;
    for (uint64_t at = sn_word_home(key, map->mask);; at = (at + 1) & map->mask) {
        const struct sn_word_entry *entry = &map->entries[at];
        if (!entry->value || entry->key == key) return entry->value;
    }
}

/* Make `key` stand for `value`, not 0. False when there is no memory left: nothing has changed then. */
bool sn_word_set(struct sn_word_map *map, uint64_t key, uint32_t value);

/* Forget `key`, if it is there. */
void sn_word_remove(struct sn_word_map *map, uint64_t key);

#endif
