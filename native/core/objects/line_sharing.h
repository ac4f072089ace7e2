/* Lines of memory that several threads access: which thread accesses which bytes of one, from where.
 *
 * A transfer is an access to a line that another thread has stored into since the accessing thread's last one, if any:
 * the caches of two cores would have to pass the line on. They are counted in the order in which threads were seen to
 * run.
 */
#ifndef SONDE_LINE_SHARING_H
#define SONDE_LINE_SHARING_H

#include "../base/word_map.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    SN_SHARED_LINE_BITS = 6,
    SN_SHARED_LINE_BYTES = 1 << SN_SHARED_LINE_BITS,
    SN_TOLD_THREADS = 64, /* threads whose numbers differ by a multiple of that are one here */
};

/* What a thread did to a line from one place, on objects of one group. */
struct sn_line_access {
    uint32_t thread, place, group;
    uint32_t next;           /* of the same line; 0: none */
    uint64_t base;           /* of the object that it was done to first */
    uint64_t loads, stores;
    uint64_t loaded, stored; /* bytes of the line: bit 0 is the first */
};

struct sn_used_line {
    uint64_t line;      /* address / SN_SHARED_LINE_BYTES */
    uint64_t transfers;
    uint64_t current;   /* threads that have accessed it since the last store, the one that stored included */
    uint32_t accesses;  /* the first */
    uint32_t thread;    /* the first one that accessed it */
    bool is_stored, is_shared;
};

struct sn_line_sharing {
    struct sn_used_line *lines;      /* number 0 is none, likewise below */
    struct sn_line_access *accesses;
    uint32_t line_count, access_count, line_limit, access_limit;
    struct sn_word_map line_by_address;
    uint64_t alive, meets[SN_TOLD_THREADS]; /* threads, and those that each one was alive with */
    uint64_t lost; /* accesses that there was no space for */
};

/* What is accessed by whom. */
struct sn_line_use {
    uint64_t address, base;
    uint32_t size, thread, place, group;
    bool store;
};

/* False when there is no memory. */
bool sn_line_sharing_start(struct sn_line_sharing *sharing, uint32_t line_limit, uint32_t access_limit);

/* An access of at most a line's bytes, which may be of two lines. Cost: O(places that access a line). */
void sn_line_used(struct sn_line_sharing *sharing, const struct sn_line_use *use);

/* Threads, by their numbers, are alive from when on to when. */
void sn_thread_begins(struct sn_line_sharing *sharing, uint32_t thread);
void sn_thread_ends(struct sn_line_sharing *sharing, uint32_t thread);

/* How many transfers of a line there could be at most if the same accesses of threads that were alive at the same time
 * came in any other order; 0: it is not shared.
 *
 * Before each transfer another thread accesses the line: of n accesses, m of them by the thread that has most, there are
 * at most min(n - 1, 2(n - m)). And each of a thread's has a store of another thread's before it, of one that is alive
 * with it, or it is the one transfer from all that had ended before.
 * `same_bytes`: only stores are counted into bytes that the other thread accesses; the rest is false sharing.
 * Cost: O(places that access it * SN_TOLD_THREADS). */
uint64_t sn_line_most_transfers(const struct sn_line_sharing *sharing, const struct sn_used_line *line, bool same_bytes);

#endif
