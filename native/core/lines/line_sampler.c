#define _GNU_SOURCE
#include "line_sampler.h"

#include "../base/look_loop.h"
#include "../base/process_memory.h"
#include "../base/thread_schedule.h"
#include "../base/word_map.h"
#include "../contexts/hot_contexts.h"
#include "../contexts/watched_spool.h"
#include "frame_layout.h"
#include "python_lines.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Tables of lines are read up to here: some 20,000 instructions. */
#define TABLE_ROOM (UINT32_C(1) << 16)
#define LINE_BITS 29u

typedef struct {
    sn_watched_spool spool;
    bool over; /* it has ended, or cannot be read: its cells are mapped no more */
    bool has_layout;
    sn_frame_layout layout;
    uint32_t *cursors; /* their cells */
    uint32_t cursor_count, cursor_room;
    struct sn_word_map lines; /* function and line: samples */
} process;

struct sn_line_sampler {
    sn_look_loop loop;
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

sn_line_sampler *sn_line_sampler_create(uint64_t period_ns) {
    sn_line_sampler *sampler = calloc(1, sizeof *sampler);
    if (sampler) sn_look_loop_init(&sampler->loop, period_ns);
    return sampler;
}

static void let_go(process *p) {
    sn_watched_spool_close(&p->spool);
    free(p->cursors);
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
    uint64_t cell;
    sn_watched_spool_update(&p->spool);
    while (sn_watched_spool_next(&p->spool, &cell)) {
        const uint8_t *at = p->spool.bytes + cell * SN_CELL_BYTES;
        if (sn_watched_word(at) == SN_TAG_CURSOR) {
            if (add_cursor(p, (uint32_t)cell)) continue;
            p->spool.scanned = cell; /* once more the next time */
            return;
        }
        const sn_record *record = (const sn_record *)at;
        if (record->kind == SN_RECORD_LAYOUT) take_layout(p, record);
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
    process p = {0};
    sn_status status = sn_watched_spool_open(&p.spool, path, false);
    if (status != SN_OK) return status;
    scan(&p);
    if (!p.has_layout) {
        let_go(&p);
        return SN_BAD_INPUT;
    }
    sampler->processes[sampler->count++] = p;
    return SN_OK;
}

/* Read pieces of the process's memory; false when one of them is not there. */
static bool read_memory(sn_line_sampler *sampler, process *p, const sn_piece *pieces, unsigned count) {
    sn_read_result result = sn_process_read((pid_t)p->spool.pid, pieces, count);
    p->over |= result == SN_READ_OVER || result == SN_READ_FORBIDDEN;
    sampler->sums.forbidden += result == SN_READ_FORBIDDEN;
    return result == SN_READ_ALL;
}

/* What the cursor says that its thread runs; false when that is nothing, or no Python function. */
static bool look_at_cursor(process *p, uint32_t cell, running *what) {
    const uint8_t *cursor = p->spool.bytes + (uint64_t)cell * SN_CELL_BYTES;
    const sn_frame_layout *l = &p->layout;
    if (__atomic_load_n((const uint32_t *)(cursor + l->cursor_ended), __ATOMIC_ACQUIRE)) return false;
    what->state = sn_watched_word(cursor + l->cursor_state);
    what->context = sn_watched_word(cursor + offsetof(sn_cursor, current));
    const sn_context *context = sn_watched_spool_find(&p->spool, what->context);
    if (!what->state || !context) return false;
    what->code = sn_watched_word(&context->key);
    what->function = __atomic_load_n(&context->function, __ATOMIC_RELAXED);
    uint32_t line = __atomic_load_n(&context->call_line, __ATOMIC_RELAXED);
    return what->code > SN_TAG_LAST && !(what->code & 1) && !(line & SN_BASE);
}

/* Of processor time: whether the thread has a processor, or could have one. Its clock tells its number. */
static bool has_processor(const process *p, uint32_t cell) {
    if (cell + UINT64_C(1) >= p->spool.cells) return false;
    int64_t clock = (int64_t)sn_watched_word(p->spool.bytes + (uint64_t)cell * SN_CELL_BYTES + p->layout.cursor_clock);
    sn_thread_schedule schedule = sn_thread_schedule_of((pid_t)p->spool.pid, (pid_t)~(clock >> 3), false);
    return sn_thread_schedule_is_ready(&schedule);
}

/* The frame on top of a thread's stack, and what holds it, if anything does. */
typedef struct {
    uint64_t holder, frame;
} top_frame;

static bool read_top(sn_line_sampler *sampler, process *p, uint64_t state, top_frame *top) {
    const sn_frame_layout *l = &p->layout;
    bool is_held = l->held_frame != SN_DIRECT;
    sn_piece first = {state + l->state_frame, is_held ? &top->holder : &top->frame, sizeof top->frame};
    if (!read_memory(sampler, p, &first, 1)) return false;
    if (!is_held) top->holder = state + l->state_frame - l->held_frame;
    sn_piece second = {top->holder + l->held_frame, &top->frame, sizeof top->frame};
    return (!is_held || read_memory(sampler, p, &second, 1)) && top->frame;
}

/* The line at which the thread is; false when that cannot be told, or it has gone on meanwhile. */
static bool read_line(sn_line_sampler *sampler, process *p, const running *what, const top_frame *top, uint32_t *line) {
    const sn_frame_layout *l = &p->layout;
    uint64_t code, instruction, table, units, length;
    uint32_t first_line;
    const sn_piece of_frame[] = {{top->frame + l->frame_code, &code, sizeof code},
                              {top->frame + l->frame_instruction, &instruction, sizeof instruction},
                              {what->code + l->code_units, &units, sizeof units},
                              {what->code + l->code_first_line, &first_line, sizeof first_line},
                              {what->code + l->code_line_table, &table, sizeof table}};
    if (!read_memory(sampler, p, of_frame, 5) || (code & l->pointer_mask) != what->code) return false;
    uint64_t offset = instruction - (what->code + l->code_instructions);
    if (offset % 2 || offset / 2 >= units) return false;
    uint8_t opcode;
    const sn_piece of_table[] = {{instruction, &opcode, sizeof opcode}, {table + l->bytes_length, &length, sizeof length}};
    if (!read_memory(sampler, p, of_table, 2) || l->watched[opcode / 8] >> opcode % 8 & 1) return false;
    if (length > sizeof sampler->table) length = sizeof sampler->table;
    uint64_t top_now = 0, holder_now = 0;
    bool is_held = l->held_frame != SN_DIRECT;
    const sn_piece last[] = {{table + l->bytes_data, sampler->table, length},
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

static void look_at_thread(sn_line_sampler *sampler, process *p, uint32_t cursor) {
    running before, after;
    top_frame top;
    uint32_t line;
    if (!look_at_cursor(p, cursor, &before)) return;
    if (sn_watched_spool_header(&p->spool)->unseen_ticks && !has_processor(p, cursor)) return;
    bool is_told = read_top(sampler, p, before.state, &top) && read_line(sampler, p, &before, &top, &line) &&
                   look_at_cursor(p, cursor, &after) && after.context == before.context && after.code == before.code;
    if (is_told) count(sampler, p, before.function, line);
    else sampler->sums.dropped++;
}

void sn_line_sampler_look(sn_line_sampler *sampler) {
    for (uint32_t i = 0; i < sampler->count; i++) {
        process *p = &sampler->processes[i];
        if (p->over) continue;
        p->over = sn_watched_spool_header(&p->spool)->replaced_ticks != 0;
        scan(p);
        for (uint32_t at = 0; at < p->cursor_count && !p->over; at++)
            look_at_thread(sampler, p, p->cursors[at]);
        if (p->over) let_go(p);
    }
}

static void look_then(void *sampler, uint64_t now) {
    (void)now;
    sn_line_sampler_look(sampler);
}

void sn_line_sampler_run(sn_line_sampler *sampler, uint64_t ns) {
    sn_look_loop_run(&sampler->loop, ns, look_then, sampler);
}

void sn_line_sampler_stop(sn_line_sampler *sampler) { sn_look_loop_stop(&sampler->loop); }

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
