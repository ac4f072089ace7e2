#include "remark_strings.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 1024u
#define FIRST_BYTES 16384u

/* Odd, with as many ones as zeros: 2^64 divided by the golden ratio. */
#define SPREAD UINT64_C(0x9E3779B97F4A7C15)

static uint64_t word_at(const char *text) {
    uint64_t word;
    memcpy(&word, text, 8);
    return word;
}

/* Twice, for after one multiplication two hashes that differed in the highest bit alone differ in known bits, whatever
 * they were: then strings could be made that collide under any seed. */
static uint64_t mixed(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * SPREAD;
    hash = (hash ^ hash >> 32) * SPREAD;
    return hash ^ hash >> 29;
}

/* Eight bytes at a time; the last eight may overlap those before them. */
uint64_t sn_remark_hash(const char *text, size_t size, uint64_t seed) {
    uint64_t hash = mixed(seed, size);
    if (size >= 8) {
        for (size_t at = 0; at + 8 < size; at += 8) hash = mixed(hash, word_at(text + at));
        hash = mixed(hash, word_at(text + size - 8));
    } else {
        uint64_t word = 0;
        for (size_t at = 0; at < size; at++) word = word << 8 | (unsigned char)text[at];
        hash = mixed(hash, word);
    }
    return hash ^ hash >> 32;
}

static const char *text_of(const sn_remark_strings *strings, size_t number, size_t *size) {
    *size = (size_t)(strings->offsets[number + 1] - strings->offsets[number]);
    return strings->bytes + strings->offsets[number];
}

static uint64_t slot_for(uint64_t hash, size_t number) { return hash >> 32 << 32 | (uint32_t)(number + 1); }

sn_status sn_remark_strings_create(sn_remark_strings *strings) {
    *strings = (sn_remark_strings){.bytes_room = FIRST_BYTES, .offsets_room = FIRST_SLOTS, .slots_room = FIRST_SLOTS};
    strings->bytes = malloc(strings->bytes_room);
    strings->offsets = malloc(strings->offsets_room * sizeof *strings->offsets);
    strings->slots = calloc(strings->slots_room, sizeof *strings->slots);
    if (!strings->bytes || !strings->offsets || !strings->slots) {
        sn_remark_strings_destroy(strings);
        return SN_NO_MEMORY;
    }
    strings->offsets[0] = 0;
    strings->seed = mixed((uintptr_t)strings->bytes, (uintptr_t)&sn_remark_hash); /* where memory and code lie is drawn */
    return SN_OK;
}

void sn_remark_strings_destroy(sn_remark_strings *strings) {
    free(strings->bytes);
    free(strings->offsets);
    free(strings->slots);
    *strings = (sn_remark_strings){0};
}

/* Twice the slots, and strings put in again in their order: so it is always true that each lies behind only such older
 * ones as were in its way, and the newest can be taken out without moving others. */
static bool grow_slots(sn_remark_strings *strings) {
    size_t room = 2 * strings->slots_room;
    uint64_t *slots = calloc(room, sizeof *slots);
    if (!slots) return false;
    for (size_t number = 0; number < strings->count; number++) {
        size_t size;
        const char *text = text_of(strings, number, &size);
        uint64_t hash = sn_remark_hash(text, size, strings->seed);
        size_t at = hash & (room - 1);
        while (slots[at]) at = (at + 1) & (room - 1);
        slots[at] = slot_for(hash, number);
    }
    free(strings->slots);
    strings->slots = slots;
    strings->slots_room = room;
    return true;
}

static sn_status make_room(sn_remark_strings *strings, size_t size) {
    if (strings->count + 2 > SN_REMARK_NONE) return SN_NO_SPACE;
    if (size > strings->bytes_room - strings->used) {
        size_t room = 2 * strings->bytes_room + size;
        char *bytes = realloc(strings->bytes, room);
        if (!bytes) return SN_NO_MEMORY;
        strings->bytes = bytes;
        strings->bytes_room = room;
    }
    if (strings->count + 2 > strings->offsets_room) {
        size_t room = 2 * strings->offsets_room;
        uint64_t *offsets = realloc(strings->offsets, room * sizeof *offsets);
        if (!offsets) return SN_NO_MEMORY;
        strings->offsets = offsets;
        strings->offsets_room = room;
    }
    return strings->count < strings->slots_room / 2 || grow_slots(strings) ? SN_OK : SN_NO_MEMORY;
}

sn_status sn_remark_strings_add(sn_remark_strings *strings, const char *text, size_t size, uint32_t *number) {
    uint64_t hash = sn_remark_hash(text, size, strings->seed);
    size_t mask = strings->slots_room - 1, at = hash & mask;
    for (; strings->slots[at]; at = (at + 1) & mask) {
        if ((strings->slots[at] ^ hash) >> 32) continue;
        size_t known = (uint32_t)strings->slots[at] - 1, known_size;
        const char *bytes = text_of(strings, known, &known_size);
        if (known_size == size && (!size || !memcmp(bytes, text, size))) { /* nothing may be at no address */
            *number = (uint32_t)known;
            return SN_OK;
        }
    }
    sn_status status = make_room(strings, size);
    if (status != SN_OK) return status;
    mask = strings->slots_room - 1;
    for (at = hash & mask; strings->slots[at]; at = (at + 1) & mask) continue;
    strings->slots[at] = slot_for(hash, strings->count);
    if (size) memcpy(strings->bytes + strings->used, text, size);
    strings->used += size;
    *number = (uint32_t)strings->count++;
    strings->offsets[strings->count] = strings->used;
    return SN_OK;
}

void sn_remark_strings_forget(sn_remark_strings *strings, size_t count) {
    size_t mask = strings->slots_room - 1;
    while (strings->count > count) {
        size_t number = --strings->count, size;
        const char *text = text_of(strings, number, &size);
        uint64_t hash = sn_remark_hash(text, size, strings->seed);
        uint64_t slot = slot_for(hash, number);
        size_t at = hash & mask;
        while (strings->slots[at] != slot) at = (at + 1) & mask;
        strings->slots[at] = 0;
    }
    strings->used = strings->offsets[count];
}
