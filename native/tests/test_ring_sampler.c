/* Samples of a made-up CPython through a ring: written by many threads, read by one; full, damaged, and code that changes. */
#define _GNU_SOURCE
#include "check.h"
#include "fake_python.h"

#include "../core/stacks/code_pieces.h"
#include "../core/stacks/ring_sampler.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

enum { RING = 1 << 14, MS = 1000000 };

typedef struct {
    fake_python fake;
    uint64_t main, work;
    sn_ring_header *ring;
    sn_ring_sampler *sampler;
    char path[64];
} ringed;

static ringed *begin(bool apart) {
    ringed *r = calloc(1, sizeof *r);
    CHECK(r);
    fake_begin(&r->fake, false);
    r->main = fake_code(&r->fake, "<module>", "app.py", 1, 9);
    r->work = fake_code(&r->fake, "work", "app.py", 10, 9);
    strcpy(r->path, "/tmp/sonde-ring-XXXXXX");
    int file = mkstemp(r->path);
    CHECK(file >= 0 && !ftruncate(file, SN_RING_HEADER + RING));
    r->ring = mmap(NULL, SN_RING_HEADER + RING, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(r->ring != MAP_FAILED);
    close(file);
    r->sampler = sn_ring_sampler_create(apart);
    CHECK(r->sampler);
    CHECK_EQUAL(sn_ring_sampler_add(r->sampler, r->path), SN_RING_NOT_READY);
    r->ring->header_bytes = sizeof *r->ring;
    r->ring->pid = 17;
    r->ring->ring_bytes = RING;
    r->ring->layout = r->fake.python.layout;
    r->ring->code_type = r->fake.python.code_type;
    r->ring->began_ns = 2 * MS;
    r->ring->magic = SN_RING_MAGIC;
    CHECK_EQUAL(sn_ring_sampler_add(r->sampler, r->path), SN_RING_ADDED);
    unlink(r->path);
    return r;
}

static void end(ringed *r) {
    sn_ring_sampler_destroy(r->sampler);
    munmap(r->ring, SN_RING_HEADER + RING);
    free(r);
}

static void tell(ringed *r, uint64_t code) {
    const sn_memory_reader memory = fake_reader(&r->fake);
    sn_ring_piece pieces[SN_CODE_PIECES];
    CHECK(sn_code_pieces(&memory, &r->ring->layout, r->ring->code_type, code, pieces));
    uint32_t bytes = sn_code_record_bytes(pieces);
    sn_record_code *record = sn_ring_reserve(r->ring, bytes);
    CHECK(record && sn_code_record_fill(&memory, code, pieces, record));
    sn_ring_commit(record, SN_RECORD_CODE, bytes);
}

/* A stack of `work` called by the module, or of the module alone, or of none. */
static bool sample(sn_ring_header *ring, const ringed *r, uint32_t thread, uint64_t ran_ns, uint32_t frames) {
    uint32_t bytes = (uint32_t)(sizeof(sn_record_sample) + frames * sizeof(sn_ring_frame));
    uint64_t begin_of = r->ring->layout.code_instructions;
    const sn_ring_frame both[] = {{r->work, r->work + begin_of + 2 * 3}, {r->main, r->main + begin_of + 2 * 5}};
    sn_record_sample *record = sn_ring_reserve(ring, bytes);
    if (!record) return false;
    record->thread = thread;
    record->frames = frames;
    record->ran_ns = ran_ns;
    memcpy(record + 1, both + (2 - frames), frames * sizeof *both);
    sn_ring_commit(record, SN_RECORD_SAMPLE, bytes);
    return true;
}

static double own_ms(const ringed *r, const char *name) {
    const sn_stack_tree *tree = sn_ring_sampler_tree(r->sampler);
    const sn_code_functions *functions = sn_ring_sampler_functions(r->sampler);
    int64_t parent[64], function[64], line[64], self[64];
    double squares[64], sum = 0;
    CHECK(tree->tree.nodes <= 64);
    const sn_stack_columns columns = {parent, function, line, self, squares};
    uint64_t rows = sn_stack_tree_columns(tree, &columns);
    for (uint64_t i = 0; i < rows; i++) {
        const sn_code_function *f = function[i] < 0 ? NULL : &functions->functions[function[i]];
        if (f && f->name_bytes == strlen(name) && !memcmp(f->name, name, f->name_bytes)) sum += (double)self[i] / MS;
    }
    return sum;
}

static void times_are_halves_of_gaps(void) {
    ringed *r = begin(false);
    tell(r, r->main);
    tell(r, r->work);
    CHECK(sample(r->ring, r, 17, 4 * MS, 1)); /* half of what it ran since it began at 2 */
    CHECK(sample(r->ring, r, 17, 6 * MS, 2));
    CHECK(sample(r->ring, r, 17, 12 * MS, 2));
    CHECK(sample(r->ring, r, 18, 1 * MS, 2)); /* another thread, from 0 */
    CHECK(sample(r->ring, r, 17, 14 * MS, 0));
    CHECK(sn_ring_sampler_drain(r->sampler) && !sn_ring_sampler_drain(r->sampler));
    CHECK(own_ms(r, "<module>") == 1 + 1);
    CHECK(own_ms(r, "work") == 1 + 6 + 0.5 + 1);
    sn_ring_sums sums = sn_ring_sampler_sums(r->sampler);
    CHECK(sums.samples == 5 && sums.stacks == 4 && sums.outside == 1 && sums.covered_ns == 13 * MS);
    CHECK_EQUAL(sn_ring_sampler_threads(r->sampler), 2);
    CHECK(sample(r->ring, r, 17, 1 * MS, 2)); /* its clock went back: a new thread of the same number */
    sn_ring_sampler_drain(r->sampler);
    CHECK_EQUAL(sn_ring_sampler_threads(r->sampler), 3);
    sn_ring_sampler_release(r->sampler, 0);
    CHECK(!sn_ring_sampler_drain(r->sampler));
    CHECK_EQUAL(sn_ring_sampler_process(r->sampler, 0).pid, 17);
    CHECK_EQUAL(sn_ring_sampler_sums(r->sampler).samples, 6);
    end(r);
}

static void an_address_that_is_used_again_is_another_function(void) {
    ringed *r = begin(false);
    tell(r, r->main);
    tell(r, r->work);
    CHECK(sample(r->ring, r, 17, 4 * MS, 2));
    CHECK(sample(r->ring, r, 17, 6 * MS, 2));
    sn_ring_sampler_drain(r->sampler);
    fake_code_at(&r->fake, r->work, "other", "app.py", 30, 9);
    tell(r, r->work);
    CHECK(sample(r->ring, r, 17, 8 * MS, 2));
    CHECK(sample(r->ring, r, 17, 10 * MS, 2));
    sn_ring_sampler_drain(r->sampler);
    CHECK(own_ms(r, "work") == 1 + 2 + 1 && own_ms(r, "other") == 1 + 2);
    CHECK_EQUAL(sn_ring_sampler_sums(r->sampler).replaced, 1);
    end(r);
}

static void code_that_was_not_told_is_counted(void) {
    ringed *r = begin(false);
    tell(r, r->main);
    CHECK(sample(r->ring, r, 17, 4 * MS, 2));
    sn_ring_sampler_drain(r->sampler);
    CHECK_EQUAL(sn_ring_sampler_sums(r->sampler).unknown, 1);
    CHECK(own_ms(r, "<module>") == 0);
    end(r);
}

static void what_finds_no_room_is_counted_and_what_is_there_is_kept(void) {
    ringed *r = begin(false);
    tell(r, r->main);
    tell(r, r->work);
    uint64_t written = 0, ran_ns = 2 * MS;
    while (sample(r->ring, r, 17, ran_ns += MS, 2)) written++;
    CHECK(!sn_ring_reserve(r->ring, RING));
    sn_ring_sampler_drain(r->sampler);
    sn_ring_sums sums = sn_ring_sampler_sums(r->sampler);
    CHECK(written > 100 && sums.samples == written && sums.counts[SN_RING_LOST] == 2);
    CHECK(sample(r->ring, r, 17, ran_ns + MS, 2)); /* there is room again */
    end(r);
}

static void damage_ends_the_reading_only(void) {
    const uint64_t words[] = {UINT64_C(0x0000000200000000), UINT64_C(0x0000000200000007), UINT64_C(0x00000002fffffff8),
                              UINT64_C(0x0000000200000010), UINT64_C(0x0000000300000010), UINT64_C(0x0000000900000010)};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        ringed *r = begin(false);
        tell(r, r->main);
        void *record = sn_ring_reserve(r->ring, 64);
        CHECK(record);
        memset((uint8_t *)record + 8, 0xff, 56);
        memcpy(record, &words[i], sizeof words[i]);
        sn_ring_sampler_drain(r->sampler);
        sn_ring_sampler_drain(r->sampler);
        CHECK_EQUAL(sn_ring_sampler_sums(r->sampler).damaged, 1);
        end(r);
    }
    ringed *r = begin(false);
    r->ring->head = 5 * RING;
    CHECK(!sn_ring_sampler_drain(r->sampler));
    CHECK_EQUAL(sn_ring_sampler_sums(r->sampler).damaged, 1);
    end(r);
}

