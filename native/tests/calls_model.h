/* What probes should count: call strings and how often each was called, kept without any tree of sonde's.
 *
 * Call strings are interned by (the string before, function, line). */
#ifndef SONDE_CALLS_MODEL_H
#define SONDE_CALLS_MODEL_H

#include "../core/contexts/spool_file.h"
#include "check.h"

#include <dirent.h>

enum { MODEL_ROOT = 0, MODEL_ROOM = 1 << 19 };

typedef struct {
    uint32_t before, function, line;
    uint64_t calls; /* as made */
    uint64_t seen, error;  /* as read */
    bool is_there;
} model_string;

typedef struct {
    model_string *strings; /* the first is the empty one */
    uint32_t count;
    uint32_t *table; /* numbers of strings; 0: free */
} calls_model;

static inline calls_model model_new(void) {
    calls_model model = {calloc(MODEL_ROOM, sizeof(model_string)), 1, calloc(2 * MODEL_ROOM, sizeof(uint32_t))};
    CHECK(model.strings && model.table);
    return model;
}

static inline void model_free(calls_model *model) {
    free(model->strings);
    free(model->table);
}

static inline uint32_t model_longer(calls_model *model, uint32_t before, uint32_t function, uint32_t line) {
    uint64_t mixed = (before * UINT64_C(1000003) + function) * UINT64_C(1000003) + line;
    uint32_t at = (uint32_t)(mixed * UINT64_C(0x9E3779B97F4A7C15) >> 32) % (2 * MODEL_ROOM);
    for (; model->table[at]; at = (at + 1) % (2 * MODEL_ROOM)) {
        const model_string *found = &model->strings[model->table[at]];
        if (found->before == before && found->function == function && found->line == line) return model->table[at];
    }
    CHECK(model->count < MODEL_ROOM);
    model->strings[model->count] = (model_string){.before = before, .function = function, .line = line};
    return model->table[at] = model->count++;
}

static inline void model_add(calls_model *model, const calls_model *other) {
    uint32_t *here = calloc(other->count, sizeof *here);
    CHECK(here);
    for (uint32_t i = 1; i < other->count; i++) { /* a string is behind those that it begins with */
        const model_string *each = &other->strings[i];
        here[i] = model_longer(model, here[each->before], each->function, each->line);
        model->strings[here[i]].calls += each->calls;
    }
    free(here);
}

/* What has run up to now is forgotten, but for the strings. */
static inline void model_restart(calls_model *model) {
    for (uint32_t i = 0; i < model->count; i++) model->strings[i].calls = 0;
}

typedef struct {
    uint64_t files, threads, calls, pruned, dropped, floor, notes, noted;
} spool_sums;

/* Contexts of one file, if the process wrote it; in a hot tree, a caller may lie behind what it calls. */
static inline void model_read_file(calls_model *model, const char *path, uint32_t pid, spool_sums *sums) {
    sn_spool_file spool;
    CHECK_EQUAL(sn_spool_file_open(&spool, path), SN_OK);
    CHECK(!spool.truncated);
    if (spool.header.pid != pid) {
        sn_spool_file_close(&spool);
        return;
    }
    sn_spool_context *contexts = calloc(spool.cells, sizeof *contexts), context = {0};
    uint32_t *here = calloc(spool.cells, sizeof *here);
    bool *is_known = calloc(spool.cells, sizeof *is_known), *is_one = calloc(spool.cells, sizeof *is_one), more = true;
    CHECK(contexts && here && is_known && is_one);
    sn_spool_record record;
    for (uint64_t cell = SN_HEADER_CELLS; cell < spool.cells;) {
        sn_cell_kind kind = sn_spool_file_next(&spool, &cell, &context, &record);
        CHECK(kind != SN_CELL_DAMAGED);
        if (kind == SN_CELL_RECORD && record.kind == SN_RECORD_NOTE) sums->notes++, sums->noted += record.number[0];
        if (kind != SN_CELL_CONTEXT) continue;
        contexts[cell - 1] = context;
        is_one[cell - 1] = true;
        sums->pruned += context.pruned_calls;
        if (context.root) is_known[cell - 1] = true;
    }
    while (more) {
        more = false;
        for (uint64_t at = 0; at < spool.cells; at++) {
            if (!is_one[at] || is_known[at] || !is_known[contexts[at].parent]) continue;
            here[at] = model_longer(model, here[contexts[at].parent], contexts[at].function, contexts[at].call_line);
            model_string *string = &model->strings[here[at]];
            string->seen += contexts[at].calls;
            string->error += contexts[at].error;
            string->is_there = is_known[at] = more = true;
            sums->calls += contexts[at].calls;
        }
    }
    for (uint64_t at = 0; at < spool.cells; at++) CHECK(!is_one[at] || is_known[at]); /* all hang from the root */
    sums->files++;
    sums->threads += spool.header.threads;
    sums->dropped += spool.header.dropped_calls;
    sums->floor += spool.header.floor;
    free(contexts);
    free(here);
    free(is_known);
    free(is_one);
    sn_spool_file_close(&spool);
}

/* All spools of a process. */
static inline spool_sums model_read(calls_model *model, const char *folder, uint32_t pid) {
    spool_sums sums = {0};
    char path[600];
    DIR *listed = opendir(folder);
    CHECK(listed);
    for (struct dirent *entry; (entry = readdir(listed));) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        model_read_file(model, path, pid, &sums);
    }
    closedir(listed);
    return sums;
}

static inline uint64_t model_total(const calls_model *model) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < model->count; i++) total += model->strings[i].calls;
    return total;
}

#endif
