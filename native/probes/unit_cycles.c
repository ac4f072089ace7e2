#include "unit_cycles.h"

#include "../core/base/ticks.h"
#include "keeping_registers.h"
#include "thread_spools.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#define ROOM_CELLS (UINT64_C(1) << 15) /* of a spool, besides: 2 MiB, not touched unless it is used */
#define CALIBRATIONS 512u

_Static_assert(sizeof(sn_unit_cycles) == 120 && sizeof(sn_thread_cycles) == 32, "sonde.passes.cycle_probes knows them");

typedef struct {
    sn_thread_spool spool;
    sn_thread_cycles *cycles;
} thread_cycles;

SN_THREAD_LOCAL sn_thread_cycles *sn_cycles_here;
static SN_THREAD_LOCAL thread_cycles *own;
static SN_THREAD_LOCAL bool busy; /* in here */
static uint64_t units, loops;
static double share;
/* Where threads count that can have no spool: nobody looks there, but the first spool says how many they are. */
static sn_thread_cycles *nowhere;
static sn_header *first;
/* In ticks: what an empty interval measures, and what it takes to measure one. */
static uint32_t empty_ticks, full_ticks;

static uint64_t bytes(void) { return sizeof(sn_thread_cycles) + units * sizeof(sn_unit_cycles) + loops * sizeof(uint64_t); }

static inline uint64_t now(void) { return sn_ticks(); }

static thread_cycles *cycles_of(sn_thread_spool *spool) { return (thread_cycles *)(void *)spool; }

static bool make(sn_thread_spool *spool) {
    static const char *const none[4];
    const uint32_t numbers[4] = {(uint32_t)units, 1, (uint32_t)loops}, length[4] = {(uint32_t)bytes()};
    cycles_of(spool)->cycles = sn_cells_add_record(&spool->cells, SN_RECORD_CYCLES, numbers, none, length);
    if (!cycles_of(spool)->cycles) return false;
    if (!first) first = sn_cells_header(&spool->cells);
    return true;
}

static void unmake(sn_thread_spool *spool) { (void)spool; }

static void claim(sn_thread_spool *spool) {
    sn_header *header = sn_cells_header(&spool->cells);
    header->costs[0] = empty_ticks;
    header->costs[1] = full_ticks;
}

static void begin(sn_thread_spool *spool) {
    own = cycles_of(spool);
    own->cycles->open = 0;
    sn_cycles_here = own->cycles;
}

static void end(sn_thread_spool *spool) {
    (void)spool;
    own = NULL;
    sn_cycles_here = NULL;
}

static void restart(sn_thread_spool *spool) {
    memset(cycles_of(spool)->cycles, 0, bytes());
    first = sn_cells_header(&spool->cells);
    first->lost_events = 0;
}

static void detach(void) {
    own = NULL;
    sn_cycles_here = nowhere;
    first = NULL;
}

/* ---- Which intervals are measured. ---- */

/* Xorshift: Marsaglia, Journal of Statistical Software 8(14), 2003. */
static uint64_t next_random(sn_thread_cycles *here) {
    uint64_t x = here->random ? here->random : UINT64_C(0x9E3779B97F4A7C15);
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return here->random = x;
}

/* The end of a period: its ticks for all of its intervals, by those that were measured. */
static void settle(sn_unit_cycles *unit) {
    if (unit->stride > 1) {
        double all = (double)unit->period, some = (double)unit->measured, ticks = (double)unit->ticks;
        double deviations = unit->squares - ticks * ticks / some;
        if (deviations > 0 && all > some) unit->settled_variance += all / some * (all - some) / (some - 1) * deviations;
        unit->settled_ticks += (uint64_t)(ticks * all / some);
    } else {
        unit->settled_ticks += unit->ticks; /* what was lost is lost */
    }
    unit->settled_intervals += unit->period;
    unit->settled_measured += unit->measured;
    unit->period = unit->measured = unit->ticks = 0;
    unit->squares = 0;
}

static uint64_t stride_for(const sn_unit_cycles *unit) {
    if (share <= 0) return 1;
    double own_ticks = (double)unit->ticks / (double)unit->measured - empty_ticks;
    double stride = full_ticks / (share * (own_ticks > 1 ? own_ticks : 1));
    return stride <= 1 ? 1 : stride >= SN_CYCLES_MOST_STRIDE ? SN_CYCLES_MOST_STRIDE : (uint64_t)stride;
}

/* How many intervals begin until the next one is measured: `stride` on average, and of no pattern that the program has. */
static int64_t next_wait(sn_thread_cycles *here, uint64_t stride) {
    return stride <= 1 ? 1 : (int64_t)(1 + (next_random(here) >> 32) * (2 * stride - 1) / (UINT64_C(1) << 32));
}

/* Whether an interval is so long that the thread may have been interrupted in it. */
static bool is_long(const sn_unit_cycles *unit, uint64_t ticks) {
    uint64_t others = unit->settled_measured + unit->measured - unit->aside;
    return unit->stride > 1 && others && ticks / SN_CYCLES_LONG > unit->looked / others;
}

/* Whether a long one is so, by how many there were. */
static bool is_interrupted(const sn_unit_cycles *unit) {
    return unit->aside <= SN_CYCLES_FEW + unit->looked / SN_CYCLES_UNDISTURBED;
}

