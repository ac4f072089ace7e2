#include "own_frames.h"

#include <string.h>

/* FRAME_OWNED_BY_THREAD. */
enum { OWNER_THREAD = 0 };
enum { MOST_PARTS = 4096 };

/* The parts that were not left yet: frames of callers are in this one below `top`, or in those before it. */
typedef struct {
    const sn_frame_part *part;
    uint64_t top;
    unsigned left;
} place;

static bool is_in(const place *p, uint64_t address, uint64_t bytes) {
    return p->part && address >= (uint64_t)(uintptr_t)p->part->data && address < p->top && p->top - address >= bytes;
}

/* The frame's memory if it lies in the thread's stack of frames, below all that were seen there; else NULL. */
static const uint8_t *in_parts(place *p, uint64_t address, uint64_t bytes) {
    place at = *p;
    while (at.part && !is_in(&at, address, bytes)) {
        at.part = at.left++ < MOST_PARTS ? at.part->previous : NULL;
        if (at.part) at.top = (uint64_t)(uintptr_t)at.part + at.part->bytes;
    }
    if (!at.part) return NULL;
    *p = at;
    return (const uint8_t *)(uintptr_t)address;
}

static const uint8_t *read_elsewhere(sn_own_walker *w, const sn_memory_reader *elsewhere, uint64_t address, uint64_t bytes) {
    bool is_known = address >= w->window_low && address - w->window_low <= w->window_bytes - bytes && w->window_bytes >= bytes;
    if (!is_known) {
        /* Pieces by their pages: what is behind the first may not be there. */
        uint64_t first = 4096 - (address & 4095);
        if (first > SN_OWN_WINDOW) first = SN_OWN_WINDOW;
        if (first < bytes) first = bytes;
        const sn_piece pieces[] = {{address, w->window, first}, {address + first, w->window + first, SN_OWN_WINDOW - first}};
        sn_read_result result;
        unsigned done = elsewhere->read(elsewhere->at, pieces, first < SN_OWN_WINDOW ? 2 : 1, &result);
        w->window_low = address;
        w->window_bytes = done > 1 ? SN_OWN_WINDOW : done ? first : 0;
        if (!done) return NULL;
    }
    return w->window + (address - w->window_low);
}

sn_stack_result sn_own_frames(sn_own_walker *w, const sn_memory_reader *elsewhere, const sn_python_layout *l,
                              const sn_own_stack *stack, uint32_t *count) {
    place at = {stack->part, stack->part_top, 0};
    uint32_t seen = 0;
    /* A frame that comes again after one kept at each power of two is in a circle (Brent, 1980). */
    uint64_t kept = 0;
    bool is_begin = false;
    *count = 0;
    w->window_low = w->window_bytes = 0;
    for (uint64_t address = stack->top; address; seen++) {
        if (seen == 2 * SN_MOST_FRAMES) return SN_STACK_TOO_DEEP;
        if (address % 8 || address == kept) return SN_STACK_TORN;
        if ((seen & (seen - 1)) == 0) kept = address;
        const uint8_t *frame = in_parts(&at, address, l->frame_bytes);
        bool is_own = frame;
        if (!frame) frame = read_elsewhere(w, elsewhere, address, l->frame_bytes);
        if (!frame) return SN_STACK_TORN;
        uint8_t owner = frame[l->frame_owner];
        bool is_of_c = owner >= l->owner_c;
        /* Else it has ended, or has not begun: nothing of a thread is above what it uses, or above its callees. */
        if (owner == OWNER_THREAD && !is_own) return SN_STACK_TORN;
        if (is_own) at.top = address;
        if (!is_of_c) {
            if (*count == SN_MOST_FRAMES) return SN_STACK_TOO_DEEP;
            w->frames[(*count)++] =
                (sn_ring_frame){sn_word_at(frame + l->frame_code) & ~(uint64_t)l->frame_tags, sn_word_at(frame + l->frame_instruction)};
        }
        is_begin = l->frame_entry ? frame[l->frame_entry] && owner == OWNER_THREAD : is_of_c;
        address = sn_word_at(frame + l->frame_previous);
    }
    if (!seen) return SN_STACK_EMPTY;
    if (!is_begin) return SN_STACK_TORN;
    return *count ? SN_STACK_READ : SN_STACK_EMPTY;
}
