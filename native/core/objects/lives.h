/* Objects from birth to death, and what is known of all objects of a type that one place of code made. */
#ifndef SONDE_LIVES_H
#define SONDE_LIVES_H

#include "object_map.h"
#include "../base/word_map.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    SN_LEVELS = 3,
    SN_LIFE_BINS = 65, /* 0: never used; b: lifetimes in [2^(b-1), 2^b) */
    SN_TOP_OBJECTS = 1000,
    SN_NO_COUNT = 255, /* no offset of a reference count */
};
#define SN_NO_PLACE UINT32_MAX

enum sn_object_state {
    SN_BLOCK = 1,    /* memory that may turn out to be an object: no type yet */
    SN_TYPED = 2,
    SN_REGION = 4,   /* no object: a stack, a library's variables */
    SN_SLEEPS = 8,   /* dead, but its block is kept for the next of its kind */
    SN_REVIVES = 16, /* of a type whose dead the interpreter keeps */
    SN_IS_TYPE = 32, /* its instances are objects */
    SN_IS_CODE = 64,
    SN_UNBORN = 128, /* it was there before anybody looked: its birth is not known */
    SN_OWNS = 256,   /* it has memory of its own besides its block */
    SN_STATES = 511,
};

/* What changes with every access. Apart from the rest, so that four of them share a cache line. */
struct sn_use {
    uint64_t accesses;
    uint64_t last : 52; /* by the clock, accesses made so far: the last one, 0 while there was none */
    uint64_t state : 12; /* enum sn_object_state; 0: there is no such object */
};

struct sn_object {
    uint64_t base, size;
    uint64_t birth; /* by the clock; while it sleeps, when it fell asleep */
    uint64_t misses[SN_LEVELS]; /* of a region they are as many as those of the program */
    uint32_t group;
    uint32_t number;            /* the how many-th birth this was; of a region 0 */
    uint64_t largest : 56;      /* the most that its size was since its birth */
    uint64_t count_offset : 8;  /* from base to its reference count */
};

/* All objects of one type from one place. */
struct sn_group {
    uint32_t type, place;
    uint64_t born, freed, bytes; /* of those that are not unborn; each object with the most bytes that it had */
    uint64_t accesses, misses[SN_LEVELS];
    uint64_t lives[SN_LIFE_BINS], lifetimes;
};

struct sn_top_object {
    struct sn_object object;
    struct sn_use use;
    uint32_t alive;
};

struct sn_lives {
    struct sn_object_map map;
    struct sn_object *objects; /* object 0 is none: nobody is there */
    struct sn_use *uses;       /* of each */
    uint32_t used, free_list, limit;
    uint64_t born, alive, untracked;
    bool closed; /* nobody looks: what is freed now counts as alive to the end */
    int64_t *fields; /* of advice, `field_count` for each object */
    uint32_t field_count;
    struct sn_group *groups; /* group 0 is none */
    uint32_t group_count, group_limit;
    struct sn_word_map group_by_key;
    struct sn_top_object top[SN_TOP_OBJECTS]; /* a heap: the one with the fewest misses first */
    uint32_t top_count;
    /* Who counts accesses elsewhere, and brings them in before [base, base + size) changes hands. NULL: nobody. */
    void (*collect)(void *counter, uint64_t base, uint64_t size);
    void *counter;
};

/* Space for `limit` objects that live at once and `group_limit` groups. False when there is no memory. */
bool sn_lives_start(struct sn_lives *lives, uint32_t limit, uint32_t group_limit, uint32_t field_count);

/* Number of the group of `type` and `place`, a new one if need be; 0 when there is no space for one more. */
uint32_t sn_group_of(struct sn_lives *lives, uint32_t type, uint32_t place);

/* An object is born at [base, base + size): every object that lay there, or partly there, is gone, as if freed. Returns
 * its number, 0 when there is no space: it is counted as untracked. `state` is of enum sn_object_state. */
uint32_t sn_object_born(struct sn_lives *lives, uint64_t base, uint64_t size, uint32_t group, unsigned state,
                        uint64_t clock);

/* Its block is free, or somebody else's: what it did goes to its group, and its addresses belong to `region` (0: none).
 * While the lives are closed it is not counted as freed. */
void sn_object_freed(struct sn_lives *lives, uint32_t number, uint32_t region);

/* It is dead, its block is kept; and the next of its kind begins in it, made at a place of `group`. */
void sn_object_sleeps(struct sn_lives *lives, uint32_t number, uint64_t clock);
void sn_object_revives(struct sn_lives *lives, uint32_t number, uint32_t group, uint64_t clock);

/* It turned out to belong to another group: its type became known. */
void sn_object_regroup(struct sn_lives *lives, uint32_t number, uint32_t group);

/* It lies elsewhere, with the same identity; what lay there is gone, where it lay belongs to `region`. */
void sn_object_moved(struct sn_lives *lives, uint32_t number, uint64_t base, uint64_t size, uint32_t region);

/* The block is only this part of what it was told to be, [base, base + size): the rest, which belongs to `region`, is its
 * allocator's own. */
void sn_object_cut(struct sn_lives *lives, uint32_t number, uint64_t base, uint64_t size, uint32_t region);

/* A region, which has no birth, no size and no end; its addresses are mapped by who knows them. */
uint32_t sn_region_new(struct sn_lives *lives, uint32_t group);

/* What the groups, and the objects with the most misses, would be if every object ended now: into copies, so that
 * nothing changes. Cost: one pass over all objects. */
void sn_lives_settled(const struct sn_lives *lives, struct sn_group *copies, struct sn_top_object *top,
                      uint32_t *top_count);

/* The bin of a lifetime. */
static inline unsigned sn_life_bin(uint64_t lifetime) {
    return lifetime ? 64 - (unsigned)__builtin_clzll(lifetime) : 0;
}

#endif
