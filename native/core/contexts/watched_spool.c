#define _GNU_SOURCE
#include "watched_spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_spool(int file, sn_header *header, struct stat *about) {
    return pread(file, header, sizeof *header, 0) == (ssize_t)sizeof *header && sn_is_spool(header) && header->pid &&
           !fstat(file, about) &&
           about->st_size >= (off_t)sizeof *header;
}

sn_status sn_watched_spool_open(sn_watched_spool *spool, const char *path, bool writable) {
    sn_header header;
    struct stat about;
    int file = open(path, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC);
    if (file < 0) return SN_SYSTEM;
    if (!is_spool(file, &header, &about)) {
        close(file);
        return SN_BAD_INPUT;
    }
    char *copy = strdup(path);
    size_t size = (size_t)about.st_size;
    void *bytes = mmap(NULL, size, PROT_READ | (writable ? PROT_WRITE : 0), MAP_SHARED, file, 0);
    int error = errno;
    close(file);
    if (bytes == MAP_FAILED) {
        free(copy);
        errno = error;
        return SN_SYSTEM;
    }
    if (!copy) {
        munmap(bytes, size);
        return SN_NO_MEMORY;
    }
    *spool = (sn_watched_spool){
        .bytes = bytes, .size = size, .base = header.base, .scanned = SN_HEADER_CELLS, .pid = header.pid, .path = copy};
    sn_watched_spool_update(spool);
    return SN_OK;
}

void sn_watched_spool_close(sn_watched_spool *spool) {
    if (spool->bytes) munmap(spool->bytes, spool->size);
    free(spool->path);
    *spool = (sn_watched_spool){.pid = spool->pid};
}

/* Map what the file has grown by. */
static void grow(sn_watched_spool *spool) {
    struct stat about;
    if (stat(spool->path, &about) || (uint64_t)about.st_size <= spool->size) return;
    void *bytes = mremap(spool->bytes, spool->size, (size_t)about.st_size, MREMAP_MAYMOVE);
    if (bytes == MAP_FAILED) return;
    spool->bytes = bytes;
    spool->size = (uint64_t)about.st_size;
}

void sn_watched_spool_update(sn_watched_spool *spool) {
    uint64_t used = __atomic_load_n(&sn_watched_spool_header(spool)->used, __ATOMIC_ACQUIRE);
    if (used > spool->size / SN_CELL_BYTES) grow(spool);
    uint64_t mapped = spool->size / SN_CELL_BYTES;
    spool->cells = used < mapped ? used : mapped;
}

bool sn_watched_spool_next(sn_watched_spool *spool, uint64_t *cell) {
    while (spool->scanned < spool->cells) {
        const uint8_t *at = spool->bytes + spool->scanned * SN_CELL_BYTES;
        uint64_t tag = sn_watched_word(at), cells = 1;
        bool is_whole = true;
        if (tag == SN_TAG_RECORD) {
            cells = sn_record_cells(((const sn_record *)(const void *)at)->bytes);
            is_whole = cells <= spool->cells - spool->scanned;
        }
        *cell = spool->scanned;
        spool->scanned = is_whole ? spool->scanned + cells : spool->cells;
        if (is_whole && (tag == SN_TAG_RECORD || tag == SN_TAG_CURSOR)) return true;
    }
    return false;
}

void *sn_watched_spool_find(sn_watched_spool *spool, uint64_t address) {
    uint64_t offset = address - spool->base, cell = offset / SN_CELL_BYTES;
    if (offset % SN_CELL_BYTES || cell < SN_HEADER_CELLS) return NULL;
    if (cell >= spool->cells) sn_watched_spool_update(spool);
    return cell < spool->cells ? spool->bytes + offset : NULL;
}
