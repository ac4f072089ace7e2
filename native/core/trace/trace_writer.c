#define _GNU_SOURCE
#include "trace_writer.h"

#include "../base/ticks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Storage is reserved in steps that double from 4 blocks (256 KiB) to 64 (4 MiB), which is also all that
 * is mapped at a time: a long recording takes no more memory than a short one. */
#define FIRST_STEP 4u
#define LAST_STEP 64u

/* Numbers of edges by hash; at most half of it is used. */
#define INDEX_SLOTS (2u * SN_TRACE_EDGES)

typedef struct {
    sn_trace_model model;
    uint16_t index[INDEX_SLOTS];
} tables;

/* ---- the file ---- */

static uint64_t block_offset(const sn_trace_writer *writer, uint64_t block) {
    return writer->header->header_bytes + block * SN_TRACE_BLOCK_BYTES;
}

static int open_file(const sn_trace_writer *writer) {
    int file = open(writer->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    struct stat about;
    if (file < 0) return -1;
    if (!fstat(file, &about) && about.st_dev == writer->device && about.st_ino == writer->inode) return file;
    close(file);
    return -1;
}

/* Back a range of the file by storage, so that writing to it cannot fail. A limit on the size of files is
 * looked at first, since going beyond it is a signal. */
static bool reserve(int file, uint64_t from, uint64_t size) {
    struct rlimit limit;
    if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY && from + size > limit.rlim_cur)
        return false;
    int error;
    do error = posix_fallocate(file, (off_t)from, (off_t)size);
    while (error == EINTR);
    return !error;
}

/* Map blocks from `first` on in place of the window; pages may be larger than what blocks are multiples of. */
static bool map_window(sn_trace_writer *writer, int file, uint64_t first, uint64_t count) {
    uint64_t from = block_offset(writer, first), page = (uint64_t)sysconf(_SC_PAGESIZE), before = from % page;
    size_t size = (size_t)(before + count * SN_TRACE_BLOCK_BYTES);
    uint8_t *window = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)(from - before));
    if (window == MAP_FAILED) return false;
    if (writer->window) munmap(writer->window, writer->window_bytes);
    writer->window = window;
    writer->window_bytes = size;
    writer->window_end = window + size;
    writer->block = window + before;
    return true;
}

static bool grow(sn_trace_writer *writer, int file) {
    uint64_t step = writer->reserved < FIRST_STEP ? FIRST_STEP : writer->reserved;
    if (step > LAST_STEP) step = LAST_STEP;
    for (; step; step /= 2) /* the last room is used, too */
        if (reserve(file, block_offset(writer, writer->reserved), step * SN_TRACE_BLOCK_BYTES)) break;
    if (!step || !map_window(writer, file, writer->reserved, step)) return false;
    writer->reserved += step;
    return true;
}

/* ---- blocks ---- */

static void seal_block(sn_trace_writer *writer) {
    sn_trace_block *head = sn_trace_open_block(writer);
    head->events = writer->events - head->first_event;
    __atomic_store_n(&head->seal, sn_trace_seal(writer->check, head), __ATOMIC_RELEASE);
}

static void begin_block(sn_trace_writer *writer) {
    sn_trace_block *head = sn_trace_open_block(writer);
    uint32_t clock = writer->header->clock;
    head->magic = SN_TRACE_BLOCK_MAGIC;
    head->index = (uint32_t)writer->blocks;
    head->first_event = writer->events;
    head->units = writer->now;
    head->ns = clock == SN_CLOCK_NONE ? 0 : sn_monotonic_ns();
    head->ticks = clock == SN_CLOCK_TSC ? sn_ticks() : head->ns;
    writer->check = sn_trace_block_check(writer->header->check, head);
    writer->used = 0;
    writer->blocks++;
    sn_trace_publish(writer);
}

static bool next_block(sn_trace_writer *writer) {
    if (writer->used == SN_TRACE_STOPPED) return false;
    seal_block(writer);
    writer->block += SN_TRACE_BLOCK_BYTES;
    if (writer->block == writer->window_end) {
        int error = errno, file = open_file(writer); /* the program's errno is none of our business */
        bool grown = file >= 0 && grow(writer, file);
        if (file >= 0) close(file);
        errno = error;
        if (!grown) {
            writer->used = SN_TRACE_STOPPED;
            return false;
        }
    }
    begin_block(writer);
    return true;
}

