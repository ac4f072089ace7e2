/* Tables of words that are filled anew in each round. */
#ifndef SONDE_EMPTIED_MAP_H
#define SONDE_EMPTIED_MAP_H

#include "../base/word_map.h"

#include <string.h>
#include <sys/mman.h>

/* Forget all keys, and keep the room: what grows leaves its old room unused. Cost: O(room). */
static inline void sn_map_empty(struct sn_word_map *map) {
    if (map->used) memset(map->entries, 0, (map->mask + 1) * sizeof *map->entries);
    map->used = 0;
}

static inline void sn_map_free(struct sn_word_map *map) {
    if (map->entries) munmap(map->entries, (map->mask + 1) * sizeof *map->entries);
    *map = (struct sn_word_map){0};
}

#endif
