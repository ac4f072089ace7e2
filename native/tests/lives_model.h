/* The lives of objects by brute force: an array says whom each granule belongs to, and every life that has ended is kept.
 *
 * Any bytes are a history; each four of them are a step: births, accesses, deaths, sleep, moves, other groups. It is run
 * by the core and by the model, and they are compared.
 */
#ifndef SONDE_LIVES_MODEL_H
#define SONDE_LIVES_MODEL_H

#include "../core/objects/lives.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    MODEL_GRANULES = 320, /* of memory that things happen in */
    MODEL_GROUPS = 6,     /* and as many regions follow them, each with a group of its own */
    MODEL_REGIONS = 3,
    MODEL_LIMIT = 60, /* objects at once; some are not tracked */
    MODEL_LIVES = 1 << 16,
    MODEL_FIELDS = 2,
};
/* Over the border of two tables of the map. */
static const uint64_t MODEL_BASE = (UINT64_C(7) << SN_TABLE_BITS) - 16 * MODEL_GRANULES / 2;

/* From a birth to its end, or what a region or a sleeping object's block went through. */
struct model_life {
    uint64_t base, size, largest, birth, last, accesses, misses[SN_LEVELS], number;
    uint32_t group;
    bool is_region, is_asleep, is_unborn, is_alive;
};

struct model {
    struct sn_lives lives;
    uint32_t life_count, current[MODEL_LIMIT]; /* by the core's number, the life that goes on, 0: none */
    uint32_t owner[MODEL_GRANULES];            /* numbers of the core */
    uint32_t regions[MODEL_REGIONS];
    uint64_t clock, born, gone, untracked, counted_born[MODEL_GROUPS + MODEL_REGIONS + 1],
        counted_freed[MODEL_GROUPS + MODEL_REGIONS + 1], bytes[MODEL_GROUPS + MODEL_REGIONS + 1];
    uint64_t misses[SN_LEVELS];
    struct model_life all[MODEL_LIVES]; /* from 1 */
};

/* NULL, or what is not true. */
typedef const char *model_problem;

#define MODEL_TRUE(condition)                                                                                         \
    do {                                                                                                              \
        if (!(condition)) return #condition;                                                                          \
    } while (0)

static struct model_life *model_life_of(struct model *m, uint32_t number) { return &m->all[m->current[number]]; }

static void model_begin(struct model *m, uint32_t number, struct model_life life) {
    m->current[number] = ++m->life_count;
    life.birth = m->clock, life.is_alive = true, life.largest = life.size;
    *model_life_of(m, number) = life;
}

static unsigned model_granules(uint64_t base, uint64_t size) {
    return (unsigned)((base + (size ? size : 1) - 1) / 16 - base / 16 + 1);
}

static unsigned model_first(uint64_t base) { return (unsigned)((base - MODEL_BASE) / 16); }

/* Who lies in a range gives it back. */
static void model_leave(struct model *m, uint32_t number, uint32_t region) {
    const struct model_life *life = model_life_of(m, number);
    unsigned first = model_first(life->base), count = model_granules(life->base, life->size);
    for (unsigned i = first; i < first + count; i++)
        if (m->owner[i] == number) m->owner[i] = region;
}

static void model_free(struct model *m, uint32_t number, uint32_t region) {
    struct model_life *life = model_life_of(m, number);
    if (!life->is_asleep && !m->lives.closed) m->gone++, m->counted_freed[life->group] += !life->is_unborn;
    life->is_alive = false;
    model_leave(m, number, region);
    m->current[number] = 0;
}

static bool model_is_region(const struct model *m, uint32_t number) {
    for (unsigned i = 0; i < MODEL_REGIONS; i++)
        if (m->regions[i] == number) return true;
    return false;
}

static void model_make_room(struct model *m, uint64_t base, uint64_t size, uint32_t mover) {
    unsigned first = model_first(base), count = model_granules(base, size);
    for (unsigned i = first; i < first + count; i++) {
        uint32_t there = m->owner[i];
        if (there && there != mover && !model_is_region(m, there)) model_free(m, there, 0);
    }
}

static void model_take(struct model *m, uint32_t number, uint64_t base, uint64_t size) {
    for (unsigned i = model_first(base), count = model_granules(base, size); count--; i++) m->owner[i] = number;
}

static void model_count_birth(struct model *m, uint32_t group, uint64_t size, bool unborn) {
    m->born++;
    if (!unborn) m->counted_born[group]++, m->bytes[group] += size;
}

