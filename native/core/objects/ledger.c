/* Functions, places of code, and what was accessed from each. See ledger.h. */
#include "ledger.h"

#include "../base/hashes.h"
#include "../base/pages.h"

#include <stddef.h>

enum { CHUNK = 1 << 20 };

bool sn_ledger_start(struct sn_ledger *ledger, uint32_t limit) {
    ledger->functions = sn_pages((size_t)limit * sizeof *ledger->functions);
    ledger->places = sn_pages((size_t)limit * sizeof *ledger->places);
    ledger->frames = sn_pages((size_t)limit * sizeof *ledger->frames);
    ledger->crossings = sn_pages((size_t)limit * sizeof *ledger->crossings);
    ledger->function_count = ledger->place_count = ledger->frame_count = ledger->crossing_count = 1;
    ledger->limit = limit;
    return ledger->functions && ledger->places && ledger->frames && ledger->crossings;
}

static size_t length_of(const char *text) {
    size_t length = 0;
    while (text[length]) length++;
    return length;
}

static bool equal(const char *a, const char *b) {
    while (*a && *a == *b) a++, b++;
    return *a == *b;
}

void *sn_ledger_room(struct sn_ledger *ledger, uint64_t bytes) {
    bytes = (bytes + 7) & ~UINT64_C(7);
    if (bytes > (uint64_t)(ledger->room_end - ledger->room)) {
        uint64_t chunk = bytes > CHUNK ? bytes : CHUNK;
        char *memory = sn_pages(chunk);
        if (!memory) return NULL;
        ledger->room = memory, ledger->room_end = memory + chunk;
    }
    ledger->room += bytes;
    return ledger->room - bytes;
}

const char *sn_ledger_text(struct sn_ledger *ledger, const char *text) {
    size_t size = length_of(text) + 1;
    char *copy = sn_ledger_room(ledger, size);
    if (!copy) return "";
    for (size_t i = 0; i < size; i++) copy[i] = text[i];
    return copy;
}

uint32_t sn_function_of(struct sn_ledger *ledger, uint32_t language, const char *name, const char *file,
                        uint32_t first_line, const char *object) {
    uint64_t hash = sn_hash_word(sn_hash_word(SN_HASH_START, language), first_line);
    hash = sn_hash_text(sn_hash_text(sn_hash_text(hash, name), file), object);
    uint32_t first = sn_word_get(&ledger->function_by_hash, hash);
    for (uint32_t each = first; each; each = ledger->functions[each].next) {
        const struct sn_function *f = &ledger->functions[each];
        if (f->language == language && f->first_line == first_line && equal(f->name, name) && equal(f->file, file) &&
            equal(f->object, object))
            return each;
    }
    if (ledger->function_count == ledger->limit ||
        !sn_word_set(&ledger->function_by_hash, hash, ledger->function_count))
        return 0;
    ledger->functions[ledger->function_count] =
        (struct sn_function){sn_ledger_text(ledger, name),   sn_ledger_text(ledger, file),
                             sn_ledger_text(ledger, object), language, first_line, first};
    return ledger->function_count++;
}

static bool same_frames(const struct sn_ledger *ledger, const struct sn_place *place, const struct sn_frame *frames,
                        uint32_t count) {
    if (place->frame_count != count) return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct sn_frame *frame = &ledger->frames[place->first_frame + i];
        if (frame->function != frames[i].function || frame->line != frames[i].line) return false;
    }
    return true;
}

uint32_t sn_place_of(struct sn_ledger *ledger, const struct sn_frame *frames, uint32_t count) {
    uint64_t hash = SN_HASH_START;
    for (uint32_t i = 0; i < count; i++) hash = sn_hash_word(hash, (uint64_t)frames[i].function << 32 | frames[i].line);
    uint32_t first = sn_word_get(&ledger->place_by_hash, hash);
    for (uint32_t each = first; each; each = ledger->places[each].next)
        if (same_frames(ledger, &ledger->places[each], frames, count)) return each;
    if (ledger->place_count == ledger->limit || count > ledger->limit - ledger->frame_count ||
        !sn_word_set(&ledger->place_by_hash, hash, ledger->place_count))
        return 0;
    struct sn_place *place = &ledger->places[ledger->place_count];
    place->first_frame = ledger->frame_count, place->frame_count = count, place->next = first;
    for (uint32_t i = 0; i < count; i++) ledger->frames[ledger->frame_count++] = frames[i];
    return ledger->place_count++;
}

/* NULL where there is no space. */
static struct sn_crossing *crossing_of(struct sn_ledger *ledger, uint32_t place, uint32_t type, uint32_t *hint) {
    struct sn_crossing *crossing = &ledger->crossings[*hint];
    if (*hint && crossing->place == place && crossing->type == type) return crossing;
    uint64_t key = (uint64_t)place << 32 | type;
    uint32_t found = sn_word_get(&ledger->crossing_by_key, key);
    if (!found) {
        if (ledger->crossing_count == ledger->limit ||
            !sn_word_set(&ledger->crossing_by_key, key, ledger->crossing_count))
            return NULL;
        found = ledger->crossing_count++;
        ledger->crossings[found].place = place, ledger->crossings[found].type = type;
    }
    *hint = found;
    return &ledger->crossings[found];
}

bool sn_ledger_cross(struct sn_ledger *ledger, uint32_t place, uint32_t type, unsigned depth, uint32_t *hint) {
    struct sn_crossing *crossing = crossing_of(ledger, place, type, hint);
    if (!crossing) {
        ledger->crossings_lost++;
        return false;
    }
    for (unsigned i = 0; i < depth && i < SN_LEVELS; i++) crossing->misses[i]++;
    return true;
}

bool sn_ledger_sample(struct sn_ledger *ledger, uint32_t place, uint32_t type, bool stores, uint32_t *hint) {
    struct sn_crossing *crossing = crossing_of(ledger, place, type, hint);
    if (!crossing) return false;
    if (stores)
        crossing->sampled_stores++;
    else
        crossing->sampled_loads++;
    return true;
}
