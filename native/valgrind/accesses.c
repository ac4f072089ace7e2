/* Accesses, as they are made: the hot path.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "tool.h"

#include "block_trace.h"
#include "../core/base/xorshift.h"
#include "../core/objects/tallies.h"

#include "pub_tool_libcassert.h"

/* The cache missed: where. */
static inline void missed_by(const struct slot *slot, UInt depth) {
    for (UInt i = 0; i < depth; i++) {
        totals.misses[i]++;
        ledger.places[slot->place].misses[i]++;
        ledger.places[current->place].misses[i]++; /* place 0 if there is no Python */
    }
}

/* Likewise, and on what. */
static __attribute__((noinline)) void missed(struct slot *slot, UInt number, Addr address, UInt depth) {
    struct sn_object *object = &lives.objects[number];
    UInt type = lives.groups[object->group].type;
    missed_by(slot, depth);
    for (UInt i = 0; i < depth; i++) object->misses[i]++;
    if (sn_ledger_cross(&ledger, current->place ? current->place : slot->place, type, depth, &slot->crossing))
        field_missed(number, address, depth, &slot->fields);
}

static inline Bool touches(Addr address, UInt size, Addr word) { return word - address < size; }

/* Whether a store changes what Python code is running. */
static inline Bool is_watched(const struct thread *thread, Addr address, UInt size) {
    return touches(address, size, thread->watched[0]) | touches(address, size, thread->watched[1]) |
           touches(address, size, thread->watched[2]);
}

/* Threads may share the line. */
static __attribute__((noinline)) void share(const struct slot *slot, Addr address, UInt number) {
    const struct sn_object *object = &lives.objects[number];
    struct sn_line_use use = {.address = address, .base = numbered_from(object), .size = slot->size, .thread = current->number,
                              .place = current->place ? current->place : slot->place, .group = object->group};
    if (slot->kind & SLOT_LOAD) sn_line_used(&sharing, &use);
    use.store = True;
    if (slot->kind & SLOT_STORE) sn_line_used(&sharing, &use);
}

static void advise(const struct slot *slot, UInt at, UInt number, Int when) {
    const Addr address = addresses[at];
    struct sn_location location;
    locate(&location, current, current->place ? current->place : slot->place, slot->ip, address, slot->size);
    location.load = (slot->kind & SLOT_LOAD) != 0;
    location.store = (slot->kind & SLOT_STORE) != 0;
    location.value = when == SN_AFTER && location.store ? afters[at] : befores[at];
    UInt type = object_type(number);
    Bool is_object = (lives.uses[number].state & SN_TYPED) != 0; /* a block without a type is none yet */
    location.was_there = is_object && lives.uses[number].state & SN_UNBORN;
    int64_t *fields = is_object && lives.field_count ? &lives.fields[(SizeT)number * lives.field_count] : NULL;
    if (sn_advice.any_access[when]) sn_advice.any_access[when](&location, type, fields);
    if (is_object && sn_advice.object_access[when]) sn_advice.object_access[when](&location, type, fields);
    if (!is_object && sn_advice.nonobject_access[when]) sn_advice.nonobject_access[when](&location);
}

static __attribute__((noinline)) void fetch_missed(UInt place, UInt depth) {
    for (UInt level = 0; level < depth; level++) {
        totals.fetch_misses[level]++;
        ledger.places[place].fetch_misses[level]++;
    }
}

/* ---- accesses by line and type: a sample ----
 *
 * What memory an access went to is not looked up as long as the cache has it (tallies.h). So one access of 1,024 is looked
 * at, at random distances: a loop whose length divides a fixed one would be seen at ever the same place. */

static uint64_t next_sample = 1;

static uint64_t sample_distance(void) {
    static uint64_t state = 1;
    return 1 + sn_xorshift64(&state) % (2 * SAMPLE_DISTANCE - 1); /* on average SAMPLE_DISTANCE */
}

