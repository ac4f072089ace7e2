/* Functions, places of code, and what was accessed from each. */
#ifndef SONDE_LEDGER_H
#define SONDE_LEDGER_H

#include "lives.h"
#include "../base/word_map.h"

#include <stdbool.h>
#include <stdint.h>

enum sn_language { SN_IN_PYTHON, SN_IN_NATIVE, SN_IN_JIT };

struct sn_function {
    const char *name, *file, *object;
    uint32_t language, first_line;
    uint32_t next; /* with the same hash */
};

struct sn_frame {
    uint32_t function, line;
};

/* A line of a function, with what it was inlined into. */
struct sn_place {
    uint32_t first_frame, frame_count; /* innermost first */
    uint32_t next;                     /* with the same hash */
    uint64_t loads, stores, misses[SN_LEVELS];
    uint64_t instructions, fetch_misses[SN_LEVELS];
};

/* Misses of a place on a type, and how many of a sample of all accesses were of it. */
struct sn_crossing {
    uint32_t place, type;
    uint64_t misses[SN_LEVELS];
    uint64_t sampled_loads, sampled_stores;
};

struct sn_ledger {
    struct sn_function *functions; /* number 0 is none, likewise below */
    struct sn_place *places;
    struct sn_frame *frames;
    struct sn_crossing *crossings;
    uint32_t function_count, place_count, frame_count, crossing_count, limit;
    struct sn_word_map function_by_hash, place_by_hash, crossing_by_key;
    char *room, *room_end; /* what is left of the last piece of memory */
    uint64_t crossings_lost;
};

/* Space for `limit` of each. False when there is no memory. */
bool sn_ledger_start(struct sn_ledger *ledger, uint32_t limit);

/* Zeroed memory that stays, aligned for any word; NULL when there is none. */
void *sn_ledger_room(struct sn_ledger *ledger, uint64_t bytes);

/* A copy of a string that stays; "" when there is no space. */
const char *sn_ledger_text(struct sn_ledger *ledger, const char *text);

/* Number of the function with these properties, a new one if need be; 0 when there is no space. */
uint32_t sn_function_of(struct sn_ledger *ledger, uint32_t language, const char *name, const char *file,
                        uint32_t first_line, const char *object);

/* Number of the place with these frames, a new one if need be; 0 when there is no space. */
uint32_t sn_place_of(struct sn_ledger *ledger, const struct sn_frame *frames, uint32_t count);

/* Count a miss of `depth` levels, at least 1. `hint`: the crossing that it was the last time, and is looked at first;
 * from 0 on. False when there is no space: it is counted as lost. */
bool sn_ledger_cross(struct sn_ledger *ledger, uint32_t place, uint32_t type, unsigned depth, uint32_t *hint);

/* Count one access of a sample, likewise. */
bool sn_ledger_sample(struct sn_ledger *ledger, uint32_t place, uint32_t type, bool stores, uint32_t *hint);

#endif
