/* A table from 64-bit keys to 32-bit numbers. See word_map.h. */
#include "word_map.h"

#include "pages.h"

enum { FIRST_SIZE = 1024 };

static void put(struct sn_word_map *map, uint64_t key, uint32_t value) {
    uint64_t at = sn_word_home(key, map->mask);
    while (map->entries[at].value) at = (at + 1) & map->mask;
    map->entries[at] = (struct sn_word_entry){key, value};
}

static bool grow(struct sn_word_map *map) {
    uint64_t size = map->entries ? 2 * (map->mask + 1) : FIRST_SIZE;
    struct sn_word_map larger = {sn_pages(size * sizeof *map->entries), size - 1, map->used};
    if (!larger.entries) return false;
    for (uint64_t i = 0; map->entries && i <= map->mask; i++)
        if (map->entries[i].value) put(&larger, map->entries[i].key, map->entries[i].value);
    *map = larger; /* the old entries are lost: all of them together are no larger than the new ones */
    return true;
}

bool sn_word_set(struct sn_word_map *map, uint64_t key, uint32_t value) {
    if (map->entries)
        for (uint64_t at = sn_word_home(key, map->mask); map->entries[at].value; at = (at + 1) & map->mask)
            if (map->entries[at].key == key) {
                map->entries[at].value = value;
                return true;
            }
    if ((!map->entries || 2 * (map->used + 1) > map->mask) && !grow(map)) return false;
    put(map, key, value);
    map->used++;
    return true;
}

void sn_word_remove(struct sn_word_map *map, uint64_t key) {
    if (!sn_word_get(map, key)) return;
    uint64_t hole = sn_word_home(key, map->mask);
    while (map->entries[hole].key != key) hole = (hole + 1) & map->mask;
    /* Close the gap: an entry behind it moves up if its home is not between the hole and itself. */
    for (uint64_t at = (hole + 1) & map->mask; map->entries[at].value; at = (at + 1) & map->mask) {
        uint64_t home = sn_word_home(map->entries[at].key, map->mask);
        if (((at - home) & map->mask) < ((at - hole) & map->mask)) continue;
        map->entries[hole] = map->entries[at];
        hole = at;
    }
    map->entries[hole].value = 0;
    map->used--;
}
