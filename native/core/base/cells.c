#define _GNU_SOURCE
#include "cells.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Storage is committed in steps that double from 64 KiB to 16 MiB: small programs leave
 * small files, large ones few system calls. Every step is a multiple of the first, which is
 * one of the page size, or the next step could not begin where this one ends. */
#define FIRST_STEP_CELLS (64u * 1024 / SN_CELL_BYTES)
#define LAST_STEP_CELLS (16u * 1024 * 1024 / SN_CELL_BYTES)
#define SMALLEST_LIMIT_CELLS (1024u * 1024 / SN_CELL_BYTES)

bool sn_cells_reserve(int file, uint64_t from, uint64_t size) {
    struct rlimit limit;
    int error;
    if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY && from + size > limit.rlim_cur)
        return false;
    do error = posix_fallocate(file, (off_t)from, (off_t)size);
    while (error == EINTR);
    return !error;
}

/* Without room behind it, a write to a shared mapping is a SIGBUS in the measured program: so
 * the blocks are reserved first, and only then the pages made writable. */
static bool reserve_blocks(const sn_cells *cells, size_t from, size_t size) {
    int file = cells->path ? sn_cells_open_file(cells) : cells->file;
    if (file < 0) return false;
    bool is_reserved = sn_cells_reserve(file, from, size);
    if (cells->path) close(file);
    return is_reserved;
}

static bool commit(sn_cells *cells, uint64_t wanted) {
    uint64_t step = cells->committed;
    if (step < FIRST_STEP_CELLS) step = FIRST_STEP_CELLS;
    if (step > LAST_STEP_CELLS) step = LAST_STEP_CELLS;
    uint64_t target = cells->committed + step;
    if (target < wanted) target = (wanted + FIRST_STEP_CELLS - 1) / FIRST_STEP_CELLS * FIRST_STEP_CELLS;
    if (target > cells->limit) target = cells->limit;
    if (target < wanted) return false;
    size_t from = cells->committed * SN_CELL_BYTES, size = (target - cells->committed) * SN_CELL_BYTES;
    if ((cells->file >= 0 || cells->path) && !reserve_blocks(cells, from, size)) return false;
    if (mprotect(cells->base + from, size, PROT_READ | PROT_WRITE)) return false;
    cells->committed = target;
    return true;
}

sn_status sn_cells_create(sn_cells *cells, int file, uint64_t limit) {
    memset(cells, 0, sizeof *cells);
    cells->file = file;
    int flags = MAP_NORESERVE | (file >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS);
    void *base = MAP_FAILED;
    limit -= limit % FIRST_STEP_CELLS;
    /* An address-space limit may be in force. */
    for (; limit >= SMALLEST_LIMIT_CELLS; limit = limit / 2 / FIRST_STEP_CELLS * FIRST_STEP_CELLS) {
        base = mmap(NULL, limit * SN_CELL_BYTES, PROT_NONE, flags, file, 0);
        if (base != MAP_FAILED) break;
    }
    if (base == MAP_FAILED) {
        if (file >= 0) close(file);
        return SN_NO_MEMORY;
    }
    cells->base = base;
    cells->limit = limit;
    if (!commit(cells, SN_HEADER_CELLS)) {
        sn_cells_destroy(cells);
        return SN_NO_SPACE;
    }
    cells->used = SN_HEADER_CELLS;
    sn_header *header = sn_cells_header(cells);
    memcpy(header->magic, SN_MAGIC, sizeof header->magic);
    header->version = SN_VERSION;
    header->cell_bytes = SN_CELL_BYTES;
    header->base = (uint64_t)(uintptr_t)base;
    sn_cells_publish(cells);
    return SN_OK;
}

bool sn_cells_release_file(sn_cells *cells, const char *path) {
    struct stat about;
    char *copy = strdup(path);
    if (!copy || fstat(cells->file, &about)) {
        free(copy);
        return false;
    }
    free(cells->path);
    cells->path = copy;
    cells->device = about.st_dev;
    cells->inode = about.st_ino;
    close(cells->file);
    cells->file = -1;
    return true;
}

int sn_cells_open_file(const sn_cells *cells) {
    int file = open(cells->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    struct stat about;
    if (file < 0) return -1;
    if (!fstat(file, &about) && about.st_dev == cells->device && about.st_ino == cells->inode) return file;
    close(file);
    return -1;
}

void *sn_cells_take(sn_cells *cells, uint64_t count) {
    uint64_t end = cells->used + count;
    if (end > cells->committed) {
        if (cells->refused % SN_ASK_AGAIN || !commit(cells, end)) {
            cells->refused++;
            return NULL;
        }
        cells->refused = 0;
    }
    void *first = cells->base + cells->used * SN_CELL_BYTES;
    cells->used = end;
    return first;
}

void sn_cells_publish(sn_cells *cells) {
    __atomic_store_n(&sn_cells_header(cells)->used, cells->used, __ATOMIC_RELEASE);
}

void sn_cells_destroy(sn_cells *cells) {
    if (cells->base) munmap(cells->base, cells->limit * SN_CELL_BYTES);
    if (cells->file >= 0) close(cells->file);
    free(cells->path);
    memset(cells, 0, sizeof *cells);
    cells->file = -1;
}

void *sn_cells_add_record(sn_cells *cells, sn_record_kind kind, const uint32_t number[4], const char *const text[4],
                          const uint32_t length[4]) {
    uint64_t bytes = (uint64_t)length[0] + length[1] + length[2] + length[3];
    if (bytes > UINT32_MAX) return NULL;
    sn_record *head = sn_cells_take(cells, sn_record_cells(bytes));
    if (!head) return NULL;
    head->kind = kind;
    head->bytes = (uint32_t)bytes;
    memcpy(head->number, number, sizeof head->number);
    memcpy(head->length, length, sizeof head->length);
    char *at = (char *)(head + 1);
    for (int i = 0; i < 4; i++) {
        if (length[i] && text[i]) memcpy(at, text[i], length[i]);
        at += length[i];
    }
    head->tag = SN_TAG_RECORD;
    sn_cells_publish(cells);
    return head + 1;
}
