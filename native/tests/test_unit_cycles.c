/* Cycles of functions against plain sums, by a clock that the test sets; the probes here are twins in C of what the pass
 * writes. */
#define _GNU_SOURCE
#include "check.h"

#include "../core/base/ticks.h"

/* The clock of the code under test: each look at it takes `look` ticks. */
static _Thread_local uint64_t clock_now = 1000;
static uint64_t look;
#define sn_ticks() (clock_now += look)
#include "../probes/unit_cycles.c"
#undef sn_ticks

#include "../core/contexts/spool_file.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

enum { UNITS = 50, ROUNDS = 100000, THREADS = 4 };

static char folder[64];

static void begin_all(double of_time, bool follow) {
    snprintf(folder, sizeof folder, "%s/cycles-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    CHECK(mkdtemp(folder));
    const sn_cycles_plan plan = {
        .folder = folder, .command = "it", .mechanism = "cycles", .units = UNITS, .share = of_time, .follow = follow};
    CHECK_EQUAL(sn_cycles_begin(&plan), 0);
}

static void remove_folder(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_EQUAL(system(command), 0);
}

/* ---- The twin. ---- */

static inline void open_interval(uint32_t unit) {
    sn_unit_cycles *of = &(*(sn_thread_cycles *volatile *)&sn_cycles_here)->units[unit];
    if (--of->wait < 0) sn_cycles_begin_interval(unit);
}

static inline void enter(uint32_t unit) {
    if (!*(sn_thread_cycles *volatile *)&sn_cycles_here) sn_cycles_thread();
    (*(sn_thread_cycles *volatile *)&sn_cycles_here)->units[unit].entries++;
    open_interval(unit);
}

static inline void close_interval(uint32_t unit) {
    if ((*(sn_thread_cycles *volatile *)&sn_cycles_here)->open == unit + 1) sn_cycles_end_interval(unit);
}

static inline void clear(void) { (*(sn_thread_cycles *volatile *)&sn_cycles_here)->open = 0; }

/* ---- What is in the files. ---- */

typedef struct {
    double ticks[UNITS], variance[UNITS];
    uint64_t entries[UNITS], intervals[UNITS], measured[UNITS];
    uint64_t dropped, lost;
    uint32_t empty, full;
    unsigned files;
} found;

static void read_file(found *all, const char *path) {
    sn_spool_file file;
    sn_spool_context context;
    sn_spool_record record;
    CHECK_EQUAL(sn_spool_file_open(&file, path), SN_OK);
    all->dropped += file.header.dropped_calls;
    all->lost += file.header.lost_events;
    all->files += file.header.pid == (uint32_t)getpid();
    all->empty = file.header.costs[0];
    all->full = file.header.costs[1];
    for (uint64_t cell = SN_HEADER_CELLS; cell < file.cells;) {
        if (sn_spool_file_next(&file, &cell, &context, &record) != SN_CELL_RECORD) continue;
        if (record.kind != SN_RECORD_CYCLES) continue;
        CHECK_EQUAL(record.number[0], UNITS);
        for (unsigned i = 0; i < UNITS; i++) {
            sn_unit_cycles of;
            memcpy(&of, record.text[0] + sizeof(sn_thread_cycles) + i * sizeof of, sizeof of);
            uint64_t last = of.period + (uint64_t)(of.given - of.wait);
            all->entries[i] += of.entries;
            all->intervals[i] += of.settled_intervals + last;
            all->measured[i] += of.settled_measured + of.measured;
            all->ticks[i] += (double)of.settled_ticks;
            all->variance[i] += of.settled_variance;
            if (!of.measured) continue;
            double scale = of.stride > 1 ? (double)last / (double)of.measured : 1;
            all->ticks[i] += (double)of.ticks * scale;
        }
    }
    sn_spool_file_close(&file);
}

static found *read_all(void) {
    found *all = calloc(1, sizeof *all);
    CHECK(all);
    DIR *files = opendir(folder);
    CHECK(files);
    for (struct dirent *each; (each = readdir(files));) {
        char path[512];
        if (each->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, each->d_name);
        read_file(all, path);
    }
    closedir(files);
    return all;
}

/* ---- A program. ---- */

typedef struct {
    uint64_t seed, ticks[UNITS], entries[UNITS], intervals[UNITS];
} program;

/* A function that runs, and calls others. */
static void call(program *p, uint32_t unit, unsigned depth) {
    enter(unit);
    p->entries[unit]++;
    for (;;) {
        uint64_t random = check_random(&p->seed), runs = (random >> 40) % 1000;
        clock_now += runs;
        p->ticks[unit] += runs;
        p->intervals[unit]++;
        close_interval(unit);
        if (depth == 20 || random % 3) return;
        call(p, (uint32_t)(random >> 8) % UNITS, depth + 1);
        open_interval(unit);
    }
}

static void *run(void *of) {
    program *p = of;
    for (unsigned i = 0; i < ROUNDS / 10; i++) call(p, i % UNITS, 0);
    return NULL;
}

static void everything_is_measured_exactly(void) {
    look = 0;
    begin_all(0, false);
    program *programs[THREADS] = {NULL};
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        CHECK((programs[i] = calloc(1, sizeof(program))));
        programs[i]->seed = i + 1;
        if (i) CHECK_EQUAL(pthread_create(&threads[i], NULL, run, programs[i]), 0);
    }
    run(programs[0]);
    for (unsigned i = 1; i < THREADS; i++) pthread_join(threads[i], NULL);
    found *all = read_all();
    for (unsigned unit = 0; unit < UNITS; unit++) {
        uint64_t ticks = 0, entries = 0, intervals = 0;
        for (unsigned i = 0; i < THREADS; i++) {
            ticks += programs[i]->ticks[unit];
            entries += programs[i]->entries[unit];
            intervals += programs[i]->intervals[unit];
        }
        CHECK_EQUAL((uint64_t)all->ticks[unit], ticks);
        CHECK_EQUAL(all->entries[unit], entries);
        CHECK_EQUAL(all->intervals[unit], intervals);
        CHECK_EQUAL(all->measured[unit], intervals);
        CHECK(all->variance[unit] <= 0);
    }
    CHECK_EQUAL(all->dropped, 0);
    CHECK_EQUAL(all->lost, 0);
    free(all);
    for (unsigned i = 0; i < THREADS; i++) free(programs[i]);
    remove_folder();
}

