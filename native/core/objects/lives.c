/* Objects from birth to death. See lives.h. */
#include "lives.h"

#include "../base/pages.h"

#include <stddef.h>

bool sn_lives_start(struct sn_lives *lives, uint32_t limit, uint32_t group_limit, uint32_t field_count) {
    lives->objects = sn_pages((size_t)limit * sizeof *lives->objects);
    lives->uses = sn_pages((size_t)limit * sizeof *lives->uses);
    lives->groups = sn_pages((size_t)group_limit * sizeof *lives->groups);
    lives->fields = field_count ? sn_pages((size_t)limit * field_count * sizeof *lives->fields) : NULL;
    lives->limit = limit, lives->group_limit = group_limit, lives->field_count = field_count;
    lives->used = lives->group_count = 1;
    return sn_object_map_start(&lives->map) && lives->objects && lives->uses && lives->groups && (!field_count || lives->fields);
}

uint32_t sn_group_of(struct sn_lives *lives, uint32_t type, uint32_t place) {
    uint64_t key = (uint64_t)type << 32 | place;
    uint32_t found = sn_word_get(&lives->group_by_key, key);
    if (found || lives->group_count == lives->group_limit) return found;
    if (!sn_word_set(&lives->group_by_key, key, lives->group_count)) return 0;
    lives->groups[lives->group_count].type = type;
    lives->groups[lives->group_count].place = place;
    return lives->group_count++;
}

static uint32_t take(struct sn_lives *lives) {
    if (lives->free_list) {
        uint32_t number = lives->free_list;
        lives->free_list = lives->objects[number].number;
        return number;
    }
    return lives->used < lives->limit ? lives->used++ : 0;
}

static void give_back(struct sn_lives *lives, uint32_t number) {
    lives->objects[number] = (struct sn_object){.number = lives->free_list};
    lives->uses[number] = (struct sn_use){0};
    lives->free_list = number;
}

/* The heap of objects with the most misses, in the nearest cache. */
static void keep_if_top(struct sn_top_object *top, uint32_t *count, const struct sn_object *object,
                        const struct sn_use *use, bool alive) {
    if (!object->misses[0]) return;
    struct sn_top_object entry = {*object, *use, alive};
    uint32_t at;
    if (*count < SN_TOP_OBJECTS) {
        for (at = (*count)++; at && top[(at - 1) / 2].object.misses[0] > object->misses[0]; at = (at - 1) / 2)
            top[at] = top[(at - 1) / 2];
    } else {
        if (top[0].object.misses[0] >= object->misses[0]) return;
        at = 0;
        for (;;) {
            uint32_t child = 2 * at + 1;
            if (child >= *count) break;
            if (child + 1 < *count && top[child + 1].object.misses[0] < top[child].object.misses[0]) child++;
            if (top[child].object.misses[0] >= object->misses[0]) break;
            top[at] = top[child];
            at = child;
        }
    }
    top[at] = entry;
}

/* What one life adds to its group. */
static void add_life(struct sn_group *group, const struct sn_object *object, const struct sn_use *use) {
    group->accesses += use->accesses;
    for (int i = 0; i < SN_LEVELS; i++) group->misses[i] += object->misses[i];
    if (use->state & (SN_REGION | SN_SLEEPS | SN_UNBORN)) return;
    uint64_t lifetime = use->last ? use->last - object->birth : 0;
    group->lives[sn_life_bin(lifetime)]++;
    group->lifetimes += lifetime;
}

/* What was counted elsewhere comes in. */
static void collect(const struct sn_lives *lives, uint64_t base, uint64_t size) {
    if (lives->collect) lives->collect(lives->counter, base, size);
}

/* Its deeds go to its group and are forgotten. */
static void end_life(struct sn_lives *lives, uint32_t number) {
    struct sn_object *object = &lives->objects[number];
    struct sn_use *use = &lives->uses[number];
    if (!(use->state & SN_REGION)) collect(lives, object->base, object->size);
    if (!(use->state & (SN_REGION | SN_SLEEPS))) keep_if_top(lives->top, &lives->top_count, object, use, false);
    add_life(&lives->groups[object->group], object, use);
    use->accesses = 0, use->last = 0;
    for (int i = 0; i < SN_LEVELS; i++) object->misses[i] = 0;
}

/* A group counts those whose birth was seen. */
static bool is_counted(const struct sn_lives *lives, uint32_t number) {
    return !(lives->uses[number].state & (SN_SLEEPS | SN_UNBORN));
}

static void begin_life(struct sn_lives *lives, uint32_t number, uint32_t group, uint64_t clock) {
    struct sn_object *object = &lives->objects[number];
    lives->alive++;
    lives->born++;
    object->largest = object->size;
    if (is_counted(lives, number)) {
        lives->groups[group].born++;
        lives->groups[group].bytes += object->largest;
    }
    object->group = group;
    object->birth = clock;
    object->number = (uint32_t)lives->born;
    for (uint32_t i = 0; i < lives->field_count; i++) lives->fields[(size_t)number * lives->field_count + i] = 0;
}

/* Bytes that an object of `size` takes: also those without bytes are somewhere. */
static uint64_t length(uint64_t size) { return size ? size : 1; }

