#include "stack_top.h"

#include "raw_frame.h"

/* How often we look for the frame on top when it is not where it was. */
enum { MOST_TRIES = 4 };
/* The parts, the pointer, the frames of holders, the words of a lock. */
enum { MOST_PIECES = SN_MOST_PARTS + 1 + SN_HOLDERS + SN_LOCK_PIECES };

/* Put a holder first; returns where it was before, SN_HOLDERS if it is new. */
static unsigned remember(sn_stack_hint *hint, uint64_t holder) {
    unsigned was = 0;
    while (was < SN_HOLDERS && hint->holders[was] != holder) was++;
    for (unsigned i = was < SN_HOLDERS ? was : SN_HOLDERS - 1; i > 0; i--) hint->holders[i] = hint->holders[i - 1];
    hint->holders[0] = holder;
    return was;
}

/* Pairs of readings that may be compared, the nearest to the pointer first: which is taken, and the other one. */
typedef struct {
    uint8_t taken, other;
} pair;
static const pair straddling[] = {{1, 0}, {2, 0}, {3, 0}}; /* the pointer, which stands behind the first */
static const pair any[] = {{1, 0}, {1, 2}, {1, 3}, {2, 3}, {2, 0}, {3, 0}};

/* Whether two readings agree about the frame on top and its callers, as far as these are in the part. */
static bool agree(const sn_stack_top *t, const sn_python_layout *l, pair p, uint64_t top) {
    uint64_t at = top;
    for (uint64_t most = (t->high - t->low) / l->frame_bytes; most; most--) {
        if (at < t->low || at > t->high - l->frame_bytes) return true;
        sn_raw_frame taken = sn_raw_frame_in(l, t->parts[p.taken] + (at - t->low), at);
        sn_raw_frame other = sn_raw_frame_in(l, t->parts[p.other] + (at - t->low), at);
        if ((!taken.code && taken.owner < l->owner_c) || !sn_raw_frame_is_of(&taken, &other)) return false;
        if (at != top && taken.instruction != other.instruction) return false;
        at = taken.previous;
    }
    return false; /* a circle */
}

/* Choose two readings that agree, else the nearest; false if the frame on top is not in the part. */
static bool choose(sn_stack_top *t, const sn_python_layout *l, uint64_t top) {
    const pair *pairs = l->clears_frames ? any : straddling;
    unsigned count = l->clears_frames ? sizeof any / sizeof *any : t->part_count - 1;
    if (top < t->low || top > t->high - l->frame_bytes) return false;
    unsigned which = 0;
    while (which < count && !agree(t, l, pairs[which], top)) which++;
    if (which == count) which = 0;
    t->taken = pairs[which].taken;
    t->other = pairs[which].other;
    return true;
}

/* Where the frame on top was last: its page, and what may have come above it there. */
static bool find_part(sn_stack_top *t, const sn_python_layout *l, uint64_t top, bool is_again) {
    t->low = top & ~(uint64_t)(SN_PAGE - 1);
    t->high = top + l->frame_bytes > t->low + SN_PAGE ? top + l->frame_bytes : t->low + SN_PAGE;
    t->part_count = l->clears_frames || is_again ? SN_MOST_PARTS : 2;
    return top >= SN_PAGE && top < UINT64_MAX - 2 * SN_PAGE;
}

static sn_piece part_piece(sn_stack_top *t, unsigned which) { return (sn_piece){t->low, t->parts[which], t->high - t->low}; }

sn_stack_result sn_stack_top_read(sn_stack_top *t, const sn_memory_reader *memory, const sn_python_layout *l,
                                  sn_stack_thread *thread, sn_stack_hint *hint, bool is_again, sn_read_result *failed) {
    bool is_held = l->held_frame != SN_NO_HOLDER;
    uint64_t pointer = thread->state + l->state_frame;
    for (unsigned tries = 0; tries < MOST_TRIES; tries++) {
        uint64_t holder = 0, tops[SN_HOLDERS] = {0};
        bool has_part = find_part(t, l, hint->top, is_again);
        sn_piece pieces[MOST_PIECES];
        unsigned count = 0, which = 0;
        unsigned before = l->clears_frames ? 2 : 1; /* the pointer */
        for (unsigned i = 0; has_part && i < before; i++) pieces[count++] = part_piece(t, i);
        pieces[count++] = (sn_piece){pointer, is_held ? &holder : &tops[0], sizeof holder};
        for (unsigned i = 0; is_held && i < SN_HOLDERS && hint->holders[i]; i++)
            pieces[count++] = (sn_piece){hint->holders[i] + l->held_frame, &tops[i], sizeof tops[i]};
        for (unsigned i = before; has_part && i < t->part_count; i++) pieces[count++] = part_piece(t, i);
        if (thread->lock) {
            sn_interpreter_lock_pieces(l, thread->interpreter, thread->lock, &thread->words, &pieces[count]);
            count += SN_LOCK_PIECES;
        }
        unsigned done = memory->read(memory->at, pieces, count, failed);
        if (*failed == SN_READ_OVER || *failed == SN_READ_FORBIDDEN) return SN_STACK_TORN;
        if (done < count) { /* perhaps there is no memory any more where we looked first */
            bool was_there = hint->top || hint->holders[0];
            *hint = (sn_stack_hint){0};
            if (was_there) continue;
            return SN_STACK_TORN;
        }
        if (is_held && !holder) return SN_STACK_EMPTY;
        if (is_held && (which = remember(hint, holder)) == SN_HOLDERS) continue;
        hint->top = tops[which];
        if (!hint->top) return SN_STACK_EMPTY;
        if (has_part && choose(t, l, hint->top)) return SN_STACK_READ;
    }
    return SN_STACK_TORN;
}
