/* The cache model against a slow one of lists, and what must hold whatever the settings. */
#include "check.h"

#include "../core/caches/cache_model.h"

#define REFERENCES 20000

/* A small hierarchy: 512 bytes in 4 ways, then 2 KiB in 4 and 8 KiB in 8. */
static struct sn_cache_settings small_one(uint32_t levels, uint32_t policy, uint32_t inclusion) {
    return (struct sn_cache_settings){.instruction = {512, 4, 32},
                                      .level = {{512, 4, 32}, {2048, 4, 32}, {8192, 8, 32}},
                                      .levels = levels,
                                      .policy = policy,
                                      .inclusion = inclusion,
                                      .write_allocate = 1,
                                      .seed = 7};
}

static void *memories[512];
static size_t memories_used;

static void free_memories(void) {
    while (memories_used) free(memories[--memories_used]);
}

/* Freed when the test ends. */
static struct sn_cache *made(const struct sn_cache_settings *settings) {
    size_t bytes = sn_cache_bytes(settings);
    CHECK(bytes > 0 && memories_used < sizeof memories / sizeof *memories);
    if (!memories_used) atexit(free_memories);
    /* Not aligned, full of rubbish, and exactly as large as was said. */
    unsigned char *memory = malloc(bytes + 3);
    CHECK(memory);
    memories[memories_used++] = memory;
    memset(memory, 0xa5, bytes + 3);
    struct sn_cache *cache = sn_cache_place(memory + 3, settings);
    CHECK(cache && (unsigned char *)cache >= memory + 3);
    return cache;
}

typedef struct {
    uint64_t addresses[REFERENCES];
    uint8_t sizes[REFERENCES], operations[REFERENCES], depths[REFERENCES];
} stream;

/* References to 16 KiB, some of them to two lines, some to the same lines again and again. */
static void fill(stream *into, uint64_t seed) {
    for (size_t i = 0; i < REFERENCES; i++) {
        uint64_t random = check_random(&seed), span = random & 1 ? 16384 : 1024;
        into->addresses[i] = 0x7000000000 + check_random(&seed) % span;
        into->sizes[i] = (uint8_t)(1u << (random >> 1 & 3));
        into->operations[i] = (uint8_t)(random >> 3 & 3) % SN_CACHE_OPERATIONS;
    }
}

/* A level as cachegrind has it: of each set a list of lines, the most recent first. */
typedef struct {
    uint64_t lists[64][8];
    unsigned sets, ways, line;
} listed;

static bool list_misses_line(listed *level, uint64_t line) {
    uint64_t *list = level->lists[line % level->sets];
    unsigned at = 0;
    while (at < level->ways - 1 && list[at] != line) at++;
    bool missed = list[at] != line;
    for (; at > 0; at--) list[at] = list[at - 1];
    list[0] = line;
    return missed;
}

static bool list_misses(listed *level, uint64_t address, unsigned size) {
    uint64_t first = address / level->line, last = (address + size - 1) / level->line;
    bool missed = list_misses_line(level, first);
    if (last != first) missed |= list_misses_line(level, last);
    return missed;
}

static void lru_misses_as_lists_do(void) {
    static stream references;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        fill(&references, seed);
        const struct sn_cache_settings settings = small_one(3, SN_CACHE_LRU, SN_CACHE_NEITHER);
        struct sn_cache *cache = made(&settings);
        static listed instruction, data, second, third;
        instruction = data = (listed){.sets = 4, .ways = 4, .line = 32};
        second = (listed){.sets = 16, .ways = 4, .line = 32};
        third = (listed){.sets = 32, .ways = 8, .line = 32};
        for (size_t i = 0; i < REFERENCES; i++) {
            uint64_t at = references.addresses[i];
            unsigned size = references.sizes[i], operation = references.operations[i], depth = 0;
            if (list_misses(operation == SN_CACHE_FETCH ? &instruction : &data, at, size)) {
                depth = 1;
                if (list_misses(&second, at, size)) depth = list_misses(&third, at, size) ? 3 : 2;
            }
            CHECK_EQUAL(operation == SN_CACHE_FETCH ? sn_cache_fetch(cache, at, size)
                                                    : sn_cache_data(cache, at, size, operation == SN_CACHE_STORE),
                        depth);
        }
    }
}

