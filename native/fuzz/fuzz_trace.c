/* Any bytes as a trace: as they are, and as the payload of a block whose checksums are right. */
#define _GNU_SOURCE
#include "fuzz.h"

#include "../tests/example_trace.h"

#include <sys/mman.h>
#include <unistd.h>

static void read_all(const uint8_t *bytes, size_t size, size_t room) {
    int file = memfd_create("fuzz", MFD_CLOEXEC);
    PROMISE(file >= 0 && write(file, bytes, size) == (ssize_t)size);
    sn_trace_reader reader;
    if (sn_trace_open_file(&reader, file) != SN_TRACE_MORE) return;
    const bool timed = reader.header.clock != SN_CLOCK_NONE;
    example_columns c = example_columns_of(room);
    size_t count;
    uint64_t events = 0, before = 0, ticks, ns;
    unsigned sum = 0;
    sn_trace_result result;
    while ((result = sn_trace_read(&reader, &c.columns, room, &count)) == SN_TRACE_MORE) {
        PROMISE(count > 0 && count <= room);
        events += count;
        for (size_t i = 0; i < count; i++) {
            example_event e = example_at(&c, i);
            bool edged = e.kind == SN_TRACE_ENTER || e.kind == SN_TRACE_FOUND;
            PROMISE(e.kind >= SN_TRACE_ENTER && e.kind <= SN_TRACE_LOST);
            PROMISE(edged ? e.function < reader.function_count : !e.function && !e.line);
            PROMISE(timed ? e.ticks >= before : !e.ticks);
            before = e.ticks;
        }
    }
    PROMISE(result == SN_TRACE_END || result == SN_TRACE_CUT || result == SN_TRACE_DAMAGED);
    PROMISE(result != SN_TRACE_DAMAGED || reader.problem.what);
    PROMISE(reader.events == events);
    PROMISE(sn_trace_read(&reader, &c.columns, room, &count) == result && !count);
    for (uint32_t i = 0; i < reader.function_count; i++) {
        const sn_trace_definition *f = &reader.functions[i];
        for (uint32_t j = 0; j < f->length[0] + f->length[1] + f->length[2]; j++)
            sum += (unsigned char)reader.text[f->text + j];
    }
    __asm__ volatile("" : : "r"(sum)); /* the text is really read */
    sn_trace_last_pair(&reader, &ticks, &ns);
    example_columns_free(&c);
    sn_trace_close(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static uint8_t made[SN_TRACE_HEADER_STEP + SN_TRACE_BLOCK_BYTES];
    const size_t before = SN_TRACE_HEADER_STEP + sizeof(sn_trace_block);
    read_all(bytes, size, 16);
    if (size <= before || size - before > SN_TRACE_ROOM) return 0;
    /* Damaged payloads never come through the checksums: so new ones are made. */
    uint32_t clock = bytes[20] % 3, shift = bytes[24] % 63;
    read_all(made, example_trace_around(made, bytes + before, (uint32_t)(size - before), clock, shift, UINT64_MAX), 7);
    return 0;
}

size_t fuzz_example(uint8_t *bytes, size_t room, uint64_t *random) {
    char path[] = "/tmp/sonde-fuzz-XXXXXX";
    static uint8_t example[FUZZ_ROOM]; /* made once, of as many kinds of operations as there are */
    static size_t size;
    (void)random;
    if (!size) {
        sn_trace_writer writer;
        sn_trace_about about = example_about(SN_CLOCK_MONOTONIC, 3);
        uint64_t stream = 5, ticks = 1000;
        PROMISE(mkdtemp(path));
        char file[64];
        snprintf(file, sizeof file, "%s/t.trace", path);
        PROMISE(sn_trace_create(&writer, file, &about) == SN_OK);
        for (uint32_t i = 0; i < EXAMPLE_TRACE_FUNCTIONS; i++) PROMISE(example_function(&writer, i));
        for (int i = 0; i < 500; i++) example_write(&writer, example_next(&stream, &ticks, true));
        sn_trace_finish(&writer, 0, 0);
        FILE *from = fopen(file, "rb");
        PROMISE(from);
        size = fread(example, 1, sizeof example, from);
        PROMISE(size < sizeof example && size <= room);
        fclose(from);
        unlink(file);
        rmdir(path);
    }
    memcpy(bytes, example, size);
    return size;
}