static model_problem model_start(struct model *m) {
    memset(m, 0, offsetof(struct model, all));
    MODEL_TRUE(sn_lives_start(&m->lives, MODEL_LIMIT, 1 + MODEL_GROUPS + MODEL_REGIONS, MODEL_FIELDS));
    for (uint32_t i = 1; i <= MODEL_GROUPS + MODEL_REGIONS; i++) {
        MODEL_TRUE(sn_group_of(&m->lives, i % 4, 100 + i) == i);
        MODEL_TRUE(sn_group_of(&m->lives, i % 4, 100 + i) == i);
    }
    MODEL_TRUE(sn_group_of(&m->lives, 1, 1) == 0); /* no space */
    for (unsigned i = 0; i < MODEL_REGIONS; i++) {
        m->regions[i] = sn_region_new(&m->lives, MODEL_GROUPS + 1 + i);
        MODEL_TRUE(m->regions[i]);
        model_begin(m, m->regions[i], (struct model_life){.group = MODEL_GROUPS + 1 + i, .is_region = true});
    }
    return NULL;
}

static void model_end(struct model *m) {
    struct sn_lives *lives = &m->lives;
    for (unsigned i = 0; i < 2; i++) {
        uint32_t *table = lives->map.tables[(MODEL_BASE >> SN_TABLE_BITS) + i];
        if (table) munmap(table, SN_GRANULES * sizeof *table);
    }
    munmap(lives->map.tables, SN_TABLES * sizeof *lives->map.tables);
    munmap(lives->objects, MODEL_LIMIT * sizeof *lives->objects);
    munmap(lives->uses, MODEL_LIMIT * sizeof *lives->uses);
    munmap(lives->fields, MODEL_LIMIT * MODEL_FIELDS * sizeof *lives->fields);
    munmap(lives->groups, (1 + MODEL_GROUPS + MODEL_REGIONS) * sizeof *lives->groups);
    munmap(lives->group_by_key.entries, (lives->group_by_key.mask + 1) * sizeof *lives->group_by_key.entries);
}

/* ---- what happens ---- */

static model_problem model_born(struct model *m, uint64_t base, uint64_t size, uint32_t group, bool unborn) {
    model_make_room(m, base, size, 0);
    uint32_t number = sn_object_born(&m->lives, base, size, group, SN_TYPED | (unborn ? SN_UNBORN : 0), m->clock);
    if (!number) {
        m->untracked++;
        for (unsigned i = 1; i < MODEL_LIMIT; i++) MODEL_TRUE(m->current[i]); /* only when all are taken */
        return NULL;
    }
    MODEL_TRUE(number < MODEL_LIMIT && !m->current[number]);
    model_count_birth(m, group, size, unborn);
    struct model_life life = {.base = base, .size = size, .group = group, .is_unborn = unborn, .number = m->born};
    model_begin(m, number, life);
    model_take(m, number, base, size);
    int64_t *fields = &m->lives.fields[number * MODEL_FIELDS];
    MODEL_TRUE(!fields[0] && !fields[1]);
    fields[0] = number, fields[1] = -1;
    return NULL;
}

/* As the tool does for each access. */
static model_problem model_access(struct model *m, unsigned granule, unsigned depth) {
    uint32_t number = sn_object_at(&m->lives.map, MODEL_BASE + 16 * granule + depth);
    MODEL_TRUE(number == m->owner[granule]);
    if (!number) number = m->owner[granule] = m->regions[0];
    MODEL_TRUE(sn_object_map_fill(&m->lives.map, MODEL_BASE + 16 * granule, 16, number));
    m->clock++;
    struct model_life *life = model_life_of(m, number);
    m->lives.uses[number].accesses++, life->accesses++;
    m->lives.uses[number].last = life->last = m->clock;
    for (unsigned i = 0; i < depth; i++) m->lives.objects[number].misses[i]++, life->misses[i]++, m->misses[i]++;
    return NULL;
}

static void model_sleeps(struct model *m, uint32_t number) {
    struct model_life *life = model_life_of(m, number);
    sn_object_sleeps(&m->lives, number, m->clock);
    m->gone++, m->counted_freed[life->group] += !life->is_unborn;
    life->is_alive = false;
    model_begin(m, number, (struct model_life){.base = life->base, .size = life->size, .group = life->group, .is_asleep = true});
}

static model_problem model_revives(struct model *m, uint32_t number, uint32_t group) {
    struct model_life *life = model_life_of(m, number);
    sn_object_revives(&m->lives, number, group, m->clock);
    MODEL_TRUE(!m->lives.fields[number * MODEL_FIELDS] && !m->lives.fields[number * MODEL_FIELDS + 1]);
    model_count_birth(m, group, life->size, false);
    life->is_alive = false;
    model_begin(m, number, (struct model_life){.base = life->base, .size = life->size, .group = group, .number = m->born});
    return NULL;
}

