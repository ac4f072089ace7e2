/* Sampling of code: what the kernel would write into a ring, and what it writes of a child that runs known code. */
#include "check.h"

#include "../core/contexts/spool_file.h"
#include "../core/samples/code_sampler.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

enum { START = 4096, BYTES = 64, RING = 256, SELF = 7 };

typedef struct {
    uint8_t bytes[RING];
    uint64_t end;
} written;

static void put(written *to, const void *what, size_t count) {
    for (size_t i = 0; i < count; i++) to->bytes[to->end++ % RING] = ((const uint8_t *)what)[i];
}

static void put_head(written *to, uint32_t type, uint16_t misc, size_t body) {
    struct perf_event_header head = {type, misc, (uint16_t)(sizeof head + body)};
    put(to, &head, sizeof head);
}

static void put_sample(written *to, uint64_t address, uint32_t process, uint16_t mode) {
    const uint32_t ids[2] = {process, process};
    put_head(to, PERF_RECORD_SAMPLE, mode, sizeof address + sizeof ids);
    put(to, &address, sizeof address);
    put(to, ids, sizeof ids);
}

static sn_code_samples_reader reader_of(bool follow) {
    sn_code_samples *samples = calloc(1, sizeof *samples + BYTES * sizeof(uint32_t));
    CHECK(samples);
    samples->start = START;
    samples->bytes = BYTES;
    return (sn_code_samples_reader){.samples = samples, .process = SELF, .follow = follow};
}

static void samples_are_counted_by_where_they_are(void) {
    written ring = {.end = 0};
    put_sample(&ring, START, SELF, PERF_RECORD_MISC_USER);
    put_sample(&ring, START + BYTES - 1, SELF, PERF_RECORD_MISC_USER);
    put_sample(&ring, START + BYTES, SELF, PERF_RECORD_MISC_USER);
    put_sample(&ring, START - 1, SELF, PERF_RECORD_MISC_USER);
    put_sample(&ring, START, SELF, PERF_RECORD_MISC_KERNEL);
    put_sample(&ring, START, SELF + 1, PERF_RECORD_MISC_USER);
    for (int follow = 0; follow < 2; follow++) {
        sn_code_samples_reader reader = reader_of(follow);
        CHECK_EQUAL(sn_code_samples_take(&reader, ring.bytes, RING, 0, ring.end), ring.end);
        const sn_code_samples *found = reader.samples;
        CHECK_EQUAL(found->inside, 2 + follow);
        CHECK_EQUAL(found->counts[0], 1 + follow);
        CHECK_EQUAL(found->counts[BYTES - 1], 1);
        CHECK_EQUAL(found->elsewhere, 2);
        CHECK_EQUAL(found->in_kernel, 1);
        CHECK_EQUAL(found->of_children, !follow);
        free(reader.samples);
    }
}

static void what_is_lost_is_told(void) {
    written ring = {.end = 0};
    const uint64_t lost[2] = {99, 5};
    const uint32_t thread[4] = {SELF, SELF, SELF + 1, SELF}, child[4] = {SELF + 2, SELF, SELF + 2, SELF};
    put_head(&ring, PERF_RECORD_LOST, 0, sizeof lost);
    put(&ring, lost, sizeof lost);
    put_head(&ring, PERF_RECORD_THROTTLE, 0, sizeof lost);
    put(&ring, lost, sizeof lost);
    put_head(&ring, PERF_RECORD_FORK, 0, sizeof thread);
    put(&ring, thread, sizeof thread);
    put_head(&ring, PERF_RECORD_FORK, 0, sizeof child);
    put(&ring, child, sizeof child);
    sn_code_samples_reader reader = reader_of(false);
    CHECK_EQUAL(sn_code_samples_take(&reader, ring.bytes, RING, 0, ring.end), ring.end);
    CHECK_EQUAL(reader.samples->lost, 5);
    CHECK_EQUAL(reader.samples->throttled, 1);
    CHECK_EQUAL(reader.threads, 1);
    free(reader.samples);
}

static void records_may_go_around_the_end(void) {
    for (uint64_t begin = 0; begin < 2 * RING; begin += 8) {
        written ring = {.end = begin};
        for (int i = 0; i < 5; i++) put_sample(&ring, START + 3, SELF, PERF_RECORD_MISC_USER);
        sn_code_samples_reader reader = reader_of(false);
        CHECK_EQUAL(sn_code_samples_take(&reader, ring.bytes, RING, begin, ring.end), ring.end);
        CHECK_EQUAL(reader.samples->counts[3], 5);
        free(reader.samples);
    }
}

