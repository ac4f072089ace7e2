/* Traces: written and read back, whole, cut off, damaged, killed, out of room, and while being written. */
#define _GNU_SOURCE
#include "check.h"

#include "example_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* A name in a folder of its own, both removed by forget_path. */
static char folder[] = "/tmp/sonde-test-XXXXXX";
static char path[64];

static const char *new_path(void) {
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    CHECK(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.trace", folder);
    return path;
}

static void forget_path(void) {
    unlink(path);
    CHECK_EQUAL(rmdir(folder), 0);
}

typedef struct {
    uint64_t seed, events;
    uint32_t clock, shift;
    bool wild;
} stream;

/* Write a stream, its functions defined before their first use. */
static void write_stream(sn_trace_writer *writer, stream s) {
    uint64_t random = s.seed, ticks = 1000;
    for (uint32_t i = 0; i < EXAMPLE_TRACE_FUNCTIONS; i++) CHECK(example_function(writer, i));
    for (uint64_t i = 0; i < s.events; i++) example_write(writer, example_next(&random, &ticks, s.wild));
}

static void create_stream(stream s) {
    sn_trace_writer writer;
    sn_trace_about about = example_about(s.clock, s.shift);
    CHECK_EQUAL(sn_trace_create(&writer, new_path(), &about), SN_OK);
    write_stream(&writer, s);
    CHECK_EQUAL(writer.events, s.events);
    CHECK_EQUAL(writer.lost, 0);
    sn_trace_finish(&writer, 77, 99);
}

/* Read on from where the reader is: every event must be the next one of the stream. */
typedef struct {
    stream s;
    uint64_t random, ticks, before, read;
} expectation;

static expectation expect(stream s) {
    return (expectation){s, s.seed, 1000, s.clock ? UINT64_C(1000) >> s.shift : 0, 0};
}

static sn_trace_result read_on(sn_trace_reader *reader, expectation *e, size_t room) {
    example_columns c = example_columns_of(room);
    size_t count;
    sn_trace_result result;
    while ((result = sn_trace_read(reader, &c.columns, room, &count)) == SN_TRACE_MORE) {
        CHECK(count > 0 && count <= room);
        for (size_t i = 0; i < count; i++, e->read++) {
            CHECK(e->read < e->s.events);
            example_event wanted = example_next(&e->random, &e->ticks, e->s.wild);
            wanted = example_read_back(wanted, &reader->header, &e->before);
            CHECK(example_equal(example_at(&c, i), wanted));
        }
    }
    CHECK_EQUAL(count, 0);
    CHECK_EQUAL(reader->events, e->read);
    example_columns_free(&c);
    return result;
}

static void check_reads_back(stream s, size_t room) {
    sn_trace_reader reader;
    CHECK_EQUAL(sn_trace_open(&reader, path), SN_TRACE_MORE);
    expectation e = expect(s);
    CHECK_EQUAL(read_on(&reader, &e, room), SN_TRACE_END);
    CHECK_EQUAL(e.read, s.events);
    CHECK_EQUAL(read_on(&reader, &e, room), SN_TRACE_END); /* and stays there */
    CHECK_EQUAL(reader.function_count, EXAMPLE_TRACE_FUNCTIONS);
    sn_trace_close(&reader);
}

static void what_is_written_is_read(void) {
    const stream streams[] = {
        {1, 0, SN_CLOCK_MONOTONIC, 4, false},     {2, 1, SN_CLOCK_MONOTONIC, 0, false},
        {3, 300000, SN_CLOCK_MONOTONIC, 4, false}, {4, 300000, SN_CLOCK_MONOTONIC, 0, true},
        {5, 300000, SN_CLOCK_TSC, 5, true},       {6, 100000, SN_CLOCK_NONE, 3, true},
        {7, 50000, SN_CLOCK_TSC, 62, true},
    };
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        create_stream(streams[i]);
        check_reads_back(streams[i], 4096);
        forget_path();
    }
}

static void any_room_gives_the_same_events(void) {
    const stream s = {11, 3000, SN_CLOCK_MONOTONIC, 2, true};
    create_stream(s);
    for (size_t room = 1; room < 40; room++) check_reads_back(s, room);
    check_reads_back(s, 2999);
    check_reads_back(s, 3000);
    check_reads_back(s, 1 << 20);
    forget_path();
}

static void the_header_says_what_was_recorded(void) {
    const stream s = {12, 10, SN_CLOCK_TSC, 5, false};
    create_stream(s);
    sn_trace_reader reader;
    CHECK_EQUAL(sn_trace_open(&reader, path), SN_TRACE_MORE);
    CHECK_EQUAL(reader.header.pid, 42);
    CHECK_EQUAL(reader.header.parent_pid, 41);
    CHECK_EQUAL(reader.header.start_ns, 5000);
    CHECK_EQUAL(reader.header.end_ticks, 77);
    CHECK_EQUAL(reader.header.events, 10);
    CHECK_EQUAL(reader.header.length[0], 13);
    CHECK(!memcmp(reader.about[0], "python\napp.py", 13));
    CHECK(!memcmp(reader.about[2], "cpython-monitoring", 18));
    expectation e = expect(s);
    CHECK_EQUAL(read_on(&reader, &e, 100), SN_TRACE_END);
    const sn_trace_definition *last = &reader.functions[EXAMPLE_TRACE_FUNCTIONS - 1];
    CHECK_EQUAL(last->first_line, 10 * (EXAMPLE_TRACE_FUNCTIONS - 1) + 1);
    CHECK(!memcmp(reader.text + last->text, "f39appapp.py", 12));
    uint64_t ticks, ns;
    CHECK(sn_trace_last_pair(&reader, &ticks, &ns));
    CHECK_EQUAL(ns, 99);
    sn_trace_close(&reader);
    forget_path();
}

