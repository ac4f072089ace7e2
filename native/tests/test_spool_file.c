/* Reading spools: whole, cut off anywhere, and damaged. */
#define _GNU_SOURCE
#include "check.h"

#include "example_spool.h"

#include <errno.h>
#include <fcntl.h>

/* What a spool says, decoded once. */
typedef struct {
    unsigned contexts, roots, records, damaged;
    sn_spool_context context[64]; /* by cell */
    bool is_context[64];
} reading;

static reading read_all(const sn_spool_file *spool) {
    static reading r;
    memset(&r, 0, sizeof r);
    sn_spool_context context;
    sn_spool_record record;
    for (uint64_t cell = SN_HEADER_CELLS; cell < spool->cells;) {
        uint64_t own = cell;
        switch (sn_spool_file_next(spool, &cell, &context, &record)) {
        case SN_CELL_CONTEXT:
            CHECK(own < 64);
            CHECK(context.root ? context.parent == SN_NO_ROW : context.parent < own);
            r.context[own] = context;
            r.is_context[own] = true;
            r.contexts += !context.root;
            r.roots += context.root;
            break;
        case SN_CELL_RECORD:
            r.records++;
            for (int i = 0; i < 4; i++) {
                const uint8_t *text = (const uint8_t *)record.text[i];
                CHECK(text >= spool->bytes && text + record.length[i] <= spool->bytes + spool->size);
            }
            break;
        case SN_CELL_DAMAGED:
            r.damaged++;
            break;
        case SN_CELL_SKIP:
            break;
        }
        CHECK(cell > own && cell <= spool->cells);
    }
    return r;
}

/* The bytes of the example, to be damaged. */
static size_t example_bytes(example_spool *example, uint8_t **bytes) {
    CHECK(example_create(example, -1));
    size_t size = example_size(example);
    CHECK(size <= EXAMPLE_ROOM);
    *bytes = malloc(size);
    CHECK(*bytes);
    memcpy(*bytes, example->cells.base, size);
    return size;
}

static reading read_bytes(const uint8_t *bytes, size_t size) {
    sn_spool_file spool;
    CHECK_EQUAL(sn_spool_file_from(&spool, bytes, size), SN_OK);
    reading r = read_all(&spool);
    sn_spool_file_close(&spool);
    return r;
}

static sn_context *context_in(uint8_t *bytes, const example_spool *example, const sn_context *context) {
    return (sn_context *)(bytes + example_cell(example, context) * SN_CELL_BYTES);
}

static void a_spool_reads_as_it_was_written(void) {
    char path[] = "/tmp/sonde-test-XXXXXX";
    example_spool example;
    CHECK(example_create(&example, mkstemp(path)));
    sn_spool_file spool;
    CHECK_EQUAL(sn_spool_file_open(&spool, path), SN_OK);
    unlink(path);
    CHECK_EQUAL(spool.header.pid, 42);
    CHECK_EQUAL(spool.header.end_ticks, EXAMPLE_END_TICKS);
    CHECK_EQUAL(spool.cells, example.cells.used);
    CHECK(!spool.truncated);
    reading r = read_all(&spool);
    CHECK_EQUAL(r.contexts, 5);
    CHECK_EQUAL(r.roots, 2);
    CHECK_EQUAL(r.records, 5);
    CHECK_EQUAL(r.damaged, 0);
    const sn_spool_context *again = &r.context[example_cell(&example, example.again)];
    CHECK_EQUAL(again->parent, example_cell(&example, example.work));
    CHECK_EQUAL(again->calls, 2);
    CHECK_EQUAL(again->ticks, 200);
    CHECK_EQUAL(again->call_line, 9);
    CHECK_EQUAL(again->function, 1);
    CHECK_EQUAL(r.context[example_cell(&example, example.running)].entered, 400);
    CHECK_EQUAL(r.context[example_cell(&example, example.other_root)].entered, 400);
    sn_spool_file_close(&spool);
    example_destroy(&example);
}

