/* Any bytes as remarks in both formats, alone and with a table of strings. */
#include "fuzz.h"

#include "../tests/example_remarks.h"

static void read_text(sn_remarks *remarks, const char *text, size_t size, const char *table, size_t table_size) {
    bool unended;
    size_t count = remarks->count;
    uint64_t skipped = remarks->skipped;
    PROMISE(sn_remarks_read_yaml(remarks, text, size, table, table_size, &unended) == SN_OK);
    PROMISE(example_is_whole(remarks));
    PROMISE(!unended || remarks->count > count);
    /* A remark takes a mark at the beginning of a line, and so does all but the first that is skipped. */
    PROMISE(remarks->count - count + remarks->skipped - skipped <= size / 3 + 1);
}

static void read_container(sn_remarks *remarks, const uint8_t *bytes, size_t size, const char *table,
                           size_t table_size) {
    sn_remark_container about;
    size_t count = remarks->count;
    sn_status status = sn_remarks_read_bitstream(remarks, bytes, size, table, table_size, &about);
    PROMISE(status != SN_OK || !about.what || remarks->count + remarks->skipped > count); /* something was kept */
    PROMISE(status == SN_OK || (status == SN_BAD_INPUT && about.what && remarks->count == count));
    PROMISE(about.bit <= 8 * (uint64_t)size);
    PROMISE(example_is_whole(remarks));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    sn_remarks remarks;
    PROMISE(sn_remarks_create(&remarks) == SN_OK);
    read_text(&remarks, (const char *)bytes, size, NULL, 0);
    read_text(&remarks, (const char *)bytes, size, (const char *)bytes, size / 2);
    read_container(&remarks, bytes, size, NULL, 0);
    read_container(&remarks, bytes, size, EXAMPLE_STRINGS, sizeof EXAMPLE_STRINGS);
    sn_remarks_destroy(&remarks);
    return 0;
}

/* Pieces that YAML gives a meaning, put into the text, for the mutations know of words only. */
static size_t odd_text(uint8_t *bytes, size_t room, uint64_t dice) {
    static const char *const pieces[] = {
        "\n",    "\r\n", " ",    "'",   "\"",  ": ",   " #",   "- ",         "---",            "...\n",
        "{",     "}",    ",",    "[",   "]",   "|\n",  ">-\n", "\\",         "\\x4",          "\t",
        "    ",  "DebugLoc: ",   "  - K: v\n",  "|\n       a\n\n      b\n", "Foo:\n  - a\n", "\\u00e9",
        "99999999999999999999"};
    size_t size = sizeof example_text - 1;
    memcpy(bytes, example_text, size);
    for (uint64_t changes = dice % 4; changes > 0; changes--) {
        dice = dice * UINT64_C(6364136223846793005) + 1442695040888963407u;
        const char *piece = pieces[(dice >> 33) % (sizeof pieces / sizeof *pieces)];
        size_t length = strlen(piece), at = (size_t)(dice >> 17) % size;
        if (size + length > room) break;
        memmove(bytes + at + length, bytes + at, size - at);
        memcpy(bytes + at, piece, length);
        size += length;
    }
    return size;
}

size_t fuzz_example(uint8_t *bytes, size_t room, uint64_t *random) {
    static example_bits bits;
    uint64_t dice = *random >> 3;
    if (dice & 1) return odd_text(bytes, room, dice >> 1);
    size_t size = example_container(&bits, dice >> 1 & 1, dice >> 2 & 1);
    PROMISE(size <= room);
    memcpy(bytes, bits.bytes, size);
    return size;
}