/* Calls `run` with a cache for every combination of settings. */
static void for_all_settings(void (*run)(const struct sn_cache_settings *)) {
    for (uint32_t bits = 0; bits < 4; bits++)
        for (uint32_t levels = 1; levels <= 3; levels++)
            for (uint32_t policy = SN_CACHE_LRU; policy <= SN_CACHE_RANDOM; policy++)
                for (uint32_t inclusion = SN_CACHE_NEITHER; inclusion <= SN_CACHE_EXCLUSIVE; inclusion++) {
                    struct sn_cache_settings settings = small_one(levels, policy, inclusion);
                    settings.write_allocate = bits & 1;
                    settings.classify = bits >> 1;
                    run(&settings);
                }
}

static bool holds(const struct sn_cache *cache, unsigned level, uint64_t line) {
    static uint64_t lines[256];
    size_t count = sn_cache_lines(cache, level, lines);
    for (size_t i = 0; i < count; i++)
        if (lines[i] == line) return true;
    return false;
}

static void check_inclusion(const struct sn_cache *cache, uint32_t inclusion) {
    static const unsigned first[] = {0, SN_CACHE_LEVELS};
    uint64_t lines[256];
    if (inclusion == SN_CACHE_NEITHER) return;
    for (unsigned which = 0; which < 2; which++) {
        size_t count = sn_cache_lines(cache, first[which], lines);
        for (size_t i = 0; i < count; i++)
            for (unsigned below = 1; below < cache->levels; below++)
                CHECK(holds(cache, below, lines[i]) == (inclusion == SN_CACHE_INCLUSIVE));
    }
    if (cache->levels < 3) return;
    size_t count = sn_cache_lines(cache, 1, lines);
    for (size_t i = 0; i < count; i++) CHECK(holds(cache, 2, lines[i]) == (inclusion == SN_CACHE_INCLUSIVE));
}

static void run_at_once(const struct sn_cache_settings *settings) {
    static stream references;
    fill(&references, 11);
    struct sn_cache *whole = made(settings), *single = made(settings);
    sn_cache_run(whole, references.addresses, references.sizes, references.operations, references.depths, REFERENCES);
    uint64_t depths[4] = {0}, references_of[SN_CACHE_OPERATIONS] = {0};
    for (size_t i = 0; i < REFERENCES; i++) {
        unsigned operation = references.operations[i];
        CHECK_EQUAL(sn_cache_reference(single, references.addresses[i], references.sizes[i], operation),
                    references.depths[i]);
        depths[references.depths[i]]++;
        references_of[operation]++;
        if (i % 1000 == 0) check_inclusion(single, settings->inclusion);
    }
    for (unsigned k = 0; k < settings->levels; k++) {
        uint64_t missed = 0, deeper = 0;
        for (unsigned d = k + 1; d <= settings->levels; d++) deeper += depths[d];
        for (unsigned operation = 0; operation < SN_CACHE_OPERATIONS; operation++) {
            const struct sn_cache_level *level =
                k == 0 && operation == SN_CACHE_FETCH ? &whole->instruction : &whole->level[k];
            missed += level->misses[operation];
            CHECK_EQUAL(whole->references[operation], references_of[operation]);
        }
        CHECK_EQUAL(missed, deeper);
        CHECK_EQUAL(whole->level[k].write_backs, single->level[k].write_backs);
    }
    if (!settings->classify) return;
    uint64_t kinds = 0, fetch_kinds = 0;
    for (unsigned kind = 0; kind < SN_MISS_KINDS; kind++) {
        kinds += whole->data_kinds.counts[kind];
        fetch_kinds += whole->fetch_kinds.counts[kind];
    }
    CHECK_EQUAL(kinds, whole->level[0].misses[SN_CACHE_LOAD] + whole->level[0].misses[SN_CACHE_STORE]);
    CHECK_EQUAL(fetch_kinds, whole->instruction.misses[SN_CACHE_FETCH]);
    CHECK_EQUAL(whole->data_kinds.counts[SN_MISS_UNKNOWN], 0);
}

