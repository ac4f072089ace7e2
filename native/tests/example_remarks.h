/* Remarks made by hand: a text, and a container with most of what a bitstream can have. */
#ifndef SONDE_EXAMPLE_REMARKS_H
#define SONDE_EXAMPLE_REMARKS_H

#include "../core/remarks/remark_bitstream.h"
#include "../core/remarks/remark_yaml.h"

#include <stdlib.h>
#include <string.h>

static const char example_text[] = "--- !Missed\n"
                                   "Pass:            inline\n"
                                   "Name:            NoDefinition\n"
                                   "DebugLoc:        { File: 'a b.c', Line: 6, Column: 30 }\n"
                                   "Function:        f\n"
                                   "Hotness:         300\n"
                                   "Args:\n"
                                   "  - Callee:          ext\n"
                                   "  - String:          ' will not be inlined into '\n"
                                   "  - Caller:          f\n"
                                   "    DebugLoc:        { File: 'a b.c', Line: 5, \n"
                                   "                       Column: 0 }\n"
                                   "  - String:          \"\\n\\x01it''s\"\n"
                                   "  - String:          |\n"
                                   "      two\n"
                                   "      lines\n"
                                   "...\n"
                                   "--- !Passed\n"
                                   "Pass:            inline\n"
                                   "Name:            Inlined\n"
                                   "DebugLoc:        { File: 'a b.c', Line: 7, Column: 1 }\n"
                                   "Function:        f\n"
                                   "Args:\n"
                                   "  - String:          ''' inlined '''\n"
                                   "  - Caller:          f\n"
                                   "    DebugLoc:        { File: 'a b.c', Line: 5, \n"
                                   "                       Column: 2 }\n"
                                   "...\n";

#define EXAMPLE_STRINGS "inline\0NoDefinition\0f\0a.c\0Callee\0g"
enum { EXAMPLE_ROOM = 4096 };

typedef struct {
    uint8_t bytes[EXAMPLE_ROOM];
    size_t bit;
} example_bits;

static inline void put(example_bits *b, uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; i++, b->bit++)
        if (value >> i & 1) b->bytes[b->bit / 8] |= (uint8_t)(1u << b->bit % 8);
}

static inline void put_variable(example_bits *b, uint64_t value, unsigned width) {
    const uint64_t more = UINT64_C(1) << (width - 1);
    for (; value >= more; value >>= width - 1) put(b, (value & (more - 1)) | more, width);
    put(b, value, width);
}

static inline void put_aligned(example_bits *b) { b->bit = (b->bit + 31) / 32 * 32; }

/* Returns where the length is to be put. */
static inline size_t put_block(example_bits *b, unsigned outer_width, uint64_t number, unsigned width) {
    put(b, 1, outer_width);
    put_variable(b, number, 8);
    put_variable(b, width, 4);
    put_aligned(b);
    put(b, 0, 32);
    return b->bit / 8 - 4;
}

static inline void put_end(example_bits *b, unsigned width, size_t length_at) {
    put(b, 0, width);
    put_aligned(b);
    uint32_t words = (uint32_t)((b->bit / 8 - length_at - 4) / 4);
    memcpy(b->bytes + length_at, &words, 4);
}

