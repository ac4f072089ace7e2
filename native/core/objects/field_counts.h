/* Which part of objects is accessed: misses, and a sample of accesses, by word within the object. */
#ifndef SONDE_FIELD_COUNTS_H
#define SONDE_FIELD_COUNTS_H

#include "lives.h"

/* Words of 8 bytes, from where an object's bytes are numbered on. What lies behind the last of them, or behind where an
 * array begins in the object, is one rest. */
enum {
    SN_WORD_BYTES = 8,
    SN_WORDS_BEFORE = 4,
    SN_WORDS = 64,
    SN_FIELD_REST = SN_WORDS_BEFORE + SN_WORDS,
    SN_FIELDS = SN_FIELD_REST + 1,
};

struct sn_field {
    uint64_t misses[SN_LEVELS];
    uint64_t sampled_loads, sampled_stores;
};

/* Fields of all objects of a type, or of those from one place. */
struct sn_fields {
    uint32_t type, place; /* place: SN_NO_PLACE for all objects of the type */
    uint32_t rest;        /* bytes from where on it is one; at most SN_WORDS * SN_WORD_BYTES */
    struct sn_field fields[SN_FIELDS];
};

struct sn_field_counts {
    struct sn_fields *rows; /* number 0 is none */
    uint32_t count, limit;
    struct sn_word_map row_by_key;
    uint64_t lost; /* misses of types that there was no space for */
};

/* Space for the fields of `limit` - 1 types. False when there is no memory. */
bool sn_field_counts_start(struct sn_field_counts *counts, uint32_t limit);

/* Number of the row, a new one if need be, whose rest begins behind the last word; 0 when there is no space. `hint`: the
 * row that it was the last time, and is looked at first; from 0 on. */
uint32_t sn_fields_of(struct sn_field_counts *counts, uint32_t type, uint32_t place, uint32_t *hint);

/* The field at so many bytes: the first one for all that lies before it. */
static inline struct sn_field *sn_field_at(struct sn_fields *fields, int64_t offset) {
    if (offset >= (int64_t)fields->rest) return &fields->fields[SN_FIELD_REST];
    int64_t word = (offset >> 3) + SN_WORDS_BEFORE;
    return &fields->fields[word < 0 ? 0 : word];
}

/* Where the field with this index begins. */
static inline int32_t sn_field_offset(const struct sn_fields *fields, uint32_t index) {
    return index == SN_FIELD_REST ? (int32_t)fields->rest : ((int32_t)index - SN_WORDS_BEFORE) * SN_WORD_BYTES;
}

#endif