static __attribute__((noinline)) void sample(struct slot *slot, UInt number, Addr address) {
    UInt place = current->place ? current->place : slot->place, type = object_type(number);
    const Bool stores = slot->kind == SLOT_STORE;
    if (sn_ledger_sample(&ledger, place, type, stores, &slot->crossing)) field_sampled(number, address, stores, &slot->fields);
    totals.sampled++;
    next_sample += sample_distance();
}

static inline struct slot *slot_of(const struct chunk *chunk, UInt i) { return &chunk->block->slots[chunk->slot + i]; }

/* The line of Python code changes in the middle of a chunk, whose accesses will all be added to the new one: what was
 * made before belongs to the old one. */
static __attribute__((noinline)) void line_changes(const struct chunk *chunk, UInt made, uint64_t clock) {
    clock_ = clock;
    struct sn_place *old = current->line;
    python_look_again(current, clock - 1);
    for (UInt i = 0; i < made; i++) {
        const struct slot *slot = slot_of(chunk, i);
        if (slot->guarded && !addresses[chunk->slot + i]) continue;
        Bool store = slot->kind == SLOT_STORE;
        old->loads += !store, old->stores += store;
        current->line->loads -= !store, current->line->stores -= store;
    }
}

/* The number of the object at an address. */
static inline UInt object_at(Addr address) {
    UInt number = sn_object_at(&lives.map, address);
    return __builtin_expect(number != 0, 1) ? number : region_at(address);
}

/* It has one more access. */
static inline void count_access(UInt number, uint64_t clock) {
    struct sn_use *use = &lives.uses[number];
    use->accesses++;
    use->last = clock;
}

/* A store into a block may say what it is. */
static inline Bool may_tell(UInt number, UInt size) {
    UInt state = lives.uses[number].state;
    return __builtin_expect(state & (SN_BLOCK | SN_REVIVES | SN_OWNS), 0) && (size == 8 || size == 4 || state & SN_OWNS);
}

static __attribute__((noinline)) void tell_object(UInt number, Addr address, UInt size, UInt at, uint64_t clock) {
    clock_ = clock;
    if (lives.uses[number].state & SN_OWNS) owner_stored(number, address, size);
    if (size == 8) object_stored(number, address, values[at]);
    else if (size == 4 && python_has_short_counts()) object_counted(number, address, values[at]);
}

/* The next of the sample may be among the accesses of a chunk, made after `clock` others. */
static __attribute__((noinline)) void sample_chunk(const struct chunk *chunk, uint64_t clock) {
    while (next_sample <= clock_) {
        UInt i = next_sample > clock ? next_sample - clock - 1 : 0;
        const Addr address = addresses[chunk->slot + i];
        sample(slot_of(chunk, i), object_at(address), address);
    }
}

/* ---- chunks of all kinds ---- */

static Bool near_used; /* some chunks are short, which the fast paths of the cache model do not go with */
static struct sn_tallies tallies; /* of the data cache, for short chunks */

static inline UInt refer(Addr address, UInt size, UInt operation) {
    if (near_used) {
        /* What other chunks take in must not have the tallies of what it replaced. */
        UInt depth = sn_cache_reference(cache, address, size, operation);
        if (depth && operation != SN_CACHE_FETCH && options.objects)
            sn_tallies_filled(&tallies, address, address + size - 1);
        return depth;
    }
    return operation == SN_CACHE_FETCH ? sn_cache_fetch(cache, address, size)
                                       : sn_cache_data(cache, address, size, operation == SN_CACHE_STORE);
}