void sn_trace_stop(sn_trace_writer *writer) {
    if (writer->used == SN_TRACE_STOPPED) return;
    seal_block(writer);
    writer->used = SN_TRACE_STOPPED;
}

static void append(sn_trace_writer *writer, const void *bytes, size_t size) {
    memcpy(writer->block + sizeof(sn_trace_block) + writer->used, bytes, size);
    writer->check = sn_trace_check(writer->check, bytes, size);
    writer->used += (uint32_t)size;
}

void sn_trace_lose(sn_trace_writer *writer) {
    writer->lost++;
    if (writer->lost_told) *writer->lost_told = writer->lost;
    if (!writer->header) return;
    uint64_t check = sn_trace_check(writer->header->check, &writer->lost, sizeof writer->lost);
    __atomic_store_n(&writer->header->lost_check, check, __ATOMIC_RELEASE);
    __atomic_store_n(&writer->header->lost, writer->lost, __ATOMIC_RELEASE);
}

/* ---- events ---- */

/* The slot of an edge, or the free one where it would be. */
static uint16_t *slot_of(const sn_trace_writer *writer, uint32_t function, uint32_t line) {
    const sn_trace_edge *edge = writer->model->edge;
    uint64_t hash = ((uint64_t)function << 32 | line) * SN_TRACE_M;
    for (uint32_t at = (uint32_t)(hash >> 40);; at++) {
        uint16_t *slot = &writer->index[at % INDEX_SLOTS];
        if (!*slot || (edge[*slot].function == function && edge[*slot].line == line)) return slot;
    }
}

static uint8_t *put_operation(uint8_t *to, unsigned operation, uint64_t pause) {
    *to++ = (uint8_t)(operation | (pause < SN_TRACE_LONG_TIME ? pause : SN_TRACE_LONG_TIME) << 2);
    return pause < SN_TRACE_LONG_TIME ? to : sn_trace_put_varint(to, pause - SN_TRACE_LONG_TIME);
}

static uint8_t *put_escape(uint8_t *to, unsigned code) {
    *to++ = (uint8_t)(SN_TRACE_OP_ESCAPE | code << 2);
    return to;
}

/* An edge's number, or 0 and the edge when it is a new one. */
static uint8_t *put_edge(sn_trace_writer *writer, uint8_t *to, uint16_t *slot, uint32_t function, uint32_t line) {
    if (*slot) return sn_trace_put_varint(to, *slot);
    *slot = (uint16_t)++writer->model->edges;
    writer->model->edge[*slot] = (sn_trace_edge){function, line};
    *to++ = 0;
    to = sn_trace_put_varint(to, function);
    return sn_trace_put_varint(to, line);
}

