#include "remark_bits.h"

#include <stdlib.h>
#include <string.h>

/* Widths that LLVM reads. */
#define MOST_WIDTH 32u
#define MOST_ID_WIDTH 32u

/* Abbreviations that blocks have without defining them, over all numbers of blocks: remarks have seven. More would let
 * a small file take long, for every block looks through them. */
#define MOST_SHARED 256u

/* Of one abbreviation: remarks have six. Fields may be literals, so that a record of two bits has as many values: with
 * long ones a small file would take long, too. */
#define MOST_FIELDS 64u

enum { END_BLOCK, ENTER_BLOCK, DEFINE_ABBREVIATION, UNABBREVIATED, FIRST_ABBREVIATION };
enum { BLOCK_INFO = 0, SET_BLOCK = 1 };

static bool wrong(sn_bits *b, const char *what) {
    b->what = what;
    return false;
}

static bool no_memory(sn_bits *b) { return wrong(b, NULL); }

#define GROW(bits, array, count, room)                                                                                \
    do {                                                                                                              \
        if ((count) < (room)) break;                                                                                  \
        size_t wider_ = (room) ? 2 * (room) : 64;                                                                     \
        void *grown_ = realloc((array), wider_ * sizeof *(array));                                                    \
        if (!grown_) return no_memory(bits);                                                                          \
        (array) = grown_;                                                                                             \
        (room) = wider_;                                                                                              \
    } while (0)

void sn_bits_create(sn_bits *b, const uint8_t *bytes, size_t size, size_t first_byte) {
    *b = (sn_bits){.bytes = bytes, .at = 8 * (uint64_t)first_byte, .stop = 8 * (uint64_t)size};
    b->blocks[0] = (sn_bits_block){.number = UINT64_MAX, .end = b->stop, .id_width = 2};
}

void sn_bits_destroy(sn_bits *b) {
    free(b->fields);
    free(b->known);
    free(b->shared);
    free(b->values);
    *b = (sn_bits){0};
}

/* ---- numbers ---- */

/* At most 32 bits, the lowest first. */
static inline bool fixed(sn_bits *b, uint32_t width, uint64_t *value) {
    if (width > b->stop - b->at) return wrong(b, "the bytes end within it");
    size_t byte = (size_t)(b->at >> 3), last = (size_t)(b->blocks[0].end >> 3);
    uint64_t word = 0;
    if (last - byte >= 8) {
        memcpy(&word, b->bytes + byte, 8);
    } else {
        memcpy(&word, b->bytes + byte, last - byte);
    }
    *value = word >> (b->at & 7) & ((UINT64_C(1) << width) - 1);
    b->at += width;
    return true;
}

/* In chunks of `width` bits, the highest of which says that there is another one. */
static inline bool variable(sn_bits *b, uint32_t width, uint64_t *value) {
    const uint64_t more = UINT64_C(1) << (width - 1);
    uint64_t chunk, all = 0;
    uint32_t shift = 0;
    do {
        if (!fixed(b, width, &chunk)) return false;
        uint64_t part = chunk & (more - 1);
        if (part && (shift >= 64 || part << shift >> shift != part)) return wrong(b, "a number of more than 64 bits");
        if (shift < 64) {
            all |= part << shift;
            shift += width - 1;
        }
    } while (chunk & more);
    *value = all;
    return true;
}

static bool align(sn_bits *b) {
    uint64_t at = (b->at + 31) & ~UINT64_C(31);
    if (at > b->stop) return wrong(b, "the bytes end within it");
    b->at = at;
    return true;
}

/* ---- abbreviations ---- */

static bool read_field(sn_bits *b, sn_bits_field *field) {
    uint64_t is_literal, encoding;
    if (!fixed(b, 1, &is_literal)) return false;
    *field = (sn_bits_field){0, SN_BITS_LITERAL};
    if (is_literal) return variable(b, 8, &field->value);
    if (!fixed(b, 3, &encoding)) return false;
    if (!encoding || encoding > SN_BITS_BLOB) return wrong(b, "an encoding that is not known");
    field->encoding = (uint8_t)encoding;
    if (encoding != SN_BITS_FIXED && encoding != SN_BITS_VARIABLE) return true;
    if (!variable(b, 5, &field->value)) return false;
    if (field->value > MOST_WIDTH || (encoding == SN_BITS_VARIABLE && field->value == 1))
        return wrong(b, "a field of a width that cannot be");
    if (!field->value) field->encoding = SN_BITS_LITERAL;
    return true;
}

