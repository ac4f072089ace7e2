/* A small spool as an agent writes it: two threads, recursion, a running activation, a note. */
#ifndef SONDE_EXAMPLE_SPOOL_H
#define SONDE_EXAMPLE_SPOOL_H

#include "../core/contexts/hot_tree.h"
#include "../core/contexts/spool_file.h"

#include <string.h>

enum { EXAMPLE_FUNCTIONS = 3, EXAMPLE_END_TICKS = 1000 };
enum { EXAMPLE_CELLS = 160, EXAMPLE_ROOM = EXAMPLE_CELLS * SN_CELL_BYTES }; /* it has less */

/* The contexts; ticks are their own:
 *   root
 *     main from 0:   1 call, 400 ticks
 *       work from 7:  3 calls, 300 ticks
 *         work from 9: 2 calls, 200 ticks     (`again`)
 *       stop from 8:  1 call, 0 ticks
 *     work from 0:   1 call, running on the other thread since 400
 * A hot one has besides: errors of 0, 1, 2, 3 and 4 and a floor of 4 calls; below main, 5 calls and 60 ticks
 * were pruned, at the top 7 and 80; work brought its calls in bursts of 1 and 2; and `again` lies in cells
 * that were another context's, before its caller. */
typedef struct {
    sn_cells cells;
    sn_hot_tree hot;
    sn_context *main, *work, *again, *stop, *running;
    sn_cursor *idle, *busy;
} example_spool;

static inline bool example_function(sn_cells *cells, const char *name, uint32_t line) {
    const char *text[4] = {name, "app", "app.py", ""};
    uint32_t number[4] = {line, 0x3, 0, 0}, length[4] = {(uint32_t)strlen(name), 3, 6, 0};
    return sn_cells_record(cells, SN_RECORD_FUNCTION, number, text, length);
}

static inline sn_context *example_context(sn_tree *tree, sn_context *parent, uint32_t function, uint32_t line,
                                          uint64_t calls, uint64_t ticks) {
    /* Keys are addresses of code objects in the measured process; any that are not tags will do. */
    sn_context *context = sn_tree_add(tree, parent, 0x10000u + 0x100u * function, line, function);
    if (context) {
        context->calls = calls;
        context->ticks = ticks;
    }
    return context;
}

static inline void example_make_hot(example_spool *spool) {
    spool->hot.header->floor = 4;
    spool->hot.header->bursts = 2;
    sn_context *const contexts[] = {spool->main, spool->work, spool->again, spool->stop, spool->running};
    for (uint32_t i = 0; i < 5; i++) contexts[i]->error = i;
    sn_side_of(spool->main)->pruned_calls = 5;
    sn_side_of(spool->main)->pruned_ticks = 60;
    sn_side_of(spool->hot.root)->pruned_calls = 7;
    sn_side_of(spool->hot.root)->pruned_ticks = 80;
    sn_side_of(spool->work)->burst_calls = 3;
    sn_side_of(spool->work)->burst_ticks = 300;
    sn_side_of(spool->work)->calls_squares = 1 + 4;
    sn_side_of(spool->work)->ticks_squares = 100 * 100 + 200 * 200;
}

/* `file` as in sn_cells_create; SN_METRIC_NONE for an exact one. */
static inline bool example_create(example_spool *spool, int file, sn_metric metric) {
    if (sn_cells_create(&spool->cells, file, 1u << 20) != SN_OK) return false;
    const sn_hot_plan plan = {.metric = metric, .counters = 3, .nodes_limit = 100};
    if (sn_hot_create(&spool->hot, &spool->cells, &plan, false) != SN_OK) return false;
    sn_tree *tree = &spool->hot.tree;
    sn_context *root = spool->hot.root;
    sn_header *header = spool->hot.header;
    header->pid = 42;
    header->parent_pid = 41;
    header->clock = SN_CLOCK_MONOTONIC;
    header->threads = 2;
    header->start_ticks = 50;
    const char *text[4] = {"python\napp.py", "3.12.1", "cpython-monitoring", NULL};
    uint32_t number[4] = {0}, length[4] = {13, 6, 18, 0};
    bool stored = sn_cells_record(&spool->cells, SN_RECORD_PROCESS, number, text, length);
    stored = stored && example_function(&spool->cells, "main", 1) && example_function(&spool->cells, "work", 5);
    spool->idle = sn_hot_cursor(&spool->hot, 0);
    spool->main = example_context(tree, root, 0, 0, 1, 400);
    sn_context *gone = metric == SN_METRIC_NONE ? NULL : example_context(tree, spool->main, 2, 100, 9, 9);
    spool->work = example_context(tree, spool->main, 1, 7, 3, 300);
    spool->busy = sn_hot_cursor(&spool->hot, 0);
    spool->running = example_context(tree, root, 1, 0, 1, 0);
    if (gone) sn_tree_remove(tree, gone);
    spool->again = example_context(tree, spool->work, 1, 9, 2, 200);
    stored = stored && example_function(&spool->cells, "stop", 8);
    spool->stop = example_context(tree, spool->main, 2, 8, 1, 0);
    const char *note[4] = {"hook-removed", "by the program", NULL, NULL};
    uint32_t amount[4] = {1, 0, 0, 0}, lengths[4] = {12, 14, 0, 0};
    stored = stored && sn_cells_record(&spool->cells, SN_RECORD_NOTE, amount, note, lengths);
    spool->idle->now = 950;
    spool->busy->now = 400;
    spool->busy->current = spool->running;
    header->end_ticks = EXAMPLE_END_TICKS;
    if (metric != SN_METRIC_NONE) example_make_hot(spool);
    return stored;
}

static inline void example_destroy(example_spool *spool) {
    sn_hot_free(&spool->hot);
    sn_cells_destroy(&spool->cells);
}

static inline size_t example_size(const example_spool *spool) { return spool->cells.used * SN_CELL_BYTES; }

/* Cell of the first record's text. */
static inline uint64_t example_text_cell(const example_spool *spool) {
    return SN_HEADER_CELLS + (spool->hot.tree.sided ? 2 * SN_CHUNK : 1) + 1;
}

/* Number of a context's, or a cursor's, cell. */
static inline uint64_t example_cell(const example_spool *spool, const void *at) {
    return (uint64_t)((const uint8_t *)at - spool->cells.base) / SN_CELL_BYTES;
}

#endif
