#define _GNU_SOURCE
#include "spool_file.h"

#include "hot_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

sn_status sn_spool_file_from(sn_spool_file *spool, const uint8_t *bytes, size_t size) {
    memset(spool, 0, sizeof *spool);
    spool->bytes = bytes;
    spool->size = size;
    if (size < sizeof spool->header) return SN_BAD_INPUT;
    memcpy(&spool->header, bytes, sizeof spool->header);
    /* A writer may be at work: the count is read once, with acquire order when in place. */
    if ((uintptr_t)bytes % SN_CELL_BYTES == 0)
        spool->header.used = __atomic_load_n(&((const sn_header *)bytes)->used, __ATOMIC_ACQUIRE);
    if (!sn_is_spool(&spool->header)) return SN_BAD_INPUT;
    spool->cells = size / SN_CELL_BYTES;
    spool->truncated = spool->header.used > spool->cells;
    if (!spool->truncated) spool->cells = spool->header.used;
    return SN_OK;
}

/* Times that a copy is tried again when the writer changed what was being copied. Changes take
 * less than a microsecond; a writer that was killed in one leaves the count odd for good. One that waits for a processor
 * in the middle of one is waited for. */
#define MOST_COPIES 100
#define COPIES_AT_ONCE 20
#define WAIT_US 1000

/* Replace what is shared with the writer by a copy in which no change is half done. */
static sn_status copy_between_changes(sn_spool_file *spool) {
    const sn_header *live = (const sn_header *)spool->bytes;
    uint64_t room = spool->size / SN_CELL_BYTES, used = SN_HEADER_CELLS;
    uint8_t *copy = malloc(room * SN_CELL_BYTES);
    if (!copy) return SN_NO_MEMORY;
    for (int i = 0; i < MOST_COPIES; i++) {
        uint64_t before = __atomic_load_n(&live->changes, __ATOMIC_ACQUIRE);
        used = __atomic_load_n(&live->used, __ATOMIC_ACQUIRE); /* cells used again may point to the newest */
        if (used < SN_HEADER_CELLS) used = SN_HEADER_CELLS;
        memcpy(copy, spool->bytes, (used < room ? used : room) * SN_CELL_BYTES);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (!(before & 1) && __atomic_load_n(&live->changes, __ATOMIC_RELAXED) == before) break;
        if (i < COPIES_AT_ONCE) sched_yield();
        else usleep(WAIT_US);
    }
    if (spool->mapped) munmap((void *)spool->bytes, spool->size);
    spool->mapped = false;
    spool->bytes = spool->copy = copy;
    spool->truncated = used > room;
    spool->cells = used < room ? used : room;
    spool->size = spool->cells * SN_CELL_BYTES;
    memcpy(&spool->header, copy, sizeof spool->header);
    spool->header.used = used;
    return SN_OK;
}

sn_status sn_spool_file_open(sn_spool_file *spool, const char *path) {
    memset(spool, 0, sizeof *spool);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return SN_SYSTEM;
    struct stat about;
    if (fstat(file, &about)) {
        int error = errno;
        close(file);
        errno = error;
        return SN_SYSTEM;
    }
    if ((uint64_t)about.st_size < sizeof(sn_header)) {
        close(file);
        return SN_BAD_INPUT;
    }
    size_t size = (size_t)about.st_size;
    void *bytes = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
    int error = errno;
    close(file);
    if (bytes == MAP_FAILED) {
        errno = error;
        return SN_SYSTEM;
    }
    sn_status status = sn_spool_file_from(spool, bytes, size);
    spool->mapped = true;
    if (status == SN_OK && spool->header.metric != SN_METRIC_NONE && spool->cells >= SN_HEADER_CELLS)
        status = copy_between_changes(spool);
    if (status != SN_OK) sn_spool_file_close(spool);
    return status;
}

void sn_spool_file_close(sn_spool_file *spool) {
    if (spool->mapped && spool->bytes) munmap((void *)spool->bytes, spool->size);
    free(spool->copy);
    memset(spool, 0, sizeof *spool);
}

