#include "python_stack.h"

#include "code_copies.h"
#include "raw_frame.h"
#include "stack_top.h"

#include <stdlib.h>
#include <string.h>

#define PAGE UINT64_C(4096)
/* How often a stack is read since it was torn or cut. */
enum { MOST_TRIES = 4, MOST_CUT = 6 };
/* FRAME_OWNED_BY_THREAD. */
enum { OWNER_THREAD = 0, OWNER_GENERATOR = 1 };
/* CO_COROUTINE, of co_flags. */
#define FLAG_COROUTINE 0x80u
/* Calls that may have been made while callers were read. */
enum { MOST_HOPS = 4 };
enum { MOST_SEGMENTS = 256, MOST_GROWTH = 16 };
/* Of callers' frames so much is read at most. */
#define ROOM_OF_CALLERS (UINT64_C(2) << 20)

/* A piece of the process's memory: [low, high). */
typedef struct {
    uint64_t low, high;
    const uint8_t *bytes;
    uint64_t used; /* the lowest address that a frame was taken from */
} segment;

struct sn_stack_reader {
    sn_stack_top top;
    uint8_t *callers, *again; /* ROOM_OF_CALLERS each */
    uint64_t callers_used;
    segment segments[MOST_SEGMENTS]; /* [0] is the part with the frame on top, as it was taken */
    unsigned segment_count, early; /* the first ones were read with the part, before the pointer was read again */
    unsigned growth; /* pages below the next one that are read with it */
    uint64_t sample; /* number of the stack that is being read */
    sn_read_result failed;
    sn_raw_frame chain[SN_MOST_FRAMES]; /* innermost first */
    uint32_t depth;
    uint32_t code_of[SN_MOST_FRAMES]; /* index + 1; 0: the frame stands for no code of the program */
    uint32_t line_of[SN_MOST_FRAMES];
    sn_stack_frame frames[SN_MOST_FRAMES];
    uint64_t entries[SN_MOST_FRAMES];
    uint32_t entry_count;
    sn_code_copy copies[SN_MOST_FRAMES];
    sn_piece pieces[SN_MOST_LEADING];
    uint32_t checked[SN_MOST_LEADING];
    uint64_t drawn, drawn_code; /* which frame was on top; 0: it was not found */
    uint32_t steady;  /* frames of the chain that are certain, from the outermost one on */
    uint32_t certain; /* the same of `frames` */
    struct {        /* a stack that was cut, in case that it is so again */
        sn_stack_frame frames[SN_MOST_FRAMES];
        uint64_t entries[SN_MOST_FRAMES];
        uint32_t count, entry_count;
        uint32_t certain;
        sn_stack_thread thread;
    } cut;
    uint8_t *texts; /* of code objects that are looked at again, SN_MOST_LEADING / SN_CHECK_PIECES of them */
};

sn_stack_reader *sn_stack_reader_create(void) {
    sn_stack_reader *reader = calloc(1, sizeof *reader);
    if (!reader) return NULL;
    reader->callers = malloc(ROOM_OF_CALLERS);
    reader->again = malloc(ROOM_OF_CALLERS);
    reader->texts = malloc((SN_MOST_LEADING / SN_CHECK_PIECES) * (size_t)SN_CHECK_ROOM);
    if (reader->callers && reader->again && reader->texts) return reader;
    sn_stack_reader_destroy(reader);
    return NULL;
}

void sn_stack_reader_destroy(sn_stack_reader *reader) {
    if (!reader) return;
    free(reader->callers);
    free(reader->again);
    free(reader->texts);
    free(reader);
}

static sn_stack_result failure(const sn_stack_reader *r) {
    if (r->failed == SN_READ_OVER) return SN_STACK_OVER;
    return r->failed == SN_READ_FORBIDDEN ? SN_STACK_FORBIDDEN : SN_STACK_TORN;
}

static unsigned read_pieces(sn_stack_reader *r, const sn_memory_reader *memory, unsigned count) {
    return memory->read(memory->at, r->pieces, count, &r->failed);
}

