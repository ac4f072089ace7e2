/* What code with probes counts in order, against a forest with two cursors; the probes here are twins in C of what the pass
 * writes. */
#define _GNU_SOURCE
#include "check.h"

#include "../core/paths/path_forest.h"
#include "../core/paths/slab_file.h"
#include "../probes/path_forests.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { ROUTINES = 3, ROUNDS = 3000, THREADS = 4, K = 3, ROOM = 1 << 20 };

/* Paths of a routine begin at its entry, or at the head of its loop, and lead to its end or to the head. */
typedef struct {
    uint32_t first, words; /* of the row where so many paths begin; SN_PATHS_MANY in `words` */
    uint32_t paths;
} begun;

/* With few paths everywhere, with many from the entry, with many everywhere. */
static const begun entries[ROUTINES] = {{10, 4, 4}, {0, SN_PATHS_MANY | SN_PATHS_WORDS, 1000}, {0, SN_PATHS_MANY | SN_PATHS_WORDS, 90}};
static const begun heads[ROUTINES] = {{0, 10, 10}, {0, 16, 16}, {0, SN_PATHS_MANY | SN_PATHS_WORDS, 40}};
static const uint32_t begins[ROUTINES][2] = {{10, 0}, {16, 0}, {40, 0}}; /* the first path from the entry, from the head */

static char folder[64];