static void model_regroup(struct model *m, uint32_t number, uint32_t group) {
    struct model_life *life = model_life_of(m, number);
    sn_object_regroup(&m->lives, number, group);
    if (!life->is_asleep && !life->is_unborn) {
        m->counted_born[life->group]--, m->bytes[life->group] -= life->largest;
        m->counted_born[group]++, m->bytes[group] += life->largest;
    }
    life->group = group;
}

static void model_moves(struct model *m, uint32_t number, uint64_t base, uint64_t size, uint32_t region) {
    struct model_life *life = model_life_of(m, number);
    sn_object_moved(&m->lives, number, base, size, region);
    model_make_room(m, base, size, number);
    model_leave(m, number, region);
    uint64_t largest = size > life->largest ? size : life->largest;
    if (!life->is_asleep && !life->is_unborn) m->bytes[life->group] += largest - life->largest;
    life->base = base, life->size = size, life->largest = largest;
    model_take(m, number, base, size);
}

static void model_cut(struct model *m, uint32_t number, uint64_t base, uint64_t size, uint32_t region) {
    struct model_life *life = model_life_of(m, number);
    sn_object_cut(&m->lives, number, base, size, region);
    model_leave(m, number, region);
    if (!life->is_asleep && !life->is_unborn) m->bytes[life->group] -= life->largest - size;
    life->base = base, life->size = life->largest = size;
    model_take(m, number, base, size);
}

/* Memory that turns out to be a region's, where nothing lies. */
static model_problem model_fills(struct model *m, unsigned granule, unsigned count, uint32_t region) {
    if (count > MODEL_GRANULES - granule) count = MODEL_GRANULES - granule;
    MODEL_TRUE(sn_object_map_fill(&m->lives.map, MODEL_BASE + 16 * granule, 16 * count, region));
    for (unsigned i = granule; i < granule + count; i++)
        if (!m->owner[i]) m->owner[i] = region;
    return NULL;
}

/* ---- comparing ---- */