void sn_trace_event_slowly(sn_trace_writer *writer, uint32_t kind, uint32_t thread, uint32_t function, uint32_t line,
                           uint64_t ticks) {
    bool edged = kind == SN_TRACE_ENTER || kind == SN_TRACE_FOUND;
    bool valid = kind >= SN_TRACE_ENTER && kind <= SN_TRACE_LOST && (!edged || function < writer->functions);
    if (!valid || (writer->used >= SN_TRACE_LAST_START && !next_block(writer))) {
        sn_trace_lose(writer);
        return;
    }
    sn_trace_model *model = writer->model;
    uint64_t units = ticks >> writer->unit_shift, pause = units > writer->now ? units - writer->now : 0;
    if (!writer->short_time) pause = 0;
    uint8_t *from = writer->block + sizeof(sn_trace_block) + writer->used, *to = from;
    if (thread != model->now.thread) {
        to = sn_trace_put_varint(put_escape(to, SN_TRACE_ESCAPE_THREAD), thread);
        sn_trace_model_switch(model, thread);
    }
    uint16_t *slot = edged ? slot_of(writer, function, line) : NULL;
    if (edged && !*slot && model->edges == SN_TRACE_EDGES - 1) {
        to = put_escape(to, SN_TRACE_ESCAPE_FORGET);
        sn_trace_model_forget(model);
        memset(writer->index, 0, INDEX_SLOTS * sizeof *writer->index);
        slot = slot_of(writer, function, line);
    }
    uint32_t last = model->now.last;
    switch (kind) {
    case SN_TRACE_ENTER:
        if (*slot && *slot == model->next[last]) {
            to = put_operation(to, SN_TRACE_OP_SAME, pause);
        } else {
            to = put_edge(writer, put_operation(to, SN_TRACE_OP_ENTER, pause), slot, function, line);
            model->next[last] = *slot;
        }
        sn_trace_model_entered(model, *slot);
        break;
    case SN_TRACE_LEAVE:
        to = put_operation(to, SN_TRACE_OP_LEAVE, pause);
        sn_trace_model_left(model);
        break;
    case SN_TRACE_UNWIND:
        to = sn_trace_put_varint(put_escape(to, SN_TRACE_ESCAPE_UNWIND), pause);
        sn_trace_model_left(model);
        break;
    case SN_TRACE_FOUND:
        to = sn_trace_put_varint(put_escape(to, SN_TRACE_ESCAPE_FOUND), pause);
        to = put_edge(writer, to, slot, function, line);
        sn_trace_model_entered(model, *slot);
        break;
    default:
        to = sn_trace_put_varint(put_escape(to, SN_TRACE_ESCAPE_LOST), pause);
        sn_trace_model_lost(model);
    }
    for (; from < to; writer->used++) writer->check = sn_trace_check_byte(writer->check, *from++);
    writer->now += pause;
    writer->events++;
    sn_trace_publish(writer);
}

bool sn_trace_function(sn_trace_writer *writer, uint32_t first_line, uint32_t flags, const char *const text[3],
                       const uint32_t length[3]) {
    uint8_t head[SN_TRACE_EVENT_BYTES], *to = put_escape(head, SN_TRACE_ESCAPE_FUNCTION);
    to = sn_trace_put_varint(to, first_line);
    to = sn_trace_put_varint(to, flags);
    size_t size = 0;
    for (int i = 0; i < 3; i++) {
        if (length[i] > SN_TRACE_TEXT_BYTES) return false;
        size += length[i];
        to = sn_trace_put_varint(to, length[i]);
    }
    size += (size_t)(to - head);
    if (writer->used == SN_TRACE_STOPPED || (size > SN_TRACE_ROOM - writer->used && !next_block(writer))) return false;
    append(writer, head, (size_t)(to - head));
    for (int i = 0; i < 3; i++)
        if (length[i]) append(writer, text[i], length[i]);
    writer->functions++;
    sn_trace_publish(writer);
    return true;
}

/* ---- beginning and end ---- */

/* Everything in memory; the writer drops events from here on. */
static void let_go(sn_trace_writer *writer) {
    uint64_t lost = writer->lost, events = writer->events;
    if (writer->window) munmap(writer->window, writer->window_bytes);
    if (writer->header) munmap(writer->header, writer->header->header_bytes);
    if (writer->model) munmap(writer->model, sizeof(tables));
    free(writer->path);
    *writer = (sn_trace_writer){.used = SN_TRACE_STOPPED, .lost = lost, .events = events};
}