/* Those that were set aside were the function's own: they stand for others, as all do. */
static void take_back(sn_unit_cycles *unit) {
    unit->settled_ticks += unit->aside_ticks * (unit->stride - 1);
    unit->aside_ticks = 0;
}

SN_FOR_ASSEMBLY void sn_cycles_begin_interval_slowly(uint32_t number) {
    sn_thread_cycles *here = sn_cycles_here;
    sn_unit_cycles *unit = &here->units[number];
    if (busy) {
        unit->given = unit->wait = 0;
        if (own) sn_cells_header(&own->spool.cells)->dropped_calls++;
        return;
    }
    busy = true;
    atomic_signal_fence(memory_order_seq_cst);
    unit->period += (uint64_t)(unit->given - unit->wait); /* `wait` is -1 */
    if (!unit->stride) unit->stride = 1;
    if (unit->measured >= SN_CYCLES_REVISED) {
        uint64_t stride = stride_for(unit);
        unit->period--; /* this one is the first of the next period */
        settle(unit);
        unit->period = 1;
        unit->stride = stride;
    }
    unit->given = unit->wait = next_wait(here, unit->stride) - 1;
    here->open = number + 1;
    busy = false;
    atomic_signal_fence(memory_order_seq_cst);
    here->begun = now();
}

SN_FOR_ASSEMBLY void sn_cycles_end_interval_slowly(uint32_t number) {
    uint64_t ended = now();
    sn_thread_cycles *here = sn_cycles_here;
    sn_unit_cycles *unit = &here->units[number];
    uint64_t ticks = ended - here->begun;
    here->open = 0;
    if (busy) return;
    busy = true;
    atomic_signal_fence(memory_order_seq_cst);
    bool may_be_interrupted = is_long(unit, ticks);
    if (may_be_interrupted && is_interrupted(unit)) {
        unit->aside++;
        unit->aside_ticks += ticks;
        unit->period--;
        unit->settled_intervals++;
        unit->settled_measured++;
        unit->settled_ticks += ticks;
    } else {
        if (may_be_interrupted) take_back(unit);
        unit->measured++;
        unit->ticks += ticks;
        unit->looked += ticks;
        unit->squares += (double)ticks * (double)ticks;
    }
    atomic_signal_fence(memory_order_seq_cst);
    busy = false;
}

SN_FOR_ASSEMBLY void sn_cycles_thread_slowly(void) {
    if (sn_cycles_here || sn_thread_spool_begin()) return;
    sn_cycles_here = nowhere;
    if (first) __atomic_fetch_add(&first->lost_events, 1, __ATOMIC_RELAXED);
}

#if defined(__x86_64__)
SN_KEEPING_ALL_REGISTERS(sn_cycles_thread)
SN_KEEPING_ALL_REGISTERS(sn_cycles_begin_interval)
SN_KEEPING_ALL_REGISTERS(sn_cycles_end_interval)
#else
void sn_cycles_thread(void) { sn_cycles_thread_slowly(); }
void sn_cycles_begin_interval(uint32_t unit) { sn_cycles_begin_interval_slowly(unit); }
void sn_cycles_end_interval(uint32_t unit) { sn_cycles_end_interval_slowly(unit); }
#endif

ptrdiff_t sn_cycles_offset(void) { return (char *)&sn_cycles_here - (char *)__builtin_thread_pointer(); }

/* ---- What measuring costs. ---- */

static uint32_t median(uint32_t *values) {
    for (unsigned i = 1; i < CALIBRATIONS; i++) {
        uint32_t value = values[i];
        unsigned at = i;
        for (; at && values[at - 1] > value; at--) values[at] = values[at - 1];
        values[at] = value;
    }
    return values[CALIBRATIONS / 2];
}

/* By empty intervals, which begin and end as in code with probes. The counts are put back to 0. */
static void calibrate(void) {
    static uint32_t empty[CALIBRATIONS], full[CALIBRATIONS];
    uint64_t before = now();
    sn_cycles_here = nowhere;
    for (unsigned i = 0; i < CALIBRATIONS; i++) {
        sn_unit_cycles *unit = &nowhere->units[0];
        *unit = (sn_unit_cycles){.wait = -1};
        sn_cycles_begin_interval(0);
        sn_cycles_end_interval(0);
        uint64_t after = now();
        empty[i] = (uint32_t)unit->ticks;
        full[i] = (uint32_t)(after - before);
        before = now();
    }
    empty_ticks = median(empty);
    full_ticks = median(full);
    memset(nowhere, 0, bytes());
    sn_cycles_here = NULL;
}

int sn_cycles_begin(const sn_cycles_plan *asked) {
    units = asked->units ? asked->units : 1;
    share = asked->share;
    loops = asked->loops;
    if (bytes() > UINT32_MAX) return ENOMEM;
    void *found = mmap(NULL, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found == MAP_FAILED) return ENOMEM;
    nowhere = found;
    calibrate();
    uint64_t limit = SN_HEADER_CELLS + sn_record_cells(bytes()) + ROOM_CELLS;
    const sn_spool_kind kind = {.bytes = sizeof(thread_cycles),
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
                                   .clock = SN_CLOCK_TSC,
                                   .follow = asked->follow};
    return sn_thread_spools_begin(&kind, &spools);
}