static bool has(const segment *s, uint64_t address, uint64_t bytes) {
    return address >= s->low && address < s->high && s->high - address >= bytes;
}

/* Where the frame at this address was read: the part, which was read twice, before others; NULL: it was not. */
static segment *segment_with(sn_stack_reader *r, uint64_t address, uint64_t bytes) {
    if (has(&r->segments[0], address, bytes)) return &r->segments[0];
    for (unsigned i = r->segment_count; i-- > 1;)
        if (has(&r->segments[i], address, bytes)) return &r->segments[i];
    return NULL;
}

/* Whether more frames of callers are likely to be around: one was found in this page, or on the page above it. */
static bool is_near_another(const sn_stack_reader *r, uint64_t address) {
    for (unsigned i = 0; i < r->segment_count; i++) {
        const segment *s = &r->segments[i];
        if (address / PAGE == s->low / PAGE || (address < s->low && s->low - address <= PAGE)) return true;
    }
    return false;
}

/* Read a frame of a caller. Those of coroutines, and those on the C stack, lie alone. Where another one is near, its page is
 * read, and some pages below it, where the frames of its callers are. */
static segment *read_segment(sn_stack_reader *r, const sn_memory_reader *memory, const sn_python_layout *l, uint64_t address) {
    const segment *last = &r->segments[r->depth ? r->chain[r->depth - 1].part : 0];
    bool goes_on = address < last->low && last->low - address <= PAGE;
    r->growth = !goes_on ? 0 : r->growth ? (r->growth < MOST_GROWTH ? 2 * r->growth : MOST_GROWTH) : 1;
    uint64_t high = address + l->frame_bytes, low = is_near_another(r, address) ? address & ~(PAGE - 1) : address;
    if (address < (MOST_GROWTH + 1) * PAGE || high < address || r->segment_count == MOST_SEGMENTS) return NULL;
    uint64_t room = high - low + r->growth * PAGE;
    if (room > ROOM_OF_CALLERS - r->callers_used) return NULL;
    uint8_t *end = r->callers + r->callers_used + room;
    unsigned count = 0;
    r->pieces[count++] = (sn_piece){low, end - (high - low), high - low};
    for (; count <= r->growth; count++)
        r->pieces[count] = (sn_piece){low - count * PAGE, end - (high - low) - count * PAGE, PAGE};
    unsigned done = read_pieces(r, memory, count);
    if (!done) return NULL;
    segment *s = &r->segments[r->segment_count++];
    *s = (segment){low - (done - 1) * PAGE, high, end - (high - low) - (done - 1) * PAGE, address};
    r->callers_used += room;
    return s;
}

static void only_steady(sn_stack_reader *r, uint32_t count) {
    if (r->steady > count) r->steady = count;
}

/* A generator that has yielded since has no caller any more: what is on top by then has most likely resumed it. */
static uint64_t caller_of(sn_stack_reader *r) {
    const sn_raw_frame *f = &r->chain[r->depth - 1];
    if (f->previous || f->owner != OWNER_GENERATOR || r->depth > 1 || r->top.later == r->drawn) return f->previous;
    only_steady(r, 0);
    return r->top.later;
}

static sn_stack_result walk(sn_stack_reader *r, const sn_memory_reader *memory, const sn_python_layout *l, uint64_t top) {
    r->depth = 0;
    r->growth = 0;
    r->callers_used = 0;
    uint64_t behind = 0; /* the frame at the last power of two: one that comes again is a circle */
    for (uint64_t at = top; at; at = caller_of(r)) {
        if (at == behind) return SN_STACK_TORN;
        if (!(r->depth & (r->depth - 1))) behind = at;
        if (r->depth == SN_MOST_FRAMES) return SN_STACK_TOO_DEEP;
        segment *s = segment_with(r, at, l->frame_bytes);
        if (!s) s = read_segment(r, memory, l, at);
        if (!s && (r->segment_count == MOST_SEGMENTS || r->callers_used > ROOM_OF_CALLERS / 2)) return SN_STACK_TOO_DEEP;
        if (!s) return failure(r);
        if (at < s->used) s->used = at;
        r->chain[r->depth] = sn_raw_frame_in(l, s->bytes + (at - s->low), at);
        r->chain[r->depth++].part = (uint16_t)(s - r->segments);
    }
    /* All begins with a call from C. Else the outermost frame is of a generator that has yielded since, or it is not linked
     * to its caller yet. */
    const sn_raw_frame *outermost = &r->chain[r->depth - 1];
    bool is_begin = l->frame_entry ? outermost->is_entry && outermost->owner == OWNER_THREAD
                                   : outermost->owner >= l->owner_c;
    return is_begin ? SN_STACK_READ : SN_STACK_TORN;
}

