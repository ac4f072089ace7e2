/* Where an interpreter keeps what a thread executes: what another process must know to read it.
 *
 * The measured process knows, since it was compiled for its interpreter, and leaves it in its spool as a record. */
#ifndef SONDE_FRAME_LAYOUT_H
#define SONDE_FRAME_LAYOUT_H

#include <stdint.h>

#define SN_DIRECT UINT32_MAX
#define SN_OPCODES 256u

/* Offsets in bytes. */
typedef struct {
    uint32_t cursor_state, cursor_ended, cursor_clock; /* in a cursor's cell, and behind it */
    uint32_t state_frame; /* in the state of a thread: the frame on top, or what holds it */
    uint32_t held_frame;  /* in what holds it; SN_DIRECT: nothing does */
    uint32_t frame_code, frame_instruction;
    uint32_t code_units, code_first_line, code_line_table, code_instructions;
    uint32_t bytes_length, bytes_data; /* in an object of type `bytes` */
    uint32_t frame_previous;
    uint32_t cursor_stack; /* in a cursor's cell: the stack of its frames (../samples/shown_stack.h); 0: there is none, as
                              ends of calls are seen, and the cursor has what runs */
    uint64_t pointer_mask; /* of a frame's pointer to its code: some bits may be flags */
    uint8_t watched[SN_OPCODES / 8]; /* a bit for each opcode at which calls begin or end, and are seen to */
} sn_frame_layout;

#endif
