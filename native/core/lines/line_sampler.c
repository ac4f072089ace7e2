#define _GNU_SOURCE
#include "line_sampler.h"

#include "../base/ticks.h"
#include "../base/word_map.h"
#include "../base/xorshift.h"
#include "../contexts/hot_contexts.h"
#include "../contexts/spool_file.h"
#include "frame_layout.h"
#include "python_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

/* As much as an agent reserves for its cells: what is mapped beyond the end of the file is not touched. */
#define MOST_BYTES (UINT64_C(1) << 32)
/* Tables of lines are read up to here: some 20,000 instructions. */
#define TABLE_ROOM (UINT32_C(1) << 16)
/* Looking takes one part in so many of the time, at most. */
#define SHARE_OF_TIME 10u
#define LINE_BITS 29u

typedef struct {
    const uint8_t *cells;
    uint64_t base;    /* the writer's address of cell 0 */
    uint64_t scanned; /* cells that have been looked through for cursors */
    pid_t pid;
    bool over;        /* it has ended, or cannot be read: its cells are mapped no more */
    bool has_layout;
    sn_frame_layout layout;
    uint32_t *cursors; /* their cells */
    uint32_t cursor_count, cursor_room;
    struct sn_word_map lines; /* function and line: samples */
} process;

struct sn_line_sampler {
    uint64_t period_ns, random_state;
    bool stopped;
    process *processes;
    uint32_t count, room;
    sn_sampling sums;
    uint8_t table[TABLE_ROOM];
};

/* What a thread runs: as its cursor has it, and as its frame has it. */
typedef struct {
    uint64_t context, code, state;
    uint32_t function;
} running;

typedef struct {
    uint64_t from;
    void *to;
    size_t bytes;
} piece;

enum { MOST_PIECES = 5 };

sn_line_sampler *sn_line_sampler_create(uint64_t period_ns) {
    sn_line_sampler *sampler = calloc(1, sizeof *sampler);
    if (!sampler) return NULL;
    sampler->period_ns = period_ns;
    sampler->random_state = sn_monotonic_ns() | 1;
    return sampler;
}

static void let_go(process *p) {
    if (p->cells) munmap((void *)p->cells, MOST_BYTES);
    free(p->cursors);
    p->cells = NULL;
    p->cursors = NULL;
    p->cursor_count = 0;
}

void sn_line_sampler_destroy(sn_line_sampler *sampler) {
    for (uint32_t i = 0; i < sampler->count; i++) {
        let_go(&sampler->processes[i]);
        if (sampler->processes[i].lines.entries)
            munmap(sampler->processes[i].lines.entries,
                   (sampler->processes[i].lines.mask + 1) * sizeof *sampler->processes[i].lines.entries);
    }
    free(sampler->processes);
    free(sampler);
}

static uint64_t word_at(const void *at) { return __atomic_load_n((const uint64_t *)at, __ATOMIC_RELAXED); }

static const sn_header *header_of(const process *p) { return (const sn_header *)p->cells; }

static uint64_t published(const process *p) {
    uint64_t used = __atomic_load_n(&header_of(p)->used, __ATOMIC_ACQUIRE);
    return used < MOST_BYTES / SN_CELL_BYTES ? used : MOST_BYTES / SN_CELL_BYTES;
}

static bool add_cursor(process *p, uint32_t cell) {
    if (p->cursor_count == p->cursor_room) {
        uint32_t room = p->cursor_room ? 2 * p->cursor_room : 8;
        uint32_t *grown = realloc(p->cursors, room * sizeof *grown);
        if (!grown) return false;
        p->cursors = grown;
        p->cursor_room = room;
    }
    p->cursors[p->cursor_count++] = cell;
    return true;
}

static void take_layout(process *p, const sn_record *record) {
    if (record->bytes != sizeof p->layout) return;
    memcpy(&p->layout, record + 1, sizeof p->layout);
    const sn_frame_layout *l = &p->layout;
    uint32_t most = SN_CELL_BYTES - sizeof(uint64_t);
    p->has_layout = l->cursor_state <= most && l->cursor_ended <= SN_CELL_BYTES - sizeof(uint32_t) &&
                    l->cursor_clock >= SN_CELL_BYTES && l->cursor_clock <= SN_CELL_BYTES + most;
}

/* Look through what has come to the cells for the layout, and for cursors. */
static void scan(process *p) {
    uint64_t end = published(p);
    while (p->scanned < end) {
        const uint8_t *at = p->cells + p->scanned * SN_CELL_BYTES;
        uint64_t tag = word_at(at), cells = 1;
        if (tag == SN_TAG_RECORD) {
            const sn_record *record = (const sn_record *)at;
            cells = sn_record_cells(record->bytes);
            if (cells > end - p->scanned) cells = end - p->scanned;
            else if (record->kind == SN_RECORD_LAYOUT) take_layout(p, record);
        } else if (tag == SN_TAG_CURSOR && !add_cursor(p, (uint32_t)p->scanned)) {
            return;
        }
        p->scanned += cells;
    }
}