/* Whatever stands there: nothing outside the ring is read, and it stops where nothing can be understood. */
static void nonsense_is_not_understood(void) {
    uint64_t state = 1;
    for (int round = 0; round < 2000; round++) {
        written ring = {.end = 0};
        for (int i = 0; i < RING / 8; i++) {
            uint64_t word = check_random(&state);
            if (round & 1) word &= UINT64_C(0x0018000f0000000f); /* sizes and kinds that there are */
            put(&ring, &word, sizeof word);
        }
        sn_code_samples_reader reader = reader_of(false);
        CHECK(sn_code_samples_take(&reader, ring.bytes, RING, 0, RING) <= RING);
        free(reader.samples);
    }
    written ring = {.end = 0};
    struct perf_event_header nothing = {.size = 0};
    put(&ring, &nothing, sizeof nothing);
    sn_code_samples_reader reader = reader_of(false);
    CHECK_EQUAL(sn_code_samples_take(&reader, ring.bytes, RING, 0, ring.end), 0);
    free(reader.samples);
}

/* ---- What the kernel writes. ---- */

static volatile uint64_t sum;

__attribute__((noinline, aligned(4096))) static void spin(uint64_t rounds) {
    for (uint64_t i = 0; i < rounds; i++) sum += i;
}

static void *spin_in_thread(void *rounds) {
    spin(*(uint64_t *)rounds);
    return NULL;
}

/* Runs 0.2 s of processor time in two threads each, when it is told to. */
static void become_spinning(int told) {
    char go;
    CHECK_EQUAL(read(told, &go, 1), 1);
    uint64_t rounds = 1000000;
    pthread_t other;
    clock_t begun = clock();
    while (clock() - begun < CLOCKS_PER_SEC / 5) {
        CHECK_EQUAL(pthread_create(&other, NULL, spin_in_thread, &rounds), 0);
        spin(rounds);
        pthread_join(other, NULL);
    }
    _exit(0);
}

static void a_child_is_sampled_in_its_threads(void) {
    if (sn_code_sampler_refused()) SKIP("the system lets nobody sample");
    char path[] = "/tmp/sonde-samples-XXXXXX";
    int file = mkstemp(path), told[2];
    CHECK(file >= 0);
    close(file);
    CHECK_EQUAL(pipe(told), 0);
    pid_t child = fork();
    if (!child) become_spinning(told[0]);
    const sn_code_sampler_plan plan = {.process = child,
                                       .start = (uint64_t)(uintptr_t)spin,
                                       .bytes = 256,
                                       .ns_per_sample = 200000,
                                       .command = "prog",
                                       .mechanism = "samples"};
    sn_code_sampler *sampler = sn_code_sampler_create(&plan, path);
    CHECK(sampler);
    CHECK_EQUAL(write(told[1], "g", 1), 1);
    int status;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
    sn_code_sampler_destroy(sampler);

    sn_spool_file spool;
    CHECK_EQUAL(sn_spool_file_open(&spool, path), SN_OK);
    CHECK_EQUAL(spool.header.pid, child);
    CHECK(spool.header.threads > 1);
    bool is_found = false;
    for (uint64_t cell = SN_HEADER_CELLS; cell < spool.cells;) {
        sn_spool_context context;
        sn_spool_record record;
        if (sn_spool_file_next(&spool, &cell, &context, &record) != SN_CELL_RECORD) continue;
        if (record.kind != SN_RECORD_SAMPLES) continue;
        const sn_code_samples *found = (const sn_code_samples *)(const void *)record.text[0];
        CHECK_EQUAL(record.length[0], sizeof *found + 256 * sizeof(uint32_t));
        uint64_t all = 0;
        for (unsigned i = 0; i < 256; i++) all += found->counts[i];
        CHECK_EQUAL(all, found->inside);
        CHECK(all > 10); /* of a thousand, if nothing disturbs it: sanitizers and a busy machine do */
        CHECK(found->ns_per_sample > 150000 && found->ns_per_sample < 260000);
        is_found = true;
    }
    CHECK(is_found);
    sn_spool_file_close(&spool);
    unlink(path);
}

static void what_cannot_be_sampled_says_why(void) {
    char path[] = "/tmp/sonde-samples-XXXXXX";
    int file = mkstemp(path);
    CHECK(file >= 0);
    close(file);
    sn_code_sampler_plan plan = {.process = 0x7ffffff0, .start = START, .bytes = BYTES, .ns_per_sample = 1e6,
                                 .command = "", .mechanism = ""};
    CHECK(!sn_code_sampler_create(&plan, path));
    CHECK(errno);
    plan.bytes = UINT64_C(1) << 40;
    CHECK(!sn_code_sampler_create(&plan, path));
    CHECK_EQUAL(errno, EFBIG);
    CHECK(!sn_code_sampler_create(&plan, "/nowhere/at/all"));
    unlink(path);
}

CHECK_MAIN(TEST(samples_are_counted_by_where_they_are), TEST(what_is_lost_is_told), TEST(records_may_go_around_the_end),
           TEST(nonsense_is_not_understood), TEST(a_child_is_sampled_in_its_threads), TEST(what_cannot_be_sampled_says_why))