static void records_read_as_they_were_written(void) {
    example_spool example;
    uint8_t *bytes;
    size_t size = example_bytes(&example, &bytes);
    sn_spool_file spool;
    CHECK_EQUAL(sn_spool_file_from(&spool, bytes, size), SN_OK);
    uint64_t cell = SN_HEADER_CELLS;
    sn_spool_context context;
    sn_spool_record record;
    CHECK_EQUAL(sn_spool_file_next(&spool, &cell, &context, &record), SN_CELL_RECORD);
    CHECK_EQUAL(record.kind, SN_RECORD_PROCESS);
    CHECK(!memcmp(record.text[0], "python\napp.py", record.length[0]) && record.length[0] == 13);
    CHECK(!memcmp(record.text[2], "cpython-monitoring", record.length[2]) && record.length[2] == 18);
    CHECK_EQUAL(sn_spool_file_next(&spool, &cell, &context, &record), SN_CELL_RECORD);
    CHECK_EQUAL(record.kind, SN_RECORD_FUNCTION);
    CHECK_EQUAL(record.number[0], 1);
    CHECK(!memcmp(record.text[0], "main", 4) && record.length[0] == 4);
    free(bytes);
    example_destroy(&example);
}

static void memory_may_lie_at_any_address(void) {
    example_spool example;
    uint8_t *bytes;
    size_t size = example_bytes(&example, &bytes);
    uint8_t *room = malloc(size + SN_CELL_BYTES);
    CHECK(room);
    for (unsigned offset = 0; offset < SN_CELL_BYTES; offset++) {
        memcpy(room + offset, bytes, size);
        CHECK_EQUAL(read_bytes(room + offset, size).contexts, 5);
    }
    free(room);
    free(bytes);
    example_destroy(&example);
}

static void what_is_not_a_spool_is_refused(void) {
    example_spool example;
    uint8_t *bytes;
    size_t size = example_bytes(&example, &bytes);
    sn_spool_file spool;
    sn_header *header = (sn_header *)bytes;
    header->magic[3] ^= 1;
    CHECK_EQUAL(sn_spool_file_from(&spool, bytes, size), SN_BAD_INPUT);
    header->magic[3] ^= 1;
    header->version++;
    CHECK_EQUAL(sn_spool_file_from(&spool, bytes, size), SN_BAD_INPUT);
    header->version--;
    header->cell_bytes *= 2;
    CHECK_EQUAL(sn_spool_file_from(&spool, bytes, size), SN_BAD_INPUT);
    free(bytes);
    example_destroy(&example);
}

static void a_file_that_cannot_be_read_gives_the_systems_reason(void) {
    sn_spool_file spool;
    CHECK_EQUAL(sn_spool_file_open(&spool, "/tmp/there/is/no/such/file"), SN_SYSTEM);
    CHECK_EQUAL(errno, ENOENT);
    CHECK_EQUAL(sn_spool_file_open(&spool, "/dev/null"), SN_BAD_INPUT);
    CHECK(sn_spool_file_open(&spool, "/tmp") != SN_OK);
    sn_spool_file_close(&spool);
}

static void a_spool_cut_off_anywhere_gives_its_beginning(void) {
    example_spool example;
    uint8_t *bytes;
    size_t size = example_bytes(&example, &bytes);
    unsigned contexts = 0;
    for (size_t length = 0; length <= size; length++) {
        uint8_t *part = malloc(length + 1); /* of exactly this size, for the sanitizer to watch */
        CHECK(part);
        memcpy(part, bytes, length);
        part = realloc(part, length ? length : 1);
        sn_spool_file spool;
        if (length < sizeof(sn_header)) {
            CHECK_EQUAL(sn_spool_file_from(&spool, part, length), SN_BAD_INPUT);
        } else {
            CHECK_EQUAL(sn_spool_file_from(&spool, part, length), SN_OK);
            CHECK_EQUAL(spool.truncated, length < size);
            reading r = read_all(&spool);
            CHECK(r.contexts >= contexts && r.damaged <= 1);
            contexts = r.contexts;
        }
        free(part);
    }
    CHECK_EQUAL(contexts, 5);
    free(bytes);
    example_destroy(&example);
}

static void cells_that_are_not_published_are_not_read(void) {
    example_spool example;
    uint8_t *bytes;
    size_t size = example_bytes(&example, &bytes);
    ((sn_header *)bytes)->used = example_cell(&example, example.running);
    reading r = read_bytes(bytes, size);
    CHECK_EQUAL(r.contexts, 2);
    for (uint64_t used = 0; used <= SN_HEADER_CELLS; used++) {
        ((sn_header *)bytes)->used = used;
        r = read_bytes(bytes, size);
        CHECK_EQUAL(r.contexts + r.roots + r.records, 0);
    }
    free(bytes);
    example_destroy(&example);
}

