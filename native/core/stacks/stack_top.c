#include "stack_top.h"

/* How often we look for the frame on top when it is not where it was. */
enum { MOST_TRIES = 4 };
/* The parts and pointers, the frames of holders, the words of a lock. */
enum { MOST_PIECES = 2 * SN_MOST_PARTS + SN_HOLDERS + SN_LOCK_PIECES };

/* Put a holder first; returns where it was before, SN_HOLDERS if it is new. */
static unsigned remember(sn_stack_hint *hint, uint64_t holder) {
    unsigned was = 0;
    while (was < SN_HOLDERS && hint->holders[was] != holder) was++;
    for (unsigned i = was < SN_HOLDERS ? was : SN_HOLDERS - 1; i > 0; i--) hint->holders[i] = hint->holders[i - 1];
    hint->holders[0] = holder;
    return was;
}

/* Take the readings before `second` and `second`, if the frame is in that part. */
static bool take(sn_stack_top *t, const sn_python_layout *l, unsigned second, uint64_t top) {
    t->second = second;
    return top >= t->low && top <= t->high - l->frame_bytes;
}

bool sn_stack_top_next(sn_stack_top *t, const sn_python_layout *l, sn_stack_hint *hint) {
    unsigned next = t->second + 1;
    if (next >= t->part_count || !take(t, l, next, t->tops[next])) return false;
    hint->top = t->tops[next];
    return true;
}

/* Where the frame on top was last: its page, and what may have come above it there. */
static bool find_part(sn_stack_top *t, const sn_python_layout *l, uint64_t top) {
    t->low = top & ~(uint64_t)(SN_PAGE - 1);
    t->high = top + l->frame_bytes > t->low + SN_PAGE ? top + l->frame_bytes : t->low + SN_PAGE;
    t->part_count = l->clears_frames ? SN_MOST_PARTS : 2;
    return top >= SN_PAGE && top < UINT64_MAX - 2 * SN_PAGE;
}

sn_stack_result sn_stack_top_read(sn_stack_top *t, const sn_memory_reader *memory, const sn_python_layout *l,
                                  sn_stack_thread *thread, sn_stack_hint *hint, sn_read_result *failed) {
    bool is_held = l->held_frame != SN_NO_HOLDER;
    uint64_t pointer = thread->state + l->state_frame;
    for (unsigned tries = 0; tries < MOST_TRIES; tries++) {
        uint64_t holder = 0, tops[SN_HOLDERS] = {0};
        bool has_part = find_part(t, l, hint->top);
        sn_piece pieces[MOST_PIECES], part = {t->low, t->parts[0], t->high - t->low};
        unsigned count = 0, which = 0;
        if (has_part) pieces[count++] = part;
        part.to = t->parts[1];
        if (has_part && l->clears_frames) pieces[count++] = part;
        pieces[count++] = (sn_piece){pointer, is_held ? &holder : &tops[0], sizeof holder};
        for (unsigned i = 0; is_held && i < SN_HOLDERS && hint->holders[i]; i++)
            pieces[count++] = (sn_piece){hint->holders[i] + l->held_frame, &tops[i], sizeof tops[i]};
        if (has_part && !l->clears_frames) pieces[count++] = part;
        for (unsigned i = 2; has_part && i < t->part_count; i++) {
            part.to = t->parts[i];
            pieces[count++] = part;
            pieces[count++] = (sn_piece){pointer, &t->tops[i], sizeof t->tops[i]};
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
        if (has_part && take(t, l, 1, hint->top)) return SN_STACK_READ;
    }
    return SN_STACK_TORN;
}