/* The line of an instruction of a frame. */
static uint32_t line_of(sn_code_table *table, const sn_raw_frame *f, uint64_t instruction, uint32_t code) {
    if (!code || (f->copy && !f->begin)) return 0;
    if (f->copy) instruction += table->codes[code - 1].address + table->layout.code_instructions - f->begin;
    return sn_code_line(table, code - 1, instruction);
}

/* Find where the copies of instructions begin that frames run. */
static void find_copies(sn_stack_reader *r, const sn_memory_reader *memory, const sn_python_layout *l) {
    uint32_t count = 0, at = 0;
    for (uint32_t i = 0; i < r->depth; i++)
        if (r->chain[i].copy && r->chain[i].owner < l->owner_c)
            r->copies[count++] = (sn_code_copy){r->chain[i].code, r->chain[i].copy, 0};
    if (count) sn_code_copies_find(memory, l, r->copies, count);
    for (uint32_t i = 0; i < r->depth; i++)
        if (r->chain[i].copy && r->chain[i].owner < l->owner_c) r->chain[i].begin = r->copies[at++].begin;
}

/* From 3.14 on, frames that have ended since they were on top have no code any more, but the instruction that they ran last. */
static void find_ended(sn_stack_reader *r, sn_code_table *table) {
    for (uint32_t i = 0, index; i < r->depth && !r->chain[i].part; i++) {
        sn_raw_frame *f = &r->chain[i];
        if (f->code || f->owner >= table->layout.owner_c) return;
        only_steady(r, r->depth - i - 1);
        if (!sn_code_table_around(table, f->instruction, &index)) return;
        f->code = table->codes[index].address;
    }
}

/* Find the code objects of all frames. Where there is none, what is above cannot be believed: returns how many frames,
 * from the outermost one on, have what they need. */
static uint32_t find_code(sn_stack_reader *r, const sn_memory_reader *memory, sn_code_table *table,
                          sn_code_functions *functions, sn_stack_result *result) {
    const sn_python_layout *l = &table->layout;
    if (l->clears_frames) find_ended(r, table);
    if (l->frame_copy) find_copies(r, memory, l); /* of builds without a global lock */
    for (uint32_t i = r->depth; i-- > 0;) {
        const sn_raw_frame *f = &r->chain[i];
        uint32_t index = 0;
        r->code_of[i] = r->line_of[i] = 0;
        if (f->owner >= l->owner_c) continue;
        if (!f->code) return r->depth - 1 - i; /* it has ended */
        sn_code_result found = sn_code_table_find(table, functions, memory, f->code, &index);
        if (found == SN_CODE_NO_ROOM) *result = SN_STACK_NO_ROOM;
        if (found != SN_CODE_OK) return r->depth - 1 - i;
        r->code_of[i] = index + 1;
        r->line_of[i] = line_of(table, f, f->instruction, index + 1);
    }
    return r->depth;
}

static bool is_same(sn_code_table *table, const sn_raw_frame *a, const sn_raw_frame *b, uint32_t code, bool is_top) {
    if (!sn_raw_frame_is_of(a, b)) return false;
    return is_top || a->instruction == b->instruction ||
           line_of(table, a, a->instruction, code) == line_of(table, a, b->instruction, code);
}

