/* How often the lines of a cache were accessed, counted beside the cache. See tallies.h. */
#include "tallies.h"

#include "../base/pages.h"

enum { GRANULE = 1 << SN_GRANULE_BITS };

static size_t entries_of(const struct sn_tallies *tallies) {
    return (size_t)(tallies->level->set_mask + 1) * tallies->level->ways;
}

/* For struct sn_lives. */
static void collect(void *tallies, uint64_t base, uint64_t size) { sn_tallies_collect(tallies, base, size); }

bool sn_tallies_start(struct sn_tallies *tallies, struct sn_cache_level *level, struct sn_lives *lives) {
    *tallies = (struct sn_tallies){.level = level, .lives = lives};
    if (level->line_bits > SN_GRANULE_BITS) tallies->granule_bits = level->line_bits - SN_GRANULE_BITS;
    size_t entries = entries_of(tallies);
    tallies->tallies = sn_pages((entries << tallies->granule_bits) * sizeof *tallies->tallies);
    tallies->lines = sn_pages(entries * sizeof *tallies->lines);
    if (!tallies->tallies || !tallies->lines) return false;
    for (size_t i = 0; i < entries; i++) tallies->lines[i] = SN_NO_LINE;
    lives->collect = collect;
    lives->counter = tallies;
    return true;
}

/* One tally goes to its object. */
static void bring(struct sn_tallies *tallies, struct sn_tally *tally, uint64_t address) {
    uint32_t accesses = tally->count / SN_TALLY_ONE;
    if (accesses) {
        struct sn_use *use = &tallies->lives->uses[sn_object_at(&tallies->lives->map, address)];
        uint64_t last = tallies->since + (uint32_t)(tally->last - (uint32_t)tallies->since);
        use->accesses += accesses;
        if (use->last < last) use->last = last;
    }
    tally->count = 0;
}

/* Those of an entry's tallies that are of bytes from `first` to `last`. */
static void bring_entry(struct sn_tallies *tallies, size_t entry, uint64_t first, uint64_t last) {
    uint64_t start = tallies->lines[entry] << tallies->level->line_bits;
    struct sn_tally *tally = &tallies->tallies[entry << tallies->granule_bits];
    for (uint32_t i = 0; i < 1u << tallies->granule_bits; i++, start += GRANULE)
        if (start <= last && (start | (GRANULE - 1)) >= first) bring(tallies, &tally[i], start);
}

void sn_tallies_replaced(struct sn_tallies *tallies, uint32_t entry, uint64_t line) {
    if (tallies->lines[entry] == line) return;
    if (tallies->lines[entry] != SN_NO_LINE) bring_entry(tallies, entry, 0, UINT64_MAX);
    tallies->lines[entry] = line;
    const uint64_t address = line << tallies->level->line_bits;
    struct sn_tally *tally = &tallies->tallies[(size_t)entry << tallies->granule_bits];
    for (uint32_t i = 0; i < 1u << tallies->granule_bits; i++)
        tally[i].count = sn_object_at(&tallies->lives->map, address + (uint64_t)i * GRANULE) ? SN_TALLY_LOADS : 0;
}

static void filled(struct sn_tallies *tallies, uint64_t line) {
    const struct sn_cache_level *level = tallies->level;
    uint32_t way = sn_level_find(level, line);
    if (way == level->ways) return; /* a store that goes past the cache */
    sn_tallies_replaced(tallies, (uint32_t)((line & level->set_mask) * level->ways + way), line);
}

void sn_tallies_filled(struct sn_tallies *tallies, uint64_t first, uint64_t last) {
    uint32_t bits = tallies->level->line_bits;
    for (uint64_t line = first >> bits; line <= last >> bits; line++) filled(tallies, line);
}

void sn_tallies_collect(struct sn_tallies *tallies, uint64_t base, uint64_t size) {
    const struct sn_cache_level *level = tallies->level;
    uint64_t first = base, last = base + (size ? size - 1 : 0);
    if (last < first) last = UINT64_MAX;
    first &= -(uint64_t)GRANULE, last |= GRANULE - 1;
    uint64_t low = first >> level->line_bits, high = last >> level->line_bits;
    /* A line may have tallies in several ways: it was taken out of one and came back to another. */
    if (high - low > level->set_mask) {
        for (size_t entry = 0; entry < entries_of(tallies); entry++)
            if (tallies->lines[entry] != SN_NO_LINE) bring_entry(tallies, entry, first, last);
        return;
    }
    for (uint64_t line = low; line <= high; line++) {
        size_t entry = (size_t)(line & level->set_mask) * level->ways;
        for (uint32_t way = 0; way < level->ways; way++)
            if (tallies->lines[entry + way] == line) bring_entry(tallies, entry + way, first, last);
    }
}

void sn_tallies_renew(struct sn_tallies *tallies, uint64_t clock) {
    sn_tallies_collect(tallies, 0, UINT64_MAX);
    tallies->since = clock;
}
