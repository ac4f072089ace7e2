#include "code_ranges.h"

#include "../base/hashes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sn_code_ranges_free(sn_code_ranges *ranges) {
    free(ranges->ranges);
    *ranges = (sn_code_ranges){0};
}

static bool add(sn_code_ranges *r, sn_code_range range) {
    if (r->count && r->ranges[r->count - 1].end == range.begin) {
        r->ranges[r->count - 1].end = range.end;
        return true;
    }
    if (r->count == r->room) {
        uint32_t room = r->room ? 2 * r->room : 16;
        sn_code_range *grown = realloc(r->ranges, room * sizeof *grown);
        if (!grown) return false;
        r->ranges = grown;
        r->room = room;
    }
    r->ranges[r->count++] = range;
    return true;
}

void sn_code_ranges_read(sn_code_ranges *ranges, pid_t process) {
    char path[64], *line = NULL;
    size_t room = 0;
    ranges->count = 0;
    ranges->files = ranges->code = SN_HASH_START;
    snprintf(path, sizeof path, "/proc/%ld/maps", (long)process);
    FILE *maps = fopen(path, "re");
    if (!maps) return;
    while (getline(&line, &room, maps) > 0) {
        unsigned long begin, end;
        char rights[8];
        int at = 0;
        if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %n", &begin, &end, rights, &at) < 3 || !at || rights[2] != 'x') continue;
        /* Of files only those that were made for code: memfd, and ones that are gone. */
        bool is_file = line[at] == '/' && strncmp(line + at, "/memfd:", 7) && strncmp(line + at, "/dev/", 5);
        bool is_system = !strncmp(line + at, "[v", 2);
        ranges->code = sn_hash_word(sn_hash_word(ranges->code, begin), end);
        if (is_file) {
            ranges->files = sn_hash_word(sn_hash_word(ranges->files, begin), end);
            for (const char *letter = line + at; *letter; letter++)
                ranges->files = (ranges->files ^ (uint8_t)*letter) * SN_HASH_FACTOR;
        } else if (!is_system && !add(ranges, (sn_code_range){begin, end})) {
            break;
        }
    }
    free(line);
    fclose(maps);
}

bool sn_code_ranges_have(const sn_code_ranges *r, uint64_t address) {
    uint32_t low = 0, high = r->count;
    while (low < high) { /* the first range that ends behind it */
        uint32_t middle = low + (high - low) / 2;
        if (r->ranges[middle].end <= address) low = middle + 1;
        else high = middle;
    }
    return low < r->count && r->ranges[low].begin <= address;
}