static sn_status begin(sn_trace_writer *writer, int file, const sn_trace_about *about, const uint32_t length[3],
                       uint32_t header_bytes) {
    struct stat stat;
    if (fstat(file, &stat)) return SN_SYSTEM;
    writer->device = stat.st_dev;
    writer->inode = stat.st_ino;
    if (!reserve(file, 0, header_bytes)) return SN_NO_SPACE;
    void *header = mmap(NULL, header_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (header == MAP_FAILED) return SN_NO_MEMORY;
    writer->header = header;
    *writer->header = (sn_trace_header){
        .magic = SN_TRACE_MAGIC,
        .version = SN_TRACE_VERSION,
        .header_bytes = header_bytes,
        .block_bytes = SN_TRACE_BLOCK_BYTES,
        .clock = about->clock,
        .unit_shift = about->unit_shift,
        .pid = about->pid,
        .parent_pid = about->parent_pid,
        .length = {length[0], length[1], length[2]},
        .start_ticks = about->start_ticks,
        .start_ns = about->start_ns,
    };
    uint8_t *to = (uint8_t *)(writer->header + 1);
    uint64_t check = sn_trace_check(0, header, offsetof(sn_trace_header, check));
    for (int i = 0; i < 3; to += length[i++]) {
        if (!length[i]) continue;
        memcpy(to, about->text[i], length[i]);
        check = sn_trace_check(check, to, length[i]);
    }
    writer->header->lost_check = sn_trace_check(check, &writer->lost, sizeof writer->lost);
    tables *memory =
        mmap(NULL, sizeof(tables), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return SN_NO_MEMORY;
    writer->model = &memory->model;
    writer->index = memory->index;
    sn_trace_model_begin(writer->model);
    if (!grow(writer, file)) return SN_NO_SPACE;
    __atomic_store_n(&writer->header->check, check, __ATOMIC_RELEASE);
    begin_block(writer);
    return SN_OK;
}

sn_status sn_trace_create(sn_trace_writer *writer, const char *path, const sn_trace_about *about) {
    const uint32_t most = SN_TRACE_HEADER_LIMIT - (uint32_t)sizeof(sn_trace_header);
    *writer = (sn_trace_writer){.used = SN_TRACE_STOPPED};
    if (about->clock > SN_CLOCK_MONOTONIC || about->unit_shift > 62 || about->length[1] > most / 4 ||
        about->length[2] > most / 4)
        return SN_BAD_INPUT;
    uint32_t length[3] = {about->length[0], about->length[1], about->length[2]};
    if (length[0] > most - length[1] - length[2]) length[0] = most - length[1] - length[2];
    uint32_t size = (uint32_t)sizeof(sn_trace_header) + length[0] + length[1] + length[2];
    bool timed = about->clock != SN_CLOCK_NONE;
    writer->unit_shift = timed ? about->unit_shift : 63;
    writer->short_time = timed ? SN_TRACE_LONG_TIME - 1 : 0;
    writer->now = timed ? about->start_ticks >> about->unit_shift : 0;
    writer->path = strdup(path);
    if (!writer->path) return SN_NO_MEMORY;
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    sn_status status = SN_SYSTEM;
    if (file >= 0)
        status = begin(writer, file, about, length,
                       (size + SN_TRACE_HEADER_STEP - 1) / SN_TRACE_HEADER_STEP * SN_TRACE_HEADER_STEP);
    if (status == SN_OK) {
        close(file);
        return SN_OK;
    }
    int error = errno;
    if (file >= 0) {
        close(file);
        unlink(path);
    }
    let_go(writer);
    errno = error;
    return status;
}

/* A block in which nothing was written is none. */
static uint64_t whole_blocks(const sn_trace_writer *writer, uint64_t *size) {
    uint64_t blocks = writer->blocks;
    *size = block_offset(writer, blocks);
    if (writer->used == SN_TRACE_STOPPED) return blocks;
    *size -= SN_TRACE_BLOCK_BYTES;
    if (!writer->used) return blocks - 1;
    *size += sizeof(sn_trace_block) + writer->used;
    return blocks;
}

void sn_trace_finish(sn_trace_writer *writer, uint64_t ticks, uint64_t ns) {
    if (!writer->header) return;
    sn_trace_header *header = writer->header;
    uint64_t size, blocks = whole_blocks(writer, &size);
    if (writer->used != SN_TRACE_STOPPED && writer->used) seal_block(writer);
    header->end_ticks = ticks;
    header->end_ns = ns;
    header->events = writer->events;
    header->blocks = blocks;
    uint64_t check = sn_trace_check(header->check, &header->end_ticks,
                                    offsetof(sn_trace_header, end_check) - offsetof(sn_trace_header, end_ticks));
    __atomic_store_n(&header->end_check, check ? check : 1, __ATOMIC_RELEASE);
    int file = open_file(writer);
    let_go(writer);
    if (file < 0) return;
    /* When it cannot be shortened it is longer than needed. */
    if (ftruncate(file, (off_t)size)) size = 0;
    close(file);
}

void sn_trace_abandon(sn_trace_writer *writer) { let_go(writer); }
