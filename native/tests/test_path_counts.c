/* What path probes count, against plain counts; the probes here are twins in C of what the pass writes. */
#define _GNU_SOURCE
#include "check.h"

#include "../core/contexts/spool_file.h"
#include "../probes/path_counts.h"
#include "../probes/thread_spools.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>

enum { COUNTERS = 1000, KEYS = 30000, ROUNDS = 200000, THREADS = 4 };

extern SN_THREAD_LOCAL sn_path_count *sn_paths_here;

static char folder[64];

static void begin(bool follow) {
    snprintf(folder, sizeof folder, "%s/paths-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    CHECK(mkdtemp(folder));
    const sn_paths_plan plan = {
        .folder = folder, .command = "it", .mechanism = "paths", .counters = COUNTERS, .follow = follow};
    CHECK_EQUAL(sn_paths_begin(&plan), 0);
}

static void remove_folder(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_EQUAL(system(command), 0);
}

/* ---- The twin. ---- */

static inline void add_one(uint64_t *count) {
#if defined(__x86_64__)
    __asm__ volatile("incq %0" : "+m"(*count) : : "cc");
#else
    __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
#endif
}

static inline void enter(void) {
    if (!*(sn_path_count *volatile *)&sn_paths_here) sn_paths_thread();
}

static inline void count_in_array(uint32_t path) {
    add_one((uint64_t *)(*(sn_path_count *volatile *)&sn_paths_here + SN_PATHS_NEAR) + path);
}

static inline void count_by_key(uint64_t key) {
    sn_path_count *place = *(sn_path_count *volatile *)&sn_paths_here + sn_paths_place(key, SN_PATHS_NEAR_POWER);
    if (place->key == key) add_one(&place->count);
    else sn_paths_count(key);
}

/* ---- What is in the files. ---- */

typedef struct {
    uint64_t counters[COUNTERS], keys[KEYS + 1];
    uint64_t dropped, lost;
    unsigned files;
} found;

static void read_places(found *all, const char *text, uint64_t places) {
    for (uint64_t i = 0; i < places; i++) {
        sn_path_count place;
        memcpy(&place, text + i * sizeof place, sizeof place);
        CHECK(place.key <= KEYS);
        if (place.key) all->keys[place.key] += place.count;
    }
}

static void read_file(found *all, const char *path) {
    sn_spool_file file;
    sn_spool_context context;
    sn_spool_record record;
    CHECK_EQUAL(sn_spool_file_open(&file, path), SN_OK);
    all->dropped += file.header.dropped_calls;
    all->lost += file.header.lost_events;
    all->files += file.header.pid == (uint32_t)getpid();
    unsigned tables = 0;
    for (uint64_t cell = SN_HEADER_CELLS; cell < file.cells;) {
        if (sn_spool_file_next(&file, &cell, &context, &record) != SN_CELL_RECORD) continue;
        if (record.kind == SN_RECORD_PATHS && record.number[1]) {
            read_places(all, record.text[0], UINT64_C(1) << record.number[0]);
            for (unsigned i = 0; i < COUNTERS; i++) {
                uint64_t count;
                memcpy(&count, record.text[0] + SN_PATHS_NEAR * sizeof(sn_path_count) + 8 * i, sizeof count);
                all->counters[i] += count;
            }
        }
        if (record.kind == SN_RECORD_PATHS_TABLE && record.number[1]) {
            read_places(all, record.text[0], UINT64_C(1) << record.number[0]);
            tables++;
        }
    }
    CHECK(tables <= 1);
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
    uint64_t seed;
    uint64_t counters[COUNTERS], keys[KEYS + 1];
} program;

/* Mostly few of the keys, so that some stay in their places and others are put out. */
static void *run(void *of) {
    program *p = of;
    enter();
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint64_t random = check_random(&p->seed);
        if (random & 1) {
            uint32_t path = (uint32_t)(random >> 8) % COUNTERS;
            count_in_array(path);
            p->counters[path]++;
        } else {
            uint64_t key = 1 + (random >> 8) % (random & 6 ? 300 : KEYS);
            count_by_key(key);
            p->keys[key]++;
        }
    }
    return NULL;
}

static program *program_new(uint64_t seed) {
    program *p = calloc(1, sizeof *p);
    CHECK(p);
    p->seed = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    return p;
}

