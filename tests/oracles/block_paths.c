// Which blocks each activation of a function runs, one after the other, cut into paths where BLOCK_CUTS says: the oracle of
// path probes. It knows no numbers of paths.
//
// BLOCK_CUTS is a file with a line for each edge that ends a path: function, block, block that follows; -1: all that follow.
// At the end of the process, SHADOW_FOLDER/pid.blocks has lines
//   P times function blocks... next     next: the block that an edge at the end of the path leads to, or -1
//   L paths function                    paths that were left midway
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    int32_t function, count, room;
    bool calls; /* a call that may return twice, for the first time */
    int32_t *blocks;
} run;

typedef struct path {
    struct path *next;
    uint64_t hash, times;
    int32_t count;
    int32_t words[];
} path;

enum { PLACES = 1 << 16, EDGES = 1 << 20, FUNCTIONS = 1 << 14, LONGEST = 1 << 20 };

static path *paths[PLACES];
static struct {
    uint64_t first;
    int32_t target;
} edges[EDGES];
static int64_t begun[FUNCTIONS], ended[FUNCTIONS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t edge_key(int32_t function, int32_t source) { return ((uint64_t)(uint32_t)function << 32 | (uint32_t)source) + 1; }

static size_t edge_place(uint64_t key, int32_t target) {
    return (size_t)((key * 0x9E3779B97F4A7C15u + (uint32_t)target * 0xC2B2AE3D27D4EB4Fu) >> 44) % EDGES;
}

static bool has_edge(int32_t function, int32_t source, int32_t target) {
    uint64_t key = edge_key(function, source);
    for (size_t at = edge_place(key, target); edges[at].first; at = (at + 1) % EDGES)
        if (edges[at].first == key && edges[at].target == target) return true;
    return false;
}

static void count(run *of, int32_t next) {
    uint64_t hash = (uint64_t)(of->function + 1);
    size_t bytes = (size_t)of->count * sizeof *of->blocks;
    for (int32_t i = 0; i < of->count; i++) hash = (hash ^ (uint32_t)of->blocks[i]) * 0x100000001B3u;
    hash = (hash ^ (uint32_t)next) * 0x100000001B3u;
    pthread_mutex_lock(&lock);
    path **place = &paths[(hash ^ hash >> 32) % PLACES], *found = *place;
    while (found && !(found->hash == hash && found->count == of->count && found->words[0] == of->function &&
                      found->words[1] == next && !memcmp(found->words + 2, of->blocks, bytes)))
        found = found->next;
    if (!found) {
        found = malloc(sizeof *found + 2 * sizeof(int32_t) + bytes);
        *found = (path){*place, hash, 0, of->count};
        found->words[0] = of->function;
        found->words[1] = next;
        memcpy(found->words + 2, of->blocks, bytes);
        *place = found;
    }
    found->times++;
    pthread_mutex_unlock(&lock);
    of->count = 0;
}

void *blocks_begin(int32_t function) {
    run *new = calloc(1, sizeof *new);
    new->function = function;
    __atomic_fetch_add(&begun[function], 1, __ATOMIC_RELAXED);
    return new;
}

void blocks_at(run *of, int32_t block) {
    if (of->count && has_edge(of->function, of->blocks[of->count - 1], -1)) count(of, -1);
    else if (of->count && has_edge(of->function, of->blocks[of->count - 1], block)) count(of, block);
    if (of->count == of->room) of->blocks = realloc(of->blocks, sizeof *of->blocks * (size_t)(of->room = 2 * of->room + 16));
    if (of->count == LONGEST) abort();
    of->blocks[of->count++] = block;
    of->calls = true;
}

void blocks_again(run *of, int32_t block) {
    bool is_first = of->calls && of->count == 1 && of->blocks[0] == block;
    of->calls = false;
    if (is_first) return;
    __atomic_fetch_add(&begun[of->function], 1, __ATOMIC_RELAXED);
    of->count = 1;
    of->blocks[0] = block;
}

void blocks_end(run *of) {
    count(of, -1);
    __atomic_fetch_add(&ended[of->function], 1, __ATOMIC_RELAXED);
    free(of->blocks);
    free(of);
}

__attribute__((constructor)) static void begin(void) {
    const char *name = getenv("BLOCK_CUTS");
    FILE *file = name ? fopen(name, "r") : NULL;
    long function, source, target;
    while (file && fscanf(file, "%ld %ld %ld", &function, &source, &target) == 3) {
        uint64_t key = edge_key((int32_t)function, (int32_t)source);
        size_t at = edge_place(key, (int32_t)target);
        while (edges[at].first) at = (at + 1) % EDGES;
        edges[at].first = key;
        edges[at].target = (int32_t)target;
    }
    if (file) fclose(file);
}

__attribute__((destructor)) static void end(void) {
    const char *folder = getenv("SHADOW_FOLDER");
    char name[4096];
    if (!folder) return;
    snprintf(name, sizeof name, "%s/%ld.blocks", folder, (long)getpid());
    FILE *file = fopen(name, "w");
    if (!file) return;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < PLACES; i++) {
        for (const path *each = paths[i]; each; each = each->next) {
            fprintf(file, "P %llu %d", (unsigned long long)each->times, each->words[0]);
            for (int32_t k = 0; k < each->count; k++) fprintf(file, " %d", each->words[2 + k]);
            fprintf(file, " %d\n", each->words[1]);
        }
    }
    for (int32_t i = 0; i < FUNCTIONS; i++)
        if (begun[i]) fprintf(file, "L %lld %d\n", (long long)(begun[i] - ended[i]), i);
    pthread_mutex_unlock(&lock);
    fclose(file);
}