static inline __attribute__((always_inline)) void access(const struct chunk *chunk, UInt i, uint64_t clock,
                                                         const Bool advising) {
    const UInt at = chunk->slot + i;
    struct slot *slot = slot_of(chunk, i);
    const Addr address = addresses[at];
    const Bool stores = slot->kind != SLOT_LOAD;
    if (stores && is_watched(current, address, slot->size)) line_changes(chunk, i, clock);
    if (advising) {
        clock_ = clock - 1;
        advise(slot, at, object_at(address), SN_BEFORE);
    }
    const UInt operation = slot->kind == SLOT_STORE ? SN_CACHE_STORE : SN_CACHE_LOAD;
    if (!options.objects) {
        missed_by(slot, refer(address, slot->size, operation));
        return;
    }
    UInt number = object_at(address);
    count_access(number, clock);
    if (__builtin_expect(clock >= next_sample, 0)) sample(slot, number, address);
    if (options.sharing && has_threads) share(slot, address, number);
    if (stores && may_tell(number, slot->size)) tell_object(number, address, slot->size, at, clock);
    UInt depth = refer(address, slot->size, operation);
    if (depth) missed(slot, number, address, depth);
    if (advising) {
        clock_ = clock;
        advise(slot, at, number, SN_AFTER);
    }
}

static inline __attribute__((always_inline)) void any_chunk(struct chunk *chunk, const Bool advising) {
    if (current->paused) return;
    chunk->runs++;
    instructions_run += chunk->instructions;
    for (UInt i = 0; i < (chunk->fetches == CROSSING ? 1 : chunk->fetches); i++) {
        const struct fetch *fetch = &chunk->block->fetches[chunk->fetch + i];
        UInt depth = refer(fetch->address, fetch->size, SN_CACHE_FETCH);
        if (depth) fetch_missed(fetch->place, depth);
    }
    uint64_t clock = clock_;
    UInt loads = chunk->loads, stores = chunk->stores;
    for (UInt i = 0; i < (UInt)chunk->loads + chunk->stores; i++) {
        const struct slot *slot = slot_of(chunk, i);
        if (slot->guarded && !addresses[chunk->slot + i]) {
            chunk->block->not_taken[chunk->slot + i]++;
            if (slot->kind == SLOT_STORE)
                stores--;
            else
                loads--;
        } else {
            access(chunk, i, ++clock, advising);
        }
    }
    current->line->loads += loads, current->line->stores += stores;
    clock_ = clock;
    if (chunk->way) block_trace_run(&chunk->block->ways[chunk->way - 1]);
}

static VG_REGPARM(1) void plain_chunk(struct chunk *chunk) { any_chunk(chunk, False); }
static VG_REGPARM(1) void advised_chunk(struct chunk *chunk) { any_chunk(chunk, True); }

/* ---- short chunks ----
 *
 * There is a helper for each pattern of loads and stores: no branch in one of them depends on the pattern, so that the
 * processor predicts them all. They know that the caches are LRU, that no line has to be classified, and that a line of
 * the data cache has 64 bytes, as on all machines of today. `kinds`: bit i is set if slot i is no plain load. */

enum { NEAR_LINE_BITS = 6, NEAR_LINE = 1 << NEAR_LINE_BITS, NEAR_GRANULES = NEAR_LINE >> SN_GRANULE_BITS };

static inline struct near_fetch *near_fetches(struct chunk *chunk) { return (struct near_fetch *)(chunk + 1); }

static inline struct near_slot *near_slots(struct chunk *chunk, UInt fetches) {
    return (struct near_slot *)(near_fetches(chunk) + (fetches == CROSSING ? 2 : fetches));
}

static __attribute__((noinline)) void seek_fetch(struct chunk *chunk, UInt i) {
    const struct fetch *fetch = &chunk->block->fetches[chunk->fetch + i];
    UInt depth = sn_cache_reference_near(cache, fetch->address, fetch->size, SN_CACHE_FETCH, &near_fetches(chunk)[i].hint);
    if (depth) fetch_missed(fetch->place, depth);
}

