/* Reading spools: whole, cut off anywhere, damaged, and while they are written. */
#define _GNU_SOURCE
#include "check.h"

#include "columns.h"
#include "example_spool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>

/* What a spool says, decoded once. */
typedef struct {
    unsigned contexts, roots, records, damaged;
    sn_spool_context context[EXAMPLE_CELLS]; /* by cell */
    bool is_context[EXAMPLE_CELLS];
} reading;

static reading read_all(const sn_spool_file *spool) {
    static reading r;
    memset(&r, 0, sizeof r);
    sn_spool_context context;
    sn_spool_record record;
    bool exact = spool->header.metric == SN_METRIC_NONE;
    for (uint64_t cell = SN_HEADER_CELLS; cell < spool->cells;) {
        uint64_t own = cell;
        switch (sn_spool_file_next(spool, &cell, &context, &record)) {
        case SN_CELL_CONTEXT:
            CHECK(own < EXAMPLE_CELLS);
            CHECK(context.root ? context.parent == SN_NO_ROW : context.parent < (exact ? own : spool->cells));
            CHECK(context.calls_squares >= 0 && context.ticks_squares >= 0);
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

/* The bytes of an example, to be damaged. */
static size_t example_bytes_of(example_spool *example, uint8_t **bytes, sn_metric metric) {
    CHECK(example_create(example, -1, metric));
    size_t size = example_size(example);
    CHECK(size <= EXAMPLE_ROOM);
    *bytes = malloc(size);
    CHECK(*bytes);
    memcpy(*bytes, example->cells.base, size);
    return size;
}

static size_t example_bytes(example_spool *example, uint8_t **bytes) {
    return example_bytes_of(example, bytes, SN_METRIC_NONE);
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
    CHECK(example_create(&example, mkstemp(path), SN_METRIC_NONE));
    sn_spool_file spool;
    CHECK_EQUAL(sn_spool_file_open(&spool, path), SN_OK);
    unlink(path);
    CHECK_EQUAL(spool.header.pid, 42);
    CHECK_EQUAL(spool.header.end_ticks, EXAMPLE_END_TICKS);
    CHECK_EQUAL(spool.cells, example.cells.used);
    CHECK(!spool.truncated);
    CHECK(!spool.copy); /* nothing in it is used again: no need to copy */
    reading r = read_all(&spool);
    CHECK_EQUAL(r.contexts, 5);
    CHECK_EQUAL(r.roots, 1);
    CHECK_EQUAL(r.records, 5);
    CHECK_EQUAL(r.damaged, 0);
    const sn_spool_context *again = &r.context[example_cell(&example, example.again)];
    CHECK_EQUAL(again->parent, example_cell(&example, example.work));
    CHECK_EQUAL(again->calls, 2);
    CHECK_EQUAL(again->ticks, 200);
    CHECK_EQUAL(again->call_line, 9);
    CHECK_EQUAL(again->function, 1);
    CHECK(!again->error && !again->pruned_calls && !again->pruned_ticks);
    sn_spool_cursor cursor;
    uint64_t cell = SN_HEADER_CELLS;
    CHECK(sn_spool_file_next_cursor(&spool, &cell, &cursor));
    CHECK_EQUAL(cell, example_cell(&example, example.idle) + 1);
    CHECK_EQUAL(cursor.current, example_cell(&example, example.hot.root));
    CHECK_EQUAL(cursor.now, 950);
    CHECK(sn_spool_file_next_cursor(&spool, &cell, &cursor));
    CHECK_EQUAL(cursor.current, example_cell(&example, example.running));
    CHECK_EQUAL(cursor.now, 400);
    CHECK(!sn_spool_file_next_cursor(&spool, &cell, &cursor));
    CHECK_EQUAL(cell, spool.cells);
    sn_spool_file_close(&spool);
    example_destroy(&example);
}

static void a_hot_spool_is_copied_and_reads_as_it_was_written(void) {
    char path[] = "/tmp/sonde-test-XXXXXX";
    example_spool example;
    CHECK(example_create(&example, mkstemp(path), SN_METRIC_CALLS));
    sn_spool_file spool;
    CHECK_EQUAL(sn_spool_file_open(&spool, path), SN_OK);
    unlink(path);
    CHECK(spool.copy && !spool.truncated);
    CHECK_EQUAL(spool.cells, example.cells.used);
    example.main->calls = 1000; /* after the copy */
    example.hot.header->floor = 1000;
    reading r = read_all(&spool);
    CHECK_EQUAL(r.contexts, 5);
    CHECK_EQUAL(r.roots, 1);
    CHECK_EQUAL(r.records, 5);
    CHECK_EQUAL(r.damaged, 0);
    CHECK_EQUAL(spool.header.metric, SN_METRIC_CALLS);
    CHECK_EQUAL(spool.header.counters, 3);
    CHECK_EQUAL(spool.header.floor, 4);
    CHECK_EQUAL(spool.header.bursts, 2);
    const sn_spool_context *main = &r.context[example_cell(&example, example.main)];
    CHECK_EQUAL(main->calls, 1);
    CHECK_EQUAL(main->pruned_calls, 5);
    CHECK_EQUAL(main->pruned_ticks, 60);
    CHECK_EQUAL(main->parent, example_cell(&example, example.hot.root));
    const sn_spool_context *root = &r.context[main->parent], *work = &r.context[example_cell(&example, example.work)];
    CHECK(root->root && !root->calls && !root->ticks && !root->error);
    CHECK_EQUAL(root->pruned_calls, 7);
    CHECK_EQUAL(root->pruned_ticks, 80);
    CHECK_EQUAL(work->calls_squares, 5);
    CHECK_EQUAL(work->ticks_squares, 50000);
    CHECK_EQUAL(work->error, 1);
    const sn_spool_context *again = &r.context[example_cell(&example, example.again)];
    CHECK_EQUAL(again->parent, example_cell(&example, example.work));
    CHECK(again < work); /* in cells that were another context's */
    sn_spool_file_close(&spool);
    example_destroy(&example);
}

static void cold_and_wide_are_no_part_of_the_line(void) {
    example_spool example;
    CHECK(example_create(&example, -1, SN_METRIC_CALLS));
    example.again->call_line |= SN_COLD | SN_WIDE;
    reading r = read_bytes(example.cells.base, example_size(&example));
    CHECK_EQUAL(r.context[example_cell(&example, example.again)].call_line, 9);
    example_destroy(&example);
}

static void a_burst_that_goes_on_counts(void) {
    example_spool example;
    CHECK(example_create(&example, -1, SN_METRIC_CALLS));
    sn_side_of(example.work)->burst_calls = 1; /* of 3 */
    sn_side_of(example.work)->burst_ticks = 100; /* of 300 */
    reading r = read_bytes(example.cells.base, example_size(&example));
    const sn_spool_context *work = &r.context[example_cell(&example, example.work)];
    CHECK_EQUAL(work->calls_squares, 5 + 4);
    CHECK_EQUAL(work->ticks_squares, 50000 + 40000);
    example_destroy(&example);
}

static void squares_that_are_none_are_nought(void) {
    const double odd[] = {-1.0, (double)NAN, (double)INFINITY, -(double)INFINITY, -(double)NAN};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        example_spool example;
        CHECK(example_create(&example, -1, SN_METRIC_CALLS));
        sn_side_of(example.work)->calls_squares = sn_side_of(example.work)->ticks_squares = odd[i];
        reading r = read_bytes(example.cells.base, example_size(&example));
        const sn_spool_context *work = &r.context[example_cell(&example, example.work)];
        CHECK(work->calls_squares <= 0 && work->ticks_squares <= 0);
        example_destroy(&example);
    }
}

static void a_context_without_its_side_is_one_all_the_same(void) {
    example_spool example;
    CHECK(example_create(&example, -1, SN_METRIC_CALLS));
    sn_side_of(example.main)->tag = SN_TAG_FREE;
    reading r = read_bytes(example.cells.base, example_size(&example));
    CHECK_EQUAL(r.contexts, 5);
    const sn_spool_context *main = &r.context[example_cell(&example, example.main)];
    CHECK_EQUAL(main->calls, 1);
    CHECK_EQUAL(main->pruned_calls, 0);
    example_destroy(&example);
}

static void a_side_without_its_context_is_nothing(void) {
    example_spool example;
    CHECK(example_create(&example, -1, SN_METRIC_CALLS));
    example.stop->key = SN_TAG_FREE;
    reading r = read_bytes(example.cells.base, example_size(&example));
    CHECK_EQUAL(r.contexts, 4);
    CHECK_EQUAL(r.damaged, 0);
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
    CHECK_EQUAL(sn_spool_file_next(&spool, &cell, &context, &record), SN_CELL_CONTEXT);
    CHECK(context.root);
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

static void check_cut_off_anywhere(sn_metric metric) {
    example_spool example;
    uint8_t *bytes;
    size_t size = example_bytes_of(&example, &bytes, metric);
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
            CHECK(r.contexts + r.damaged >= contexts && r.damaged <= 1);
            contexts = r.contexts;
            uint64_t cell = SN_HEADER_CELLS;
            for (sn_spool_cursor cursor; sn_spool_file_next_cursor(&spool, &cell, &cursor);)
                CHECK(cursor.current < spool.cells || cursor.current == SN_NO_ROW);
        }
        free(part);
    }
    CHECK_EQUAL(contexts, 5);
    free(bytes);
    example_destroy(&example);
}

static void a_spool_cut_off_anywhere_gives_its_beginning(void) {
    check_cut_off_anywhere(SN_METRIC_NONE);
    check_cut_off_anywhere(SN_METRIC_CALLS);
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

static void a_parent_in_a_hot_spool_may_come_later_but_not_beyond(void) {
    example_spool example;
    uint8_t *bytes;
    size_t size = example_bytes_of(&example, &bytes, SN_METRIC_TIME);
    uint64_t base = ((sn_header *)bytes)->base, end = base + size;
    const struct {
        uint64_t parent;
        unsigned damaged;
    } cases[] = {{end - SN_CELL_BYTES, 0},     {base, 0},                 {end, 1},
                 {end - SN_CELL_BYTES + 1, 1}, {base - SN_CELL_BYTES, 1}, {0, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memcpy(&context_in(bytes, &example, example.work)->parent, &cases[i].parent, sizeof cases[i].parent);
        CHECK_EQUAL(read_bytes(bytes, size).damaged, cases[i].damaged);
    }
    free(bytes);
    example_destroy(&example);
}

static void a_record_larger_than_the_file_ends_the_reading(void) {
    example_spool example;
    uint8_t *bytes;
    size_t size = example_bytes(&example, &bytes);
    sn_record *head = (sn_record *)(bytes + (SN_HEADER_CELLS + 1) * SN_CELL_BYTES); /* behind the root */
    const uint32_t sizes[] = {UINT32_MAX, 1u << 31, EXAMPLE_ROOM, (uint32_t)size - 5 * SN_CELL_BYTES + 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        head->bytes = sizes[i];
        memset(head->length, 0, sizeof head->length);
        head->length[3] = sizes[i];
        reading r = read_bytes(bytes, size);
        CHECK_EQUAL(r.contexts + r.records, 0);
        CHECK_EQUAL(r.damaged, 1);
    }
    head->bytes = (uint32_t)size - 5 * SN_CELL_BYTES; /* up to the very end */
    head->length[3] = head->bytes;
    CHECK_EQUAL(read_bytes(bytes, size).records, 1);
    free(bytes);
    example_destroy(&example);
}

static void lengths_that_do_not_add_up_end_the_reading(void) {
    example_spool example;
    uint8_t *bytes;
    size_t size = example_bytes(&example, &bytes);
    sn_record *head = (sn_record *)(bytes + (SN_HEADER_CELLS + 1) * SN_CELL_BYTES); /* behind the root */
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
    sn_context fake[5] = {{.key = SN_TAG_CURSOR},
                          {.key = SN_TAG_SIDE},
                          {.key = SN_TAG_ROOT},
                          {.key = 0x1000, .parent = (sn_context *)cells.base},
                          {.key = SN_TAG_RECORD}};
    const char *text[4] = {(const char *)fake, "", "", ""};
    uint32_t number[4] = {0}, length[4] = {sizeof fake, 0, 0, 0};
    CHECK(sn_cells_record(&cells, SN_RECORD_NOTE, number, text, length));
    reading r = read_bytes(cells.base, cells.used * SN_CELL_BYTES);
    CHECK_EQUAL(r.records, 1);
    CHECK_EQUAL(r.contexts + r.roots + r.damaged, 0);
    sn_spool_file spool;
    sn_spool_cursor cursor;
    uint64_t cell = SN_HEADER_CELLS;
    CHECK_EQUAL(sn_spool_file_from(&spool, cells.base, cells.used * SN_CELL_BYTES), SN_OK);
    CHECK(!sn_spool_file_next_cursor(&spool, &cell, &cursor));
    sn_cells_destroy(&cells);
}

static void a_closed_spool_can_be_closed_again(void) {
    example_spool example;
    CHECK(example_create(&example, -1, SN_METRIC_NONE));
    sn_spool_file spool;
    CHECK_EQUAL(sn_spool_file_from(&spool, example.cells.base, example_size(&example)), SN_OK);
    sn_spool_file_close(&spool);
    sn_spool_file_close(&spool);
    CHECK(example.cells.base[0] == 'S'); /* memory that is not ours stays */
    example_destroy(&example);
}

/* A writer in another process: a hot tree in a file, in which contexts come and go without end. */
typedef struct {
    uint64_t enters; /* so many calls are in the tree, or one more */
    uint64_t pause;  /* between calls, in turns of a loop */
} writer_says;

static void write_without_end(int file, writer_says *says) {
    sn_cells cells;
    sn_hot_tree hot;
    CHECK_EQUAL(sn_cells_create(&cells, file, 1u << 20), SN_OK);
    CHECK_EQUAL(sn_hot_create(&hot, &cells, &(sn_hot_plan){SN_METRIC_CALLS, true, 20, 1000}, false), SN_OK);
    sn_cursor *cursor = sn_hot_cursor(&hot, 0);
    CHECK(cursor);
    uint64_t random = 5, depth = 0;
    for (;;) {
        uint64_t dice = check_random(&random);
        if (depth > dice % 12) {
            sn_hot_leave(&hot, cursor);
            depth--;
            continue;
        }
        uint64_t key = 0x10000 + 0x100 * ((dice >> 8 & dice >> 16) & 7);
        sn_context *child = sn_tree_find(&hot.tree, cursor->current, key, 1);
        if (!child) child = sn_hot_add(&hot, cursor->current, key, 1, (uint32_t)(key >> 8 & 15), true);
        else if (child->call_line & SN_COLD) sn_hot_call_cold(&hot, child);
        CHECK(child);
        child->calls++;
        __atomic_store_n(&says->enters, says->enters + 1, __ATOMIC_RELEASE);
        cursor->current = child;
        depth++;
        for (volatile uint64_t turn = 0; turn < says->pause; turn++) continue;
    }
}

/* What is read while the writer is at work is a tree as it was between two changes. */
static void a_hot_spool_is_whole_at_any_moment(void) {
    static uint32_t map[16];
    char path[] = "/tmp/sonde-test-XXXXXX";
    int file = mkstemp(path);
    writer_says *says = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(file >= 0 && says != MAP_FAILED);
    says->pause = 3000; /* several microseconds: a copy finds a gap */
    pid_t writer = fork();
    CHECK(writer >= 0);
    if (!writer) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* it must not outlive a test that fails */
        write_without_end(file, says);
        _exit(1);
    }
    uint64_t changes = 0, looks = 0;
    for (uint32_t i = 0; i < 16; i++) map[i] = i;
    while (looks < 300 || changes < 1000) {
        CHECK(!waitpid(writer, NULL, WNOHANG));
        uint64_t before = __atomic_load_n(&says->enters, __ATOMIC_ACQUIRE);
        if (!before) continue;
        sn_spool_file spool;
        sn_call_tree tree;
        columns c;
        CHECK_EQUAL(sn_spool_file_open(&spool, path), SN_OK);
        uint64_t after = __atomic_load_n(&says->enters, __ATOMIC_ACQUIRE);
        CHECK(spool.header.changes >= changes);
        if (spool.header.changes & 1) { /* on a busy machine the writer waited, in a change, longer than was waited for it */
            sn_spool_file_close(&spool);
            continue;
        }
        changes = spool.header.changes;
        CHECK_EQUAL(sn_call_tree_create(&tree, &(sn_hot_plan){0}, true), SN_OK);
        CHECK_EQUAL(sn_call_tree_add_spool(&tree, &spool, map, 16, 1.0, 0, false), SN_OK);
        CHECK_EQUAL(tree.orphans, 0);
        CHECK(tree.calls >= before && tree.calls <= after + 1);
        CHECK(columns_read(&c, &tree) && columns_add_up(&c, true) && columns_positive(&c));
        columns_free(&c);
        sn_call_tree_destroy(&tree);
        sn_spool_file_close(&spool);
        looks++;
    }
    kill(writer, SIGKILL);
    waitpid(writer, NULL, 0);
    unlink(path);
}

static void a_writer_that_died_in_a_change_is_read_all_the_same(void) {
    char path[] = "/tmp/sonde-test-XXXXXX";
    example_spool example;
    CHECK(example_create(&example, mkstemp(path), SN_METRIC_CALLS));
    example.hot.header->changes |= 1;
    sn_spool_file spool;
    CHECK_EQUAL(sn_spool_file_open(&spool, path), SN_OK);
    unlink(path);
    reading r = read_all(&spool);
    CHECK_EQUAL(r.contexts, 5);
    CHECK_EQUAL(r.damaged, 0);
    sn_spool_file_close(&spool);
    example_destroy(&example);
}

static void a_hot_file_that_is_cut_off_is_copied_as_far_as_it_goes(void) {
    char path[] = "/tmp/sonde-test-XXXXXX";
    example_spool example;
    uint8_t *bytes;
    size_t size = example_bytes_of(&example, &bytes, SN_METRIC_CALLS);
    int file = mkstemp(path);
    CHECK(write(file, bytes, size) == (ssize_t)size);
    for (size_t length = size; length >= sizeof(sn_header); length -= SN_CELL_BYTES / 2) {
        CHECK(!ftruncate(file, (off_t)length));
        sn_spool_file spool;
        CHECK_EQUAL(sn_spool_file_open(&spool, path), SN_OK);
        CHECK_EQUAL(spool.truncated, length < size);
        CHECK_EQUAL(spool.cells, length / SN_CELL_BYTES);
        read_all(&spool);
        sn_spool_file_close(&spool);
    }
    unlink(path);
    for (uint64_t used = 0; used <= SN_HEADER_CELLS; used++) {
        strcpy(path, "/tmp/sonde-test-XXXXXX");
        ((sn_header *)bytes)->used = used;
        file = mkstemp(path);
        CHECK(write(file, bytes, size) == (ssize_t)size);
        sn_spool_file spool;
        CHECK_EQUAL(sn_spool_file_open(&spool, path), SN_OK);
        unlink(path);
        CHECK(spool.cells <= SN_HEADER_CELLS);
        sn_spool_file_close(&spool);
    }
    free(bytes);
    example_destroy(&example);
}

CHECK_MAIN(TEST(a_spool_reads_as_it_was_written), TEST(a_hot_spool_is_copied_and_reads_as_it_was_written),
           TEST(cold_and_wide_are_no_part_of_the_line), TEST(a_burst_that_goes_on_counts), TEST(squares_that_are_none_are_nought),
           TEST(a_context_without_its_side_is_one_all_the_same), TEST(a_side_without_its_context_is_nothing),
           TEST(records_read_as_they_were_written), TEST(memory_may_lie_at_any_address),
           TEST(what_is_not_a_spool_is_refused), TEST(a_file_that_cannot_be_read_gives_the_systems_reason),
           TEST(a_spool_cut_off_anywhere_gives_its_beginning), TEST(cells_that_are_not_published_are_not_read),
           TEST(a_parent_that_does_not_lie_before_is_damage),
           TEST(a_parent_in_a_hot_spool_may_come_later_but_not_beyond),
           TEST(a_record_larger_than_the_file_ends_the_reading), TEST(lengths_that_do_not_add_up_end_the_reading),
           TEST(text_that_looks_like_cells_is_text), TEST(a_closed_spool_can_be_closed_again),
           TEST(a_hot_spool_is_whole_at_any_moment), TEST(a_writer_that_died_in_a_change_is_read_all_the_same),
           TEST(a_hot_file_that_is_cut_off_is_copied_as_far_as_it_goes))