static void a_long_command_is_cut_off(void) {
    char *command = malloc(100000);
    CHECK(command);
    memset(command, 'x', 100000);
    sn_trace_about about = example_about(SN_CLOCK_NONE, 0);
    about.text[0] = command;
    about.length[0] = 100000;
    sn_trace_writer writer;
    sn_trace_reader reader;
    CHECK_EQUAL(sn_trace_create(&writer, new_path(), &about), SN_OK);
    sn_trace_finish(&writer, 0, 0);
    CHECK_EQUAL(sn_trace_open(&reader, path), SN_TRACE_MORE);
    CHECK_EQUAL(reader.header.length[0], 65536 - 128 - 6 - 18);
    CHECK(!memcmp(reader.about[1], "3.12.1", 6));
    sn_trace_close(&reader);
    forget_path();
    about.length[1] = 50000;
    CHECK_EQUAL(sn_trace_create(&writer, path, &about), SN_BAD_INPUT);
    free(command);
}

static void more_edges_than_are_remembered_are_read_back(void) {
    sn_trace_writer writer;
    sn_trace_reader reader;
    sn_trace_about about = example_about(SN_CLOCK_MONOTONIC, 0);
    CHECK_EQUAL(sn_trace_create(&writer, new_path(), &about), SN_OK);
    CHECK(example_function(&writer, 0));
    const uint32_t lines = 3 * SN_TRACE_EDGES; /* one by one, then a loop over the last ones */
    uint32_t depth = 0;
    for (uint32_t i = 0; i < lines; i++, depth++) {
        sn_trace_event(&writer, SN_TRACE_ENTER, 0, 0, i, i);
        if (i % 3 == 0) sn_trace_event(&writer, SN_TRACE_LEAVE, 0, 0, 0, i);
    }
    for (uint32_t i = 0; i < lines; i++) sn_trace_event(&writer, SN_TRACE_ENTER, i % 2, 0, lines - 1 - i % 1000, lines);
    sn_trace_finish(&writer, 0, 0);
    CHECK_EQUAL(sn_trace_open(&reader, path), SN_TRACE_MORE);
    size_t room = 2 * lines + lines / 3, count, done = 0;
    example_columns c = example_columns_of(room + 1);
    CHECK_EQUAL(sn_trace_read(&reader, &c.columns, room + 1, &count), SN_TRACE_MORE);
    CHECK_EQUAL(count, room);
    for (uint32_t i = 0; i < lines; i++) {
        CHECK(example_equal(example_at(&c, done++), (example_event){SN_TRACE_ENTER, 0, 0, i, 1000 < i ? i : 1000}));
        if (i % 3 == 0) CHECK_EQUAL(c.columns.kind[done++], SN_TRACE_LEAVE);
    }
    for (uint32_t i = 0; i < lines; i++, done++) {
        CHECK_EQUAL(c.columns.line[done], lines - 1 - i % 1000);
        CHECK_EQUAL(c.columns.thread[done], i % 2);
    }
    example_columns_free(&c);
    sn_trace_close(&reader);
    forget_path();
}

static void stacks_deeper_than_remembered_are_read_back(void) {
    sn_trace_writer writer;
    sn_trace_reader reader;
    sn_trace_about about = example_about(SN_CLOCK_NONE, 0);
    CHECK_EQUAL(sn_trace_create(&writer, new_path(), &about), SN_OK);
    CHECK(example_function(&writer, 0) && example_function(&writer, 1));
    const uint32_t deep = 5 * SN_TRACE_DEPTH;
    for (int round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < deep; i++) sn_trace_event(&writer, SN_TRACE_ENTER, 0, i % 2, i % 7, 0);
        for (uint32_t i = 0; i < deep + 5; i++)
            sn_trace_event(&writer, i % 50 ? SN_TRACE_LEAVE : SN_TRACE_UNWIND, 0, 0, 0, 0);
    }
    sn_trace_finish(&writer, 0, 0);
    CHECK_EQUAL(sn_trace_open(&reader, path), SN_TRACE_MORE);
    size_t room = 3 * (2 * deep + 5), count, done = 0;
    example_columns c = example_columns_of(room + 1);
    CHECK_EQUAL(sn_trace_read(&reader, &c.columns, room + 1, &count), SN_TRACE_MORE);
    CHECK_EQUAL(count, room);
    for (int round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < deep; i++, done++)
            CHECK(example_equal(example_at(&c, done), (example_event){SN_TRACE_ENTER, 0, i % 2, i % 7, 0}));
        for (uint32_t i = 0; i < deep + 5; i++, done++)
            CHECK_EQUAL(c.columns.kind[done], i % 50 ? SN_TRACE_LEAVE : SN_TRACE_UNWIND);
    }
    example_columns_free(&c);
    sn_trace_close(&reader);
    forget_path();
}