/* Which line is where is found out by two references that cannot miss any more. */
static __attribute__((noinline)) void seek_crossing(struct chunk *chunk) {
    const struct fetch *fetch = &chunk->block->fetches[chunk->fetch];
    struct near_fetch *near = near_fetches(chunk);
    UInt depth = sn_cache_reference(cache, fetch->address, fetch->size, SN_CACHE_FETCH);
    if (depth) fetch_missed(fetch->place, depth);
    sn_cache_reference_near(cache, fetch->address, 1, SN_CACHE_FETCH, &near[0].hint);
    sn_cache_reference_near(cache, fetch->address + fetch->size - 1, 1, SN_CACHE_FETCH, &near[1].hint);
}

/* Where in the data cache a line was last, by its lowest bits. Of 143 million accesses of CPython, 1.6 % were looked
 * for in a wrong place with 2048 of them, 1.0 % with 4096. */
enum { LINES_SEEN = 4096 };
static UInt seen[LINES_SEEN];

static inline UInt *hint_of(Addr address) { return &seen[(address >> NEAR_LINE_BITS) % LINES_SEEN]; }

/* The line is in this entry of the cache. Returns whether the access could be counted in a tally. */
static inline Bool tally_access(Addr address, UInt entry, uint64_t clock, UInt kind) {
    SizeT granule = (address >> SN_GRANULE_BITS) % NEAR_GRANULES;
    struct sn_tally *tally = &tallies.tallies[(SizeT)entry * NEAR_GRANULES + granule];
    if (__builtin_expect(!(tally->count & (kind == SLOT_LOAD ? SN_TALLY_LOADS : SN_TALLY_STORES)), 0)) return False;
    struct sn_cache_level *level = &cache->level[0];
    tally->count += SN_TALLY_ONE;
    tally->last = clock;
    level->stamps[entry] = ++level->clock;
    if (kind != SLOT_LOAD) level->entries[entry] |= kind == SLOT_STORE;
    return True;
}

/* The next access to this address may be counted in a tally: its line is in this entry of the cache. */
static inline void know(UInt number, Addr address, UInt entry, Bool stored) {
    struct sn_tally *tally = sn_tally_at(&tallies, entry, address);
    tally->count |= SN_TALLY_LOADS;
    if (stored && !object_listens(number, address & -(Addr)(1 << SN_GRANULE_BITS))) tally->count |= SN_TALLY_STORES;
}

/* What the fast path could not do. */
static __attribute__((noinline)) void seek_data(const struct chunk *chunk, UInt i, uint64_t clock) {
    struct slot *slot = slot_of(chunk, i);
    const Addr address = addresses[chunk->slot + i];
    const struct sn_cache_level *level = &cache->level[0];
    const uint64_t line = address >> NEAR_LINE_BITS, last = (address + slot->size - 1) >> NEAR_LINE_BITS;
    UInt *hint = hint_of(address);
    if (line == last) {
        UInt way = sn_level_find(level, line);
        if (way != level->ways) {
            *hint = (line & level->set_mask) * level->ways + way;
            if (tally_access(address, *hint, clock, slot->kind)) return;
        }
    }
    UInt number = object_at(address);
    __builtin_prefetch(&lives.uses[number]); /* they lie anywhere; the caches are asked meanwhile */
    __builtin_prefetch(&lives.objects[number]);
    UInt depth = sn_cache_reference_near(cache, address, slot->size,
                                         slot->kind == SLOT_STORE ? SN_CACHE_STORE : SN_CACHE_LOAD, hint);
    if (depth && line == last && cache->common)
        sn_tallies_replaced(&tallies, *hint, line);
    else if (depth)
        sn_tallies_filled(&tallies, address, address + slot->size - 1);
    count_access(number, clock);
    if (slot->kind != SLOT_LOAD && may_tell(number, slot->size)) tell_object(number, address, slot->size, chunk->slot + i, clock);
    if (depth) missed(slot, number, address, depth);
    if (sn_entry_is(level->entries[*hint], line)) know(number, address, *hint, slot->kind != SLOT_LOAD);
}

