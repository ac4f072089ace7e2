/* A frame as an interpreter has it in its memory. */
#ifndef SONDE_RAW_FRAME_H
#define SONDE_RAW_FRAME_H

#include "python_layout.h"

#include <string.h>

typedef struct {
    uint64_t address, code, instruction, previous;
    uint64_t begin; /* of the copy of its code's instructions that it runs; 0: of these themselves, or it is not known */
    uint32_t copy;  /* number of the copy; 0: it runs none */
    uint16_t part;  /* number of the segment that it was taken from */
    uint8_t owner;
    bool is_entry;
} sn_raw_frame;

/* What stands at `at`, which was read from `address`. */
static inline sn_raw_frame sn_raw_frame_in(const sn_python_layout *l, const uint8_t *at, uint64_t address) {
    sn_raw_frame f = {.address = address, .owner = at[l->frame_owner]};
    f.is_entry = l->frame_entry && at[l->frame_entry];
    memcpy(&f.code, at + l->frame_code, sizeof f.code);
    f.code &= ~(uint64_t)l->frame_tags;
    memcpy(&f.instruction, at + l->frame_instruction, sizeof f.instruction);
    memcpy(&f.previous, at + l->frame_previous, sizeof f.previous);
    if (l->frame_copy) memcpy(&f.copy, at + l->frame_copy, sizeof f.copy);
    return f;
}

/* Whether both run the same code for the same caller; where in it they are is left out. */
static inline bool sn_raw_frame_is_of(const sn_raw_frame *a, const sn_raw_frame *b) {
    return a->code == b->code && a->previous == b->previous && a->owner == b->owner && a->copy == b->copy;
}

#endif