static void functions_of_any_size_fill_blocks(void) {
    sn_trace_writer writer;
    sn_trace_reader reader;
    sn_trace_about about = example_about(SN_CLOCK_NONE, 0);
    char *text = malloc(SN_TRACE_TEXT_BYTES + 1);
    CHECK(text);
    for (uint32_t i = 0; i <= SN_TRACE_TEXT_BYTES; i++) text[i] = (char)(i * 7);
    CHECK_EQUAL(sn_trace_create(&writer, new_path(), &about), SN_OK);
    const char *texts[3] = {text, text, text};
    for (uint32_t i = 0; i < 60; i++) {
        const uint32_t length[3] = {i * 273, SN_TRACE_TEXT_BYTES - i, i % 3 ? 0 : SN_TRACE_TEXT_BYTES};
        CHECK(sn_trace_function(&writer, i, ~i, texts, length));
        sn_trace_event(&writer, SN_TRACE_ENTER, 0, i, 1, 0);
    }
    const uint32_t length[3] = {0, 0, SN_TRACE_TEXT_BYTES + 1};
    CHECK(!sn_trace_function(&writer, 0, 0, texts, length));
    sn_trace_finish(&writer, 0, 0);
    CHECK_EQUAL(sn_trace_open(&reader, path), SN_TRACE_MORE);
    CHECK(reader.header.blocks > 10);
    example_columns c = example_columns_of(100);
    size_t count;
    CHECK_EQUAL(sn_trace_read(&reader, &c.columns, 100, &count), SN_TRACE_MORE);
    CHECK_EQUAL(count, 60);
    CHECK_EQUAL(reader.function_count, 60);
    for (uint32_t i = 0; i < 60; i++) {
        const sn_trace_definition *f = &reader.functions[i];
        CHECK_EQUAL(f->length[0], i * 273);
        CHECK_EQUAL(f->length[1], SN_TRACE_TEXT_BYTES - i);
        CHECK_EQUAL(f->flags, ~i);
        CHECK(!memcmp(reader.text + f->text, text, f->length[0]));
        CHECK(!memcmp(reader.text + f->text + f->length[0], text, f->length[1]));
    }
    example_columns_free(&c);
    sn_trace_close(&reader);
    free(text);
    forget_path();
}

static void events_that_cannot_be_are_not_written(void) {
    sn_trace_writer writer;
    sn_trace_reader reader;
    sn_trace_about about = example_about(SN_CLOCK_NONE, 0);
    CHECK_EQUAL(sn_trace_create(&writer, new_path(), &about), SN_OK);
    CHECK(example_function(&writer, 0));
    sn_trace_event(&writer, SN_TRACE_ENTER, 0, 1, 0, 0);
    sn_trace_event(&writer, SN_TRACE_FOUND, 0, UINT32_MAX, 0, 0);
    sn_trace_event(&writer, 0, 0, 0, 0, 0);
    sn_trace_event(&writer, 6, 0, 0, 0, 0);
    sn_trace_event(&writer, SN_TRACE_ENTER, 0, 0, 5, 0);
    CHECK_EQUAL(writer.lost, 4);
    sn_trace_finish(&writer, 0, 0);
    CHECK_EQUAL(sn_trace_open(&reader, path), SN_TRACE_MORE);
    CHECK_EQUAL(reader.header.lost, 4);
    CHECK_EQUAL(reader.header.events, 1);
    sn_trace_close(&reader);
    forget_path();
}