static void begin(uint32_t k, uint64_t most) {
    uint32_t rows[ROUTINES];
    for (int i = 0; i < ROUTINES; i++) rows[i] = entries[i].words & ~SN_PATHS_MANY;
    snprintf(folder, sizeof folder, "%s/paths-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    CHECK(mkdtemp(folder));
    CHECK_EQUAL(sn_path_forests_begin(folder, k, most, ROUTINES, rows), 0);
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

typedef struct {
    sn_slab_node *nodes;
    int64_t state;
    uint32_t routine;
    const begun *next; /* where its next path begins */
} activation;

static int64_t bias(const begun *at) { return at->words & SN_PATHS_MANY ? 0 : SN_PATHS_STEP - (int64_t)at->first; }

static activation enter(uint32_t routine) {
    sn_slab_node *volatile *word = (void *)((char *)__builtin_thread_pointer() + sn_path_forests_offset());
    if (!*word) sn_paths_thread_forest();
    uint32_t node = SN_SLAB_FIRST;
    for (uint32_t i = 0; i < routine; i++) node += (uint32_t)SN_SLAB_PLACES(entries[i].words & ~SN_PATHS_MANY);
    add_one(&(*word)[node].count);
    return (activation){*word, SN_PATHS_STEP * (int64_t)node + bias(&entries[routine]), routine, &entries[routine]};
}

/* A path has been taken, and the next one begins at `after`; NULL: there is none. */
static void take(activation *a, uint64_t id, const begun *after) {
    volatile uint32_t *base = (volatile uint32_t *)a->nodes, *word;
    uint32_t many = a->next->words & SN_PATHS_MANY;
    int64_t next_bias = after ? bias(after) : 0, node;
    if (many) {
        word = base + a->state + SN_PATHS_STEP + sn_paths_word(id);
        node = (int64_t)*word;
        a->next = after;
        if (*(volatile uint64_t *)(base + node) == id) {
            add_one((uint64_t *)(base + node) + 1);
            a->state = node + next_bias;
            return;
        }
    } else {
        word = base + a->state + (int64_t)id;
        int32_t next = (int32_t)*word;
        a->next = after;
        if (next) {
            add_one((uint64_t *)(base + next - next_bias) + 1);
            a->state = next;
            return;
        }
    }
    a->state = sn_paths_follow((uint32_t *)word, id, a->routine | many, after ? after->words : 0, after ? after->first : 0);
}

/* ---- What it is held against. ---- */

typedef struct {
    sn_slab_forest forest;
    uint64_t seed;
} program;

static program *program_new(uint32_t k, uint64_t seed) {
    program *p = calloc(1, sizeof *p);
    CHECK(p);
    CHECK_EQUAL(sn_slab_create(&p->forest, -1, k, ROOM), SN_OK);
    p->seed = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    return p;
}

static void program_free(program *p) {
    sn_slab_destroy(&p->forest);
    free(p);
}

/* An activation, with others within it. */
static void run_routine(program *p, uint32_t depth) {
    uint32_t routine = (uint32_t)(check_random(&p->seed) % ROUTINES);
    activation a = enter(routine);
    sn_slab_activation twin;
    sn_slab_begin(&p->forest, routine, &twin);
    const begun *from = &entries[routine];
    while (from) {
        uint64_t random = check_random(&p->seed);
        uint64_t id = begins[routine][from == &heads[routine]] + (random & 1 ? 0 : random >> 8) % from->paths;
        if (depth && random % 7 == 0) run_routine(p, depth - 1);
        const begun *after = id % 5 == 4 ? NULL : &heads[routine]; /* the path says where it leads */
        take(&a, id, after);
        sn_slab_next(&p->forest, &twin, id);
        from = after;
    }
}

static void *run(void *of) {
    for (unsigned i = 0; i < ROUNDS; i++) run_routine(of, 2);
    return NULL;
}

/* ---- What is in the files. ---- */

static uint64_t sum_of(const sn_path_rows *rows) {
    uint64_t sum = 0;
    for (size_t i = 0; i < rows->rows; i++) sum += rows->count[i];
    return sum;
}

static int open_next(DIR *in, struct stat *about) {
    for (struct dirent *entry; (entry = readdir(in));) {
        if (!strstr(entry->d_name, ".paths")) continue;
        int file = openat(dirfd(in), entry->d_name, O_RDONLY);
        CHECK(file >= 0 && !fstat(file, about));
        return file;
    }
    return -1;
}

/* How often a row of `wanted`, and all above it, was counted in other rows. */
static uint64_t count_in(const sn_path_rows *rows, const sn_path_rows *wanted, const int64_t *path, size_t length) {
    int64_t parent = -1;
    for (size_t i = length; i-- > 0;) {
        int64_t row = parent + 1;
        while (row < (int64_t)rows->rows && (rows->parent[row] != parent || rows->id[row] != wanted->id[path[i]])) row++;
        if (row == (int64_t)rows->rows) return 0;
        parent = row;
    }
    return rows->count[parent];
}

/* All files together have just the sequences of the programs; they have no room for more than two threads each. */
static size_t check_counts(program *const *programs, unsigned count, uint32_t k, uint64_t *dropped) {
    static sn_path_rows in_files[64], wanted[64];
    DIR *in = opendir(folder);
    CHECK(in);
    size_t files = 0;
    struct stat about;
    uint64_t sums[2] = {0};
    for (int file; (file = open_next(in, &about)) >= 0; files++) {
        void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        sn_slab_forest forest;
        CHECK(bytes != MAP_FAILED && files < 64);
        CHECK_EQUAL(sn_slab_over(&forest, bytes, (size_t)about.st_size, k), SN_OK);
        CHECK_EQUAL(sn_path_rows_make(&forest, 1, ROOM, &in_files[files]), SN_OK);
        if (dropped) *dropped += sn_slab_dropped(&forest);
        else CHECK_EQUAL(sn_slab_dropped(&forest), 0);
        sums[0] += sum_of(&in_files[files]);
        munmap(bytes, (size_t)about.st_size);
        close(file);
    }
    closedir(in);
    for (unsigned i = 0; i < count; i++) {
        CHECK_EQUAL(sn_path_rows_make(&programs[i]->forest, 1, ROOM, &wanted[i]), SN_OK);
        sums[1] += sum_of(&wanted[i]);
    }
    for (unsigned i = 0; !dropped && i < count; i++)
        for (size_t row = 0; row < wanted[i].rows; row += 1 + row / 64) { /* searching takes long: some of the rows */
            int64_t path[16];
            size_t length = 0;
            for (int64_t at = (int64_t)row; at >= 0; at = wanted[i].parent[at]) path[length++] = at;
            uint64_t got = 0, expected = 0;
            for (size_t file = 0; file < files; file++) got += count_in(&in_files[file], &wanted[i], path, length);
            for (unsigned other = 0; other < count; other++) expected += count_in(&wanted[other], &wanted[i], path, length);
            CHECK_EQUAL(got, expected);
        }
    if (dropped) CHECK(sums[0] < sums[1]);
    else CHECK_EQUAL(sums[0], sums[1]);
    return files;
}

/* ---- The tests. ---- */

static void rows_and_calls_agree_with_two_cursors(void) {
    const uint32_t ks[] = {1, 2, 3, 6};
    for (unsigned i = 0; i < 4; i++) {
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            begin(ks[i], ROOM);
            program *p = program_new(ks[i], 1 + i);
            run(p);
            CHECK_EQUAL(check_counts(&p, 1, ks[i], NULL), 1);
            program_free(p);
            remove_folder();
            exit(0);
        }
        int status = 0;
        CHECK_EQUAL(waitpid(child, &status, 0), child);
        CHECK_EQUAL(status, 0);
    }
}

static void threads_count_each_for_itself_and_exactly(void) {
    begin(K, ROOM);
    program *programs[2 * THREADS];
    pthread_t threads[THREADS];
    for (unsigned wave = 0; wave < 2; wave++) {
        for (unsigned i = 0; i < THREADS; i++) {
            programs[wave * THREADS + i] = program_new(K, 10 + wave * THREADS + i);
            CHECK_EQUAL(pthread_create(&threads[i], NULL, run, programs[wave * THREADS + i]), 0);
        }
        for (unsigned i = 0; i < THREADS; i++) CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
    }
    CHECK(check_counts(programs, 2 * THREADS, K, NULL) <= 1 + THREADS); /* the second wave took over what the first had */
    for (unsigned i = 0; i < 2 * THREADS; i++) program_free(programs[i]);
    remove_folder();
}

static void a_child_counts_nothing_even_where_it_goes_on(void) {
    begin(K, ROOM);
    program *p = program_new(K, 3), *of_child = program_new(K, 4);
    run(p);
    activation a = enter(0), b = enter(2);
    sn_slab_activation twin, other;
    sn_slab_begin(&p->forest, 0, &twin);
    sn_slab_begin(&p->forest, 2, &other);
    take(&a, 10, &heads[0]);
    sn_slab_next(&p->forest, &twin, 10);
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        for (uint64_t i = 0; i < 1000; i++) {
            take(&a, i % 3, &heads[0]);
            take(&b, i % 40, &heads[2]);
        }
        run(of_child);
        pthread_t thread;
        CHECK_EQUAL(pthread_create(&thread, NULL, run, of_child), 0);
        CHECK_EQUAL(pthread_join(thread, NULL), 0);
        _exit(0);
    }
    int status = 0;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
    check_counts(&p, 1, K, NULL);
    program_free(p);
    program_free(of_child);
    remove_folder();
}