/* The frame up to which all were read early, from the one on top: as long as it is on the stack, its callers stay. */
static uint32_t boundary_of(const sn_stack_reader *r) {
    uint32_t at = 0;
    while (at + 1 < r->depth && r->chain[at + 1].part < r->early) at++;
    return at;
}

/* Whether the frame at the boundary is still on the stack whose frame on top is `top`: it is that one or one above it, or
 * one of these has called that one. */
static bool is_on_stack(sn_stack_reader *r, const sn_memory_reader *memory, const sn_python_layout *l, uint32_t boundary,
                        uint64_t top) {
    const sn_raw_frame *b = &r->chain[boundary];
    uint8_t bytes[SN_CODE_HEAD];
    for (unsigned hops = 0; top && hops < MOST_HOPS; hops++) {
        for (uint32_t i = 0; i <= boundary; i++)
            if (r->chain[i].address == top) return true;
        /* What is above it in its page of the thread's stack was called later. */
        if (b->owner == OWNER_THREAD && top > b->address && top < r->segments[0].high) return true;
        if (!sn_read_one(memory, top, bytes, l->frame_bytes)) return false;
        top = sn_raw_frame_in(l, bytes, top).previous;
    }
    return false;
}

/* How many frames, from the outermost one on, are the same when callers are read again. They were read after the first
 * part: so they are certain only if the innermost frame whose caller is among them is the same, too, and still on the stack. */
static uint32_t steady_callers(sn_stack_reader *r, const sn_memory_reader *memory, sn_code_table *table, uint64_t state,
                               const sn_stack_hint *hint, uint32_t known) {
    const sn_python_layout *l = &table->layout;
    const uint8_t *copies[MOST_SEGMENTS];
    unsigned count = 0;
    uint64_t used = 0;
    sn_seen_top seen = {0};
    if (r->segment_count == r->early) return known;
    uint32_t boundary = boundary_of(r);
    for (unsigned i = r->early; i < r->segment_count; i++) {
        const segment *s = &r->segments[i];
        copies[i] = r->again + used;
        r->pieces[count++] = (sn_piece){s->used, r->again + used, s->high - s->used};
        used += s->high - s->used;
    }
    if (used + l->frame_bytes > ROOM_OF_CALLERS) return 0;
    copies[0] = r->again + used;
    r->pieces[count++] = (sn_piece){r->chain[boundary].address, r->again + used, l->frame_bytes};
    count += sn_seen_top_pieces(l, state, hint, &seen, &r->pieces[count]);
    if (read_pieces(r, memory, count) < count) return 0;
    bool is_there = is_on_stack(r, memory, l, boundary, sn_seen_top_frame(l, hint, &seen));
    is_there = is_there && sn_raw_frame_in(l, copies[0], 0).previous == r->chain[boundary].previous;
    if (!is_there) only_steady(r, 0);
    for (uint32_t i = r->depth, end = r->depth - known; i > end; i--) {
        const sn_raw_frame *f = &r->chain[i - 1];
        bool is_early = f->part < r->early;
        if (is_early && (i - 1 != boundary || !is_there)) continue;
        const uint8_t *copy = is_early ? copies[0] : copies[f->part] + (f->address - r->segments[f->part].used);
        sn_raw_frame now = sn_raw_frame_in(l, copy, f->address);
        if (is_same(table, f, &now, r->code_of[i - 1], i == 1)) continue;
        if (!r->line_of[i - 1]) return r->depth - i; /* it was being made */
        only_steady(r, 0); /* another one is on top at its place */
    }
    return known;
}