static sn_cell_kind decode_record(const sn_spool_file *spool, const uint8_t *at, uint64_t *cell,
                                  sn_spool_record *record) {
    sn_record head;
    memcpy(&head, at, sizeof head);
    uint64_t count = sn_record_cells(head.bytes);
    uint64_t text = (uint64_t)head.length[0] + head.length[1] + head.length[2] + head.length[3];
    if (text != head.bytes || count > spool->cells - *cell) {
        *cell = spool->cells; /* what follows cannot be told apart: stop here */
        return SN_CELL_DAMAGED;
    }
    *cell += count;
    record->kind = (sn_record_kind)head.kind;
    memcpy(record->number, head.number, sizeof head.number);
    memcpy(record->length, head.length, sizeof head.length);
    const char *from = (const char *)at + SN_CELL_BYTES;
    for (int i = 0; i < 4; i++) {
        record->text[i] = from;
        from += head.length[i];
    }
    return SN_CELL_RECORD;
}

/* Number of the cell at an address of the writer. */
static bool cell_at(const sn_spool_file *spool, uint64_t address, uint64_t *cell) {
    uint64_t offset = address - spool->header.base;
    *cell = offset / SN_CELL_BYTES;
    return offset % SN_CELL_BYTES == 0 && *cell < spool->cells;
}

static void decode_side(const sn_spool_file *spool, uint64_t cell, sn_spool_context *context) {
    sn_side side;
    memcpy(&side, spool->bytes + cell * SN_CELL_BYTES, sizeof side);
    if (side.tag != SN_TAG_SIDE) return;
    context->pruned_calls = side.pruned_calls;
    context->pruned_ticks = side.pruned_ticks;
    /* What came since the last burst ended is of one that goes on, or of the last. */
    bool goes_on = spool->header.bursts > 0;
    double calls = goes_on ? (double)(context->calls - side.burst_calls) : 0;
    double ticks = goes_on ? (double)(context->ticks - side.burst_ticks) : 0;
    context->calls_squares = calls * calls + (side.calls_squares >= 0 && isfinite(side.calls_squares) ? side.calls_squares : 0);
    context->ticks_squares = ticks * ticks + (side.ticks_squares >= 0 && isfinite(side.ticks_squares) ? side.ticks_squares : 0);
}

sn_cell_kind sn_spool_file_next(const sn_spool_file *spool, uint64_t *cell, sn_spool_context *context,
                                sn_spool_record *record) {
    uint64_t own = *cell;
    const uint8_t *at = spool->bytes + own * SN_CELL_BYTES;
    sn_context raw;
    memcpy(&raw, at, sizeof raw);
    if (raw.key == SN_TAG_RECORD) return decode_record(spool, at, cell, record);
    *cell = own + 1;
    bool root = raw.key == SN_TAG_ROOT;
    if (!root && !sn_is_context(raw.key)) return SN_CELL_SKIP;
    bool base = !root && raw.call_line & SN_BASE, counts = !root && !base;
    *context = (sn_spool_context){.parent = SN_NO_ROW,
                                  .calls = counts ? raw.calls : 0,
                                  .ticks = counts ? raw.ticks : 0,
                                  .error = counts ? raw.error : 0,
                                  .function = raw.function,
                                  .call_line = sn_line_of(&raw),
                                  .root = root,
                                  .base = base};
    bool is_sided = spool->header.metric != SN_METRIC_NONE || spool->header.clock == SN_CLOCK_SAMPLED;
    if (is_sided && own + SN_CHUNK < spool->cells)
        decode_side(spool, own + SN_CHUNK, context);
    if (base) context->calls_squares = context->ticks_squares = 0;
    if (root) return SN_CELL_CONTEXT;
    uint64_t parent;
    if (!cell_at(spool, (uint64_t)(uintptr_t)raw.parent, &parent)) return SN_CELL_DAMAGED;
    if (spool->header.metric == SN_METRIC_NONE && parent >= own) return SN_CELL_DAMAGED;
    context->parent = parent;
    return SN_CELL_CONTEXT;
}

bool sn_spool_file_next_cursor(const sn_spool_file *spool, uint64_t *cell, sn_spool_cursor *cursor) {
    sn_spool_context context;
    sn_spool_record record;
    while (*cell < spool->cells) {
        sn_cursor raw;
        memcpy(&raw, spool->bytes + *cell * SN_CELL_BYTES, sizeof raw);
        sn_spool_file_next(spool, cell, &context, &record);
        if (raw.tag != SN_TAG_CURSOR) continue;
        cursor->now = raw.now;
        if (!cell_at(spool, (uint64_t)(uintptr_t)raw.current, &cursor->current)) cursor->current = SN_NO_ROW;
        return true;
    }
    return false;
}
