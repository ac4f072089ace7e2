/* A map from addresses to numbers: open addressing, removal leaves a tombstone. */
#ifndef SONDE_ADDRESS_MAP_H
#define SONDE_ADDRESS_MAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define SN_NO_NUMBER UINT32_MAX
#define SN_FIRST_SLOTS 512u

typedef struct {
    uintptr_t address; /* 0: free, 1: removed */
    uint32_t number;
} sn_slot;

typedef struct {
    sn_slot *slots;
    uint32_t room, used; /* `used` counts tombstones; at most half of `room` */
} sn_address_map;

static inline uint32_t sn_slot_of(const sn_address_map *map, uintptr_t address) {
    return (uint32_t)((uint64_t)(address >> 4) * 0x9E3779B97F4A7C15u >> 32) & (map->room - 1);
}

static inline sn_slot *sn_address_slot(const sn_address_map *map, uintptr_t address) {
    if (!map->room) return NULL;
    for (uint32_t at = sn_slot_of(map, address); map->slots[at].address; at = (at + 1) & (map->room - 1))
        if (map->slots[at].address == address) return &map->slots[at];
    return NULL;
}

static inline uint32_t sn_address_find(const sn_address_map *map, uintptr_t address) {
    const sn_slot *slot = sn_address_slot(map, address);
    return slot ? slot->number : SN_NO_NUMBER;
}

static inline void sn_address_remove(sn_address_map *map, uintptr_t address) {
    sn_slot *slot = sn_address_slot(map, address);
    if (slot) slot->address = 1;
}

static inline void sn_address_clear(sn_address_map *map) {
    free(map->slots);
    *map = (sn_address_map){0};
}

/* Add an address that is not in the map; false when memory is short. */
static inline bool sn_address_add(sn_address_map *map, uintptr_t address, uint32_t number) {
    if ((map->used + 1) * 2 > map->room) {
        uint32_t live = 0;
        for (uint32_t i = 0; i < map->room; i++) live += map->slots[i].address > 1;
        uint32_t room = SN_FIRST_SLOTS;
        while (room < 4 * (live + 1)) room *= 2;
        sn_address_map grown = {calloc(room, sizeof *grown.slots), room, 0};
        if (!grown.slots) return false;
        for (uint32_t i = 0; i < map->room; i++)
            if (map->slots[i].address > 1) sn_address_add(&grown, map->slots[i].address, map->slots[i].number);
        free(map->slots);
        *map = grown;
    }
    uint32_t at = sn_slot_of(map, address);
    while (map->slots[at].address > 1) at = (at + 1) & (map->room - 1);
    map->used += !map->slots[at].address;
    map->slots[at] = (sn_slot){address, number};
    return true;
}

#endif