/* Whether the code objects of the outermost `known` frames are still those that we know. */
static bool are_codes_same(sn_stack_reader *r, const sn_memory_reader *memory, sn_code_table *table, uint32_t known) {
    bool is_all_same = true;
    for (uint32_t i = r->depth, end = r->depth - known; i > end;) {
        unsigned count = 0, codes = 0;
        size_t used = 0;
        for (; i > end && count + SN_CHECK_PIECES <= SN_MOST_LEADING; i--) {
            uint32_t index = r->code_of[i - 1];
            if (!index || table->codes[index - 1].checked == r->sample) continue;
            table->codes[index - 1].checked = r->sample;
            used += sn_code_check_pieces(table, index - 1, r->texts + used, &r->pieces[count]);
            r->checked[codes++] = index - 1;
            count += SN_CHECK_PIECES;
        }
        unsigned done = count ? read_pieces(r, memory, count) : 0;
        for (unsigned at = 0; at < codes; at++) {
            if ((at + 1) * SN_CHECK_PIECES <= done) {
                is_all_same &= sn_code_check(table, r->checked[at], &r->pieces[at * SN_CHECK_PIECES]);
            } else {
                sn_code_forget(table, r->checked[at]);
                is_all_same = false;
            }
        }
    }
    return is_all_same;
}

/* How many frames, from the outermost one on, were there when the first part was read. Those that have ended, or gone on to another line,
 * before it was read again may have done so before. */
static uint32_t steady_frames(sn_stack_reader *r, sn_code_table *table, uint32_t known) {
    const sn_python_layout *l = &table->layout;
    const segment *part = &r->segments[0];
    for (uint32_t i = r->depth, end = r->depth - known; i > end; i--) {
        const sn_raw_frame *f = &r->chain[i - 1];
        if (f->part) continue;
        sn_raw_frame now = sn_raw_frame_in(l, r->top.parts[1] + (f->address - part->low), f->address);
        if (is_same(table, f, &now, r->code_of[i - 1], i == 1)) continue;
        only_steady(r, r->depth - i);
        if (!r->line_of[i - 1]) return r->depth - i; /* it was being made */
    }
    return known;
}

/* Frames that have ended may look as before: up to 3.13, and where a generator was made of them. How many, from the outermost one on, were on the
 * stack between both readings of the part, as far as frames on top of them are in it. One that lies alone was read only once: if it, or another
 * call of it, was on top, it may have gone on to another line before. */
static uint32_t stayed(const sn_stack_reader *r, const sn_python_layout *l) {
    uint64_t at = r->top.later;
    for (unsigned hops = 0; at && hops < MOST_HOPS; hops++) {
        for (uint32_t i = 0; i < r->depth && i < MOST_HOPS; i++) {
            bool is_lone = r->chain[i].part && r->chain[i].part < r->early;
            if (r->chain[i].address == at) return r->depth - i - is_lone;
        }
        if (at < r->top.low || at > r->top.high - l->frame_bytes) return 0;
        at = sn_raw_frame_in(l, r->top.parts[1] + (at - r->top.low), at).previous;
    }
    return 0;
}

/* How many frames of the parts that were taken can be believed, from the outermost one on. */
static sn_stack_result believe(sn_stack_reader *r, const sn_memory_reader *memory, sn_code_table *table, sn_code_functions *functions,
                               const sn_stack_thread *thread, const sn_stack_hint *hint, uint32_t *known) {
    *known = 0;
    r->steady = UINT32_MAX;
    sn_stack_result result = walk(r, memory, &table->layout, hint->top);
    if (result != SN_STACK_READ) return result;
    only_steady(r, stayed(r, &table->layout));
    *known = find_code(r, memory, table, functions, &result);
    if (result == SN_STACK_NO_ROOM) return result;
    *known = steady_frames(r, table, *known);
    if (*known) *known = steady_callers(r, memory, table, thread->state, hint, *known);
    if (!*known || !are_codes_same(r, memory, table, *known)) return failure(r);
    return *known < r->depth ? SN_STACK_CUT : SN_STACK_READ;
}

/* What ran in the frame on top when its part was read, or had run in it last; 0: that is not known. */
static uint64_t code_on_top(const sn_stack_reader *r, sn_code_table *table) {
    const sn_python_layout *l = &table->layout;
    sn_raw_frame top = sn_raw_frame_in(l, r->top.parts[0] + (r->drawn - r->top.low), r->drawn);
    uint32_t index;
    if (top.code || !l->clears_frames || !sn_code_table_around(table, top.instruction, &index)) return top.code;
    return table->codes[index].address;
}