sn_status sn_line_sampler_add(sn_line_sampler *sampler, const char *path) {
    if (sampler->count == sampler->room) {
        uint32_t room = sampler->room ? 2 * sampler->room : 4;
        process *grown = realloc(sampler->processes, room * sizeof *grown);
        if (!grown) return SN_NO_MEMORY;
        sampler->processes = grown;
        sampler->room = room;
    }
    sn_header header;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return SN_SYSTEM;
    bool is_spool = pread(file, &header, sizeof header, 0) == (ssize_t)sizeof header && sn_is_spool(&header) && header.pid;
    void *cells = is_spool ? mmap(NULL, MOST_BYTES, PROT_READ, MAP_SHARED | MAP_NORESERVE, file, 0) : MAP_FAILED;
    int error = errno;
    close(file);
    if (!is_spool) return SN_BAD_INPUT;
    if (cells == MAP_FAILED) {
        errno = error;
        return SN_SYSTEM;
    }
    process p = {.cells = cells, .base = header.base, .scanned = SN_HEADER_CELLS, .pid = (pid_t)header.pid};
    scan(&p);
    if (!p.has_layout) {
        munmap(cells, MOST_BYTES);
        free(p.cursors);
        return SN_BAD_INPUT;
    }
    sampler->processes[sampler->count++] = p;
    return SN_OK;
}

/* Read pieces of the process's memory; false when one of them is not there. */
static bool read_memory(sn_line_sampler *sampler, process *p, const piece *pieces, unsigned count) {
    struct iovec to[MOST_PIECES], from[MOST_PIECES];
    ssize_t bytes = 0;
    for (unsigned i = 0; i < count; i++) {
        to[i] = (struct iovec){pieces[i].to, pieces[i].bytes};
        from[i] = (struct iovec){(void *)(uintptr_t)pieces[i].from, pieces[i].bytes};
        bytes += (ssize_t)pieces[i].bytes;
    }
    ssize_t done = process_vm_readv(p->pid, to, count, from, count, 0);
    if (done < 0 && errno == ESRCH) p->over = true;
    if (done < 0 && (errno == EPERM || errno == ENOSYS)) {
        p->over = true;
        sampler->sums.forbidden++;
    }
    return done == bytes;
}

/* What the cursor says that its thread runs; false when that is nothing, or no Python function. */
static bool look_at_cursor(const process *p, const uint8_t *cursor, running *what) {
    const sn_frame_layout *l = &p->layout;
    if (__atomic_load_n((const uint32_t *)(cursor + l->cursor_ended), __ATOMIC_ACQUIRE)) return false;
    what->state = word_at(cursor + l->cursor_state);
    what->context = word_at(cursor + offsetof(sn_cursor, current));
    uint64_t cell = (what->context - p->base) / SN_CELL_BYTES;
    if (!what->state || (what->context - p->base) % SN_CELL_BYTES || cell < SN_HEADER_CELLS || cell >= published(p))
        return false;
    const sn_context *context = (const sn_context *)(p->cells + cell * SN_CELL_BYTES);
    what->code = word_at(&context->key);
    what->function = __atomic_load_n(&context->function, __ATOMIC_RELAXED);
    uint32_t line = __atomic_load_n(&context->call_line, __ATOMIC_RELAXED);
    return what->code > SN_TAG_LAST && !(what->code & 1) && !(line & SN_BASE);
}

/* Of processor time: whether the thread has a processor, or could have one. Its clock tells its number. */
static bool has_processor(const process *p, const uint8_t *cursor) {
    if (cursor + SN_CELL_BYTES >= p->cells + published(p) * SN_CELL_BYTES) return false;
    int64_t clock = (int64_t)word_at(cursor + p->layout.cursor_clock);
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)p->pid, (int)~(clock >> 3));
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    ssize_t bytes = read(file, text, sizeof text - 1);
    close(file);
    if (bytes <= 0) return false;
    text[bytes] = 0;
    const char *name_end = strrchr(text, ')');
    return name_end && name_end[1] == ' ' && name_end[2] == 'R';
}

/* The frame on top of a thread's stack, and what holds it, if anything does. */
typedef struct {
    uint64_t holder, frame;
} top_frame;

static bool read_top(sn_line_sampler *sampler, process *p, uint64_t state, top_frame *top) {
    const sn_frame_layout *l = &p->layout;
    bool is_held = l->held_frame != SN_DIRECT;
    piece first = {state + l->state_frame, is_held ? &top->holder : &top->frame, sizeof top->frame};
    if (!read_memory(sampler, p, &first, 1)) return false;
    if (!is_held) top->holder = state + l->state_frame - l->held_frame;
    piece second = {top->holder + l->held_frame, &top->frame, sizeof top->frame};
    return (!is_held || read_memory(sampler, p, &second, 1)) && top->frame;
}

