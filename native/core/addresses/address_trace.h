/* The address trace: every memory access of a program in a file, as writer and reader see it (docs/address-trace.md).
 *
 *   header    what this is
 *   block 0, 1, ...    a head; bytes; flags, in words of 64 bits
 *
 * What runs is a *segment*, a straight piece of code whose accesses are known but for their addresses. Which segment
 * comes next, and each address, are predicted; what was predicted takes a bit. What predicts is a model that writer and
 * reader keep alike: a pure function of what was written so far. All numbers are little-endian.
 *
 * Nothing here needs a C library.
 */
#ifndef SONDE_ADDRESS_TRACE_H
#define SONDE_ADDRESS_TRACE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "traces are written as they lie in memory");

#define SN_ADDRESS_TRACE_MAGIC "SONDEADR"
#define SN_ADDRESS_TRACE_VERSION 1u
#define SN_ADDRESS_BLOCK_MAGIC 0x4B4C4241u /* "ABLK" */

/* A block ends when either part has this much. Both are about full at the same time in traces of CPython. */
#define SN_ADDRESS_BLOCK_BYTES (192u * 1024u)
#define SN_ADDRESS_BLOCK_WORDS (16u * 1024u)

/* Accesses and fetches of one segment; Valgrind's pieces of code have some hundred at most. */
#define SN_ADDRESS_SLOTS 1024u

enum sn_address_kind { SN_ADDRESS_LOAD, SN_ADDRESS_STORE, SN_ADDRESS_MODIFY, SN_ADDRESS_FETCH };

/* One access of a segment. A fetch is of the `size` bytes at `ip`: it has no address of its own. */
struct sn_trace_slot {
    uint64_t ip;
    uint16_t size;
    uint8_t kind; /* enum sn_address_kind */
};

struct sn_address_header {
    char magic[8];
    uint32_t version;
    uint32_t header_bytes;
    uint32_t block_bytes, block_words; /* that a block has at most */
    uint64_t check;                    /* of all above, from 0 */
};
static_assert(sizeof(struct sn_address_header) == 32, "layout of the header");

struct sn_address_block {
    uint32_t magic;
    uint32_t index;
    uint32_t bytes;        /* that follow, without the zeros up to a multiple of 8 */
    uint32_t words;        /* of flags, that follow them */
    uint64_t first_access; /* accesses and fetches in the blocks before */
    uint64_t accesses;     /* in this block */
    uint32_t operations;   /* in this block: runs and escapes */
    uint32_t last;         /* 1: the trace ends here */
    uint64_t check;        /* of all above and all that follows, from the check of the block or header before */
};
static_assert(sizeof(struct sn_address_block) == 48, "layout of a block's head");

/* A checksum of words. Each step is a bijection of the check, and of the word: whatever happens to a single word
 * changes the result. */
#define SN_ADDRESS_CHECK_FACTOR UINT64_C(0x9E3779B97F4A7C15) /* 2^64 divided by the golden ratio: bits well mixed */

static inline uint64_t sn_address_check(uint64_t check, const void *bytes, size_t words) {
    const uint8_t *at = (const uint8_t *)bytes;
    for (; words; words--, at += 8) {
        uint64_t word;
        __builtin_memcpy(&word, at, 8);
        check = (check ^ word) * SN_ADDRESS_CHECK_FACTOR;
        check ^= check >> 32;
    }
    return check;
}

/* The flags that an operation begins with, the first in the lowest bit. */
enum {
    SN_ADDRESS_RUN_EXPECTED = 1, /* 1: the first successor, and all its addresses are as predicted */
    SN_ADDRESS_RUN_FIRST = 2,    /* 01: the first successor; flags of its addresses */
    SN_ADDRESS_RUN_SECOND = 4,   /* 001: the second successor; flags of its addresses */
    SN_ADDRESS_RUN_OTHER = 8,    /* 0001: varint: which; flags of its addresses */
    SN_ADDRESS_ESCAPE = 0        /* 0000: a byte that says what */
};