static void a_clock_that_goes_back_stands_still(void) {
    const uint64_t times[] = {500, 2000, 1999, 0, UINT64_MAX - 1, UINT64_MAX, 0, UINT64_MAX};
    const uint64_t wanted[] = {1000, 2000, 2000, 2000, UINT64_MAX - 1, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    sn_trace_writer writer;
    sn_trace_reader reader;
    for (uint32_t clock = 0; clock < 3; clock++) {
        sn_trace_about about = example_about(clock, 0);
        CHECK_EQUAL(sn_trace_create(&writer, new_path(), &about), SN_OK);
        for (int i = 0; i < 8; i++) sn_trace_event(&writer, i % 2 ? SN_TRACE_LOST : SN_TRACE_LEAVE, 0, 0, 0, times[i]);
        sn_trace_finish(&writer, 0, 0);
        CHECK_EQUAL(sn_trace_open(&reader, path), SN_TRACE_MORE);
        example_columns c = example_columns_of(8);
        size_t count;
        CHECK_EQUAL(sn_trace_read(&reader, &c.columns, 8, &count), SN_TRACE_MORE);
        CHECK_EQUAL(count, 8);
        for (int i = 0; i < 8; i++) CHECK(c.columns.ticks[i] == (clock ? wanted[i] : 0));
        CHECK_EQUAL(sn_trace_read(&reader, &c.columns, 8, &count), SN_TRACE_END);
        example_columns_free(&c);
        sn_trace_close(&reader);
        forget_path();
    }
}

static void ticks_become_nanoseconds(void) {
    sn_trace_header header = {.clock = SN_CLOCK_TSC, .unit_shift = 4, .start_ticks = 1007, .start_ns = 50};
    uint64_t ticks[] = {992, 1008, 3008, UINT64_MAX};
    sn_trace_nanoseconds(&header, 0.5, ticks, 4);
    CHECK_EQUAL(ticks[0], 50);
    CHECK_EQUAL(ticks[1], 58);
    CHECK_EQUAL(ticks[2], 1058);
    CHECK(ticks[3] <= INT64_MAX);
    const double rates[] = {0.0, -1.0, 1e300, (double)NAN, (double)INFINITY};
    for (int i = 0; i < 5; i++) {
        uint64_t time = 5000;
        sn_trace_nanoseconds(&header, rates[i], &time, 1);
        CHECK(time >= 50 && time <= INT64_MAX);
    }
    header.clock = SN_CLOCK_MONOTONIC;
    uint64_t time = 1234;
    sn_trace_nanoseconds(&header, 0.5, &time, 1);
    CHECK_EQUAL(time, 1234);
}

/* ---- damage ---- */

static uint8_t *file_bytes(size_t *size) {
    int file = open(path, O_RDONLY);
    struct stat about;
    CHECK(file >= 0 && !fstat(file, &about));
    *size = (size_t)about.st_size;
    uint8_t *bytes = malloc(*size);
    CHECK(bytes && read(file, bytes, *size) == (ssize_t)*size);
    close(file);
    return bytes;
}

static int in_memory(void) {
    int file = memfd_create("trace", MFD_CLOEXEC);
    CHECK(file >= 0);
    return file;
}

static void put(int file, const uint8_t *bytes, size_t size, size_t at) {
    CHECK(pwrite(file, bytes, size, (off_t)at) == (ssize_t)size);
}

/* Open and read all: whatever is delivered is the beginning of the stream. */
static sn_trace_result read_damaged(int file, stream s, uint64_t *read) {
    sn_trace_reader reader;
    expectation e = expect(s);
    sn_trace_result result = sn_trace_open_file(&reader, dup(file));
    if (result == SN_TRACE_MORE) {
        CHECK_EQUAL(reader.header.pid, 42);
        result = read_on(&reader, &e, 64);
        CHECK(result == SN_TRACE_END || result == SN_TRACE_CUT || result == SN_TRACE_DAMAGED);
        if (result == SN_TRACE_DAMAGED) CHECK(reader.problem.what);
        if (result != SN_TRACE_DAMAGED) CHECK_EQUAL(reader.header.lost, 0);
        sn_trace_close(&reader);
    }
    *read = e.read;
    return result;
}

/* A small trace of two blocks, as a finished or a killed program leaves it; returns where its blocks begin. */
static const stream small = {21, 150, SN_CLOCK_MONOTONIC, 2, true};

static uint8_t *small_trace(size_t *size, bool finished) {
    sn_trace_writer writer;
    sn_trace_about about = example_about(small.clock, small.shift);
    CHECK_EQUAL(sn_trace_create(&writer, new_path(), &about), SN_OK);
    write_stream(&writer, small);
    size_t used = SN_TRACE_HEADER_STEP + sizeof(sn_trace_block) + writer.used;
    if (finished)
        sn_trace_finish(&writer, 77, 99);
    else
        sn_trace_abandon(&writer);
    uint8_t *bytes = file_bytes(size);
    forget_path();
    if (!finished) *size = used; /* what is behind is zero */
    CHECK_EQUAL(*size, used);
    return bytes;
}

static void a_trace_cut_off_anywhere_gives_its_beginning(void) {
    for (int finished = 0; finished < 2; finished++) {
        size_t size;
        uint8_t *bytes = small_trace(&size, finished);
        int file = in_memory();
        for (size_t length = 0; length < size; length++) {
            uint64_t read;
            CHECK_EQUAL(ftruncate(file, (off_t)length), 0);
            sn_trace_result result = read_damaged(file, small, &read);
            CHECK_EQUAL(read, 0);
            if (length < 8)
                CHECK_EQUAL(result, SN_TRACE_FOREIGN);
            else if (length < sizeof(sn_trace_header) + 13 + 6 + 18)
                CHECK_EQUAL(result, SN_TRACE_DAMAGED);
            else
                CHECK_EQUAL(result, SN_TRACE_CUT);
            put(file, bytes + length, 1, length);
        }
        uint64_t read;
        CHECK_EQUAL(read_damaged(file, small, &read), finished ? SN_TRACE_END : SN_TRACE_CUT);
        CHECK_EQUAL(read, small.events);
        close(file);
        free(bytes);
    }
}

static void a_trace_cut_off_between_blocks_gives_the_blocks_before(void) {
    const stream s = {22, 250000, SN_CLOCK_MONOTONIC, 2, true};
    create_stream(s);
    size_t size;
    free(file_bytes(&size));
    uint64_t before = s.events;
    while (size > SN_TRACE_HEADER_STEP) {
        size -= (size - SN_TRACE_HEADER_STEP - 1) % SN_TRACE_BLOCK_BYTES + 1; /* one block less */
        for (int more = 0; more < 3; more++) {
            sn_trace_reader reader;
            expectation e = expect(s);
            CHECK_EQUAL(truncate(path, (off_t)(size + (size_t)more * 50)), 0);
            CHECK_EQUAL(sn_trace_open(&reader, path), SN_TRACE_MORE);
            /* Lengthened by zeros it is not what it was, and not just shorter. */
            CHECK_EQUAL(read_on(&reader, &e, 1000), more < 2 ? SN_TRACE_CUT : SN_TRACE_DAMAGED);
            CHECK(reader.problem.what && e.read < before);
            CHECK_EQUAL(reader.problem.unreadable, more == 1 ? 50 : 0);
            sn_trace_close(&reader);
            if (more == 2) before = e.read;
        }
    }
    CHECK_EQUAL(before, 0);
    forget_path();
}

static void a_trace_with_any_bit_flipped_gives_nothing_wrong(void) {
    for (int finished = 0; finished < 2; finished++) {
        size_t size, noticed = 0, unnoticed = 0;
        uint8_t *bytes = small_trace(&size, finished);
        int file = in_memory();
        put(file, bytes, size, 0);
        for (size_t at = 0; at < size; at++) {
            /* Nothing is in the rest of the header; a look at some of it will do. */
            bool spare = at >= sizeof(sn_trace_header) + 13 + 6 + 18 && at < SN_TRACE_HEADER_STEP;
            if (spare && at % 500) continue;
            for (int bit = 0; bit < 8; bit++) {
                uint8_t flipped = bytes[at] ^ (uint8_t)(1u << bit);
                uint64_t read;
                put(file, &flipped, 1, at);
                sn_trace_result result = read_damaged(file, small, &read);
                bool seen = result == SN_TRACE_DAMAGED || result == SN_TRACE_FOREIGN || result == SN_TRACE_NEWER;
                /* A length that is too large looks like a file that is too short. */
                seen |= result == SN_TRACE_CUT && read < small.events;
                bool harmless = read == small.events && result == (finished ? SN_TRACE_END : SN_TRACE_CUT);
                CHECK(seen || harmless);
                noticed += seen;
                unnoticed += !seen && !spare;
                put(file, bytes + at, 1, at);
            }
        }
        /* Five words mean nothing in a trace without an end: four that say how it ended, and the number of
         * events in a block that is not sealed. */
        CHECK(noticed > 6 * (size - SN_TRACE_HEADER_STEP));
        CHECK_EQUAL(unnoticed, finished ? 0 : 5 * 64);
        close(file);
        free(bytes);
    }
}

static void blocks_of_another_trace_are_damage(void) {
    size_t size, other_size;
    uint8_t *bytes = small_trace(&size, true);
    sn_trace_writer writer;
    sn_trace_about about = example_about(small.clock, small.shift);
    about.pid = 42;
    about.start_ns++;
    CHECK_EQUAL(sn_trace_create(&writer, new_path(), &about), SN_OK);
    write_stream(&writer, small);
    sn_trace_finish(&writer, 77, 99);
    uint8_t *other = file_bytes(&other_size);
    forget_path();
    CHECK_EQUAL(size, other_size);
    memcpy(bytes + SN_TRACE_HEADER_STEP, other + SN_TRACE_HEADER_STEP, size - SN_TRACE_HEADER_STEP);
    int file = in_memory();
    put(file, bytes, size, 0);
    uint64_t read;
    CHECK_EQUAL(read_damaged(file, small, &read), SN_TRACE_DAMAGED);
    CHECK_EQUAL(read, 0);
    close(file);
    free(bytes);
    free(other);
}

static void blocks_in_another_order_are_damage(void) {
    const stream s = {23, 300000, SN_CLOCK_MONOTONIC, 2, false};
    create_stream(s);
    size_t size;
    uint8_t *bytes = file_bytes(&size);
    CHECK(size > SN_TRACE_HEADER_STEP + 3 * SN_TRACE_BLOCK_BYTES);
    int file = open(path, O_WRONLY);
    put(file, bytes + SN_TRACE_HEADER_STEP + 2 * SN_TRACE_BLOCK_BYTES, SN_TRACE_BLOCK_BYTES,
        SN_TRACE_HEADER_STEP + SN_TRACE_BLOCK_BYTES);
    close(file);
    sn_trace_reader reader;
    expectation e = expect(s);
    CHECK_EQUAL(sn_trace_open(&reader, path), SN_TRACE_MORE);
    CHECK_EQUAL(read_on(&reader, &e, 1000), SN_TRACE_DAMAGED);
    CHECK_EQUAL(reader.problem.block, 1);
    CHECK(e.read > 0 && e.read < s.events);
    CHECK_EQUAL(read_on(&reader, &e, 1000), SN_TRACE_DAMAGED); /* and stays so */
    sn_trace_close(&reader);
    free(bytes);
    forget_path();
}

static void what_makes_no_sense_is_damage_even_with_right_checksums(void) {
    static const struct {
        uint8_t size, bytes[24];
    } payloads[] = {
        {1, {0}},                                             /* escape 0 */
        {1, {7 << 2}},                                        /* escape 7 */
        {1, {1}},                                             /* nothing is predicted */
        {2, {3, 1}},                                          /* edge 1 is not there */
        {4, {3, 0, 0, 5}},                                    /* function 0 is not there */
        {1, {3}},                                             /* where is the edge? */
        {2, {3, 0}},                                          /* and its function? */
        {2, {3, 0x80}},                                       /* a varint that does not end */
        {1, {63 << 2 | 2}},                                   /* where is the time? */
        {11, {63 << 2 | 2, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1}}, /* 2^64 - 1 more than 63 */
        {12, {4 << 2, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 4}},   /* the second has no time */
        {11, {4 << 2, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2}},      /* 2^64 and more */
        {12, {4 << 2, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 0}}, /* eleven bytes */
        {6, {1 << 2, 255, 255, 255, 255, 16}},                /* thread 2^32 */
        {1, {1 << 2}},                                        /* which thread? */
        {6, {3 << 2, 0, 0, 1, 0, 0}},                         /* a name of one byte, which is not there */
        {8, {3 << 2, 0, 0, 129, 128, 1, 0, 0}},               /* a name of 16385 bytes */
        {4, {5 << 2, 0, 0, 1}},                               /* found, function 0 */
        {9, {3 << 2, 0, 0, 0, 0, 0, 3, 0, 1}},                /* an edge without its line */
    };
    uint8_t bytes[SN_TRACE_HEADER_STEP + 256];
    example_columns c = example_columns_of(8);
    for (size_t i = 0; i < sizeof payloads / sizeof *payloads; i++) {
        sn_trace_reader reader;
        int file = in_memory();
        size_t count, all = 0;
        put(file, bytes, example_trace_around(bytes, payloads[i].bytes, payloads[i].size, SN_CLOCK_TSC, 0, 0), 0);
        CHECK_EQUAL(sn_trace_open_file(&reader, file), SN_TRACE_MORE);
        sn_trace_result result;
        while ((result = sn_trace_read(&reader, &c.columns, 8, &count)) == SN_TRACE_MORE) all += count;
        if (result != SN_TRACE_DAMAGED || all > 1) fprintf(stderr, "payload %zu\n", i);
        CHECK_EQUAL(result, SN_TRACE_DAMAGED);
        CHECK(all <= 1);
        CHECK(reader.problem.offset >= SN_TRACE_HEADER_STEP + sizeof(sn_trace_block));
        sn_trace_close(&reader);
    }
    /* The same way of making them, and a payload that is right. */
    const uint8_t right[] = {3 << 2, 1, 3, 0, 0, 0, 1 << 2, 9, 10 << 2 | 3, 0, 0, 7, 2, 1};
    sn_trace_reader reader;
    int file = in_memory();
    size_t count;
    put(file, bytes, example_trace_around(bytes, right, sizeof right, SN_CLOCK_TSC, 0, 2), 0);
    CHECK_EQUAL(sn_trace_open_file(&reader, file), SN_TRACE_MORE);
    CHECK_EQUAL(sn_trace_read(&reader, &c.columns, 8, &count), SN_TRACE_MORE);
    CHECK_EQUAL(count, 2);
    CHECK(example_equal(example_at(&c, 0), (example_event){SN_TRACE_ENTER, 9, 0, 7, 10}));
    CHECK_EQUAL(sn_trace_read(&reader, &c.columns, 8, &count), SN_TRACE_DAMAGED); /* after left: none entered yet */
    sn_trace_close(&reader);
    example_columns_free(&c);
}

static void what_is_not_a_trace_is_refused(void) {
    sn_trace_reader reader;
    CHECK_EQUAL(sn_trace_open(&reader, "/tmp/there/is/no/such/file"), SN_TRACE_UNREADABLE);
    CHECK_EQUAL(errno, ENOENT);
    CHECK_EQUAL(sn_trace_open(&reader, "/tmp"), SN_TRACE_UNREADABLE);
    CHECK_EQUAL(sn_trace_open(&reader, "/dev/null"), SN_TRACE_FOREIGN);
    CHECK_EQUAL(sn_trace_open(&reader, "/proc/self/exe"), SN_TRACE_FOREIGN);
    sn_trace_close(&reader);
    size_t size;
    uint8_t *bytes = small_trace(&size, true);
    ((sn_trace_header *)bytes)->version = 2;
    int file = in_memory();
    put(file, bytes, size, 0);
    CHECK_EQUAL(sn_trace_open_file(&reader, file), SN_TRACE_NEWER);
    CHECK_EQUAL(reader.header.version, 2);
    free(bytes);
}

static void a_file_that_exists_is_left_alone(void) {
    sn_trace_writer writer;
    sn_trace_about about = example_about(SN_CLOCK_NONE, 0);
    int file = open(new_path(), O_WRONLY | O_CREAT, 0600);
    put(file, (const uint8_t *)"mine", 4, 0);
    CHECK_EQUAL(sn_trace_create(&writer, path, &about), SN_SYSTEM);
    CHECK_EQUAL(errno, EEXIST);
    sn_trace_event(&writer, SN_TRACE_LEAVE, 0, 0, 0, 0); /* harmless */
    sn_trace_finish(&writer, 0, 0);
    struct stat about_file;
    CHECK(!fstat(file, &about_file) && about_file.st_size == 4);
    close(file);
    forget_path();
}

/* ---- the writing process ---- */

/* Written from several processes. */
static uint64_t *shared_number(void) {
    uint64_t *number = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(number != MAP_FAILED);
    return number;
}

static pid_t fork_writer(stream s, uint64_t *written) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child) return child;
    sn_trace_writer writer;
    sn_trace_about about = example_about(s.clock, s.shift);
    CHECK_EQUAL(sn_trace_create(&writer, path, &about), SN_OK);
    uint64_t random = s.seed, ticks = 1000;
    for (uint32_t i = 0; i < EXAMPLE_TRACE_FUNCTIONS; i++) CHECK(example_function(&writer, i));
    for (uint64_t i = 0; i < s.events; i++) {
        example_write(&writer, example_next(&random, &ticks, s.wild));
        __atomic_store_n(written, i + 1, __ATOMIC_RELEASE);
    }
    sn_trace_finish(&writer, 77, 99);
    _exit(0);
}

