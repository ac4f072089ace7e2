/* Why a reference missed: the three kinds of Hill and Smith (IEEE Trans. Computers 38(12), 1989), "3C".
 *
 *   cold       the line was never touched before
 *   capacity   else, if a fully associative LRU cache of the same size would have missed, too
 *   conflict   else: the line was lost to others of its set, or to inclusion
 *   unknown    cold or capacity, but there was no memory to remember more lines
 *
 * Every reference must be shown, hits included. What was ever touched is kept as one bit for each line, 64 lines to a
 * page of 16 bytes. The table of pages has room for SN_FIRST_PAGES pages (3/4 of them used) in the memory that the
 * caller gave; beyond that it is doubled through sn_cache_memory, if the caller set it.
 */
#ifndef SONDE_MISS_KINDS_H
#define SONDE_MISS_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 64 KiB, enough for programs that touch 12 MiB (in lines of 64 bytes, all of each page). */
#define SN_FIRST_PAGES 4096u

enum sn_miss_kind { SN_MISS_COLD, SN_MISS_CAPACITY, SN_MISS_CONFLICT, SN_MISS_UNKNOWN, SN_MISS_KINDS };

/* Where more memory comes from. Both functions may be called during any reference. */
struct sn_cache_memory {
    void *(*take)(void *context, size_t bytes); /* aligned as uint64_t; NULL: there is none */
    void (*give_back)(void *context, void *memory, size_t bytes);
    void *context;
};

/* A line of the fully associative cache, in a ring from the newest to the oldest, and in a list of its bucket. */
struct sn_shadow_line {
    uint64_t line;
    uint32_t older, newer, next;
};

struct sn_seen_page {
    uint64_t key;   /* 0: free; else line / 64 + 1 */
    uint64_t lines; /* a bit for each line that was touched */
};

struct sn_miss_kinds {
    struct sn_shadow_line *shadow;
    uint32_t *buckets; /* number of the first line + 1; 0: none */
    struct sn_seen_page *pages;
    const struct sn_cache_memory *memory; /* NULL: none */
    size_t page_mask, pages_used;
    uint32_t capacity, used, newest, bucket_mask;
    bool grown; /* whether `pages` came from `memory` */
    uint64_t counts[SN_MISS_KINDS];
};

/* Bytes for a cache of so many lines; a multiple of 8. */
size_t sn_miss_kinds_bytes(uint64_t lines);

/* Nothing was touched yet. `memory` is aligned as uint64_t. */
void sn_miss_kinds_place(struct sn_miss_kinds *kinds, void *memory, uint64_t lines);

/* A line is touched; `allocate`: and taken in if it is not there. Returns what kind a miss of it is.
 * Cost: O(1) expected. */
enum sn_miss_kind sn_miss_kinds_touch(struct sn_miss_kinds *kinds, uint64_t line, bool allocate);

/* Give back what was taken. */
void sn_miss_kinds_release(struct sn_miss_kinds *kinds);

#endif
