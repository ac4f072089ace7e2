/* Address traces: written and read back, whole, cut off, damaged, out of room. */
#define _GNU_SOURCE
#include "check.h"

#include "example_address_trace.h"

#include "../core/addresses/address_text.h"

static example_file new_file(void) { return (example_file){.most = SIZE_MAX}; }

/* Read all: every access is the next one of the program. Returns how it ended; `read`: how many accesses. */
static enum sn_address_result read_back(const uint8_t *bytes, size_t size, uint64_t seed, size_t room, uint64_t *read) {
    static struct sn_address_reader reader;
    static example_table table;
    struct sn_address_columns columns = example_columns(&table);
    example_program p = example_begin(seed);
    example_access expected[SN_ADDRESS_SLOTS];
    size_t at = 0, there = 0, count;
    *read = 0;
    enum sn_address_result result = sn_address_open_file(&reader, example_descriptor(bytes, size));
    if (result != SN_ADDRESS_MORE) return result;
    while ((result = sn_address_read(&reader, &columns, room, &count)) == SN_ADDRESS_MORE) {
        CHECK(count > 0 && count <= room);
        for (size_t i = 0; i < count; i++, (*read)++) {
            while (at == there) {
                there = example_run(&p, expected);
                at = 0;
            }
            example_access e = expected[at++];
            CHECK_EQUAL(table.ip[i], e.ip);
            CHECK_EQUAL(table.address[i], e.address);
            CHECK_EQUAL(table.size[i], e.size);
            CHECK_EQUAL(table.kind[i], e.kind);
            CHECK_EQUAL(table.thread[i], e.thread);
        }
    }
    CHECK_EQUAL(count, 0);
    CHECK_EQUAL(reader.accesses, *read);
    CHECK_EQUAL(sn_address_read(&reader, &columns, room, &count), result); /* and stays so */
    CHECK((result == SN_ADDRESS_DAMAGED) == (reader.problem != NULL));
    sn_address_close(&reader);
    return result;
}

static void what_is_written_is_read(void) {
    const uint32_t runs[] = {0, 1, 2, 1000, 200000}, flushes[] = {0, 1, 1, 7, 0};
    for (int i = 0; i < 5; i++) {
        example_file file = new_file();
        struct sn_address_trace_counts counts = example_write(&file, 5, runs[i], flushes[i]);
        uint64_t read;
        CHECK_EQUAL(counts.bytes, file.size);
        CHECK_EQUAL(counts.dropped, 0);
        CHECK_EQUAL(read_back(file.bytes, file.size, 5, EXAMPLE_ROOM, &read), SN_ADDRESS_END);
        CHECK_EQUAL(read, counts.accesses);
        free(file.bytes);
    }
}

static void any_room_gives_the_same_accesses(void) {
    example_file file = new_file();
    struct sn_address_trace_counts counts = example_write(&file, 6, 600, 100);
    for (size_t room = 1; room < 40; room++) {
        uint64_t read;
        CHECK_EQUAL(read_back(file.bytes, file.size, 6, room, &read), SN_ADDRESS_END);
        CHECK_EQUAL(read, counts.accesses);
    }
    free(file.bytes);
}

static void a_file_that_is_cut_off_is_read_up_to_there(void) {
    example_file file = new_file();
    struct sn_address_trace_counts counts = example_write(&file, 7, 63, 9);
    uint64_t before = 0, read;
    for (size_t size = 0; size < file.size; size++) {
        enum sn_address_result result = read_back(file.bytes, size, 7, EXAMPLE_ROOM, &read);
        CHECK_EQUAL(result, size < 8    ? SN_ADDRESS_FOREIGN
                            : size < 32 ? SN_ADDRESS_DAMAGED
                                        : SN_ADDRESS_CUT);
        CHECK(read >= before && read <= counts.accesses);
        before = read;
    }
    CHECK_EQUAL(before, counts.accesses); /* all of it, but for the end */
    free(file.bytes);
}