enum { WRITERS = 4, EACH = 5000 };

typedef struct {
    ringed *r;
    uint32_t thread;
} writer;

static void *write_many(void *at) {
    writer *w = at;
    for (uint64_t i = 1; i <= EACH; i++)
        while (!sample(w->r->ring, w->r, w->thread, i * MS, 1 + (uint32_t)(i % 2))) sched_yield();
    return NULL;
}

/* Guarantee of sample_ring.h: what was committed is read, whole, and in the order of each thread. */
static void threads_write_while_it_is_read(void) {
    ringed *r = begin(false);
    tell(r, r->main);
    tell(r, r->work);
    sn_ring_sampler_drain(r->sampler);
    pthread_t threads[WRITERS];
    writer writers[WRITERS];
    for (uint32_t i = 0; i < WRITERS; i++) {
        writers[i] = (writer){r, 100 + i};
        CHECK(!pthread_create(&threads[i], NULL, write_many, &writers[i]));
    }
    for (uint32_t i = 0; i < WRITERS; i++)
        while (pthread_tryjoin_np(threads[i], NULL)) sn_ring_sampler_drain(r->sampler);
    sn_ring_sampler_drain(r->sampler);
    sn_ring_sums sums = sn_ring_sampler_sums(r->sampler);
    CHECK_EQUAL(sums.damaged, 0);
    CHECK_EQUAL(sums.samples, WRITERS * EACH);
    CHECK_EQUAL(sums.unknown, 0);
    CHECK_EQUAL(sn_ring_sampler_threads(r->sampler), WRITERS); /* no clock went back */
    end(r);
}

CHECK_MAIN(TEST(times_are_halves_of_gaps), TEST(an_address_that_is_used_again_is_another_function),
           TEST(code_that_was_not_told_is_counted), TEST(what_finds_no_room_is_counted_and_what_is_there_is_kept),
           TEST(damage_ends_the_reading_only), TEST(threads_write_while_it_is_read))