/* Intervals of one length: whichever are measured, the sum for all of them is known. */
static void short_intervals_are_measured_seldom_and_long_ones_always(void) {
    look = 10;
    begin_all(0.05, false);
    const uint64_t length[3] = {20, 190, 100000};
    for (unsigned i = 0; i < ROUNDS; i++) {
        for (uint32_t unit = 0; unit < 3; unit++) {
            enter(unit);
            clock_now += length[unit];
            close_interval(unit);
        }
    }
    found *all = read_all();
    CHECK_EQUAL(all->empty, 10);
    CHECK_EQUAL(all->full, 30);
    for (unsigned unit = 0; unit < 3; unit++) {
        CHECK_EQUAL(all->entries[unit], ROUNDS);
        CHECK_EQUAL(all->intervals[unit], ROUNDS);
        double wanted = (double)(length[unit] + look) * ROUNDS;
        double periods = (double)all->measured[unit] / SN_CYCLES_REVISED; /* each rounds down */
        CHECK(all->ticks[unit] <= wanted + 1e-6 * wanted && all->ticks[unit] >= wanted - periods - 1e-6 * wanted);
    }
    /* 30 ticks for one that is measured, of 0.05 x 20: every 30th. 128 are measured before that is known. */
    CHECK(all->measured[0] > ROUNDS / 40 && all->measured[0] < ROUNDS / 20);
    CHECK(all->measured[1] > ROUNDS / 4 && all->measured[1] < ROUNDS / 2);
    CHECK_EQUAL(all->measured[2], ROUNDS);
    free(all);
    remove_folder();
}

/* A function whose intervals alternate, in step with any constant distance: those that are measured are of both kinds. */
static void patterns_of_the_program_do_not_choose_what_is_measured(void) {
    look = 10;
    begin_all(0.05, false);
    uint64_t sum = 0;
    for (unsigned i = 0; i < 10 * ROUNDS; i++) {
        uint64_t runs = i % 2 ? 4 : 36;
        enter(0);
        clock_now += runs;
        sum += runs + look;
        close_interval(0);
    }
    found *all = read_all();
    double off = all->ticks[0] - (double)sum, deviations = off * off / all->variance[0];
    CHECK(all->variance[0] > 0);
    CHECK(deviations < 16); /* 4 standard errors; the choice is the same in each run */
    CHECK(all->measured[0] < ROUNDS);
    free(all);
    remove_folder();
}

