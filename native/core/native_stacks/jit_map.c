#define _GNU_SOURCE
#include "jit_map.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PART = 1 << 20 };

void sn_jit_map_free(sn_jit_map *map) {
    for (uint32_t i = 0; i < map->count; i++) free(map->codes[i].name);
    free(map->codes);
    free(map->parts);
    *map = (sn_jit_map){0};
}

bool sn_jit_map_add(sn_jit_map *map, uint64_t begin, uint64_t size, const char *name, size_t bytes) {
    if (!size || begin + size < begin || map->count == SN_MOST_JIT_CODE) return map->count < SN_MOST_JIT_CODE;
    if (map->count == map->room) {
        uint32_t room = map->room ? 2 * map->room : 256;
        sn_jit_code *grown = realloc(map->codes, room * sizeof *grown);
        if (!grown) return false;
        map->codes = grown;
        map->room = room;
    }
    char *kept = strndup(name, bytes < SN_JIT_NAME ? bytes : SN_JIT_NAME - 1);
    if (!kept) return false;
    map->codes[map->count++] = (sn_jit_code){begin, begin + size, kept};
    return true;
}

static void take_line(sn_jit_map *map, const char *line, size_t bytes) {
    char *at;
    char text[SN_JIT_NAME + 64];
    if (bytes >= sizeof text) bytes = sizeof text - 1;
    memcpy(text, line, bytes);
    text[bytes] = 0;
    uint64_t begin = strtoull(text, &at, 16);
    if (at == text || *at != ' ') return;
    char *size_at = at;
    uint64_t size = strtoull(size_at, &at, 16);
    if (at == size_at || *at != ' ') return;
    while (*at == ' ') at++;
    sn_jit_map_add(map, begin, size, at, strlen(at));
}

size_t sn_jit_map_take(sn_jit_map *map, const char *text, size_t bytes) {
    size_t used = 0;
    const char *end;
    while (used < bytes && (end = memchr(text + used, '\n', bytes - used))) {
        take_line(map, text + used, (size_t)(end - text) - used);
        used = (size_t)(end - text) + 1;
    }
    return used;
}

/* The number of a process in the innermost of its namespaces, by which it calls itself. */
static long own_number(pid_t process) {
    char path[64], *line = NULL;
    size_t room = 0;
    long number = process;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)process);
    FILE *file = fopen(path, "re");
    if (!file) return number;
    while (getline(&line, &room, file) > 0) {
        if (strncmp(line, "NSpid:", 6)) continue;
        for (char *at = line + 6, *end = NULL;; at = end) {
            long next = strtol(at, &end, 10);
            if (end == at) break;
            number = next;
        }
        break;
    }
    free(line);
    fclose(file);
    return number;
}

void sn_jit_map_read(sn_jit_map *map, pid_t process) {
    char path[128];
    struct stat about;
    snprintf(path, sizeof path, "/proc/%ld/root/tmp/perf-%ld.map", (long)process, own_number(process));
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (file < 0) return;
    char *text = malloc(PART);
    bool is_file = text && !fstat(file, &about) && S_ISREG(about.st_mode);
    if (is_file && about.st_size < map->read) sn_jit_map_free(map); /* it was begun anew */
    while (is_file) {
        ssize_t bytes = pread(file, text, PART, map->read);
        size_t used = bytes > 0 ? sn_jit_map_take(map, text, (size_t)bytes) : 0;
        if (!used && bytes == PART) used = PART; /* a line of a mebibyte is none */
        if (!used) break;
        map->read += (int64_t)used;
    }
    free(text);
    close(file);
}

static int compare(const void *a, const void *b) {
    const sn_jit_part *x = a, *y = b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* A heap of codes, the one that was added last on top. */
static void sift_down(uint32_t *heap, uint32_t count) {
    for (uint32_t at = 0, child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && heap[child + 1] > heap[child];
        if (heap[at] >= heap[child]) return;
        uint32_t moved = heap[at];
        heap[at] = heap[child];
        heap[child] = moved;
    }
}

static void push(uint32_t *heap, uint32_t count, uint32_t code) {
    uint32_t at = count;
    for (; at && heap[(at - 1) / 2] < code; at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
    heap[at] = code;
}

/* Go through all addresses at which a piece begins or ends; of those that are there, the last that was added holds. */
static uint32_t sweep(const sn_jit_map *map, const sn_jit_part *begins, uint32_t *heap, sn_jit_part *parts) {
    uint32_t count = 0, next = 0, open = 0;
    uint64_t at = 0;
    for (;;) {
        while (open && map->codes[heap[0]].end <= at) {
            heap[0] = heap[--open];
            sift_down(heap, open);
        }
        if (!open && next == map->count) return count;
        if (!open) at = begins[next].begin;
        for (; next < map->count && begins[next].begin <= at; next++) push(heap, open++, begins[next].code);
        uint64_t end = map->codes[heap[0]].end;
        if (end <= at) continue;
        if (next < map->count && begins[next].begin < end) end = begins[next].begin;
        bool goes_on = count && parts[count - 1].end == at && parts[count - 1].code == heap[0];
        if (goes_on) parts[count - 1].end = end;
        else parts[count++] = (sn_jit_part){at, end, heap[0]};
        at = end;
    }
}

static void sort(sn_jit_map *map) {
    uint32_t count = map->count;
    sn_jit_part *begins = malloc(count * sizeof *begins), *parts = malloc(2 * (size_t)count * sizeof *parts);
    uint32_t *heap = malloc(count * sizeof *heap);
    free(map->parts);
    map->parts = parts;
    map->part_count = 0;
    map->sorted = count;
    if (begins && heap && parts) {
        for (uint32_t i = 0; i < count; i++) begins[i] = (sn_jit_part){map->codes[i].begin, map->codes[i].end, i};
        qsort(begins, count, sizeof *begins, compare);
        map->part_count = sweep(map, begins, heap, parts);
    }
    free(begins);
    free(heap);
}

const sn_jit_code *sn_jit_map_find(sn_jit_map *map, uint64_t address) {
    if (map->sorted != map->count) sort(map);
    uint32_t low = 0, high = map->part_count;
    while (low < high) { /* the first that begins behind it */
        uint32_t middle = low + (high - low) / 2;
        if (map->parts[middle].begin <= address) low = middle + 1;
        else high = middle;
    }
    return low && map->parts[low - 1].end > address ? &map->codes[map->parts[low - 1].code] : NULL;
}