static void a_killed_process_leaves_every_event(void) {
    const stream s = {31, UINT64_MAX, SN_CLOCK_MONOTONIC, 4, true};
    for (unsigned round = 0; round < 8; round++) {
        uint64_t *written = shared_number();
        new_path();
        pid_t child = fork_writer(s, written);
        while (__atomic_load_n(written, __ATOMIC_ACQUIRE) < 20000u * round + 1) usleep(100);
        kill(child, SIGKILL);
        CHECK_EQUAL(waitpid(child, NULL, 0), child);
        sn_trace_reader reader;
        expectation e = expect(s);
        CHECK_EQUAL(sn_trace_open(&reader, path), SN_TRACE_MORE);
        CHECK_EQUAL(read_on(&reader, &e, 5000), SN_TRACE_CUT);
        CHECK(!reader.problem.what);
        CHECK(e.read == *written || e.read == *written + 1);
        uint64_t ticks, ns;
        CHECK(sn_trace_last_pair(&reader, &ticks, &ns) && ns > 0);
        sn_trace_close(&reader);
        forget_path();
    }
}

static void a_trace_is_read_while_it_is_written(void) {
    const stream s = {32, 1500000, SN_CLOCK_MONOTONIC, 4, false};
    uint64_t *written = shared_number();
    new_path();
    pid_t child = fork_writer(s, written);
    while (!__atomic_load_n(written, __ATOMIC_ACQUIRE)) usleep(100);
    sn_trace_reader reader;
    expectation e = expect(s);
    CHECK_EQUAL(sn_trace_open(&reader, path), SN_TRACE_MORE);
    for (;;) {
        uint64_t before = __atomic_load_n(written, __ATOMIC_ACQUIRE);
        sn_trace_result result = read_on(&reader, &e, 1000);
        CHECK(e.read >= before); /* what was published is there */
        CHECK(sn_trace_forget(&reader));
        if (result == SN_TRACE_END) break;
        CHECK_EQUAL(result, SN_TRACE_CUT);
    }
    int status;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
    CHECK_EQUAL(e.read, s.events);
    struct stat about;
    CHECK(!stat(path, &about));
    if (about.st_blocks * 512 > about.st_size / 2) SKIP("this file system keeps what is given back");
    sn_trace_close(&reader);
    CHECK_EQUAL(sn_trace_open(&reader, path), SN_TRACE_MORE); /* it is still a trace, whose events are gone */
    expectation again = expect(s);
    CHECK_EQUAL(read_on(&reader, &again, 1000), SN_TRACE_DAMAGED);
    CHECK_EQUAL(again.read, 0);
    sn_trace_close(&reader);
    forget_path();
}