static void a_parent_that_does_not_lie_before_is_damage(void) {
    example_spool example;
    uint8_t *bytes;
    size_t size = example_bytes(&example, &bytes);
    uint64_t base = ((sn_header *)bytes)->base, own = example_cell(&example, example.again);
    const uint64_t parents[] = {base + own * SN_CELL_BYTES,       base + (own + 1) * SN_CELL_BYTES,
                                base + SN_CELL_BYTES * own - 1,   base + 8,
                                base - SN_CELL_BYTES,             0,
                                UINT64_MAX - SN_CELL_BYTES + 1u,  base + (UINT64_C(1) << 63)};
    for (size_t i = 0; i < sizeof parents / sizeof *parents; i++) {
        memcpy(&context_in(bytes, &example, example.again)->parent, &parents[i], sizeof parents[i]);
        reading r = read_bytes(bytes, size);
        CHECK_EQUAL(r.contexts, 4);
        CHECK_EQUAL(r.damaged, 1);
    }
    free(bytes);
    example_destroy(&example);
}

static void a_record_larger_than_the_file_ends_the_reading(void) {
    example_spool example;
    uint8_t *bytes;
    size_t size = example_bytes(&example, &bytes);
    sn_record *head = (sn_record *)(bytes + SN_HEADER_CELLS * SN_CELL_BYTES);
    const uint32_t sizes[] = {UINT32_MAX, 1u << 31, EXAMPLE_ROOM, (uint32_t)size - 3 * SN_CELL_BYTES + 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        head->bytes = sizes[i];
        memset(head->length, 0, sizeof head->length);
        head->length[3] = sizes[i];
        reading r = read_bytes(bytes, size);
        CHECK_EQUAL(r.contexts + r.roots + r.records, 0);
        CHECK_EQUAL(r.damaged, 1);
    }
    head->bytes = (uint32_t)size - 3 * SN_CELL_BYTES; /* up to the very end */
    head->length[3] = head->bytes;
    CHECK_EQUAL(read_bytes(bytes, size).records, 1);
    free(bytes);
    example_destroy(&example);
}

static void lengths_that_do_not_add_up_end_the_reading(void) {
    example_spool example;
    uint8_t *bytes;
    size_t size = example_bytes(&example, &bytes);
    sn_record *head = (sn_record *)(bytes + SN_HEADER_CELLS * SN_CELL_BYTES);
    head->length[0] += 1;
    CHECK_EQUAL(read_bytes(bytes, size).damaged, 1);
    for (int i = 0; i < 4; i++) head->length[i] = UINT32_MAX;
    head->bytes = UINT32_MAX - 3; /* what the sum would be in 32 bits */
    CHECK_EQUAL(read_bytes(bytes, size).damaged, 1);
    free(bytes);
    example_destroy(&example);
}

static void text_that_looks_like_cells_is_text(void) {
    sn_cells cells;
    CHECK_EQUAL(sn_cells_create(&cells, -1, 16384), SN_OK);
    sn_context fake[3] = {{.key = SN_TAG_ROOT}, {.key = 0x1000, .parent = (sn_context *)cells.base}, {.key = SN_TAG_RECORD}};
    const char *text[4] = {(const char *)fake, "", "", ""};
    uint32_t number[4] = {0}, length[4] = {sizeof fake, 0, 0, 0};
    CHECK(sn_cells_record(&cells, SN_RECORD_NOTE, number, text, length));
    reading r = read_bytes(cells.base, cells.used * SN_CELL_BYTES);
    CHECK_EQUAL(r.records, 1);
    CHECK_EQUAL(r.contexts + r.roots + r.damaged, 0);
    sn_cells_destroy(&cells);
}

static void a_closed_spool_can_be_closed_again(void) {
    example_spool example;
    CHECK(example_create(&example, -1));
    sn_spool_file spool;
    CHECK_EQUAL(sn_spool_file_from(&spool, example.cells.base, example_size(&example)), SN_OK);
    sn_spool_file_close(&spool);
    sn_spool_file_close(&spool);
    CHECK(example.cells.base[0] == 'S'); /* memory that is not ours stays */
    example_destroy(&example);
}

CHECK_MAIN(TEST(a_spool_reads_as_it_was_written), TEST(records_read_as_they_were_written),
           TEST(memory_may_lie_at_any_address), TEST(what_is_not_a_spool_is_refused),
           TEST(a_file_that_cannot_be_read_gives_the_systems_reason),
           TEST(a_spool_cut_off_anywhere_gives_its_beginning), TEST(cells_that_are_not_published_are_not_read),
           TEST(a_parent_that_does_not_lie_before_is_damage), TEST(a_record_larger_than_the_file_ends_the_reading),
           TEST(lengths_that_do_not_add_up_end_the_reading), TEST(text_that_looks_like_cells_is_text),
           TEST(a_closed_spool_can_be_closed_again))
