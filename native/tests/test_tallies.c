/* Tallies: whatever happens to objects and lines, they leave what counting in the objects' records at once leaves. */
#include "check.h"

#include "../core/caches/cache_model.h"
#include "../core/base/pages.h"
#include "../core/objects/tallies.h"

enum { START = 0x10000, BYTES = 0x2000, GROUPS = 8, STEPS = 60000 };

static uint64_t state;

static uint32_t draw(uint32_t below) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 33) % below);
}

/* One of two that live through the same: `fast` counts in tallies where it may. */
struct world {
    struct sn_lives lives;
    struct sn_tallies tallies;
    struct sn_cache *cache;
    uint32_t counted_fast;
};

static struct world *world_of(const struct sn_cache_settings *settings, bool fast) {
    static struct world both[2];
    struct world *world = &both[fast];
    *world = (struct world){.cache = NULL};
    CHECK(sn_lives_start(&world->lives, 6000, GROUPS, 0));
    for (uint32_t i = 1; i < GROUPS; i++) CHECK_EQUAL(sn_group_of(&world->lives, i, i), i);
    uint32_t region = sn_region_new(&world->lives, 1);
    CHECK(sn_object_map_set(&world->lives.map, START, BYTES, region));
    world->cache = sn_cache_place(sn_pages(sn_cache_bytes(settings)), settings);
    CHECK(world->cache);
    if (fast) CHECK(sn_tallies_start(&world->tallies, &world->cache->level[0], &world->lives));
    return world;
}

static void access_it(struct world *world, bool fast, uint64_t address, uint32_t size, uint64_t clock, bool store) {
    struct sn_cache_level *level = &world->cache->level[0];
    uint32_t way = sn_level_find(level, address >> level->line_bits);
    bool tallied = false;
    if (fast && way != level->ways) {
        uint32_t entry = (uint32_t)((address >> level->line_bits & level->set_mask) * level->ways + way);
        struct sn_tally *tally = sn_tally_at(&world->tallies, entry, address);
        if (tally->count & SN_TALLY_LOADS) {
            tally->count += SN_TALLY_ONE, tally->last = (uint32_t)clock;
            tallied = true;
            world->counted_fast++;
        }
    }
    if (!tallied) {
        struct sn_use *use = &world->lives.uses[sn_object_at(&world->lives.map, address)];
        use->accesses++, use->last = clock;
    }
    unsigned depth = sn_cache_reference(world->cache, address, size, store ? SN_CACHE_STORE : SN_CACHE_LOAD);
    if (fast && depth) sn_tallies_filled(&world->tallies, address, address + size - 1);
}

static void same_lives(const struct world *one, const struct world *other) {
    static struct sn_group groups[2][GROUPS];
    static struct sn_top_object top[2][SN_TOP_OBJECTS];
    uint32_t count[2];
    sn_lives_settled(&one->lives, groups[0], top[0], &count[0]);
    sn_lives_settled(&other->lives, groups[1], top[1], &count[1]);
    CHECK_EQUAL(memcmp(groups[0], groups[1], sizeof groups[0]), 0);
    for (uint32_t i = 0; i < one->lives.used; i++) {
        CHECK_EQUAL(one->lives.uses[i].accesses, other->lives.uses[i].accesses);
        CHECK_EQUAL(one->lives.uses[i].last, other->lives.uses[i].last);
    }
}

/* Births, deaths, moves, sleep and accesses, at random. `clock` begins anywhere: only its lower half is in a tally. */
static void live_twice(const struct sn_cache_settings *settings, uint64_t clock) {
    struct world *worlds[2] = {world_of(settings, false), world_of(settings, true)};
    sn_tallies_renew(&worlds[1]->tallies, clock);
    for (uint32_t step = 0; step < STEPS; step++) {
        uint64_t address = START + 16 * draw(BYTES / 16 - 32), size = 1 + draw(draw(20) ? 90 : 500);
        uint64_t within = address + draw(16), other = START + 16 * draw(BYTES / 16 - 32);
        uint32_t what = draw(100), group = 2 + draw(GROUPS - 2), wide = 1 + draw(16);
        bool store = draw(2);
        if (step % 16384 == 16383) sn_tallies_renew(&worlds[1]->tallies, clock);
        clock += what >= 15;
        for (int fast = 0; fast < 2; fast++) {
            struct sn_lives *lives = &worlds[fast]->lives;
            uint32_t number = sn_object_at(&lives->map, address);
            bool is_object = number && !(lives->uses[number].state & SN_REGION);
            bool sleeps = lives->uses[number].state & SN_SLEEPS;
            if (what < 6)
                sn_object_born(lives, address, size, group, SN_TYPED, clock);
            else if (what < 9 && is_object)
                sn_object_freed(lives, number, 1);
            else if (what < 10 && is_object)
                sn_object_moved(lives, number, other, size, 1);
            else if (what < 11 && is_object && !sleeps)
                sn_object_sleeps(lives, number, clock);
            else if (what < 12 && is_object && sleeps)
                sn_object_revives(lives, number, group, clock);
            else if (what < 13 && is_object)
                sn_object_regroup(lives, number, group);
            else if (what >= 15)
                access_it(worlds[fast], fast, within, wide, clock, store);
        }
        if (step % 20000 == 19999) same_lives(worlds[0], worlds[1]);
    }
    CHECK(worlds[1]->counted_fast > STEPS / 100); /* else nothing was tried */
}

static struct sn_cache_settings settings_of(uint32_t line, uint32_t inclusion) {
    struct sn_cache_geometry small = {64 * line, 4, line}, large = {256 * line, 8, line};
    return (struct sn_cache_settings){.instruction = small, .level = {small, large}, .levels = 2,
                                      .inclusion = inclusion, .write_allocate = 1, .seed = 1};
}

static void all_lines_and_inclusions_leave_the_same(void) {
    for (uint32_t line = 8; line <= 128; line *= 2)
        for (uint32_t inclusion = SN_CACHE_NEITHER; inclusion <= SN_CACHE_EXCLUSIVE; inclusion++) {
            struct sn_cache_settings settings = settings_of(line, inclusion);
            state = line + inclusion;
            live_twice(&settings, 0);
        }
}

static void a_store_past_the_cache_has_no_tally(void) {
    struct sn_cache_settings settings = settings_of(64, SN_CACHE_NEITHER);
    settings.write_allocate = 0;
    live_twice(&settings, 0);
}

static void the_lower_half_of_the_clock_is_enough(void) {
    struct sn_cache_settings settings = settings_of(64, SN_CACHE_NEITHER);
    live_twice(&settings, (UINT64_C(5) << 32) - 1000);
}

CHECK_MAIN(TEST(all_lines_and_inclusions_leave_the_same), TEST(a_store_past_the_cache_has_no_tally),
           TEST(the_lower_half_of_the_clock_is_enough))
