/* A small spool as an agent writes it: two threads, recursion, a running activation, a note. */
#ifndef SONDE_EXAMPLE_SPOOL_H
#define SONDE_EXAMPLE_SPOOL_H

#include "../core/spool_file.h"

#include <string.h>

enum { EXAMPLE_FUNCTIONS = 3, EXAMPLE_END_TICKS = 1000, EXAMPLE_ROOM = 64 * SN_CELL_BYTES };

/* Cells of the example's contexts, in order of creation; the tree that they make:
 *   root   main from 0:  1 call, 900 ticks
 *            work from 7: 3 calls, 500 ticks
 *              work from 9: 2 calls, 200 ticks
 *            stop from 8: 1 call, 0 ticks
 *   root   work from 0:  1 call, running since 400 */
typedef struct {
    sn_cells cells;
    sn_tree tree;
    sn_context *main, *work, *again, *stop, *other_root, *running;
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

/* `file` as in sn_cells_create. */
static inline bool example_create(example_spool *spool, int file) {
    if (sn_cells_create(&spool->cells, file, 1u << 20) != SN_OK) return false;
    sn_tree_init(&spool->tree, &spool->cells);
    sn_header *header = sn_cells_header(&spool->cells);
    header->pid = 42;
    header->parent_pid = 41;
    header->clock = SN_CLOCK_MONOTONIC;
    header->threads = 2;
    header->start_ticks = 50;
    const char *text[4] = {"python\napp.py", "3.12.1", "cpython-monitoring", NULL};
    uint32_t number[4] = {0}, length[4] = {13, 6, 18, 0};
    bool stored = sn_cells_record(&spool->cells, SN_RECORD_PROCESS, number, text, length);
    stored = stored && example_function(&spool->cells, "main", 1) && example_function(&spool->cells, "work", 5);
    sn_context *root = sn_tree_root(&spool->tree);
    spool->main = example_context(&spool->tree, root, 0, 0, 1, 900);
    spool->work = example_context(&spool->tree, spool->main, 1, 7, 3, 500);
    spool->other_root = sn_tree_root(&spool->tree);
    spool->running = example_context(&spool->tree, spool->other_root, 1, 0, 1, 0);
    spool->again = example_context(&spool->tree, spool->work, 1, 9, 2, 200);
    stored = stored && example_function(&spool->cells, "stop", 8);
    spool->stop = example_context(&spool->tree, spool->main, 2, 8, 1, 0);
    const char *note[4] = {"hook-removed", "by the program", NULL, NULL};
    uint32_t amount[4] = {1, 0, 0, 0}, lengths[4] = {12, 14, 0, 0};
    stored = stored && sn_cells_record(&spool->cells, SN_RECORD_NOTE, amount, note, lengths);
    spool->running->entered = 400;
    spool->other_root->entered = 400;
    root->entered = 950;
    header->end_ticks = EXAMPLE_END_TICKS;
    return stored;
}

static inline void example_destroy(example_spool *spool) {
    sn_tree_free(&spool->tree);
    sn_cells_destroy(&spool->cells);
}

static inline size_t example_size(const example_spool *spool) { return spool->cells.used * SN_CELL_BYTES; }

/* Number of a context's cell. */
static inline uint64_t example_cell(const example_spool *spool, const sn_context *context) {
    return (uint64_t)((const uint8_t *)context - spool->cells.base) / SN_CELL_BYTES;
}

#endif
