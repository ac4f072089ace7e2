/* Any bytes as a location table: a word for the first line, a word for the instruction, the table. */
#include "fuzz.h"

#include "../core/lines/python_lines.h"

#include <string.h>

enum { BEFORE = 2 * sizeof(uint64_t) };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    if (size < BEFORE) return 0;
    uint32_t first, index;
    memcpy(&first, bytes, sizeof first);
    memcpy(&index, bytes + sizeof(uint64_t), sizeof index);
    /* A copy of the right size: a byte too far is seen by the sanitizer. */
    size_t length = size - BEFORE;
    uint8_t *table = malloc(length + 1);
    PROMISE(table);
    memcpy(table, bytes + BEFORE, length);
    for (uint32_t i = index % 4096, stop = i + 64; i < stop; i++)
        PROMISE(sn_python_line(table, length, first, i) <= INT32_MAX);
    PROMISE(!sn_python_line(table, length, first, UINT32_MAX));
    /* What is cut off changes nothing before it, or leaves no line. */
    uint32_t whole = sn_python_line(table, length, first, index % 64), part;
    part = sn_python_line(table, length / 2, first, index % 64);
    PROMISE(!part || part == whole);
    free(table);
    return 0;
}

size_t fuzz_example(uint8_t *bytes, size_t room, uint64_t *random) {
    uint64_t first = 1 + *random % 1000, index = *random >> 20;
    memcpy(bytes, &first, sizeof first);
    memcpy(bytes + sizeof first, &index, sizeof index);
    size_t size = BEFORE;
    /* Knuth's linear congruential generator, The Art of Computer Programming 2, 3.3.4. */
    for (uint64_t dice = *random | 1; size + 8 < room && size < 600;
         dice = dice * 6364136223846793005u + 1442695040888963407u) {
        static const uint8_t payloads[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 6, 0};
        unsigned kind = dice >> 60 & 15, payload = payloads[kind] + (kind == 13 ? dice >> 50 & 3 : 0);
        bytes[size++] = (uint8_t)(0x80 | kind << 3 | (dice >> 40 & 7));
        for (unsigned i = 0; i < payload; i++)
            bytes[size++] = (uint8_t)((dice >> (8 * (i % 4))) & 0x3f) | (kind == 13 && i + 1 < payload ? 0x40 : 0);
    }
    return size;
}
