#include "stack_top.h"

#include "raw_frame.h"

/* How often we look for the frame on top when it is not where it was. */
enum { MOST_TRIES = 4 };
/* Calls that may have been made between the two pointers. */
enum { MOST_HOPS = 4 };
/* The parts, the pointers, the frames of holders, the words of a lock. */
enum { MOST_PIECES = SN_MOST_PARTS + 2 + SN_HOLDERS + SN_LOCK_PIECES };

/* Put a holder first; returns where it was before, SN_HOLDERS if it is new. */
static unsigned remember(sn_stack_hint *hint, uint64_t holder) {
    unsigned was = 0;
    while (was < SN_HOLDERS && hint->holders[was] != holder) was++;
    for (unsigned i = was < SN_HOLDERS ? was : SN_HOLDERS - 1; i > 0; i--) hint->holders[i] = hint->holders[i - 1];
    hint->holders[0] = holder;
    return was;
}

/* Whether two readings agree about the frame on top and its callers, as far as these are in the part. */
static bool agree(const sn_stack_top *t, const sn_python_layout *l, unsigned other, uint64_t top) {
    uint64_t at = top;
    for (uint64_t most = (t->high - t->low) / l->frame_bytes; most; most--) {
        if (at < t->low || at > t->high - l->frame_bytes) return true;
        sn_raw_frame taken = sn_raw_frame_in(l, t->parts[t->taken] + (at - t->low), at);
        sn_raw_frame again = sn_raw_frame_in(l, t->parts[other] + (at - t->low), at);
        if (!sn_raw_frame_is_of(&taken, &again)) return false;
        if (at != top && taken.instruction != again.instruction) return false;
        at = taken.previous;
    }
    return false; /* a circle */
}

static bool has_code(const sn_stack_top *t, const sn_python_layout *l, unsigned which, uint64_t top) {
    return sn_raw_frame_in(l, t->parts[which] + (top - t->low), top).code;
}

/* Choose with which reading that is taken is compared: one that agrees, if there is any. */
static void choose_other(sn_stack_top *t, const sn_python_layout *l, uint64_t top) {
    unsigned first = t->taken ? 0 : 1, which = first;
    while (which < t->part_count && (which == t->taken || !agree(t, l, which, top))) which++;
    t->other = which < t->part_count ? which : first;
}

/* Take the first reading in which the frame on top runs something; false if that frame is not in the part. */
static bool choose(sn_stack_top *t, const sn_python_layout *l, uint64_t top) {
    if (top < t->low || top > t->high - l->frame_bytes) return false;
    t->taken = 0;
    while (l->clears_frames && t->taken < t->part_count && !has_code(t, l, t->taken, top)) t->taken++;
    t->is_told = l->clears_frames && t->taken < t->part_count;
    if (t->taken == t->part_count) t->taken = 0;
    choose_other(t, l, top);
    return true;
}

/* Whether a frame of the part is on the stack of which another one is on top, as far as the reading that is taken knows. */
static bool is_below(const sn_stack_top *t, const sn_python_layout *l, uint64_t frame, uint64_t top) {
    for (unsigned hops = 0; hops < MOST_HOPS; hops++) {
        if (top == frame) return true;
        if (top < t->low || top > t->high - l->frame_bytes) return false;
        top = sn_raw_frame_in(l, sn_stack_top_taken(t) + (top - t->low), top).previous;
    }
    return false;
}

/* Where the frame on top was last: its page, and what may have come above it there. */
static bool find_part(sn_stack_top *t, const sn_python_layout *l, uint64_t top, bool is_again) {
    t->low = top & ~(uint64_t)(SN_PAGE - 1);
    t->high = top + l->frame_bytes > t->low + SN_PAGE ? top + l->frame_bytes : t->low + SN_PAGE;
    t->part_count = l->clears_frames || is_again ? SN_MOST_PARTS : 2;
    return top >= SN_PAGE && top < UINT64_MAX - 2 * SN_PAGE;
}

sn_stack_result sn_stack_top_read(sn_stack_top *t, const sn_memory_reader *memory, const sn_python_layout *l,
                                  sn_stack_thread *thread, sn_stack_hint *hint, bool is_again, sn_read_result *failed) {
    bool is_held = l->held_frame != SN_NO_HOLDER;
    uint64_t pointer = thread->state + l->state_frame;
    for (unsigned tries = 0; tries < MOST_TRIES; tries++) {
        uint64_t holder = 0, later = 0, tops[SN_HOLDERS] = {0};
        bool has_part = find_part(t, l, hint->top, is_again);
        sn_piece pieces[MOST_PIECES];
        unsigned count = 0, which = 0;
        pieces[count++] = (sn_piece){pointer, is_held ? &holder : &tops[0], sizeof holder};
        for (unsigned i = 0; is_held && i < SN_HOLDERS && hint->holders[i]; i++)
            pieces[count++] = (sn_piece){hint->holders[i] + l->held_frame, &tops[i], sizeof tops[i]};
        for (unsigned i = 0; has_part && i < t->part_count; i++) {
            uint64_t again = is_held ? hint->holders[0] + l->held_frame : pointer;
            if (i == 1 && !l->clears_frames) pieces[count++] = (sn_piece){again, &later, sizeof later};
            pieces[count++] = (sn_piece){t->low, t->parts[i], t->high - t->low};
        }
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
        if (!has_part || !choose(t, l, hint->top)) continue;
        t->is_live = l->clears_frames || (which == 0 && is_below(t, l, hint->top, later));
        return SN_STACK_READ;
    }
    return SN_STACK_TORN;
}

sn_stack_result sn_stack_top_compare(sn_stack_top *t, const sn_memory_reader *memory, const sn_python_layout *l, const sn_stack_hint *hint,
                                     sn_read_result *failed) {
    sn_piece pieces[SN_MOST_PARTS] = {0};
    unsigned count = 0;
    for (unsigned i = 0; i < t->part_count; i++)
        if (i != t->taken) pieces[count++] = (sn_piece){t->low, t->parts[i], t->high - t->low};
    if (memory->read(memory->at, pieces, count, failed) < count) return SN_STACK_TORN;
    choose_other(t, l, hint->top);
    return SN_STACK_READ;
}
