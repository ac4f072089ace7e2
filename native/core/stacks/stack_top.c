#include "stack_top.h"

/* How often we look for the frame on top when it is not where it was. */
enum { MOST_TRIES = 4 };
/* The parts, the pointer and the frames of holders, both twice, lone frames, the words of a lock. */
enum { MOST_PIECES = 2 + 2 * (1 + SN_HOLDERS) + SN_LONE_FRAMES + SN_LOCK_PIECES };

/* Put a holder first; returns where it was before, SN_HOLDERS if it is new. */
static unsigned remember(sn_stack_hint *hint, uint64_t holder) {
    unsigned was = 0;
    while (was < SN_HOLDERS && hint->holders[was] != holder) was++;
    for (unsigned i = was < SN_HOLDERS ? was : SN_HOLDERS - 1; i > 0; i--) hint->holders[i] = hint->holders[i - 1];
    hint->holders[0] = holder;
    return was;
}

unsigned sn_seen_top_pieces(const sn_python_layout *l, uint64_t state, const sn_stack_hint *hint, sn_seen_top *to, sn_piece *pieces) {
    bool is_held = l->held_frame != SN_NO_HOLDER;
    unsigned count = 0;
    pieces[count++] = (sn_piece){state + l->state_frame, is_held ? &to->holder : &to->tops[0], sizeof to->holder};
    for (unsigned i = 0; is_held && i < SN_HOLDERS && hint->holders[i]; i++)
        pieces[count++] = (sn_piece){hint->holders[i] + l->held_frame, &to->tops[i], sizeof to->tops[i]};
    return count;
}

uint64_t sn_seen_top_frame(const sn_python_layout *l, const sn_stack_hint *hint, const sn_seen_top *seen) {
    if (l->held_frame == SN_NO_HOLDER) return seen->tops[0];
    for (unsigned i = 0; i < SN_HOLDERS && seen->holder; i++)
        if (hint->holders[i] == seen->holder) return seen->tops[i];
    return 0;
}

/* Where the frame on top was last: its page, and what may have come above it there. */
static bool find_part(sn_stack_top *t, const sn_python_layout *l, uint64_t top) {
    t->low = top & ~(uint64_t)(SN_PAGE - 1);
    t->high = top + l->frame_bytes > t->low + SN_PAGE ? top + l->frame_bytes : t->low + SN_PAGE;
    return top >= SN_PAGE && top < UINT64_MAX - 2 * SN_PAGE;
}

static unsigned lone_pieces(sn_stack_top *t, const sn_python_layout *l, const sn_stack_hint *hint, sn_piece *pieces) {
    unsigned count = 0;
    memcpy(t->lone, hint->lone, sizeof t->lone);
    for (; count < SN_LONE_FRAMES && t->lone[count]; count++)
        pieces[count] = (sn_piece){t->lone[count], t->lone_frames[count], l->frame_bytes};
    return count;
}

static sn_piece part_piece(sn_stack_top *t, unsigned which) { return (sn_piece){t->low, t->parts[which], t->high - t->low}; }

sn_stack_result sn_stack_top_read(sn_stack_top *t, const sn_memory_reader *memory, const sn_python_layout *l,
                                  sn_stack_thread *thread, sn_stack_hint *hint, sn_read_result *failed) {
    bool is_held = l->held_frame != SN_NO_HOLDER, is_drawn = false;
    for (unsigned tries = 0; tries < MOST_TRIES; tries++) {
        sn_seen_top first = {0}, later = {0};
        bool has_part = find_part(t, l, hint->top);
        sn_piece pieces[MOST_PIECES];
        unsigned count = sn_seen_top_pieces(l, thread->state, hint, &first, pieces), which = 0;
        if (has_part) pieces[count++] = part_piece(t, 0);
        count += lone_pieces(t, l, hint, &pieces[count]);
        count += sn_seen_top_pieces(l, thread->state, hint, &later, &pieces[count]);
        if (has_part) pieces[count++] = part_piece(t, 1);
        if (thread->lock) {
            sn_interpreter_lock_pieces(l, thread->interpreter, thread->lock, &thread->words, &pieces[count]);
            count += SN_LOCK_PIECES;
        }
        unsigned done = memory->read(memory->at, pieces, count, failed);
        if (*failed == SN_READ_OVER || *failed == SN_READ_FORBIDDEN) return SN_STACK_TORN;
        if (done < count) { /* perhaps there is no memory any more where we looked first */
            bool was_there = hint->top || hint->holders[0];
            *hint = (sn_stack_hint){0};
            is_drawn = false;
            if (was_there) continue;
            return SN_STACK_TORN;
        }
        t->later = sn_seen_top_frame(l, hint, &later); /* before the holders change places */
        if (is_held && !first.holder) return SN_STACK_EMPTY;
        if (is_held && (which = remember(hint, first.holder)) == SN_HOLDERS) continue;
        if (!is_drawn) hint->top = first.tops[which];
        is_drawn = true;
        if (!hint->top) return SN_STACK_EMPTY;
        if (has_part && hint->top >= t->low && hint->top <= t->high - l->frame_bytes) return SN_STACK_READ;
    }
    return SN_STACK_TORN;
}