static void all_settings_keep_their_promises(void) { for_all_settings(run_at_once); }

/* What was stored once is written back once from each level, however it travels. */
static void store_and_flush(const struct sn_cache_settings *settings) {
    struct sn_cache *cache = made(settings);
    if (!settings->write_allocate) return;
    for (uint64_t line = 0; line < 8; line++) sn_cache_data(cache, line * 32, 4, true);
    for (uint64_t line = 1000; line < 21000; line++) sn_cache_data(cache, line * 32, 4, false);
    for (unsigned k = 0; k < settings->levels; k++) CHECK_EQUAL(cache->level[k].write_backs, 8);
    CHECK_EQUAL(cache->instruction.write_backs, 0);
}

static void dirty_lines_are_written_back_once(void) { for_all_settings(store_and_flush); }

static void a_shared_line_stays_dirty(void) {
    const struct sn_cache_settings settings = small_one(2, SN_CACHE_LRU, SN_CACHE_EXCLUSIVE);
    struct sn_cache *cache = made(&settings);
    sn_cache_data(cache, 0, 4, true);
    CHECK_EQUAL(sn_cache_fetch(cache, 0, 4), 2);
    for (uint64_t line = 1; line <= 4; line++) sn_cache_data(cache, line * 128, 4, false);
    CHECK(!holds(cache, 0, 0) && !holds(cache, 1, 0) && holds(cache, SN_CACHE_LEVELS, 0));
    CHECK_EQUAL(cache->level[0].write_backs, 0);
    for (uint64_t line = 1; line <= 4; line++) sn_cache_fetch(cache, 0x10000 + line * 128, 4);
    CHECK(holds(cache, 1, 0));
    CHECK_EQUAL(cache->instruction.write_backs, 1);
}

static void kinds_of_misses(void) {
    struct sn_cache_settings settings = small_one(1, SN_CACHE_LRU, SN_CACHE_NEITHER);
    settings.classify = 1;
    struct sn_cache *cache = made(&settings); /* 16 lines, 4 sets */
    for (uint64_t line = 0; line < 5; line++) {
        CHECK_EQUAL(sn_cache_data(cache, line * 4 * 32, 4, false), 1);
        CHECK_EQUAL(sn_cache_miss_kind(cache), SN_MISS_COLD);
    }
    CHECK_EQUAL(sn_cache_data(cache, 0, 4, false), 1); /* five lines of one set */
    CHECK_EQUAL(sn_cache_miss_kind(cache), SN_MISS_CONFLICT);
    for (uint64_t line = 100; line < 117; line++) sn_cache_data(cache, line * 32, 4, false);
    CHECK_EQUAL(sn_cache_data(cache, 100 * 32, 4, false), 1); /* seventeen lines, one after another */
    CHECK_EQUAL(sn_cache_miss_kind(cache), SN_MISS_CAPACITY);
    CHECK_EQUAL(sn_cache_fetch(cache, 100 * 32, 4), 1);
    CHECK_EQUAL(sn_cache_miss_kind(cache), SN_MISS_COLD);
}

typedef struct {
    size_t taken, given_back, most;
} purse;

static void *take(void *context, size_t bytes) {
    purse *of = context;
    if (of->taken + bytes > of->most) return NULL;
    of->taken += bytes;
    return malloc(bytes);
}

static void give_back(void *context, void *memory, size_t bytes) {
    ((purse *)context)->given_back += bytes;
    memset(memory, 0xa5, bytes);
    free(memory);
}

