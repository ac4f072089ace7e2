/* LLVM's bitstream: blocks in blocks, and records in them, whose fields are as wide as abbreviations say.
 *
 *   at the top       ids of 2 bits; within a block, of as many as it says
 *   0                the block ends; what follows is at a multiple of 32 bits
 *   1                a block: its number, the width of ids in it, its length in words
 *   2                an abbreviation: fields of fixed or variable width, known values, arrays, characters, bytes
 *   3                a record without one
 *   4 and above      a record by an abbreviation of this block, or of all blocks of its number (block 0 tells those)
 *
 * What the records mean is for the caller. Positions are in bits. */
#ifndef SONDE_REMARK_BITS_H
#define SONDE_REMARK_BITS_H

#include "../base/cells.h"

/* Blocks in blocks, at most; remarks need one. */
#define SN_BITS_DEPTH 16u

typedef enum {
    SN_BITS_LITERAL,
    SN_BITS_FIXED,
    SN_BITS_VARIABLE,
    SN_BITS_ARRAY,
    SN_BITS_CHAR6,
    SN_BITS_BLOB
} sn_bits_encoding;

typedef struct {
    uint64_t value; /* of a literal; else its width */
    uint8_t encoding;
} sn_bits_field;

typedef struct {
    uint32_t first, count; /* in `fields` */
} sn_bits_abbreviation;

/* An abbreviation that all blocks of a number have. */
typedef struct {
    uint64_t block;
    sn_bits_abbreviation abbreviation;
} sn_bits_shared;

typedef struct {
    uint64_t number, end; /* at which bit it ends */
    uint32_t id_width;
    size_t first_abbreviation; /* of those known in it, in `known`; they go on to the end of the list */
} sn_bits_block;

typedef struct {
    const uint8_t *bytes;
    uint64_t at, stop; /* bits */
    const char *what;  /* is wrong, at `at`; NULL: memory ran out */
    sn_bits_block blocks[SN_BITS_DEPTH];
    size_t depth; /* blocks[0] is what is around them all */
    sn_bits_field *fields;
    size_t field_count, field_room;
    sn_bits_abbreviation *known;
    size_t known_count, known_room;
    sn_bits_shared *shared;
    size_t shared_count, shared_room;
    uint64_t described; /* the block that the one with number 0 speaks of */
    /* the record that was read last */
    uint64_t code, *values;
    size_t value_count, value_room;
    const uint8_t *blob; /* in the bytes; NULL: it has none */
    size_t blob_size;
} sn_bits;

typedef enum { SN_BITS_END, SN_BITS_BLOCK, SN_BITS_BLOCK_END, SN_BITS_RECORD, SN_BITS_WRONG } sn_bits_entry;

void sn_bits_create(sn_bits *bits, const uint8_t *bytes, size_t size, size_t first_byte);
void sn_bits_destroy(sn_bits *bits);

/* The next thing: the beginning or end of a block (whose number is in blocks[depth] once it has begun), or a record.
 * SN_BITS_END comes only at the end of the bytes and outside of all blocks. */
sn_bits_entry sn_bits_next(sn_bits *bits);

/* Leave the block that has just begun, unread. */
void sn_bits_skip_block(sn_bits *bits);

#endif
