/* Which part of objects is accessed. See field_counts.h. */
#include "field_counts.h"

#include "../base/pages.h"

#include <stddef.h>

bool sn_field_counts_start(struct sn_field_counts *counts, uint32_t limit) {
    counts->rows = sn_pages((size_t)limit * sizeof *counts->rows);
    counts->count = 1, counts->limit = limit;
    return counts->rows != NULL;
}

uint32_t sn_fields_of(struct sn_field_counts *counts, uint32_t type, uint32_t place, uint32_t *hint) {
    const struct sn_fields *last = &counts->rows[*hint];
    if (*hint && last->type == type && last->place == place) return *hint;
    uint64_t key = (uint64_t)type << 32 | place;
    uint32_t found = sn_word_get(&counts->row_by_key, key);
    if (!found) {
        if (counts->count == counts->limit || !sn_word_set(&counts->row_by_key, key, counts->count)) return 0;
        found = counts->count++;
        counts->rows[found].type = type, counts->rows[found].place = place;
        counts->rows[found].rest = SN_WORDS * SN_WORD_BYTES;
    }
    return *hint = found;
}