static inline void put_record(example_bits *b, unsigned id_width, uint64_t code, const uint64_t *values, size_t count) {
    put(b, 3, id_width);
    put_variable(b, code, 6);
    put_variable(b, count, 6);
    for (size_t i = 0; i < count; i++) put_variable(b, values[i], 6);
}
#define PUT_RECORD(bits, width, code, ...)                                                                            \
    put_record(bits, width, code, (const uint64_t[]){__VA_ARGS__},                                                    \
               sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static inline void put_field(example_bits *b, unsigned encoding, uint64_t value) {
    put(b, 0, 1);
    put(b, encoding, 3);
    if (encoding <= 2) put_variable(b, value, 5);
}

static inline void put_literal(example_bits *b, uint64_t value) {
    put(b, 1, 1);
    put_variable(b, value, 8);
}

/* Strings are left out of a container that has them elsewhere. */
static inline size_t example_container(example_bits *b, uint64_t version, bool has_strings) {
    memset(b, 0, sizeof *b);
    for (int i = 0; i < 4; i++) put(b, (uint8_t)"RMRK"[i], 8);
    size_t info = put_block(b, 2, 0, 3);
    PUT_RECORD(b, 3, 1, 9); /* of remark blocks */
    put(b, 2, 3);
    put_variable(b, 5, 5);
    put_literal(b, 5); /* header */
    put_field(b, 1, 3);
    for (int i = 0; i < 3; i++) put_field(b, 2, 6);
    put(b, 2, 3);
    put_variable(b, 3, 5);
    put_literal(b, 9); /* argument, as an array */
    put_field(b, 3, 0);
    put_field(b, 2, 7);
    put_end(b, 3, info);
    size_t meta = put_block(b, 2, 8, 3);
    PUT_RECORD(b, 3, 1, version, 2);
    PUT_RECORD(b, 3, 2, 0);
    if (has_strings) {
        put(b, 2, 3);
        put_variable(b, 2, 5);
        put_literal(b, 3);
        put_field(b, 5, 0);
        put(b, 4, 3);
        put_variable(b, sizeof EXAMPLE_STRINGS, 6);
        put_aligned(b);
        for (size_t i = 0; i < sizeof EXAMPLE_STRINGS; i++) put(b, (uint8_t)EXAMPLE_STRINGS[i], 8);
        put_aligned(b);
    }
    put_end(b, 3, meta);
    for (uint64_t line = 1; line <= 2; line++) {
        size_t remark = put_block(b, 2, 9, 4);
        put(b, 4, 4);
        put(b, 2, 3);
        put_variable(b, 1, 6);
        put_variable(b, 0, 6);
        put_variable(b, 2, 6);
        PUT_RECORD(b, 4, 6, 3, line, 7);
        PUT_RECORD(b, 4, 7, UINT64_MAX);
        PUT_RECORD(b, 4, 8, 4, 5, 3, 8, 9);
        put(b, 5, 4);
        put_variable(b, 2, 6);
        put_variable(b, 4, 7);
        put_variable(b, 5, 7);
        size_t unknown = put_block(b, 4, 77, 3);
        PUT_RECORD(b, 3, 1, 2);
        put_end(b, 3, unknown);
        put_end(b, 4, remark);
    }
    return b->bit / 8;
}

/* Whether every number in the columns is of something that is there. */
static inline bool example_is_whole(const sn_remarks *r) {
    const size_t strings = r->strings.count;
    bool well = r->strings.offsets[0] == 0 && r->strings.offsets[strings] == r->strings.used &&
                r->first_arguments[0] == 0 && r->first_arguments[r->count] == r->arguments;
    for (size_t i = 0; i < strings; i++) well &= r->strings.offsets[i] <= r->strings.offsets[i + 1];
    for (size_t i = 0; i < r->count; i++)
        well &= r->kinds[i] < SN_REMARK_KINDS && r->passes[i] < strings && r->names[i] < strings &&
                r->functions[i] < strings && (r->places[i] == SN_REMARK_NONE || r->places[i] < r->located) &&
                r->first_arguments[i] <= r->first_arguments[i + 1] && r->has_hotness[i] <= 1;
    for (size_t i = 0; i < r->arguments; i++)
        well &= r->keys[i] < strings && r->values[i] < strings &&
                (r->argument_places[i] == SN_REMARK_NONE || r->argument_places[i] < r->located);
    for (size_t i = 0; i < r->located; i++) well &= r->files[i] < strings;
    return well && r->problem_count <= SN_REMARK_PROBLEMS && r->problem_count <= r->skipped;
}

#endif