static void a_full_disk_ends_the_recording_not_the_program(void) {
    const stream s = {33, 400000, SN_CLOCK_MONOTONIC, 4, false};
    for (int finished = 0; finished < 2; finished++) {
        /* A limit on the size of files stands for a full disk; its signal would end this process. */
        struct rlimit limit = {SN_TRACE_HEADER_STEP + 6 * SN_TRACE_BLOCK_BYTES + 100, RLIM_INFINITY};
        signal(SIGXFSZ, SIG_DFL);
        CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
        sn_trace_writer writer;
        sn_trace_about about = example_about(s.clock, s.shift);
        CHECK_EQUAL(sn_trace_create(&writer, new_path(), &about), SN_OK);
        errno = 0;
        write_stream(&writer, s);
        CHECK_EQUAL(errno, 0);
        CHECK(writer.lost > 0);
        CHECK_EQUAL(writer.lost + writer.events, s.events);
        CHECK(!example_function(&writer, 50));
        uint64_t lost = writer.lost;
        if (finished) sn_trace_finish(&writer, 77, 99);
        sn_trace_reader reader;
        expectation e = expect(s);
        CHECK_EQUAL(sn_trace_open(&reader, path), SN_TRACE_MORE);
        CHECK_EQUAL(read_on(&reader, &e, 1000), finished ? SN_TRACE_END : SN_TRACE_CUT);
        CHECK_EQUAL(e.read, s.events - lost);
        CHECK_EQUAL(reader.header.lost, lost);
        sn_trace_close(&reader);
        struct stat size;
        CHECK(!stat(path, &size) && size.st_size == (off_t)(SN_TRACE_HEADER_STEP + 6 * SN_TRACE_BLOCK_BYTES));
        sn_trace_abandon(&writer);
        forget_path();
    }
}