static void begin_segments(sn_stack_reader *r, const sn_python_layout *l, uint64_t top) {
    r->segments[0] = (segment){r->top.low, r->top.high, r->top.parts[0], top};
    r->segment_count = 1;
    for (unsigned i = 0; i < SN_LONE_FRAMES && r->top.lone[i]; i++) {
        uint64_t at = r->top.lone[i], high = at + l->frame_bytes;
        r->segments[r->segment_count++] = (segment){at, high, r->top.lone_frames[i], high};
    }
    r->early = r->segment_count;
}

/* Coroutines that others have called are likely to call again, and so are the entries from C that run them: the innermost first. A
 * stack without any is read in less time. */
static void remember_lone(const sn_stack_reader *r, const sn_python_layout *l, sn_stack_hint *hint) {
    uint32_t innermost = 1;
    while (innermost < r->depth && r->chain[innermost].owner != OWNER_GENERATOR) innermost++;
    for (uint32_t i = r->depth; i-- > innermost;) {
        const sn_raw_frame *f = &r->chain[i];
        if (f->owner != OWNER_GENERATOR && f->owner < l->owner_c) continue;
        unsigned at = 0;
        while (at < SN_LONE_FRAMES - 1 && hint->lone[at] != f->address) at++;
        for (; at > 0; at--) hint->lone[at] = hint->lone[at - 1];
        hint->lone[0] = f->address;
    }
}

static sn_stack_result read_once(sn_stack_reader *r, const sn_memory_reader *memory, sn_code_table *table,
                                 sn_code_functions *functions, sn_stack_thread *thread, sn_stack_hint *hint, uint32_t *count) {
    *count = 0;
    r->drawn = 0;
    r->entry_count = 0;
    r->certain = 0;
    r->sample++;
    uint32_t known;
    sn_stack_result result = sn_stack_top_read(&r->top, memory, &table->layout, thread, hint, &r->failed);
    if (result == SN_STACK_TORN) return failure(r);
    if (result != SN_STACK_READ) return result;
    r->drawn = hint->top;
    r->drawn_code = code_on_top(r, table);
    begin_segments(r, &table->layout, hint->top);
    result = believe(r, memory, table, functions, thread, hint, &known);
    remember_lone(r, &table->layout, hint);
    if (result != SN_STACK_READ && result != SN_STACK_CUT) return result;
    thread->coroutine_count = 0;
    for (uint32_t i = r->depth, end = r->depth - known; i > end; i--) {
        uint32_t code = r->code_of[i - 1];
        const sn_raw_frame *f = &r->chain[i - 1];
        bool is_from_c = f->owner >= table->layout.owner_c;
        /* The base of 3.15's threads is no call from C: it only holds the frame of the first one, and is not on the stack of C. */
        if (is_from_c && i > 1 && r->chain[i - 2].owner >= table->layout.owner_c) continue;
        if (is_from_c || f->is_entry) r->entries[r->entry_count++] = is_from_c ? f->address : 0;
        bool is_coroutine = code && f->owner == OWNER_GENERATOR && table->codes[code - 1].flags & FLAG_COROUTINE;
        if (is_coroutine && thread->coroutine_count < SN_MOST_COROUTINES) {
            thread->coroutines[thread->coroutine_count].address = f->address - table->layout.generator_frame;
            thread->coroutines[thread->coroutine_count].caller = f->previous;
            thread->coroutines[thread->coroutine_count].frame = *count;
            thread->coroutines[thread->coroutine_count++].code = code - 1;
        }
        if (code && !sn_code_is_bridge(table, code - 1))
            r->frames[(*count)++] = (sn_stack_frame){code - 1, r->line_of[i - 1], r->entry_count ? r->entry_count - 1 : 0};
        if (r->depth - i < r->steady) r->certain = *count;
    }
    if (known < r->depth) return *count ? SN_STACK_CUT : SN_STACK_TORN;
    return *count ? SN_STACK_READ : SN_STACK_EMPTY;
}