static void every_changed_bit_is_noticed(void) {
    example_file file = new_file();
    struct sn_address_trace_counts counts = example_write(&file, 8, 40, 9);
    for (size_t bit = 0; bit < 8 * file.size; bit++) {
        file.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        uint64_t read;
        enum sn_address_result result = read_back(file.bytes, file.size, 8, EXAMPLE_ROOM, &read);
        CHECK(result != SN_ADDRESS_END && result != SN_ADDRESS_MORE && result != SN_ADDRESS_NEWER);
        CHECK(read <= counts.accesses);
        file.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    uint64_t read;
    example_append(&file, "", 1);
    CHECK_EQUAL(read_back(file.bytes, file.size, 8, EXAMPLE_ROOM, &read), SN_ADDRESS_DAMAGED);
    free(file.bytes);
}

static void a_block_of_another_trace_does_not_fit(void) {
    example_file one = new_file(), other = new_file();
    example_write(&one, 9, 20, 1);
    example_write(&other, 11, 20, 1);
    struct sn_address_block a, b;
    memcpy(&a, one.bytes + 32, sizeof a);
    memcpy(&b, other.bytes + 32, sizeof b);
    size_t first = 32 + sizeof a + (a.bytes + 7u) / 8 * 8 + 8 * a.words;
    size_t second = 32 + sizeof b + (b.bytes + 7u) / 8 * 8 + 8 * b.words;
    example_file spliced = new_file();
    example_append(&spliced, one.bytes, first);
    example_append(&spliced, other.bytes + second, other.size - second);
    uint64_t read;
    CHECK_EQUAL(read_back(spliced.bytes, spliced.size, 9, EXAMPLE_ROOM, &read), SN_ADDRESS_DAMAGED);
    free(one.bytes);
    free(other.bytes);
    free(spliced.bytes);
}

static void a_later_version_is_told(void) {
    example_file file = new_file();
    example_write(&file, 10, 5, 0);
    struct sn_address_header header;
    memcpy(&header, file.bytes, sizeof header);
    header.version = 2;
    header.check = sn_address_check(0, &header, 3);
    memcpy(file.bytes, &header, sizeof header);
    uint64_t read;
    CHECK_EQUAL(read_back(file.bytes, file.size, 10, EXAMPLE_ROOM, &read), SN_ADDRESS_NEWER);
    free(file.bytes);
}

static void a_full_disk_ends_the_trace_and_the_rest_is_counted(void) {
    example_file whole = new_file();
    struct sn_address_trace_counts all = example_write(&whole, 12, 500, 20);
    for (size_t most = 0; most < whole.size; most += 97) {
        example_file file = {.most = most};
        struct sn_address_trace_counts counts = example_write(&file, 12, 500, 20);
        CHECK(counts.failed);
        CHECK_EQUAL(counts.accesses + counts.dropped, all.accesses);
        CHECK_EQUAL(counts.bytes, file.size);
        uint64_t read;
        enum sn_address_result result = read_back(file.bytes, file.size, 12, EXAMPLE_ROOM, &read);
        CHECK_EQUAL(result, file.size ? SN_ADDRESS_CUT : SN_ADDRESS_FOREIGN);
        CHECK_EQUAL(read, counts.accesses);
        free(file.bytes);
    }
    free(whole.bytes);
}

static void *some_memory(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    return memory;
}

static void segments_are_numbered_once_and_limited(void) {
    example_file file = new_file();
    char *memory = some_memory(SN_ADDRESS_TRACE_LEAST + 8);
    CHECK(!sn_address_trace_place(memory, SN_ADDRESS_TRACE_LEAST - 1, example_append, &file));
    CHECK(!sn_address_trace_place(memory + 4, SN_ADDRESS_TRACE_LEAST, example_append, &file));
    struct sn_address_trace *trace = sn_address_trace_place(memory, SN_ADDRESS_TRACE_LEAST, example_append, &file);
    CHECK(trace);
    struct sn_trace_slot slots[SN_ADDRESS_SLOTS] = {{.ip = 1, .size = 4, .kind = SN_ADDRESS_LOAD}};
    CHECK_EQUAL(sn_address_trace_segment(trace, slots, 0), SN_ADDRESS_TRACE_NONE);
    CHECK_EQUAL(sn_address_trace_segment(trace, slots, SN_ADDRESS_SLOTS + 1), SN_ADDRESS_TRACE_NONE);
    slots[0].kind = 4;
    CHECK_EQUAL(sn_address_trace_segment(trace, slots, 1), SN_ADDRESS_TRACE_NONE);
    slots[0].kind = SN_ADDRESS_STORE;
    CHECK_EQUAL(sn_address_trace_segment(trace, slots, 1), 0);
    CHECK_EQUAL(sn_address_trace_segment(trace, slots, 2), 1);
    CHECK_EQUAL(sn_address_trace_segment(trace, slots, 1), 0);
    CHECK_EQUAL(sn_address_trace_segment(trace, slots, SN_ADDRESS_SLOTS), 2);
    uint32_t last = 2;
    for (uint32_t i = 0; i < 100000; i++) {
        slots[0].ip = 100 + i;
        uint32_t number = sn_address_trace_segment(trace, slots, 3);
        if (number == SN_ADDRESS_TRACE_NONE) break;
        CHECK_EQUAL(number, ++last);
    }
    CHECK(last < 100000);
    uint64_t addresses[3] = {7, 8, 9};
    sn_address_trace_run(trace, last, addresses);
    sn_address_trace_run(trace, last + 1, addresses);
    sn_address_trace_run(trace, SN_ADDRESS_TRACE_NONE, addresses);
    sn_address_trace_finish(trace);
    sn_address_trace_run(trace, last, addresses);
    struct sn_address_trace_counts counts = sn_address_trace_count(trace);
    CHECK_EQUAL(counts.accesses, 3);
    CHECK_EQUAL(counts.unknown_runs, 2);
    CHECK_EQUAL(counts.dropped, 3);
    CHECK_EQUAL(counts.segments, last + 1);
    free(file.bytes);
}

static void a_loop_over_an_array_takes_next_to_nothing(void) {
    example_file file = new_file();
    struct sn_address_trace *trace =
        sn_address_trace_place(some_memory(EXAMPLE_MEMORY), EXAMPLE_MEMORY, example_append, &file);
    const struct sn_trace_slot slots[2] = {{.ip = 16, .size = 8, .kind = SN_ADDRESS_LOAD},
                                           {.ip = 20, .size = 8, .kind = SN_ADDRESS_STORE}};
    uint32_t loop = sn_address_trace_segment(trace, slots, 2);
    for (uint64_t i = 0; i < 100000; i++)
        sn_address_trace_run(trace, loop, (uint64_t[]){0x10000 + 8 * i, 0x800000 + 4 * i});
    sn_address_trace_finish(trace);
    CHECK(file.size < 100000 / 8 + 200);
    free(file.bytes);
}

static void accesses_are_written_as_others_read_them(void) {
    uint64_t ip[] = {0x401000, 0x401003, 0x401007, 0x401007}, address[] = {0xff, 0x1fff0005f8, UINT64_MAX, 0x401007};
    uint16_t size[] = {8, 65535, 4, 5};
    uint8_t kind[] = {SN_ADDRESS_LOAD, SN_ADDRESS_STORE, SN_ADDRESS_MODIFY, SN_ADDRESS_FETCH};
    uint32_t thread[] = {0, 1, UINT32_MAX, 0};
    const struct sn_address_columns columns = {ip, address, size, kind, thread};
    const char *const wanted[] = {
        "0 ff\n1 1fff0005f8\n0 ffffffffffffffff\n1 ffffffffffffffff\n2 401007\n",
        " L 000000ff,8\n S 1fff0005f8,65535\n M ffffffffffffffff,4\nI  00401007,5\n",
        "0x401000,0xff,8,load,0\n0x401003,0x1fff0005f8,65535,store,1\n"
        "0x401007,0xffffffffffffffff,4,modify,4294967295\n0x401007,0x401007,5,fetch,0\n",
    };
    char text[4 * SN_ADDRESS_TEXT_BYTES];
    for (int form = 0; form < 3; form++) {
        size_t length = sn_address_text(&columns, 4, (enum sn_address_form)form, text);
        CHECK_EQUAL(length, strlen(wanted[form]));
        CHECK(!memcmp(text, wanted[form], length));
    }
    CHECK_EQUAL(sn_address_text(&columns, 4, SN_ADDRESS_RAW, text), 96);
    struct sn_raw_access second;
    memcpy(&second, text + 24, sizeof second);
    CHECK_EQUAL(second.ip, 0x401003);
    CHECK_EQUAL(second.address, 0x1fff0005f8);
    CHECK_EQUAL(second.size, 65535);
    CHECK_EQUAL(second.kind, SN_ADDRESS_STORE);
    CHECK_EQUAL(second.thread, 1);
    /* the longest there can be */
    ip[0] = address[0] = UINT64_MAX;
    size[0] = UINT16_MAX;
    kind[0] = SN_ADDRESS_MODIFY;
    thread[0] = UINT32_MAX;
    for (int form = 0; form < SN_ADDRESS_FORMS; form++)
        CHECK(sn_address_text(&columns, 1, (enum sn_address_form)form, text) <= SN_ADDRESS_TEXT_BYTES);
}

CHECK_MAIN(TEST(what_is_written_is_read), TEST(any_room_gives_the_same_accesses),
           TEST(a_file_that_is_cut_off_is_read_up_to_there), TEST(every_changed_bit_is_noticed),
           TEST(a_block_of_another_trace_does_not_fit), TEST(a_later_version_is_told),
           TEST(a_full_disk_ends_the_trace_and_the_rest_is_counted), TEST(segments_are_numbered_once_and_limited),
           TEST(a_loop_over_an_array_takes_next_to_nothing), TEST(accesses_are_written_as_others_read_them))
