#include "path_counts.h"

#include "keeping_registers.h"
#include "thread_spools.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST_TABLE_POWER 12u
#define TABLE_CELLS (UINT64_C(1) << 22) /* of tables, together: 256 MiB, 8 million paths */

typedef struct {
    sn_thread_spool spool;
    sn_path_count *near;
    sn_record *table_head; /* NULL: no table yet */
    uint64_t in_table;
} counts;

SN_THREAD_LOCAL sn_path_count *sn_paths_here;
static SN_THREAD_LOCAL counts *own;
static uint64_t counters;
/* Where threads count that can have no spool: nobody looks there, but the first spool says how many they are. */
static sn_path_count *nowhere;
static sn_header *first;

static uint64_t words(void) { return 2 * SN_PATHS_NEAR + counters; }

static counts *counts_of(sn_thread_spool *spool) { return (counts *)(void *)spool; }

/* Words that are 0. They are known as a record once its second number is 1. */
static sn_record *add(counts *of, sn_record_kind kind, uint32_t number, uint64_t bytes) {
    static const char *const none[4];
    const uint32_t numbers[4] = {number}, length[4] = {(uint32_t)bytes};
    void *payload = bytes > UINT32_MAX ? NULL : sn_cells_add_record(&of->spool.cells, kind, numbers, none, length);
    return payload ? (sn_record *)payload - 1 : NULL;
}

static bool make(sn_thread_spool *spool) {
    sn_record *head = add(counts_of(spool), SN_RECORD_PATHS, SN_PATHS_NEAR_POWER, 8 * words());
    if (!head) return false;
    head->number[1] = 1;
    if (!first) first = sn_cells_header(&spool->cells);
    counts_of(spool)->near = (sn_path_count *)(void *)(head + 1);
    return true;
}

static void unmake(sn_thread_spool *spool) { (void)spool; }
static void claim(sn_thread_spool *spool) { (void)spool; }

static void begin(sn_thread_spool *spool) {
    own = counts_of(spool);
    sn_paths_here = own->near;
}

static void end(sn_thread_spool *spool) {
    (void)spool;
    own = NULL;
    sn_paths_here = NULL;
}

static sn_path_count *table(const counts *of) { return (sn_path_count *)(void *)(of->table_head + 1); }

static void restart(sn_thread_spool *spool) {
    counts *of = counts_of(spool);
    memset(of->near, 0, 8 * words());
    if (of->table_head) memset(table(of), 0, of->table_head->bytes);
    of->in_table = 0;
    first = sn_cells_header(&spool->cells);
    first->lost_events = 0;
}

static void detach(void) {
    own = NULL;
    sn_paths_here = nowhere;
    first = NULL;
}

static sn_path_count *place_in(sn_path_count *in, uint32_t power, uint64_t key) {
    uint32_t at = sn_paths_place(key, power);
    while (in[at].key && in[at].key != key) at = (at + 1) & ((UINT32_C(1) << power) - 1);
    return &in[at];
}

/* Another table, of twice the size, is the table once all is in it. */
static bool grow(counts *of) {
    uint32_t power = of->table_head ? of->table_head->number[0] + 1 : FIRST_TABLE_POWER;
    sn_record *head = add(of, SN_RECORD_PATHS_TABLE, power, sizeof(sn_path_count) << power);
    if (!head) return false;
    sn_path_count *wider = (sn_path_count *)(void *)(head + 1);
    if (of->table_head) {
        for (uint64_t at = 0; at < UINT64_C(1) << (power - 1); at++)
            if (table(of)[at].key) *place_in(wider, power, table(of)[at].key) = table(of)[at];
    }
    __atomic_store_n(&head->number[1], 1, __ATOMIC_RELEASE);
    if (of->table_head) of->table_head->number[1] = 0;
    of->table_head = head;
    return true;
}

static bool put_out(counts *of, const sn_path_count *path) {
    if (!of->table_head || of->in_table >= (UINT64_C(3) << of->table_head->number[0]) / 4) {
        bool is_full = !of->table_head || of->in_table + 1 >= UINT64_C(1) << of->table_head->number[0];
        if (!grow(of) && is_full) return false;
    }
    sn_path_count *place = place_in(table(of), of->table_head->number[0], path->key);
    of->in_table += !place->key;
    place->count += path->count;
    place->key = path->key;
    return true;
}

SN_FOR_ASSEMBLY void sn_paths_count_slowly(uint64_t key) {
    counts *of = own;
    if (!of) return;
    if (of->spool.busy) {
        sn_cells_header(&of->spool.cells)->dropped_calls++;
        return;
    }
    int error = errno;
    of->spool.busy = true;
    atomic_signal_fence(memory_order_seq_cst);
    sn_path_count *place = &of->near[sn_paths_place(key, SN_PATHS_NEAR_POWER)];
    if (place->key == key) {
        place->count++;
    } else if (!place->key || put_out(of, place)) {
        place->count = 0; /* first, since it has been added */
        atomic_signal_fence(memory_order_seq_cst);
        place->key = key;
        place->count = 1;
    } else {
        sn_cells_header(&of->spool.cells)->dropped_calls++;
    }
    atomic_signal_fence(memory_order_seq_cst);
    of->spool.busy = false;
    errno = error;
}

SN_FOR_ASSEMBLY void sn_paths_thread_slowly(void) {
    if (sn_paths_here || sn_thread_spool_begin()) return;
    sn_paths_here = nowhere;
    if (first) __atomic_fetch_add(&first->lost_events, 1, __ATOMIC_RELAXED);
}

#if defined(__x86_64__)
SN_KEEPING_ALL_REGISTERS(sn_paths_thread)
SN_KEEPING_ALL_REGISTERS(sn_paths_count)
#else
void sn_paths_thread(void) { sn_paths_thread_slowly(); }
void sn_paths_count(uint64_t key) { sn_paths_count_slowly(key); }
#endif

ptrdiff_t sn_paths_offset(void) { return (char *)&sn_paths_here - (char *)__builtin_thread_pointer(); }

int sn_paths_begin(const sn_paths_plan *asked) {
    counters = asked->counters;
    void *found = mmap(NULL, 8 * words(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found == MAP_FAILED) return ENOMEM;
    nowhere = found;
    uint64_t limit = SN_HEADER_CELLS + sn_record_cells(8 * words()) + TABLE_CELLS;
    const sn_spool_kind kind = {.bytes = sizeof(counts),
                                .first_limit = limit,
                                .further_limit = limit,
                                .make = make,
                                .unmake = unmake,
                                .claim = claim,
                                .begin = begin,
                                .end = end,
                                .restart = restart,
                                .detach = detach};
    const sn_spools_plan spools = {.folder = asked->folder,
                                   .command = asked->command,
                                   .mechanism = asked->mechanism,
                                   .clock = SN_CLOCK_NONE,
                                   .follow = asked->follow};
    return sn_thread_spools_begin(&kind, &spools);
}