static void a_recording_that_was_stopped_counts_what_it_loses(void) {
    const stream s = {36, 1000, SN_CLOCK_MONOTONIC, 4, false};
    sn_trace_writer writer;
    sn_trace_about about = example_about(s.clock, s.shift);
    uint64_t told = 0;
    CHECK_EQUAL(sn_trace_create(&writer, new_path(), &about), SN_OK);
    writer.lost_told = &told;
    write_stream(&writer, s);
    sn_trace_stop(&writer);
    sn_trace_stop(&writer);
    CHECK(!example_function(&writer, 50));
    for (unsigned i = 0; i < 7; i++) sn_trace_event(&writer, SN_TRACE_LEAVE, 0, 0, 0, 0);
    sn_trace_finish(&writer, 77, 99);
    CHECK_EQUAL(told, 7);
    sn_trace_reader reader;
    expectation e = expect(s);
    CHECK_EQUAL(sn_trace_open(&reader, path), SN_TRACE_MORE);
    CHECK_EQUAL(read_on(&reader, &e, 1000), SN_TRACE_END);
    CHECK_EQUAL(e.read, s.events);
    CHECK_EQUAL(reader.header.lost, 7);
    sn_trace_close(&reader);
    forget_path();
}

static void without_room_for_one_block_there_is_no_trace(void) {
    struct rlimit limit = {SN_TRACE_BLOCK_BYTES, RLIM_INFINITY};
    CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
    sn_trace_writer writer;
    sn_trace_about about = example_about(SN_CLOCK_NONE, 0);
    CHECK_EQUAL(sn_trace_create(&writer, new_path(), &about), SN_NO_SPACE);
    CHECK_EQUAL(access(path, F_OK), -1);
    forget_path();
}