static bool read_abbreviation(sn_bits *b, sn_bits_abbreviation *found) {
    uint64_t count;
    if (!variable(b, 5, &count)) return false;
    if (!count || count > b->stop - b->at) return wrong(b, "an abbreviation without fields");
    if (count > MOST_FIELDS) return wrong(b, "an abbreviation with more fields than anyone writes");
    *found = (sn_bits_abbreviation){(uint32_t)b->field_count, (uint32_t)count};
    for (uint64_t i = 0; i < count; i++) {
        sn_bits_field field;
        if (!read_field(b, &field)) return false;
        /* An array is before the last field, which is of what it is made, bytes are the last; neither is the first. */
        bool is_array = field.encoding == SN_BITS_ARRAY, is_blob = field.encoding == SN_BITS_BLOB;
        bool is_element = i > 0 && b->fields[b->field_count - 1].encoding == SN_BITS_ARRAY;
        if ((is_array && (!i || i + 2 != count)) || (is_blob && (!i || i + 1 != count)) ||
            (is_element && (is_blob || field.encoding == SN_BITS_LITERAL)))
            return wrong(b, "an abbreviation with fields in an order that cannot be");
        if (b->field_count >= UINT32_MAX) return no_memory(b);
        GROW(b, b->fields, b->field_count, b->field_room);
        b->fields[b->field_count++] = field;
    }
    return true;
}

static bool learn(sn_bits *b, sn_bits_abbreviation abbreviation) {
    GROW(b, b->known, b->known_count, b->known_room);
    b->known[b->known_count++] = abbreviation;
    return true;
}

/* ---- records ---- */

static bool add_value(sn_bits *b, uint64_t value) {
    GROW(b, b->values, b->value_count, b->value_room);
    b->values[b->value_count++] = value;
    return true;
}

static bool read_unabbreviated(sn_bits *b) {
    uint64_t count, value;
    if (!variable(b, 6, &b->code) || !variable(b, 6, &count)) return false;
    if (count > (b->stop - b->at) / 6) return wrong(b, "the bytes end within it");
    for (; count > 0; count--)
        if (!variable(b, 6, &value) || !add_value(b, value)) return false;
    return true;
}

static bool read_scalar(sn_bits *b, const sn_bits_field *field, uint64_t *value) {
    static const char characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
    switch (field->encoding) {
    case SN_BITS_FIXED:
        return fixed(b, (uint32_t)field->value, value);
    case SN_BITS_VARIABLE:
        return variable(b, (uint32_t)field->value, value);
    case SN_BITS_CHAR6:
        if (!fixed(b, 6, value)) return false;
        *value = (unsigned char)characters[*value];
        return true;
    default:
        *value = field->value;
        return true;
    }
}

static bool read_array(sn_bits *b, const sn_bits_field *element) {
    uint64_t count, value, width = element->encoding == SN_BITS_CHAR6 ? 6 : element->value;
    if (!variable(b, 6, &count)) return false;
    if (count > (b->stop - b->at) / width) return wrong(b, "the bytes end within it");
    for (; count > 0; count--)
        if (!read_scalar(b, element, &value) || !add_value(b, value)) return false;
    return true;
}

static bool read_blob(sn_bits *b) {
    uint64_t size;
    if (!variable(b, 6, &size) || !align(b)) return false;
    if (size > (b->stop - b->at) / 8) return wrong(b, "the bytes end within it");
    b->blob = b->bytes + (b->at >> 3);
    b->blob_size = (size_t)size;
    b->at += 8 * size;
    return align(b);
}

static bool read_abbreviated(sn_bits *b, uint64_t id) {
    const sn_bits_block *block = &b->blocks[b->depth];
    uint64_t index = id - FIRST_ABBREVIATION;
    if (index >= b->known_count - block->first_abbreviation) return wrong(b, "an abbreviation that is not defined");
    const sn_bits_abbreviation abbreviation = b->known[block->first_abbreviation + index];
    const sn_bits_field *fields = b->fields + abbreviation.first;
    if (!read_scalar(b, fields, &b->code)) return false;
    for (uint32_t i = 1; i < abbreviation.count; i++) {
        uint64_t value;
        if (fields[i].encoding == SN_BITS_BLOB) return read_blob(b);
        if (fields[i].encoding == SN_BITS_ARRAY) return read_array(b, &fields[i + 1]);
        if (!read_scalar(b, &fields[i], &value) || !add_value(b, value)) return false;
    }
    return true;
}