static program *interrupted;

static void on_signal(int number) {
    (void)number;
    int error = errno;
    errno = 9;
    activation a = enter(0);
    for (uint64_t i = 0; i < 5; i++) take(&a, i ? i % 3 : 10, &heads[0]);
    CHECK_EQUAL(errno, 9);
    errno = error;
}

static void signal_handlers_count_for_themselves(void) {
    begin(K, ROOM);
    interrupted = program_new(K, 7);
    struct sigaction action = {.sa_handler = on_signal};
    CHECK_EQUAL(sigaction(SIGUSR1, &action, NULL), 0);
    for (unsigned i = 0; i < 300; i++) {
        sn_slab_activation twin;
        raise(SIGUSR1);
        sn_slab_begin(&interrupted->forest, 0, &twin);
        for (uint64_t k = 0; k < 5; k++) sn_slab_next(&interrupted->forest, &twin, k ? k % 3 : 10);
        run_routine(interrupted, 2);
    }
    check_counts(&interrupted, 1, K, NULL);
    program_free(interrupted);
    remove_folder();
}

static void what_has_no_room_is_told(void) {
    begin(K, 500);
    program *p = program_new(K, 5);
    run(p);
    uint64_t dropped = 0;
    check_counts(&p, 1, K, &dropped);
    CHECK(dropped > 0);
    program_free(p);
    remove_folder();
}

/* What such threads do changes no counts. */
static void threads_without_room_count_nothing(void) {
    begin(K, ROOM);
    program *p = program_new(K, 8), *of_thread = program_new(K, 9);
    run(p);
    const struct rlimit none = {4096, 4096};
    CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &none), 0);
    pthread_t thread;
    CHECK_EQUAL(pthread_create(&thread, NULL, run, of_thread), 0);
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
    check_counts(&p, 1, K, NULL);
    program_free(p);
    program_free(of_thread);
    remove_folder();
}

