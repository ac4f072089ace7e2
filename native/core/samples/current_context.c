#include "current_context.h"

#include "../base/process_memory.h"
#include "../contexts/hot_contexts.h"
#include "shown_stack.h"

/* Frames between the one on top and one that is known: bridges of the interpreter's, calls that found no room. */
#define MOST_HOPS 64u

/* A frame that ends while it is read, as that of a generator that yields, has no caller any more. */
#define MOST_TRIES 4u

/* What is read of one thread. */
typedef struct {
    sn_watched_spool *spool;
    const sn_frame_layout *layout;
    sn_context_hint *hint;
    uint64_t state, stack; /* addresses in the process */
} reading;

/* A frame: what it executes, and its caller. */
typedef struct {
    uint64_t code, previous;
} frame;

static sn_context_result failure(sn_read_result result) {
    return result == SN_READ_FORBIDDEN ? SN_CONTEXT_FORBIDDEN : result == SN_READ_OVER ? SN_CONTEXT_OVER : SN_CONTEXT_UNKNOWN;
}

static sn_read_result read_words(const reading *r, const sn_piece *pieces, unsigned count) {
    return sn_process_read((pid_t)r->spool->pid, pieces, count);
}

/* The frame on top; what holds it is guessed to be what held it before. */
static sn_read_result read_top(reading *r, uint64_t *top) {
    const sn_frame_layout *l = r->layout;
    if (l->held_frame == SN_DIRECT) {
        const sn_piece piece = {r->state + l->state_frame, top, sizeof *top};
        return read_words(r, &piece, 1);
    }
    uint64_t holder = 0, guessed = r->hint->holder;
    const sn_piece pieces[] = {{r->state + l->state_frame, &holder, sizeof holder},
                               {guessed + l->held_frame, top, sizeof *top}};
    sn_read_result result = read_words(r, pieces, guessed ? 2 : 1);
    if (result == SN_READ_ABSENT && guessed) result = read_words(r, pieces, 1);
    if (result != SN_READ_ALL || (guessed && holder == guessed)) return result;
    r->hint->holder = holder;
    const sn_piece held = {holder + l->held_frame, top, sizeof *top};
    return read_words(r, &held, 1);
}

static const sn_shown_stack *stack_of(const reading *r, uint32_t *depth) {
    const sn_shown_stack *stack = sn_watched_spool_find(r->spool, r->stack);
    if (!stack) return NULL;
    uint64_t from = (uint64_t)((const uint8_t *)stack - r->spool->bytes), end = r->spool->cells * SN_CELL_BYTES;
    uint64_t room = (end - from - sizeof *stack) / sizeof stack->frames[0];
    *depth = __atomic_load_n(&stack->depth, __ATOMIC_ACQUIRE);
    if (*depth > stack->room) *depth = stack->room;
    if (*depth > room) *depth = (uint32_t)room;
    return stack;
}

/* The context of a frame that is shown, else 0. Above a frame that runs there is none of its address. */
static uint64_t context_of(const reading *r, uint64_t address) {
    uint32_t depth = 0;
    const sn_shown_stack *stack = stack_of(r, &depth);
    if (!stack || !address) return 0;
    uint32_t at = r->hint->index;
    if (at >= depth || sn_watched_word(&stack->frames[at].frame) != address)
        for (at = depth; at > 0 && sn_watched_word(&stack->frames[at - 1].frame) != address;) at--;
    else at++;
    if (!at) return 0;
    r->hint->index = at - 1;
    return sn_watched_word(&stack->frames[at - 1].context);
}

static const sn_context *at_address(const reading *r, uint64_t context) {
    const sn_context *found = context ? sn_watched_spool_find(r->spool, context) : NULL;
    return found && sn_is_context(sn_watched_word(&found->key)) ? found : NULL;
}

/* Whether the frame on top, twice the same, runs other code than what is shown for it. */
static bool is_other(const reading *r, uint64_t context, uint64_t code) {
    const sn_context *found = at_address(r, context);
    uint64_t key = found ? sn_watched_word(&found->key) : 0;
    return found && !(key & 1) && (code & r->layout->pointer_mask) != key;
}

static sn_context_result look_at_stack(reading *r, uint64_t *context) {
    const sn_frame_layout *l = r->layout;
    uint64_t top = 0, again = 0;
    frame f = {0};
    sn_read_result result = read_top(r, &top);
    if (result != SN_READ_ALL) return failure(result);
    if (!top) return SN_CONTEXT_NONE;
    *context = context_of(r, top);
    const uint64_t holder = l->held_frame == SN_DIRECT ? r->state + l->state_frame : r->hint->holder + l->held_frame;
    const sn_piece pieces[] = {{top + l->frame_code, &f.code, sizeof f.code},
                               {top + l->frame_previous, &f.previous, sizeof f.previous},
                               {holder, &again, sizeof again}};
    result = read_words(r, pieces, 3);
    if (result != SN_READ_ALL) return *context ? SN_CONTEXT_FOUND : failure(result);
    if (*context && (again != top || !is_other(r, *context, f.code) || context_of(r, top) != *context))
        return SN_CONTEXT_FOUND;
    uint64_t at = f.previous;
    for (unsigned hops = 0; at && hops < MOST_HOPS; hops++) {
        if ((*context = context_of(r, at))) return SN_CONTEXT_FOUND;
        const sn_piece previous = {at + l->frame_previous, &at, sizeof at};
        result = read_words(r, &previous, 1);
        if (result != SN_READ_ALL) return failure(result);
    }
    return SN_CONTEXT_UNKNOWN;
}

/* Of an agent that sees calls end. Reading anything tells whether the process is still there. */
static sn_context_result look_at_cursor(const reading *r, const uint8_t *cursor, uint64_t *context) {
    uint64_t word;
    const sn_piece piece = {r->spool->base, &word, sizeof word};
    sn_read_result result = read_words(r, &piece, 1);
    if (result == SN_READ_ABSENT) return SN_CONTEXT_OVER;
    if (result != SN_READ_ALL) return failure(result);
    *context = sn_watched_word(cursor + offsetof(sn_cursor, current));
    return SN_CONTEXT_FOUND;
}

sn_context_result sn_current_context(sn_watched_spool *spool, const sn_frame_layout *layout, uint32_t cursor,
                                     sn_context_hint *hint, uint64_t *context) {
    const uint8_t *cell = spool->bytes + (uint64_t)cursor * SN_CELL_BYTES;
    reading r = {.spool = spool, .layout = layout, .hint = hint};
    *context = 0;
    sn_context_result result;
    if (!layout->cursor_stack) {
        result = look_at_cursor(&r, cell, context);
    } else {
        r.state = sn_watched_word(cell + layout->cursor_state);
        r.stack = sn_watched_word(cell + layout->cursor_stack);
        if (!r.stack || !r.state) return SN_CONTEXT_NONE; /* it has not begun, or ends */
        result = SN_CONTEXT_UNKNOWN;
        for (unsigned tries = 0; tries < MOST_TRIES && result == SN_CONTEXT_UNKNOWN; tries++)
            result = look_at_stack(&r, context);
    }
    if (result != SN_CONTEXT_FOUND) return result;
    const sn_context *found = at_address(&r, *context);
    if (!found || __atomic_load_n(&found->call_line, __ATOMIC_RELAXED) & SN_BASE) return SN_CONTEXT_NONE;
    return SN_CONTEXT_FOUND;
}
