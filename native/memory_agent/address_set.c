#define _GNU_SOURCE
#include "address_set.h"

#include <sys/mman.h>

enum { FIRST_SIZE = 1 << 16 }; /* 0.75 MiB, enough for the objects of an interpreter that has just started */

static uintptr_t *words(size_t count) {
    void *memory = mmap(NULL, count * sizeof(uintptr_t), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void give_back(uintptr_t *memory, size_t count) {
    if (memory) munmap(memory, count * sizeof(uintptr_t));
}

static bool reserve(sn_address_set *set, size_t size) {
    *set = (sn_address_set){words(size), words(size / 2), size, 0};
    if (set->slots && set->list) return true;
    sn_address_set_destroy(set);
    return false;
}

bool sn_address_set_create(sn_address_set *set) { return reserve(set, FIRST_SIZE); }

void sn_address_set_destroy(sn_address_set *set) {
    give_back(set->slots, set->size);
    give_back(set->list, set->size / 2);
    *set = (sn_address_set){0};
}

static bool insert(sn_address_set *set, uintptr_t address) {
    size_t at = (address >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 20; /* 2^64 over the golden ratio */
    for (;; at++) {
        uintptr_t *slot = &set->slots[at & (set->size - 1)];
        if (*slot == address) return false;
        if (*slot) continue;
        *slot = address;
        set->list[set->count++] = address;
        return true;
    }
}

bool sn_address_set_add(sn_address_set *set, uintptr_t address) {
    if (set->count == set->size / 2) {
        sn_address_set larger;
        if (!reserve(&larger, 2 * set->size)) return false;
        for (size_t i = 0; i < set->count; i++) insert(&larger, set->list[i]);
        sn_address_set_destroy(set);
        *set = larger;
    }
    return insert(set, address);
}