/* An activation that goes on in another thread is not counted there, nor does it harm. */
static void *go_on(void *of) {
    activation *a = of;
    activation own = enter(1); /* this thread has a forest, too */
    take(&own, 16, NULL);
    take(a, 7, &heads[0]);
    for (uint64_t i = 0; i < 100; i++) take(a, 8 + i % 2, &heads[0]);
    return NULL;
}

static void activations_may_change_threads(void) {
    begin(K, ROOM);
    program *p = program_new(K, 12);
    activation a = enter(0);
    take(&a, 10, &heads[0]);
    pthread_t thread;
    CHECK_EQUAL(pthread_create(&thread, NULL, go_on, &a), 0);
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
    sn_slab_activation twin;
    sn_slab_begin(&p->forest, 0, &twin);
    for (uint64_t i = 0; i < 200; i++) sn_slab_next(&p->forest, &twin, 10);
    uint64_t dropped = 0;
    CHECK_EQUAL(check_counts(&p, 1, K, &dropped), 2);
    CHECK_EQUAL(dropped, 101);
    program_free(p);
    remove_folder();
}

static uint32_t *asked; /* static, since the stack is another one while registers are set */
static uint64_t after[13];

static void registers_are_kept(void) {
#if defined(__x86_64__)
    begin(K, ROOM);
    activation a = enter(2);
    uint64_t result;
    asked = (uint32_t *)a.nodes + a.state + SN_PATHS_STEP;
    for (unsigned round = 0; round < 2; round++) { /* a node is made, and one is found */
        *asked = 0;
        /* rdi, rsi, rdx, rcx, r8 are arguments, and kept, too. */
        __asm__ volatile("push %%rbp\n push %%rbx\n mov %%rsp, %%rbx\n sub $256, %%rsp\n and $-16, %%rsp\n"
                         "mov %%rbx, 128(%%rsp)\n"
                         "mov %[asked], %%rdi\n mov $40, %%esi\n mov $0x80000002, %%edx\n mov $0x80000008, %%ecx\n"
                         "mov $105, %%r8d\n mov $109, %%r9d\n mov $110, %%r10d\n mov $103, %%ebx\n mov $106, %%ebp\n"
                         "mov $112, %%r12d\n mov $113, %%r13d\n mov $114, %%r14d\n mov $115, %%r15d\n"
                         "call sn_paths_follow\n"
                         "lea %[after], %%r11\n"
                         "mov %%rdi, (%%r11)\n mov %%rsi, 8(%%r11)\n mov %%rdx, 16(%%r11)\n mov %%rcx, 24(%%r11)\n"
                         "mov %%r8, 32(%%r11)\n mov %%r9, 40(%%r11)\n mov %%r10, 48(%%r11)\n mov %%rbx, 56(%%r11)\n"
                         "mov %%rbp, 64(%%r11)\n mov %%r12, 72(%%r11)\n mov %%r13, 80(%%r11)\n mov %%r14, 88(%%r11)\n"
                         "mov %%r15, 96(%%r11)\n mov 128(%%rsp), %%rsp\n pop %%rbx\n pop %%rbp\n"
                         : "=&a"(result), [after] "=m"(after)
                         : [asked] "m"(asked)
                         : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc");
        const uint64_t wanted[] = {(uint64_t)(uintptr_t)asked, 40, 0x80000002u, 0x80000008u, 105, 109, 110, 103, 106,
                                   112, 113, 114, 115};
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) CHECK_EQUAL(after[i], wanted[i]);
        CHECK_EQUAL(result, *asked);
        CHECK_EQUAL(((uint64_t *)((uint32_t *)a.nodes + result))[1], round + 1);
    }
    remove_folder();
#else
    SKIP("only x86-64 keeps registers");
#endif
}

int main(void) {
    const check_test tests[] = {
        TEST(rows_and_calls_agree_with_two_cursors),
        TEST(threads_count_each_for_itself_and_exactly),
        TEST(a_child_counts_nothing_even_where_it_goes_on),
        TEST(signal_handlers_count_for_themselves),
        TEST(what_has_no_room_is_told),
        TEST(threads_without_room_count_nothing),
        TEST(activations_may_change_threads),
        TEST(registers_are_kept),
    };
    return check_all(tests, sizeof tests / sizeof *tests);
}
