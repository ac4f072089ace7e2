/* What bench_paths.py compares the k-slab forest with: one hash table of all sequences of up to k ids. */
#include <stdint.h>
#include <stdlib.h>

typedef struct {
    uint64_t key, count;
} slot;

static slot *grown(slot *slots, uint64_t *room) {
    slot *larger = calloc(2 * *room, sizeof *larger);
    for (uint64_t i = 0; i < *room; i++) {
        if (!slots[i].count) continue;
        uint64_t at = slots[i].key & (2 * *room - 1);
        while (larger[at].count) at = (at + 1) & (2 * *room - 1);
        larger[at] = slots[i];
    }
    free(slots);
    *room *= 2;
    return larger;
}

/* How many different sequences there are. They are told apart by 64 bits of a hash only, which flatters it. */
uint64_t count_all_sequences(const uint64_t *ids, uint64_t n, uint32_t k) {
    uint64_t room = 1 << 10, used = 0, *hashes = calloc(k, sizeof *hashes);
    slot *slots = calloc(room, sizeof *slots);
    for (uint64_t i = 0; i < n; i++)
        for (uint32_t length = k; length-- > 0;) {
            if (length > i) continue;
            uint64_t hash = ((length ? hashes[length - 1] : 0x9E3779B97F4A7C15u) ^ ids[i]) * 0xD6E8FEB86659FD93u;
            hash ^= hash >> 32;
            hashes[length] = hash;
            uint64_t at = hash & (room - 1);
            while (slots[at].count && slots[at].key != hash) at = (at + 1) & (room - 1);
            if (!slots[at].count++) {
                slots[at].key = hash;
                if (++used * 2 > room) slots = grown(slots, &room);
            }
        }
    free(slots);
    free(hashes);
    return used;
}