/* The line at which the thread is; false when that cannot be told, or it has gone on meanwhile. */
static bool read_line(sn_line_sampler *sampler, process *p, const running *what, const top_frame *top, uint32_t *line) {
    const sn_frame_layout *l = &p->layout;
    uint64_t code, instruction, table, units, length;
    uint32_t first_line;
    const piece of_frame[] = {{top->frame + l->frame_code, &code, sizeof code},
                              {top->frame + l->frame_instruction, &instruction, sizeof instruction},
                              {what->code + l->code_units, &units, sizeof units},
                              {what->code + l->code_first_line, &first_line, sizeof first_line},
                              {what->code + l->code_line_table, &table, sizeof table}};
    if (!read_memory(sampler, p, of_frame, 5) || (code & l->pointer_mask) != what->code) return false;
    uint64_t offset = instruction - (what->code + l->code_instructions);
    if (offset % 2 || offset / 2 >= units) return false;
    uint8_t opcode;
    const piece of_table[] = {{instruction, &opcode, sizeof opcode}, {table + l->bytes_length, &length, sizeof length}};
    if (!read_memory(sampler, p, of_table, 2) || l->watched[opcode / 8] >> opcode % 8 & 1) return false;
    if (length > sizeof sampler->table) length = sizeof sampler->table;
    uint64_t top_now = 0, holder_now = 0;
    bool is_held = l->held_frame != SN_DIRECT;
    const piece last[] = {{table + l->bytes_data, sampler->table, length},
                          {top->holder + l->held_frame, &top_now, sizeof top_now},
                          {what->state + l->state_frame, &holder_now, sizeof holder_now}};
    if (!read_memory(sampler, p, last, is_held ? 3 : 2)) return false;
    if (top_now != top->frame || (is_held && holder_now != top->holder)) return false;
    *line = sn_python_line(sampler->table, length, first_line, (uint32_t)(offset / 2));
    return true;
}

static void count(sn_line_sampler *sampler, process *p, uint32_t function, uint32_t line) {
    uint64_t key = (uint64_t)function << LINE_BITS | (line & SN_LINE_MASK);
    uint32_t samples = sn_word_get(&p->lines, key);
    if (samples == UINT32_MAX) return; /* after seven weeks in one line */
    if ((!samples && p->lines.used >= SN_MOST_SAMPLED_LINES) || !sn_word_set(&p->lines, key, samples + 1))
        sampler->sums.without_room++;
    else
        sampler->sums.samples++;
}

static void look_at_thread(sn_line_sampler *sampler, process *p, const uint8_t *cursor) {
    running before, after;
    top_frame top;
    uint32_t line;
    if (!look_at_cursor(p, cursor, &before)) return;
    if (header_of(p)->unseen_ticks && !has_processor(p, cursor)) return;
    bool is_told = read_top(sampler, p, before.state, &top) && read_line(sampler, p, &before, &top, &line) &&
                   look_at_cursor(p, cursor, &after) && after.context == before.context && after.code == before.code;
    if (is_told) count(sampler, p, before.function, line);
    else sampler->sums.dropped++;
}

void sn_line_sampler_look(sn_line_sampler *sampler) {
    for (uint32_t i = 0; i < sampler->count; i++) {
        process *p = &sampler->processes[i];
        if (p->over) continue;
        p->over = header_of(p)->replaced_ticks != 0;
        scan(p);
        for (uint32_t at = 0; at < p->cursor_count && !p->over; at++)
            look_at_thread(sampler, p, p->cells + (uint64_t)p->cursors[at] * SN_CELL_BYTES);
        if (p->over) let_go(p);
    }
}

void sn_line_sampler_run(sn_line_sampler *sampler, uint64_t ns) {
    uint64_t now = sn_monotonic_ns(), end = now + ns, took = 0;
    while (now < end && !__atomic_load_n(&sampler->stopped, __ATOMIC_RELAXED)) {
        uint64_t next = now + sampler->period_ns / 2 + sn_xorshift64(&sampler->random_state) % (sampler->period_ns + 1);
        if (next < now + SHARE_OF_TIME * took) next = now + SHARE_OF_TIME * took;
        struct timespec until = {(time_t)(next / 1000000000u), (long)(next % 1000000000u)};
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {}
        uint64_t woken = sn_monotonic_ns();
        sn_line_sampler_look(sampler);
        now = sn_monotonic_ns();
        took = now - woken;
    }
}

void sn_line_sampler_stop(sn_line_sampler *sampler) { __atomic_store_n(&sampler->stopped, true, __ATOMIC_RELAXED); }

sn_sampling sn_line_sampler_sums(const sn_line_sampler *sampler) { return sampler->sums; }

size_t sn_line_sampler_lines(const sn_line_sampler *sampler, sn_sampled_line *lines, size_t room) {
    size_t found = 0;
    for (uint32_t i = 0; i < sampler->count; i++) {
        const struct sn_word_map *map = &sampler->processes[i].lines;
        for (uint64_t at = 0; map->entries && at <= map->mask; at++) {
            const struct sn_word_entry *entry = &map->entries[at];
            if (!entry->value) continue;
            if (found < room)
                lines[found] = (sn_sampled_line){i, (uint32_t)(entry->key >> LINE_BITS),
                                                 (uint32_t)entry->key & SN_LINE_MASK, entry->value};
            found++;
        }
    }
    return found;
}
