#include "path_text.h"

#include <stdbool.h>

enum { MOST_DIGITS = 20 };

size_t sn_path_text_ids(const char *text, size_t size, uint64_t *ids, size_t most, size_t *count) {
    size_t at = 0, found = 0;
    while (at < size && found < most) {
        uint64_t id = 0;
        size_t from = at, end = at;
        bool fits = true;
        for (unsigned digit; end < size && (digit = (unsigned char)text[end] - (unsigned)'0') <= 9; end++) {
            if (end - from < MOST_DIGITS - 1) id = id * 10 + digit;
            else fits &= !__builtin_mul_overflow(id, 10, &id) && !__builtin_add_overflow(id, digit, &id);
        }
        if (end == from || end - from > MOST_DIGITS || !fits) break;
        if (end < size && text[end] == '\r') end++;
        if (end == size || text[end] != '\n') break;
        ids[found++] = id;
        at = end + 1;
    }
    *count = found;
    return at;
}