static inline __attribute__((always_inline)) void short_fetch(struct chunk *chunk, const UInt i) {
    const struct near_fetch *fetch = &near_fetches(chunk)[i];
    struct sn_cache_level *level = &cache->instruction;
    if (__builtin_expect(level->entries[fetch->hint] == fetch->entry, 1))
        level->stamps[fetch->hint] = ++level->clock;
    else
        seek_fetch(chunk, i);
}

static inline __attribute__((always_inline)) void short_crossing(struct chunk *chunk) {
    const struct near_fetch *fetches = near_fetches(chunk);
    struct sn_cache_level *level = &cache->instruction;
    const UInt one = fetches[0].hint, two = fetches[1].hint;
    if (__builtin_expect(level->entries[one] == fetches[0].entry && level->entries[two] == fetches[1].entry, 1)) {
        level->stamps[one] = ++level->clock;
        level->stamps[two] = ++level->clock;
    } else {
        seek_crossing(chunk);
    }
}

/* What the fast path without objects could not do. */
static __attribute__((noinline)) void seek_line(const struct chunk *chunk, UInt i) {
    const struct slot *slot = slot_of(chunk, i);
    const Addr address = addresses[chunk->slot + i];
    const UInt operation = slot->kind == SLOT_STORE ? SN_CACHE_STORE : SN_CACHE_LOAD;
    missed_by(slot, sn_cache_reference_near(cache, address, slot->size, operation, hint_of(address)));
}

static inline __attribute__((always_inline)) void short_access(struct chunk *chunk, struct near_slot *slot, const UInt i,
                                                               const uint64_t clock, const Bool may_store,
                                                               const Bool objects) {
    const Addr address = addresses[chunk->slot + i];
    if (may_store && __builtin_expect(is_watched(current, address, slot->size), 0)) line_changes(chunk, i, clock);
    struct sn_cache_level *level = &cache->level[0];
    const UInt hint = *hint_of(address);
    Bool here = address % NEAR_LINE <= slot->room && level->entries[hint] >> 1 == address >> NEAR_LINE_BITS;
    if (!objects) {
        if (__builtin_expect(!here, 0)) {
            seek_line(chunk, i);
            return;
        }
        level->stamps[hint] = ++level->clock;
        if (may_store) level->entries[hint] |= slot->kind == SLOT_STORE;
        return;
    }
    if (__builtin_expect(!here || !tally_access(address, hint, clock, may_store ? slot->kind : SLOT_LOAD), 0))
        seek_data(chunk, i, clock);
}

static inline __attribute__((always_inline)) void short_chunk(struct chunk *chunk, const UInt fetches, const UInt slots,
                                                              const UInt kinds, const Bool objects) {
    if (__builtin_expect(current->paused, 0)) return;
    chunk->runs++;
    instructions_run += chunk->instructions;
    if (fetches == CROSSING) {
        short_crossing(chunk);
    } else {
        if (fetches > 0) short_fetch(chunk, 0);
        if (fetches > 1) short_fetch(chunk, 1);
    }
    if (!slots) return;
    struct near_slot *near = near_slots(chunk, fetches);
    const uint64_t clock = clock_;
    if (slots > 0) short_access(chunk, near, 0, clock + 1, kinds & 1, objects);
    if (slots > 1) short_access(chunk, near + 1, 1, clock + 2, kinds >> 1 & 1, objects);
    if (slots > 2) short_access(chunk, near + 2, 2, clock + 3, kinds >> 2 & 1, objects);
    struct sn_place *line = current->line;
    line->loads += chunk->loads, line->stores += chunk->stores;
    clock_ = clock + slots;
    if (objects && __builtin_expect(clock + slots >= next_sample, 0)) sample_chunk(chunk, clock);
}

