#define _GNU_SOURCE
#include "spool_file.h"

#include <errno.h>
#include <fcntl.h>
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
    if (memcmp(spool->header.magic, SN_MAGIC, sizeof spool->header.magic) || spool->header.version != SN_VERSION ||
        spool->header.cell_bytes != SN_CELL_BYTES)
        return SN_BAD_INPUT;
    spool->cells = size / SN_CELL_BYTES;
    spool->truncated = spool->header.used > spool->cells;
    if (!spool->truncated) spool->cells = spool->header.used;
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
    if (status != SN_OK) sn_spool_file_close(spool);
    return status;
}

void sn_spool_file_close(sn_spool_file *spool) {
    if (spool->mapped && spool->bytes) munmap((void *)spool->bytes, spool->size);
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

sn_cell_kind sn_spool_file_next(const sn_spool_file *spool, uint64_t *cell, sn_spool_context *context,
                                sn_spool_record *record) {
    uint64_t own = *cell;
    const uint8_t *at = spool->bytes + own * SN_CELL_BYTES;
    sn_context raw;
    memcpy(&raw, at, sizeof raw);
    if (raw.key == SN_TAG_RECORD) return decode_record(spool, at, cell, record);
    *cell = own + 1;
    if (raw.key == SN_TAG_FREE) return SN_CELL_SKIP;
    *context = (sn_spool_context){.parent = SN_NO_ROW,
                                  .calls = raw.calls,
                                  .ticks = raw.ticks,
                                  .entered = raw.entered,
                                  .function = raw.function,
                                  .call_line = sn_line_of(&raw),
                                  .root = raw.key == SN_TAG_ROOT};
    if (context->root) return SN_CELL_CONTEXT;
    uint64_t offset = (uint64_t)(uintptr_t)raw.parent - spool->header.base;
    if (offset % SN_CELL_BYTES || offset / SN_CELL_BYTES >= own) return SN_CELL_DAMAGED;
    context->parent = offset / SN_CELL_BYTES;
    return SN_CELL_CONTEXT;
}
