#include "miss_kinds.h"

/* Fibonacci hashing: multiples of 2^64 / golden ratio are spread evenly (Knuth, TAOCP 3, 6.4). */
static size_t scatter(uint64_t number) { return (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32); }

static uint32_t buckets_of(uint64_t lines) {
    uint32_t buckets = 2;
    while (buckets < lines) buckets *= 2;
    return buckets;
}

size_t sn_miss_kinds_bytes(uint64_t lines) {
    return (size_t)lines * sizeof(struct sn_shadow_line) + buckets_of(lines) * sizeof(uint32_t) +
           SN_FIRST_PAGES * sizeof(struct sn_seen_page);
}

void sn_miss_kinds_place(struct sn_miss_kinds *kinds, void *memory, uint64_t lines) {
    uint32_t buckets = buckets_of(lines);
    *kinds = (struct sn_miss_kinds){.capacity = (uint32_t)lines, .bucket_mask = buckets - 1};
    kinds->pages = (struct sn_seen_page *)memory;
    kinds->page_mask = SN_FIRST_PAGES - 1;
    kinds->shadow = (struct sn_shadow_line *)(kinds->pages + SN_FIRST_PAGES);
    kinds->buckets = (uint32_t *)(kinds->shadow + lines);
    __builtin_memset(kinds->pages, 0, SN_FIRST_PAGES * sizeof *kinds->pages);
    __builtin_memset(kinds->buckets, 0, buckets * sizeof *kinds->buckets);
}

/* The page with this key, or the free place where it would be. */
static struct sn_seen_page *page_of(struct sn_seen_page *pages, size_t mask, uint64_t key) {
    size_t at = scatter(key) & mask;
    while (pages[at].key && pages[at].key != key) at = (at + 1) & mask;
    return pages + at;
}

static bool grow(struct sn_miss_kinds *kinds) {
    size_t count = kinds->page_mask + 1, bytes = count * sizeof *kinds->pages;
    struct sn_seen_page *larger =
        kinds->memory ? (struct sn_seen_page *)kinds->memory->take(kinds->memory->context, 2 * bytes) : NULL;
    if (!larger) return false;
    __builtin_memset(larger, 0, 2 * bytes);
    for (size_t i = 0; i < count; i++)
        if (kinds->pages[i].key) *page_of(larger, 2 * count - 1, kinds->pages[i].key) = kinds->pages[i];
    if (kinds->grown) kinds->memory->give_back(kinds->memory->context, kinds->pages, bytes);
    kinds->pages = larger;
    kinds->page_mask = 2 * count - 1;
    kinds->grown = true;
    return true;
}

/* Remember that a line was touched. The kind of a miss that is no conflict. */
static enum sn_miss_kind see(struct sn_miss_kinds *kinds, uint64_t line) {
    uint64_t key = (line >> 6) + 1, bit = UINT64_C(1) << (line & 63);
    struct sn_seen_page *page = page_of(kinds->pages, kinds->page_mask, key);
    if (page->key) {
        bool seen = page->lines & bit;
        page->lines |= bit;
        return seen ? SN_MISS_CAPACITY : SN_MISS_COLD;
    }
    if (4 * (kinds->pages_used + 1) > 3 * (kinds->page_mask + 1)) {
        if (!grow(kinds)) return SN_MISS_UNKNOWN;
        page = page_of(kinds->pages, kinds->page_mask, key);
    }
    *page = (struct sn_seen_page){key, bit};
    kinds->pages_used++;
    return SN_MISS_COLD;
}

static uint32_t *link_to(struct sn_miss_kinds *kinds, uint64_t line) {
    uint32_t *link = &kinds->buckets[scatter(line) & kinds->bucket_mask];
    while (*link && kinds->shadow[*link - 1].line != line) link = &kinds->shadow[*link - 1].next;
    return link;
}

/* Into the ring, before the newest. */
static void make_newest(struct sn_miss_kinds *kinds, uint32_t number) {
    struct sn_shadow_line *shadow = kinds->shadow, *it = shadow + number;
    uint32_t newest = kinds->newest, oldest = shadow[newest].newer;
    it->older = newest;
    it->newer = oldest;
    shadow[newest].newer = shadow[oldest].older = number;
    kinds->newest = number;
}

static void insert(struct sn_miss_kinds *kinds, uint64_t line) {
    struct sn_shadow_line *shadow = kinds->shadow;
    uint32_t number;
    if (kinds->used < kinds->capacity) {
        number = kinds->used++;
        if (number == 0) {
            shadow[0].older = shadow[0].newer = 0;
            kinds->newest = 0;
        } else {
            make_newest(kinds, number);
        }
    } else {
        /* The oldest is the ring's other end: it becomes the newest by turning the ring. */
        number = kinds->newest = shadow[kinds->newest].newer;
        *link_to(kinds, shadow[number].line) = shadow[number].next;
    }
    shadow[number].line = line;
    uint32_t *bucket = &kinds->buckets[scatter(line) & kinds->bucket_mask];
    shadow[number].next = *bucket;
    *bucket = number + 1;
}

enum sn_miss_kind sn_miss_kinds_touch(struct sn_miss_kinds *kinds, uint64_t line, bool allocate) {
    struct sn_shadow_line *shadow = kinds->shadow;
    if (kinds->used && shadow[kinds->newest].line == line) return SN_MISS_CONFLICT;
    enum sn_miss_kind kind = see(kinds, line);
    uint32_t found = *link_to(kinds, line);
    if (!found) {
        if (allocate) insert(kinds, line);
        return kind;
    }
    uint32_t number = found - 1;
    if (number == shadow[kinds->newest].newer) {
        kinds->newest = number;
    } else {
        shadow[shadow[number].newer].older = shadow[number].older;
        shadow[shadow[number].older].newer = shadow[number].newer;
        make_newest(kinds, number);
    }
    return SN_MISS_CONFLICT;
}

void sn_miss_kinds_release(struct sn_miss_kinds *kinds) {
    if (kinds->grown) kinds->memory->give_back(kinds->memory->context, kinds->pages,
                                               (kinds->page_mask + 1) * sizeof *kinds->pages);
    kinds->grown = false;
    kinds->pages = NULL;
}
