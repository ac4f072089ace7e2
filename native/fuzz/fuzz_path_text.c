/* Any bytes as path ids: each line that is read is the id that the C library reads, and reading ends where it must. */
#include "fuzz.h"

#include "../core/paths/path_text.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* Whether the bytes before an end of line are an id, and which, by strtoull. */
static int is_id(const uint8_t *line, size_t size, uint64_t *id) {
    char digits[21] = {0};
    if (size && line[size - 1] == '\r') size--;
    if (!size || size > 20) return 0;
    for (size_t i = 0; i < size; i++)
        if (!isdigit(line[i])) return 0;
    memcpy(digits, line, size);
    errno = 0;
    *id = strtoull(digits, NULL, 10);
    return !errno;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    uint64_t *ids = malloc(size / 2 * sizeof *ids + 1), id = 0;
    size_t count = 0, at = 0;
    if (!ids) return 0;
    size_t used = sn_path_text_ids((const char *)bytes, size, ids, size / 2, &count);
    PROMISE(used <= size);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *end = memchr(bytes + at, '\n', size - at);
        PROMISE(end && is_id(bytes + at, (size_t)(end - bytes) - at, &id) && id == ids[i]);
        at = (size_t)(end - bytes) + 1;
    }
    PROMISE(at == used);
    const uint8_t *end = used < size ? memchr(bytes + used, '\n', size - used) : NULL;
    PROMISE(!end || !is_id(bytes + used, (size_t)(end - bytes) - used, &id));
    free(ids);
    return 0;
}

size_t fuzz_example(uint8_t *bytes, size_t room, uint64_t *random) {
    size_t size = 0;
    for (uint64_t lines = *random % 40; lines-- > 0 && size + 24 < room;) {
        *random ^= *random << 13;
        *random ^= *random >> 7;
        *random ^= *random << 17;
        uint64_t id = *random >> (*random & 63);
        size += (size_t)sprintf((char *)bytes + size, "%llu%s\n", (unsigned long long)id, *random & 64 ? "\r" : "");
    }
    return size;
}
