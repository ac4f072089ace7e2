/* Which object each address belongs to: the half of the vertical map that memory is in. */
#ifndef SONDE_OBJECT_MAP_H
#define SONDE_OBJECT_MAP_H

#include <stdbool.h>
#include <stdint.h>

/* Addresses are mapped in granules of 16 bytes, the alignment of both malloc and CPython's allocator: a block never
 * shares its first granule with another. Two levels: a table for each 16 MiB that something lies in. */
enum {
    SN_GRANULE_BITS = 4,
    SN_TABLE_BITS = 24,
    SN_ADDRESS_BITS = 47, /* of user space on x86-64; what lies higher belongs to nobody */
    SN_TABLES = 1 << (SN_ADDRESS_BITS - SN_TABLE_BITS),
    SN_GRANULES = 1 << (SN_TABLE_BITS - SN_GRANULE_BITS),
};

struct sn_object_map {
    uint32_t **tables; /* SN_TABLES of SN_GRANULES numbers each; NULL where nothing lies */
};

/* False when there is no memory. */
bool sn_object_map_start(struct sn_object_map *map);

/* Number of the object at `address`, 0 when there is none. Cost: two loads. */
static inline uint32_t sn_object_at(const struct sn_object_map *map, uint64_t address) {
    if (address >> SN_ADDRESS_BITS) return 0;
    const uint32_t *table = map->tables[address >> SN_TABLE_BITS];
    return table ? table[(address >> SN_GRANULE_BITS) & (SN_GRANULES - 1)] : 0;
}

/* The first address from `address` on, and before `end`, that belongs to an object; `end` when there is none. What
 * nothing was ever mapped in is passed over at once. */
uint64_t sn_object_map_next(const struct sn_object_map *map, uint64_t address, uint64_t end);

/* Let the granules of [address, address + size) belong to object `number`, or to none (0).
 * False when there is no memory: then a part may have been done. Cost: one store per 16 bytes. */
bool sn_object_map_set(struct sn_object_map *map, uint64_t address, uint64_t size, uint32_t number);

/* The same, only for granules that belong to none. */
bool sn_object_map_fill(struct sn_object_map *map, uint64_t address, uint64_t size, uint32_t number);

#endif