static int model_more_first(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

static bool model_is_listed(const struct model_life *life) { return !life->is_region && !life->is_asleep && life->misses[0]; }

/* The objects with the most misses: as many as there are, or space is for; each is a life of the model, and none that
 * has more misses than the last of them is missing. */
static model_problem model_check_top(const struct model *m, const struct sn_top_object *top, uint32_t count) {
    static uint64_t wanted[MODEL_LIVES], found[SN_TOP_OBJECTS];
    uint32_t listed = 0;
    for (uint32_t i = 1; i <= m->life_count; i++)
        if (model_is_listed(&m->all[i])) wanted[listed++] = m->all[i].misses[0];
    MODEL_TRUE(count == (listed < SN_TOP_OBJECTS ? listed : SN_TOP_OBJECTS));
    for (uint32_t i = 0; i < count; i++) {
        found[i] = top[i].object.misses[0];
        bool known = false;
        for (uint32_t j = 1; j <= m->life_count && !known; j++) {
            const struct model_life *life = &m->all[j];
            known = model_is_listed(life) && life->number == top[i].object.number && life->birth == top[i].object.birth &&
                    life->last == top[i].use.last && life->accesses == top[i].use.accesses &&
                    life->is_alive == top[i].alive && life->group == top[i].object.group &&
                    life->size == top[i].object.size && life->largest == top[i].object.largest &&
                    memcmp(life->misses, top[i].object.misses, sizeof life->misses) == 0;
        }
        MODEL_TRUE(known);
    }
    qsort(wanted, listed, sizeof *wanted, model_more_first);
    qsort(found, count, sizeof *found, model_more_first);
    MODEL_TRUE(memcmp(wanted, found, count * sizeof *found) == 0);
    return NULL;
}

static model_problem model_check_groups(const struct model *m, const struct sn_group *groups) {
    uint64_t accesses = 0, misses[SN_LEVELS] = {0};
    for (uint32_t number = 1; number <= MODEL_GROUPS + MODEL_REGIONS; number++) {
        struct sn_group wanted = {.type = number % 4, .place = 100 + number};
        wanted.born = m->counted_born[number], wanted.freed = m->counted_freed[number], wanted.bytes = m->bytes[number];
        for (uint32_t i = 1; i <= m->life_count; i++) {
            const struct model_life *life = &m->all[i];
            if (life->group != number) continue;
            wanted.accesses += life->accesses;
            for (unsigned level = 0; level < SN_LEVELS; level++) wanted.misses[level] += life->misses[level];
            if (life->is_region || life->is_asleep || life->is_unborn) continue;
            uint64_t lifetime = life->last ? life->last - life->birth : 0;
            unsigned bin = 0;
            while (lifetime >> bin) bin++;
            wanted.lives[bin]++;
            wanted.lifetimes += lifetime;
        }
        MODEL_TRUE(memcmp(&wanted, &groups[number], sizeof wanted) == 0);
        accesses += groups[number].accesses;
        for (unsigned level = 0; level < SN_LEVELS; level++) misses[level] += groups[number].misses[level];
    }
    MODEL_TRUE(accesses == m->clock);
    MODEL_TRUE(memcmp(misses, m->misses, sizeof misses) == 0);
    MODEL_TRUE(m->born - m->gone == m->lives.alive && m->born == m->lives.born);
    return NULL;
}

static model_problem model_check(struct model *m) {
    static struct sn_group groups[1 + MODEL_GROUPS + MODEL_REGIONS], again[1 + MODEL_GROUPS + MODEL_REGIONS];
    static struct sn_top_object top[SN_TOP_OBJECTS];
    static struct sn_lives before;
    uint32_t count;
    model_problem problem;
    for (unsigned i = 0; i < MODEL_GRANULES; i++)
        MODEL_TRUE(sn_object_at(&m->lives.map, MODEL_BASE + 16 * i) == m->owner[i]);
    for (unsigned i = 1; i < MODEL_LIMIT; i++) MODEL_TRUE(!m->current[i] == !m->lives.uses[i].state);
    MODEL_TRUE(m->lives.untracked == m->untracked);
    before = m->lives;
    sn_lives_settled(&m->lives, groups, top, &count);
    MODEL_TRUE(memcmp(&before, &m->lives, sizeof before) == 0);
    if ((problem = model_check_groups(m, groups))) return problem;
    if ((problem = model_check_top(m, top, count))) return problem;
    sn_lives_settled(&m->lives, again, top, &count);
    MODEL_TRUE(memcmp(groups, again, sizeof groups) == 0);
    return NULL;
}

/* One step of a history. */
static model_problem model_step(struct model *m, const uint8_t *step) {
    unsigned granule = step[1] + (step[0] >> 7) * 64, extent = step[2];
    uint64_t base = MODEL_BASE + 16 * granule, size = extent % 6 ? extent % 64 : extent * 3;
    uint32_t group = 1 + step[3] % MODEL_GROUPS, region = step[3] % 4 ? m->regions[step[3] % MODEL_REGIONS] : 0;
    if (base + size > MODEL_BASE + 16 * MODEL_GRANULES) size = MODEL_BASE + 16 * MODEL_GRANULES - base;
    uint32_t there = m->owner[granule];
    bool is_object = there && !model_is_region(m, there), sleeps = is_object && model_life_of(m, there)->is_asleep;
    switch (step[0] % 16) {
    case 0:
    case 1:
    case 2:
        return model_born(m, base, size, group, step[0] & 64);
    case 3:
        if (is_object) sn_object_freed(&m->lives, there, region), model_free(m, there, region);
        return NULL;
    case 4:
    case 5:
        if (sleeps) return model_revives(m, there, group);
        if (is_object) model_sleeps(m, there);
        return NULL;
    case 6:
        if (is_object) model_regroup(m, there, group);
        return NULL;
    case 7:
        if (is_object) model_moves(m, there, MODEL_BASE + 16 * (extent + 1), extent, region);
        return NULL;
    case 10:
        if (is_object) {
            const struct model_life *life = model_life_of(m, there);
            uint64_t before = life->size > 16 ? 16 * (extent % (life->size / 16)) : 0;
            model_cut(m, there, life->base + before, (life->size - before) * (extent / 16) / 16, region);
        }
        return NULL;
    case 8:
        return model_fills(m, granule, extent, m->regions[step[3] % MODEL_REGIONS]);
    case 9:
        m->lives.closed = extent > 200;
        return NULL;
    default:
        return model_access(m, granule, step[3] % (SN_LEVELS + 1));
    }
}

/* A history, compared every `interval` steps and at its end. */
static model_problem model_run(struct model *m, const uint8_t *bytes, size_t size, size_t interval) {
    model_problem problem = model_start(m);
    for (size_t at = 0; !problem && at + 4 <= size; at += 4) {
        problem = model_step(m, bytes + at);
        if (!problem && at / 4 % interval == interval - 1) problem = model_check(m);
    }
    if (!problem) problem = model_check(m);
    model_end(m);
    return problem;
}

#endif
