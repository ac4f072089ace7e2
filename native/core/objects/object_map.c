/* Which object each address belongs to. See object_map.h. */
#include "object_map.h"

#include "../base/pages.h"

#include <stddef.h>

bool sn_object_map_start(struct sn_object_map *map) {
    map->tables = sn_pages(SN_TABLES * sizeof *map->tables);
    return map->tables != NULL;
}

static bool mark(struct sn_object_map *map, uint64_t address, uint64_t size, uint32_t number, bool only_free) {
    const uint64_t limit = UINT64_C(1) << SN_ADDRESS_BITS;
    if (!size || address >= limit) return true;
    uint64_t granule = address >> SN_GRANULE_BITS;
    uint64_t end = size > limit - address ? limit : address + size;
    uint64_t last = (end - 1) >> SN_GRANULE_BITS;
    while (granule <= last) {
        uint32_t **table = &map->tables[granule >> (SN_TABLE_BITS - SN_GRANULE_BITS)];
        uint64_t first = granule & (SN_GRANULES - 1);
        uint64_t count = SN_GRANULES - first;
        if (count > last - granule + 1) count = last - granule + 1;
        if (!*table && number && !(*table = sn_pages(SN_GRANULES * sizeof **table))) return false;
        for (uint64_t i = first; *table && i < first + count; i++)
            if (!only_free || !(*table)[i]) (*table)[i] = number;
        granule += count;
    }
    return true;
}

bool sn_object_map_set(struct sn_object_map *map, uint64_t address, uint64_t size, uint32_t number) {
    return mark(map, address, size, number, false);
}

bool sn_object_map_fill(struct sn_object_map *map, uint64_t address, uint64_t size, uint32_t number) {
    return mark(map, address, size, number, true);
}

uint64_t sn_object_map_next(const struct sn_object_map *map, uint64_t address, uint64_t end) {
    const uint64_t granule = UINT64_C(1) << SN_GRANULE_BITS, table = UINT64_C(1) << SN_TABLE_BITS;
    while (address < end && !(address >> SN_ADDRESS_BITS)) {
        if (sn_object_at(map, address)) return address;
        bool mapped = map->tables[address >> SN_TABLE_BITS] != NULL;
        address = mapped ? (address & -granule) + granule : (address & -table) + table;
    }
    return end;
}
