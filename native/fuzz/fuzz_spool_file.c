/* Any bytes as a spool, exact or hot: decoded, added to trees, merged, read out as columns. */
#include "fuzz.h"

#include "../tests/columns.h"
#include "../tests/example_spool.h"

static void decode(const sn_spool_file *spool) {
    sn_spool_context context;
    sn_spool_record record;
    unsigned sum = 0;
    bool exact = spool->header.metric == SN_METRIC_NONE;
    for (uint64_t cell = SN_HEADER_CELLS; cell < spool->cells;) {
        uint64_t own = cell;
        sn_cell_kind kind = sn_spool_file_next(spool, &cell, &context, &record);
        PROMISE(cell > own && cell <= spool->cells);
        if (kind == SN_CELL_CONTEXT) {
            PROMISE(context.root ? context.parent == SN_NO_ROW : context.parent < (exact ? own : spool->cells));
            PROMISE(context.calls_squares >= 0 && isfinite(context.calls_squares));
            PROMISE(context.ticks_squares >= 0 && isfinite(context.ticks_squares));
        }
        if (kind == SN_CELL_RECORD)
            for (int i = 0; i < 4; i++)
                for (uint32_t j = 0; j < record.length[i]; j++) sum += (unsigned char)record.text[i][j];
    }
    __asm__ volatile("" : : "r"(sum)); /* the text is really read */
    sn_spool_cursor cursor;
    for (uint64_t cell = SN_HEADER_CELLS, before = cell; sn_spool_file_next_cursor(spool, &cell, &cursor); before = cell)
        PROMISE(cell > before && cell <= spool->cells && (cursor.current < spool->cells || cursor.current == SN_NO_ROW));
}

static void check(const sn_call_tree *tree) {
    columns c;
    PROMISE(columns_read(&c, tree));
    PROMISE(columns_add_up(&c, tree->hot.tree.sided));
    PROMISE(columns_positive(&c));
    for (uint64_t i = 0; i < c.rows; i++) PROMISE(c.function[i] < EXAMPLE_FUNCTIONS);
    columns_free(&c);
}

static void add(const sn_spool_file *spool, double ns_per_tick, bool sided) {
    const uint32_t maps[2][EXAMPLE_FUNCTIONS] = {{0, 1, 2}, {0, 1, 1}}; /* two functions may be one */
    sn_call_tree tree;
    PROMISE(sn_call_tree_create(&tree, &(sn_hot_plan){0}, sided) == SN_OK);
    for (int i = 0; i < 3; i++) { /* as three processes */
        PROMISE(sn_call_tree_add_spool(&tree, spool, maps[i % 2], EXAMPLE_FUNCTIONS, ns_per_tick,
                                       spool->header.end_ticks, i == 1) == SN_OK);
        if (i != 1) check(&tree);
    }
    sn_call_tree_destroy(&tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    sn_spool_file spool;
    if (sn_spool_file_from(&spool, bytes, size) != SN_OK) return 0;
    decode(&spool);
    /* The rate of the clock is measured, from numbers of the header: it can be anything, too. */
    double elapsed = (double)spool.header.end_ticks - (double)spool.header.start_ticks;
    add(&spool, (double)spool.header.start_ns / elapsed, true);
    add(&spool, 1.0, true);
    if (spool.header.metric == SN_METRIC_NONE) add(&spool, 1.0, false);
    sn_spool_file_close(&spool);
    return 0;
}

size_t fuzz_example(uint8_t *bytes, size_t room, uint64_t *random) {
    static uint8_t spools[3][EXAMPLE_ROOM]; /* made once: every input begins as the same three */
    static size_t sizes[3];
    const sn_metric metrics[3] = {SN_METRIC_NONE, SN_METRIC_CALLS, SN_METRIC_TIME};
    for (int i = 0; i < 3 && !sizes[i]; i++) {
        example_spool example;
        PROMISE(example_create(&example, -1, metrics[i]));
        sizes[i] = example_size(&example);
        PROMISE(sizes[i] <= EXAMPLE_ROOM && sizes[i] <= room);
        memcpy(spools[i], example.cells.base, sizes[i]);
        example_destroy(&example);
    }
    uint64_t which = *random % 3;
    memcpy(bytes, spools[which], sizes[which]);
    return sizes[which];
}