/* ---- blocks ---- */

static bool enter(sn_bits *b) {
    uint64_t number, id_width, words;
    if (!variable(b, 8, &number) || !variable(b, 4, &id_width) || !align(b) || !fixed(b, 32, &words)) return false;
    if (id_width < 2 || id_width > MOST_ID_WIDTH) return wrong(b, "a block with ids of a width that cannot be");
    if (words > (b->stop - b->at) / 32) return wrong(b, "a block that goes beyond the end");
    if (b->depth + 1 >= SN_BITS_DEPTH) return wrong(b, "too many blocks in blocks");
    b->stop = b->at + 32 * words;
    b->blocks[++b->depth] = (sn_bits_block){number, b->stop, (uint32_t)id_width, b->known_count};
    for (size_t i = 0; i < b->shared_count; i++)
        if (b->shared[i].block == number && !learn(b, b->shared[i].abbreviation)) return false;
    b->described = UINT64_MAX;
    return true;
}

static void leave(sn_bits *b) {
    b->at = b->blocks[b->depth].end;
    b->known_count = b->blocks[b->depth--].first_abbreviation;
    b->stop = b->blocks[b->depth].end;
}

void sn_bits_skip_block(sn_bits *b) { leave(b); }

/* Within block 0: abbreviations are of the block of which was spoken last. */
static bool share(sn_bits *b, sn_bits_abbreviation abbreviation) {
    if (b->described == UINT64_MAX) return wrong(b, "an abbreviation of no block");
    if (b->shared_count >= MOST_SHARED) return wrong(b, "more abbreviations than anyone writes");
    GROW(b, b->shared, b->shared_count, b->shared_room);
    b->shared[b->shared_count++] = (sn_bits_shared){b->described, abbreviation};
    return true;
}

/* One thing of the block that is open. */
static sn_bits_entry read_entry(sn_bits *b, uint64_t id) {
    if (id == ENTER_BLOCK) return enter(b) ? SN_BITS_BLOCK : SN_BITS_WRONG;
    if (id == END_BLOCK) {
        if (!align(b)) return SN_BITS_WRONG;
        if (b->at != b->stop) {
            b->what = "a block that is not as long as it says";
            return SN_BITS_WRONG;
        }
        leave(b);
        return SN_BITS_BLOCK_END;
    }
    b->value_count = 0;
    b->blob = NULL;
    b->blob_size = 0;
    return (id == UNABBREVIATED ? read_unabbreviated(b) : read_abbreviated(b, id)) ? SN_BITS_RECORD : SN_BITS_WRONG;
}

static bool define(sn_bits *b, bool is_info) {
    sn_bits_abbreviation abbreviation;
    return read_abbreviation(b, &abbreviation) && (is_info ? share(b, abbreviation) : learn(b, abbreviation));
}

sn_bits_entry sn_bits_next(sn_bits *b) {
    for (;;) {
        uint64_t id;
        bool is_info = b->depth && b->blocks[b->depth].number == BLOCK_INFO;
        if (!b->depth && b->at == b->stop) return SN_BITS_END;
        if (!fixed(b, b->blocks[b->depth].id_width, &id)) return SN_BITS_WRONG;
        if (!b->depth && id != ENTER_BLOCK) {
            b->what = "no block where one begins";
            return SN_BITS_WRONG;
        }
        if (id == DEFINE_ABBREVIATION) {
            if (!define(b, is_info)) return SN_BITS_WRONG;
            continue;
        }
        sn_bits_entry entry = read_entry(b, id);
        if (entry == SN_BITS_WRONG) return entry;
        if (is_info) {
            if (entry == SN_BITS_BLOCK) leave(b);
            if (entry == SN_BITS_RECORD && b->code == SET_BLOCK)
                b->described = b->value_count ? b->values[0] : UINT64_MAX;
        } else if (entry != SN_BITS_BLOCK || b->blocks[b->depth].number != BLOCK_INFO) {
            return entry;
        }
    }
}
