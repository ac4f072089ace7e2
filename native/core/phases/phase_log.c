#define _GNU_SOURCE
#include "phase_log.h"

#include "../base/cells.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What a log has at first: some hundred events. Grown by doubling, up to a step of which the pages are made at once
 * in less than a millisecond. */
#define FIRST_BYTES (64u << 10)
#define LARGEST_STEP_BYTES (4u << 20)

/* The descriptor is closed again: programs close all that they find, and the number may come to mean a file of theirs. */
static bool reserved(const char *path, int flags, uint64_t from, uint64_t to, int *file) {
    *file = open(path, O_RDWR | O_CLOEXEC | flags, 0600);
    if (*file < 0) return false;
    if (sn_cells_reserve(*file, from, to - from)) return true;
    close(*file);
    return false;
}

bool sn_phase_log_begin(sn_phase_log *log, const char *path, uint32_t counters) {
    int file;
    *log = (sn_phase_log){0};
    if (strlen(path) >= sizeof log->path || !reserved(path, O_CREAT | O_EXCL, 0, FIRST_BYTES, &file)) return false;
    void *mapped = mmap(NULL, FIRST_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
    close(file);
    if (mapped == MAP_FAILED) return false;
    strcpy(log->path, path);
    log->header = mapped;
    log->mapped = FIRST_BYTES;
    *log->header = (sn_phase_header){.version = SN_PHASE_VERSION, .event_words = SN_EVENT_FIXED_WORDS + counters,
                                     .pid = (uint32_t)getpid(), .counters = counters};
    memcpy(log->header->magic, SN_PHASE_MAGIC, sizeof log->header->magic);
    return true;
}

bool sn_phase_log_grow(sn_phase_log *log, uint64_t most_bytes) {
    uint64_t step = log->mapped < LARGEST_STEP_BYTES ? log->mapped : LARGEST_STEP_BYTES, target = log->mapped + step;
    int file;
    if (target > most_bytes || !reserved(log->path, 0, log->mapped, target, &file)) return false;
    void *mapped = mmap(NULL, target, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped == MAP_FAILED) return false;
    munmap(log->header, log->mapped);
    log->header = mapped;
    /* Pages are made here, where it is excluded, and not at the events that are written to them. */
    for (uint64_t at = log->mapped; at < target; at += 4096) *(volatile char *)((char *)mapped + at) = 0;
    log->mapped = target;
    return true;
}

void sn_phase_log_end(sn_phase_log *log) {
    if (log->header) munmap(log->header, log->mapped);
    log->header = NULL;
}