static void a_file_that_is_gone_ends_the_recording(void) {
    const stream s = {34, 700000, SN_CLOCK_MONOTONIC, 4, false};
    sn_trace_writer writer;
    sn_trace_about about = example_about(s.clock, s.shift);
    CHECK_EQUAL(sn_trace_create(&writer, new_path(), &about), SN_OK);
    unlink(path);
    close(open(path, O_WRONLY | O_CREAT, 0600)); /* another one of its name */
    write_stream(&writer, s);
    CHECK(writer.lost > 0);
    sn_trace_finish(&writer, 0, 0);
    struct stat other;
    CHECK(!stat(path, &other) && other.st_size == 0);
    forget_path();
}

static void a_forked_child_lets_go_of_its_parents_trace(void) {
    const stream s = {35, 1000, SN_CLOCK_MONOTONIC, 4, false};
    sn_trace_writer writer;
    sn_trace_about about = example_about(s.clock, s.shift);
    CHECK_EQUAL(sn_trace_create(&writer, new_path(), &about), SN_OK);
    pid_t child = fork();
    if (!child) {
        sn_trace_abandon(&writer);
        sn_trace_event(&writer, SN_TRACE_LEAVE, 0, 0, 0, 0);
        if (writer.lost != 1 || example_function(&writer, 0)) _exit(1);
        sn_trace_finish(&writer, 1, 1);
        sn_trace_abandon(&writer);
        _exit(0);
    }
    int status;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
    write_stream(&writer, s);
    sn_trace_finish(&writer, 77, 99);
    check_reads_back(s, 100);
    forget_path();
}

static void a_long_recording_takes_no_more_memory_than_a_short_one(void) {
    sn_trace_writer writer;
    sn_trace_about about = example_about(SN_CLOCK_NONE, 0);
    CHECK_EQUAL(sn_trace_create(&writer, new_path(), &about), SN_OK);
    struct rusage before, after;
    for (unsigned i = 0; i < 16000000; i++) sn_trace_event(&writer, SN_TRACE_LEAVE, 0, 0, 0, 0);
    getrusage(RUSAGE_SELF, &before);
    for (unsigned i = 0; i < 24000000; i++) sn_trace_event(&writer, SN_TRACE_LEAVE, 0, 0, 0, 0);
    getrusage(RUSAGE_SELF, &after);
    CHECK(writer.window_bytes <= 65 * SN_TRACE_BLOCK_BYTES);
    CHECK(after.ru_maxrss - before.ru_maxrss < 1024); /* KiB; the trace itself grew by 23 MiB */
    sn_trace_finish(&writer, 0, 0);
    forget_path();
}

CHECK_MAIN(TEST(what_is_written_is_read), TEST(any_room_gives_the_same_events), TEST(the_header_says_what_was_recorded),
           TEST(a_long_command_is_cut_off), TEST(more_edges_than_are_remembered_are_read_back),
           TEST(stacks_deeper_than_remembered_are_read_back), TEST(functions_of_any_size_fill_blocks),
           TEST(events_that_cannot_be_are_not_written), TEST(a_clock_that_goes_back_stands_still),
           TEST(ticks_become_nanoseconds), TEST(a_trace_cut_off_anywhere_gives_its_beginning),
           TEST(a_trace_cut_off_between_blocks_gives_the_blocks_before),
           TEST(a_trace_with_any_bit_flipped_gives_nothing_wrong), TEST(blocks_of_another_trace_are_damage),
           TEST(blocks_in_another_order_are_damage), TEST(what_makes_no_sense_is_damage_even_with_right_checksums),
           TEST(what_is_not_a_trace_is_refused), TEST(a_file_that_exists_is_left_alone),
           TEST(a_killed_process_leaves_every_event), TEST(a_trace_is_read_while_it_is_written),
           TEST(a_full_disk_ends_the_recording_not_the_program),
           TEST(a_recording_that_was_stopped_counts_what_it_loses), TEST(without_room_for_one_block_there_is_no_trace),
           TEST(a_file_that_is_gone_ends_the_recording), TEST(a_forked_child_lets_go_of_its_parents_trace),
           TEST(a_long_recording_takes_no_more_memory_than_a_short_one))