/* The flags of a run's addresses: first one for each, 1: it is as predicted. Then for each that is not: */
enum {
    SN_ADDRESS_REMEMBERED = 1,    /* 1: what the table has */
    SN_ADDRESS_FROM_LAST = 0,     /* 00 and a size: its distance from the slot's last, so many bytes; size 0: 8 */
    SN_ADDRESS_FROM_PREVIOUS = 2, /* 01 and a size: its distance from the access before; size 0: it did not happen */
    SN_ADDRESS_SIZE_BITS = 3
};

enum {
    SN_ADDRESS_ESCAPE_SEGMENT = 1, /* the next segment: varint: slots; for each signed varint: ip; varint: size, kind */
    SN_ADDRESS_ESCAPE_THREAD = 2   /* varint: number of the thread of all that follows */
};

/* How the next address of a slot is predicted. */
enum sn_address_rule {
    SN_ADDRESS_SAME,   /* as the last */
    SN_ADDRESS_AFTER,  /* as far from the access before as the last */
    SN_ADDRESS_STRIDE, /* as far from the last as that from the one before it */
};

struct sn_address_state { /* of a slot that has addresses: all 0 at first */
    union {
        struct {
            uint64_t last;
            uint64_t after;  /* last - what the access before it had */
            uint64_t stride; /* last - the one before */
        };
        uint64_t by_rule[3];
    };
    uint32_t rule;   /* enum sn_address_rule */
    uint32_t absent; /* 1: it did not happen the last time, and is predicted not to */
};

/* Without a branch: no processor could foresee which rule a slot has. */
static inline uint64_t sn_address_predict(const struct sn_address_state *state, uint64_t previous) {
    const uint64_t base[3] = {0, previous, state->last};
    return base[state->rule] + state->by_rule[state->rule];
}

/* Which rules would have predicted this address: bit n is for rule n. */
static inline uint32_t sn_address_right_rules(const struct sn_address_state *state, uint64_t address,
                                              uint64_t previous) {
    uint64_t stride = address - state->last, after = address - previous;
    return (uint32_t)(stride == 0) | (uint32_t)(after == state->after) << 1 | (uint32_t)(stride == state->stride) << 2;
}

/* The rule from then on: the same if it was right or none was; else the one that was, preferably AFTER, then STRIDE. */
static inline uint32_t sn_address_next_rule(uint32_t rule, uint32_t right) {
    static const uint8_t next[3][8] = {{0, 0, 1, 0, 2, 0, 1, 0}, {1, 0, 1, 1, 2, 2, 1, 1}, {2, 0, 1, 1, 2, 2, 2, 2}};
    return next[rule][right];
}

/* What is remembered of an address that was not absent; the rule is another matter. */
static inline void sn_address_learn(struct sn_address_state *state, uint64_t address, uint64_t previous) {
    state->stride = address - state->last;
    state->after = address - previous;
    state->last = address;
}

/* The table remembers which address of a slot came after which, where no rule knew. */
#define SN_ADDRESS_TABLE_BITS 14u
#define SN_ADDRESS_TABLE_FACTOR UINT64_C(0xD6E8FEB86659FD93) /* odd, with bits well mixed */

static inline uint32_t sn_address_place(uint32_t slot, uint64_t last) {
    return (uint32_t)(((last ^ slot * SN_ADDRESS_CHECK_FACTOR) * SN_ADDRESS_TABLE_FACTOR) >>
                      (64 - SN_ADDRESS_TABLE_BITS));
}

/* What came after a segment: the two that came last, the later one first. */
static inline void sn_address_followed(uint32_t successor[2], uint32_t by) {
    if (successor[0] == by) return;
    successor[1] = successor[0];
    successor[0] = by;
}

/* Signed numbers near 0 as small unsigned ones: 0, -1, 1, -2, ... */
static inline uint64_t sn_address_zigzag(uint64_t distance) {
    return distance << 1 ^ (uint64_t)((int64_t)distance >> 63);
}

static inline uint64_t sn_address_unzigzag(uint64_t number) { return number >> 1 ^ (0 - (number & 1)); }

#endif