static void lines_are_remembered_as_long_as_there_is_memory(void) {
    struct sn_cache_settings settings = small_one(1, SN_CACHE_LRU, SN_CACHE_NEITHER);
    settings.classify = 1;
    const uint64_t page = 64 * 32, fits = SN_FIRST_PAGES * 3 / 4;
    for (int growing = 0; growing < 2; growing++) {
        struct sn_cache *cache = made(&settings);
        purse of = {.most = growing ? 1 << 20 : 0};
        struct sn_cache_memory memory = {take, give_back, &of};
        if (growing) sn_cache_grow_with(cache, &memory);
        for (uint64_t turn = 0; turn < 2; turn++)
            for (uint64_t i = 0; i < 3 * fits; i++) {
                CHECK_EQUAL(sn_cache_data(cache, i * page, 1, false), 1);
                CHECK_EQUAL(sn_cache_miss_kind(cache), !growing && i >= fits ? SN_MISS_UNKNOWN
                                                       : turn                ? SN_MISS_CAPACITY
                                                                             : SN_MISS_COLD);
            }
        sn_cache_release(cache);
        CHECK_EQUAL(of.taken, growing ? (2 + 4) * SN_FIRST_PAGES * sizeof(struct sn_seen_page) : 0);
        CHECK_EQUAL(of.given_back, of.taken);
    }
}

static void the_end_of_the_address_space(void) {
    const struct sn_cache_settings settings = small_one(3, SN_CACHE_LRU, SN_CACHE_NEITHER);
    struct sn_cache *cache = made(&settings);
    CHECK_EQUAL(sn_cache_data(cache, UINT64_MAX - 3, 64, true), 3);
    CHECK_EQUAL(sn_cache_data(cache, UINT64_MAX, 0, true), 0);
    CHECK_EQUAL(sn_cache_data(cache, 0, 0, true), 3);
    CHECK_EQUAL(sn_cache_data(cache, 0, 1, true), 0);
}

static void what_is_no_cache_is_refused(void) {
    static const struct sn_cache_geometry odd[] = {{0, 4, 32},         {512, 0, 32}, {512, 65, 32},  {512, 4, 0},
                                                   {512, 4, 24},       {512, 4, 4},  {768, 4, 32},   {500, 4, 32},
                                                   {UINT64_MAX, 4, 32}, {32, 4, 32},  {8192, 1, 8192}};
    struct sn_cache_settings settings = small_one(3, SN_CACHE_LRU, SN_CACHE_NEITHER);
    CHECK(sn_cache_bytes(&settings) > 0);
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        for (size_t k = 0; k < 4; k++) {
            settings = small_one(3, SN_CACHE_LRU, SN_CACHE_NEITHER);
            *(k < 3 ? &settings.level[k] : &settings.instruction) = odd[i];
            CHECK_EQUAL(sn_cache_bytes(&settings), 0);
            CHECK(!sn_cache_place(NULL, &settings));
        }
    settings = small_one(0, SN_CACHE_LRU, SN_CACHE_NEITHER);
    CHECK_EQUAL(sn_cache_bytes(&settings), 0);
    settings = small_one(4, SN_CACHE_LRU, SN_CACHE_NEITHER);
    CHECK_EQUAL(sn_cache_bytes(&settings), 0);
    settings = small_one(2, SN_CACHE_RANDOM + 1, SN_CACHE_NEITHER);
    CHECK_EQUAL(sn_cache_bytes(&settings), 0);
    settings = small_one(2, SN_CACHE_LRU, SN_CACHE_EXCLUSIVE + 1);
    CHECK_EQUAL(sn_cache_bytes(&settings), 0);
    settings = small_one(2, SN_CACHE_LRU, SN_CACHE_NEITHER);
    settings.level[1].line = 64; /* longer below: only if lines may be anywhere */
    CHECK(sn_cache_bytes(&settings) > 0);
    settings.inclusion = SN_CACHE_INCLUSIVE;
    CHECK_EQUAL(sn_cache_bytes(&settings), 0);
    settings = small_one(2, SN_CACHE_LRU, SN_CACHE_NEITHER);
    settings.level[1].line = 16;
    CHECK_EQUAL(sn_cache_bytes(&settings), 0);
}

CHECK_MAIN(TEST(lru_misses_as_lists_do), TEST(all_settings_keep_their_promises),
           TEST(dirty_lines_are_written_back_once), TEST(a_shared_line_stays_dirty), TEST(kinds_of_misses),
           TEST(lines_are_remembered_as_long_as_there_is_memory), TEST(the_end_of_the_address_space),
           TEST(what_is_no_cache_is_refused))