static void check_counts(program *const *programs, unsigned count) {
    found *all = read_all();
    for (unsigned i = 0; i < COUNTERS; i++) {
        uint64_t wanted = 0;
        for (unsigned k = 0; k < count; k++) wanted += programs[k]->counters[i];
        CHECK_EQUAL(all->counters[i], wanted);
    }
    for (unsigned i = 1; i <= KEYS; i++) {
        uint64_t wanted = 0;
        for (unsigned k = 0; k < count; k++) wanted += programs[k]->keys[i];
        CHECK_EQUAL(all->keys[i], wanted);
    }
    CHECK_EQUAL(all->dropped, 0);
    free(all);
}

/* ---- The tests. ---- */

static void every_path_is_counted(void) {
    begin(false);
    program *p = program_new(1);
    run(p);
    check_counts(&p, 1);
    free(p);
    remove_folder();
}

static void threads_count_each_for_itself_and_exactly(void) {
    begin(false);
    program *programs[2 * THREADS];
    pthread_t threads[THREADS];
    for (unsigned wave = 0; wave < 2; wave++) {
        for (unsigned i = 0; i < THREADS; i++) {
            programs[wave * THREADS + i] = program_new(10 + wave * THREADS + i);
            CHECK_EQUAL(pthread_create(&threads[i], NULL, run, programs[wave * THREADS + i]), 0);
        }
        for (unsigned i = 0; i < THREADS; i++) CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
    }
    check_counts(programs, 2 * THREADS);
    found *all = read_all();
    CHECK(all->files <= 1 + THREADS); /* the second wave took over what the first had */
    free(all);
    for (unsigned i = 0; i < 2 * THREADS; i++) free(programs[i]);
    remove_folder();
}

static void in_child(program *p, bool follow) {
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        run(p);
        _exit(0);
    }
    int status = 0;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
    if (follow) run(p); /* the same once more here: p is this process's copy, and did not run */
}

static void a_child_that_is_not_followed_counts_nothing(void) {
    begin(false);
    program *p = program_new(3), *of_child = program_new(4);
    run(p);
    in_child(of_child, false);
    check_counts(&p, 1);
    free(p);
    free(of_child);
    remove_folder();
}

static void a_child_that_is_followed_counts_from_zero(void) {
    begin(true);
    program *p = program_new(5), *of_child = program_new(6);
    run(p);
    in_child(of_child, true);
    program *const programs[] = {p, of_child, of_child}; /* what both ran */
    check_counts(programs, 3);
    free(p);
    free(of_child);
    remove_folder();
}

static void on_signal(int number) {
    (void)number;
    int error = errno;
    enter();
    count_in_array(7);
    errno = error;
}

static void signal_handlers_count_in_arrays(void) {
    begin(false);
    program *p = program_new(7);
    struct sigaction action = {.sa_handler = on_signal};
    CHECK_EQUAL(sigaction(SIGUSR1, &action, NULL), 0);
    enter();
    for (unsigned i = 0; i < 1000; i++) {
        raise(SIGUSR1);
        p->counters[7]++;
        errno = 5;
        count_by_key(1 + i % KEYS);
        p->keys[1 + i % KEYS]++;
        CHECK_EQUAL(errno, 5);
    }
    check_counts(&p, 1);
    free(p);
    remove_folder();
}

/* What threads do that can have no spool changes no counts, and is told. */
static void threads_without_room_are_told(void) {
    begin(false);
    program *p = program_new(8), *of_thread = program_new(9);
    run(p);
    const struct rlimit none = {4096, 4096};
    CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &none), 0);
    for (unsigned i = 0; i < 3; i++) {
        pthread_t thread;
        CHECK_EQUAL(pthread_create(&thread, NULL, run, of_thread), 0);
        CHECK_EQUAL(pthread_join(thread, NULL), 0);
    }
    check_counts(&p, 1);
    found *all = read_all();
    CHECK_EQUAL(all->lost, 3);
    free(all);
    free(p);
    free(of_thread);
    remove_folder();
}

int main(void) {
    const check_test tests[] = {
        TEST(every_path_is_counted),
        TEST(threads_count_each_for_itself_and_exactly),
        TEST(a_child_that_is_not_followed_counts_nothing),
        TEST(a_child_that_is_followed_counts_from_zero),
        TEST(signal_handlers_count_in_arrays),
        TEST(threads_without_room_are_told),
    };
    return check_all(tests, sizeof tests / sizeof *tests);
}