/* Runs short intervals, of which one in so many is long; the ticks of all, and how many were long. */
static uint64_t run_with_long_ones(unsigned rounds, unsigned one_in, uint64_t length, unsigned *longs) {
    uint64_t sum = 0, seed = 5;
    *longs = 0;
    for (unsigned i = 0; i < rounds; i++) {
        bool is_long = check_random(&seed) % one_in == 0 && i > 1000;
        uint64_t runs = is_long ? length : 30;
        *longs += is_long;
        enter(0);
        clock_now += runs;
        sum += runs + look;
        close_interval(0);
    }
    return sum;
}

static void interruptions_are_not_scaled(void) {
    look = 10;
    begin_all(0.05, false);
    unsigned longs;
    uint64_t sum = run_with_long_ones(20 * ROUNDS, ROUNDS, 10000000, &longs);
    found *all = read_all();
    CHECK(longs > 5);
    double without = (double)sum - 1e7 * longs;
    /* One that is measured is counted once; the others cannot be seen. */
    CHECK(all->ticks[0] >= without * 0.99 && all->ticks[0] <= without * 1.01 + 1e7 * longs);
    free(all);
    remove_folder();
}

static void long_intervals_that_come_often_are_the_functions_own(void) {
    look = 10;
    begin_all(0.05, false);
    unsigned longs;
    uint64_t sum = run_with_long_ones(20 * ROUNDS, 300, 20000, &longs);
    found *all = read_all();
    double off = all->ticks[0] - (double)sum;
    CHECK(longs > 5000);
    CHECK(off * off / all->variance[0] < 16);
    CHECK(all->measured[0] < 10 * ROUNDS);
    free(all);
    remove_folder();
}

static void what_is_left_by_a_trap_is_lost_and_nothing_else(void) {
    look = 0;
    begin_all(0, false);
    enter(1);
    clock_now += 100;
    close_interval(1);
    open_interval(1);
    clock_now += 5000; /* and there it traps, and a handler jumps to unit 2 */
    clear();
    open_interval(2);
    clock_now += 70;
    close_interval(2);
    enter(1);
    clock_now += 3;
    close_interval(1);
    found *all = read_all();
    CHECK_EQUAL(all->measured[1], 2);
    CHECK_EQUAL(all->intervals[1], 3);
    CHECK_EQUAL((uint64_t)all->ticks[1], 103);
    CHECK_EQUAL((uint64_t)all->ticks[2], 70);
    free(all);
    remove_folder();
}

static void handle(int signal) {
    (void)signal;
    enter(3);
    clock_now += 40;
    close_interval(3);
}

static void what_a_handler_interrupts_is_counted_once(void) {
    look = 0;
    begin_all(0, false);
    struct sigaction action = {.sa_handler = handle};
    CHECK_EQUAL(sigaction(SIGUSR1, &action, NULL), 0);
    enter(0);
    clock_now += 10;
    close_interval(0);
    open_interval(0);
    clock_now += 200;
    raise(SIGUSR1);
    clock_now += 200;
    close_interval(0);
    found *all = read_all();
    CHECK_EQUAL((uint64_t)all->ticks[3], 40);
    CHECK_EQUAL(all->measured[0], 1);
    CHECK_EQUAL(all->intervals[0], 2);
    CHECK_EQUAL((uint64_t)all->ticks[0], 10);
    free(all);
    remove_folder();
}

static void fork_and_run(bool follow) {
    look = 0;
    begin_all(0, follow);
    enter(0);
    clock_now += 7;
    close_interval(0);
    pid_t child = fork();
    if (!child) {
        enter(0);
        clock_now += 1000;
        close_interval(0);
        _exit(0);
    }
    int status;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
    found *all = read_all();
    CHECK_EQUAL((uint64_t)all->ticks[0], follow ? 1007 : 7);
    CHECK_EQUAL(all->entries[0], follow ? 2 : 1);
    free(all);
    remove_folder();
}

static void children_that_are_followed_count(void) { fork_and_run(true); }
static void other_children_count_nothing(void) { fork_and_run(false); }

int main(void) {
    const check_test tests[] = {
        TEST(everything_is_measured_exactly),
        TEST(short_intervals_are_measured_seldom_and_long_ones_always),
        TEST(patterns_of_the_program_do_not_choose_what_is_measured),
        TEST(interruptions_are_not_scaled),
        TEST(long_intervals_that_come_often_are_the_functions_own),
        TEST(what_is_left_by_a_trap_is_lost_and_nothing_else),
        TEST(what_a_handler_interrupts_is_counted_once),
        TEST(children_that_are_followed_count),
        TEST(other_children_count_nothing),
    };
    return check_all(tests, sizeof tests / sizeof *tests);
}