uint32_t sn_stack_certain(const sn_stack_reader *reader) { return reader->certain; }

const uint64_t *sn_stack_entries(const sn_stack_reader *reader, uint32_t *count) {
    *count = reader->entry_count;
    return reader->entries;
}

static void keep_cut(sn_stack_reader *r, const sn_stack_thread *thread, uint32_t count) {
    memcpy(r->cut.frames, r->frames, count * sizeof *r->frames);
    memcpy(r->cut.entries, r->entries, r->entry_count * sizeof *r->entries);
    r->cut.count = count;
    r->cut.certain = r->certain;
    r->cut.entry_count = r->entry_count;
    r->cut.thread = *thread;
}

static void take_cut(sn_stack_reader *r, sn_stack_thread *thread, uint32_t *count) {
    memcpy(r->frames, r->cut.frames, r->cut.count * sizeof *r->frames);
    memcpy(r->entries, r->cut.entries, r->cut.entry_count * sizeof *r->entries);
    *count = r->cut.count;
    r->certain = r->cut.certain;
    r->entry_count = r->cut.entry_count;
    *thread = r->cut.thread;
}

static sn_stack_result as_far_as_known(const sn_stack_reader *r, sn_stack_result result, const sn_code_table *table,
                                       const sn_known_calls *known, sn_stack_thread *thread, uint32_t *count) {
    uint32_t seen = known ? sn_known_calls_count(known, table, r->frames, r->certain, *count) : r->certain;
    if (seen == *count) return result;
    *count = seen;
    while (thread->coroutine_count && thread->coroutines[thread->coroutine_count - 1].frame >= seen) thread->coroutine_count--;
    return seen ? SN_STACK_CUT : SN_STACK_TORN;
}

/* What a thread runs some microseconds later is nearer to what it runs now than what it runs at the next look: so a stack is read again,
 * at once. But which frame was on top when that was seen first stays decided, and what is read again only tells what runs
 * in it. A caller on top is never cut, and short calls often are: who takes whatever is whole first, takes the caller too often. */
sn_stack_result sn_stack_read(sn_stack_reader *reader, const sn_memory_reader *memory, sn_code_table *table,
                              sn_code_functions *functions, const sn_known_calls *known, sn_stack_thread *thread, sn_stack_hint *hint,
                              const sn_stack_frame **frames, uint32_t *count) {
    sn_stack_result result = SN_STACK_TORN;
    uint64_t drawn = 0, drawn_code = 0, replaced = table->replaced;
    bool was_cut = false;
    *frames = reader->frames;
    for (unsigned tries = 0; tries < (was_cut ? MOST_CUT : MOST_TRIES); tries++) {
        result = read_once(reader, memory, table, functions, thread, hint, count);
        if (!tries) drawn_code = reader->drawn_code;
        bool is_other = drawn && (reader->drawn != drawn || (drawn_code && reader->drawn_code != drawn_code));
        bool is_stack = result == SN_STACK_READ || result == SN_STACK_CUT;
        if (is_stack && reader->certain < *count) result = as_far_as_known(reader, result, table, known, thread, count);
        if (result == SN_STACK_CUT && !was_cut && !is_other) {
            was_cut = true;
            replaced = table->replaced;
            keep_cut(reader, thread, *count);
        }
        if (!drawn) drawn = reader->drawn;
        if (result == SN_STACK_TORN || result == SN_STACK_CUT) continue;
        bool is_whole = result == SN_STACK_READ || result == SN_STACK_EMPTY;
        if (!is_other || !is_whole) return result;
        result = SN_STACK_TORN;
    }
    /* Code objects that have gone meanwhile may be in it. */
    if (!was_cut || table->replaced != replaced) return SN_STACK_TORN;
    take_cut(reader, thread, count);
    return SN_STACK_CUT;
}
