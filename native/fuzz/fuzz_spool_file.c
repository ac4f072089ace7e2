/* Any bytes as a spool: decoded, added to a tree, read out as columns. */
#include "fuzz.h"

#include "../tests/columns.h"
#include "../tests/example_spool.h"

static void decode(const sn_spool_file *spool) {
    sn_spool_context context;
    sn_spool_record record;
    unsigned sum = 0;
    for (uint64_t cell = SN_HEADER_CELLS; cell < spool->cells;) {
        uint64_t own = cell;
        sn_cell_kind kind = sn_spool_file_next(spool, &cell, &context, &record);
        PROMISE(cell > own && cell <= spool->cells);
        if (kind == SN_CELL_CONTEXT) PROMISE(context.root ? context.parent == SN_NO_ROW : context.parent < own);
        if (kind == SN_CELL_RECORD)
            for (int i = 0; i < 4; i++)
                for (uint32_t j = 0; j < record.length[i]; j++) sum += (unsigned char)record.text[i][j];
    }
    __asm__ volatile("" : : "r"(sum)); /* the text is really read */
}

static void add(const sn_spool_file *spool, double ns_per_tick) {
    const uint32_t map[EXAMPLE_FUNCTIONS] = {0, 1, 2};
    sn_exact_tree tree;
    columns c;
    PROMISE(sn_exact_create(&tree) == SN_OK);
    uint64_t end_ticks = spool->header.end_ticks;
    PROMISE(sn_exact_add_spool(&tree, spool, map, EXAMPLE_FUNCTIONS, ns_per_tick, end_ticks) == SN_OK);
    PROMISE(columns_read(&c, &tree));
    PROMISE(columns_valid(&c));
    PROMISE(columns_positive(&c));
    for (uint64_t i = 0; i < c.rows; i++) PROMISE(c.function[i] < EXAMPLE_FUNCTIONS);
    columns_free(&c);
    sn_exact_destroy(&tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    sn_spool_file spool;
    if (sn_spool_file_from(&spool, bytes, size) != SN_OK) return 0;
    decode(&spool);
    /* The rate of the clock is measured, from numbers of the header: it can be anything, too. */
    double elapsed = (double)spool.header.end_ticks - (double)spool.header.start_ticks;
    add(&spool, (double)spool.header.start_ns / elapsed);
    add(&spool, 1.0);
    sn_spool_file_close(&spool);
    return 0;
}

size_t fuzz_example(uint8_t *bytes, size_t room, uint64_t *random) {
    static uint8_t spool[EXAMPLE_ROOM]; /* made once: every input begins as the same spool */
    static size_t size;
    (void)random;
    if (!size) {
        example_spool example;
        PROMISE(example_create(&example, -1));
        size = example_size(&example);
        PROMISE(size <= sizeof spool && size <= room);
        memcpy(spool, example.cells.base, size);
        example_destroy(&example);
    }
    memcpy(bytes, spool, size);
    return size;
}
