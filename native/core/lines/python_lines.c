#include "python_lines.h"

#include <stdbool.h>

enum { ONE_LINE = 10, NO_COLUMNS = 13, LONG = 14, NOWHERE = 15 };

/* Six chunks of 6 bits are more than any number of the compiler's has; more would not fit. */
enum { MOST_CHUNKS = 6 };

/* The signed number at `at`; 0 and *damaged if it is cut off by the next entry or the end, or too long. */
static int64_t signed_number(const uint8_t *at, const uint8_t *end, bool *damaged) {
    uint64_t number = 0;
    for (unsigned chunk = 0; chunk < MOST_CHUNKS && at < end && !(*at & 0x80); chunk++, at++) {
        number |= (uint64_t)(*at & 0x3f) << 6 * chunk;
        if (*at & 0x40) continue;
        int64_t half = (int64_t)(number >> 1);
        return number & 1 ? -half : half;
    }
    *damaged = true;
    return 0;
}

uint32_t sn_python_line(const uint8_t *table, size_t length, uint32_t first_line, uint32_t instruction_index) {
    const uint8_t *at = table, *end = table + length;
    int64_t line = first_line;
    uint64_t passed = 0; /* code units */
    bool damaged = false;
    while (at < end && *at & 0x80) {
        unsigned kind = *at >> 3 & 0xf;
        passed += (*at & 7) + 1u;
        at++;
        if (kind >= ONE_LINE && kind < NO_COLUMNS) line += kind - ONE_LINE;
        else if (kind == NO_COLUMNS || kind == LONG) line += signed_number(at, end, &damaged);
        if (damaged || line < 0 || line > INT32_MAX) return 0;
        if (instruction_index < passed) return kind == NOWHERE ? 0 : (uint32_t)line;
        while (at < end && !(*at & 0x80)) at++;
    }
    return 0;
}