/* The objects in [base, base + size) are gone, apart from `mover`. */
static void make_room(struct sn_lives *lives, uint64_t base, uint64_t size, uint32_t mover) {
    uint64_t granule = base >> SN_GRANULE_BITS, last = (base + length(size) - 1) >> SN_GRANULE_BITS;
    for (; granule <= last; granule++) {
        uint32_t there = sn_object_at(&lives->map, granule << SN_GRANULE_BITS);
        if (there && there != mover && !(lives->uses[there].state & SN_REGION)) sn_object_freed(lives, there, 0);
    }
}

uint32_t sn_object_born(struct sn_lives *lives, uint64_t base, uint64_t size, uint32_t group, unsigned state,
                        uint64_t clock) {
    make_room(lives, base, size, 0);
    collect(lives, base, size);
    uint32_t number = group ? take(lives) : 0;
    if (number && !sn_object_map_set(&lives->map, base, length(size), number)) {
        sn_object_map_set(&lives->map, base, length(size), 0); /* what part of it was done */
        give_back(lives, number);
        number = 0;
    }
    if (!number) {
        lives->untracked++;
        return 0;
    }
    lives->objects[number] = (struct sn_object){.base = base, .size = size, .count_offset = SN_NO_COUNT};
    lives->uses[number] = (struct sn_use){.state = state & SN_STATES};
    begin_life(lives, number, group, clock);
    return number;
}

void sn_object_freed(struct sn_lives *lives, uint32_t number, uint32_t region) {
    struct sn_object *object = &lives->objects[number];
    if (!(lives->uses[number].state & SN_SLEEPS) && !lives->closed) {
        lives->alive--;
        if (is_counted(lives, number)) lives->groups[object->group].freed++;
    }
    end_life(lives, number);
    sn_object_map_set(&lives->map, object->base, length(object->size), region);
    give_back(lives, number);
}

void sn_object_sleeps(struct sn_lives *lives, uint32_t number, uint64_t clock) {
    struct sn_object *object = &lives->objects[number];
    lives->alive--;
    if (is_counted(lives, number)) lives->groups[object->group].freed++;
    end_life(lives, number);
    lives->uses[number].state |= SN_SLEEPS;
    object->birth = clock;
}

void sn_object_revives(struct sn_lives *lives, uint32_t number, uint32_t group, uint64_t clock) {
    end_life(lives, number); /* what touched it in its sleep */
    lives->uses[number].state &= SN_STATES & ~(SN_SLEEPS | SN_UNBORN);
    begin_life(lives, number, group, clock);
}

void sn_object_regroup(struct sn_lives *lives, uint32_t number, uint32_t group) {
    struct sn_object *object = &lives->objects[number];
    struct sn_group *old = &lives->groups[object->group], *new = &lives->groups[group];
    collect(lives, object->base, object->size); /* what a store to it says may be something else from now on */
    if (is_counted(lives, number)) {
        old->born--, old->bytes -= object->largest;
        new->born++, new->bytes += object->largest;
    }
    object->group = group;
}

void sn_object_moved(struct sn_lives *lives, uint32_t number, uint64_t base, uint64_t size, uint32_t region) {
    struct sn_object *object = &lives->objects[number];
    struct sn_group *group = &lives->groups[object->group];
    make_room(lives, base, size, number);
    collect(lives, object->base, object->size);
    collect(lives, base, size);
    sn_object_map_set(&lives->map, object->base, length(object->size), region);
    object->base = base, object->size = size;
    if (size > object->largest) {
        if (is_counted(lives, number)) group->bytes += size - object->largest;
        object->largest = size;
    }
    sn_object_map_set(&lives->map, base, length(size), number);
}

void sn_object_cut(struct sn_lives *lives, uint32_t number, uint64_t base, uint64_t size, uint32_t region) {
    sn_object_moved(lives, number, base, size, region);
    struct sn_object *object = &lives->objects[number];
    if (is_counted(lives, number)) lives->groups[object->group].bytes -= object->largest - size;
    object->largest = size;
}

uint32_t sn_region_new(struct sn_lives *lives, uint32_t group) {
    uint32_t number = group ? take(lives) : 0;
    if (!number) return 0;
    lives->objects[number] = (struct sn_object){.group = group, .count_offset = SN_NO_COUNT};
    lives->uses[number] = (struct sn_use){.state = SN_REGION};
    return number;
}

void sn_lives_settled(const struct sn_lives *lives, struct sn_group *copies, struct sn_top_object *top,
                      uint32_t *top_count) {
    collect(lives, 0, UINT64_MAX);
    for (uint32_t i = 0; i < lives->group_count; i++) copies[i] = lives->groups[i];
    for (uint32_t i = 0; i < lives->top_count; i++) top[i] = lives->top[i];
    *top_count = lives->top_count;
    for (uint32_t i = 1; i < lives->used; i++) {
        const struct sn_object *object = &lives->objects[i];
        const struct sn_use *use = &lives->uses[i];
        if (!use->state) continue; /* in the free list */
        add_life(&copies[object->group], object, use);
        if (!(use->state & (SN_REGION | SN_SLEEPS))) keep_if_top(top, top_count, object, use, true);
    }
}