void accesses_start(void) {
    if (!sn_tallies_start(&tallies, &cache->level[0], &lives)) VG_(tool_panic)("no memory for sonde's tables");
}

/* Called every 100,000 blocks of at most MOST_SLOTS accesses: that is far from the other half. */
void accesses_renew(void) {
    if (clock_ - tallies.since >= SN_TALLIES_LAST / 2) sn_tallies_renew(&tallies, clock_);
}

#define CHUNK(F, N, K)                                                                                                 \
    static VG_REGPARM(1) void chunk_##F##N##K(struct chunk *c) { short_chunk(c, F, N, K, True); }                      \
    static VG_REGPARM(1) void lines_##F##N##K(struct chunk *c) { short_chunk(c, F, N, K, False); }
#define CHUNKS(F)                                                                                                      \
    CHUNK(F, 0, 0) CHUNK(F, 1, 0) CHUNK(F, 1, 1) CHUNK(F, 2, 0) CHUNK(F, 2, 1) CHUNK(F, 2, 2) CHUNK(F, 2, 3)           \
    CHUNK(F, 3, 0) CHUNK(F, 3, 1) CHUNK(F, 3, 2) CHUNK(F, 3, 3) CHUNK(F, 3, 4) CHUNK(F, 3, 5) CHUNK(F, 3, 6)           \
    CHUNK(F, 3, 7)
CHUNKS(0)
CHUNKS(1)
CHUNKS(2)
CHUNKS(3)

typedef VG_REGPARM(1) void helper(struct chunk *);
#define HELPERS(W, F)                                                                                                  \
    {{W##_##F##00}, {W##_##F##10, W##_##F##11}, {W##_##F##20, W##_##F##21, W##_##F##22, W##_##F##23},                  \
     {W##_##F##30, W##_##F##31, W##_##F##32, W##_##F##33, W##_##F##34, W##_##F##35, W##_##F##36, W##_##F##37}}
#define ALL_HELPERS(W) {HELPERS(W, 0), HELPERS(W, 1), HELPERS(W, 2), HELPERS(W, 3)}
static helper *const helpers[2][CROSSING + 1][CHUNK_SLOTS + 1][1 << CHUNK_SLOTS] = {ALL_HELPERS(lines),
                                                                                     ALL_HELPERS(chunk)};

SizeT chunk_bytes(UInt slots, UInt fetches) {
    if (fetches == CROSSING) fetches = 2;
    return sizeof(struct chunk) + fetches * sizeof(struct near_fetch) + slots * sizeof(struct near_slot);
}

void *chunk_helper(struct chunk *chunk) {
    if (advised) return advised_chunk;
    if (tracing || options.sharing || options.policy != SN_CACHE_LRU || options.classify || cache->level[0].line_bits != NEAR_LINE_BITS)
        return plain_chunk;
    near_used = True;
    UInt kinds = 0, slots = chunk->loads + chunk->stores;
    struct near_fetch *near_fetch = near_fetches(chunk);
    const struct fetch *fetch = &chunk->block->fetches[chunk->fetch];
    UInt bits = cache->instruction.line_bits;
    if (chunk->fetches > 0) near_fetch[0].entry = fetch->address >> bits << 1;
    if (chunk->fetches == CROSSING) near_fetch[1].entry = (fetch->address + fetch->size - 1) >> bits << 1;
    if (chunk->fetches == 2) near_fetch[1].entry = fetch[1].address >> bits << 1;
    struct near_slot *near = near_slots(chunk, chunk->fetches);
    for (UInt i = 0; i < slots; i++) {
        const struct slot *slot = slot_of(chunk, i);
        if (slot->guarded) return plain_chunk;
        near[i] = (struct near_slot){.size = slot->size, .room = NEAR_LINE - slot->size, .kind = slot->kind};
        if (slot->kind != SLOT_LOAD) kinds |= 1u << i;
    }
    return helpers[options.objects][chunk->fetches][slots][kinds];
}
