/* What is copied of a thread while it stands still, for its stack to be unwound afterwards. */
#ifndef SONDE_STACK_COPY_H
#define SONDE_STACK_COPY_H

#include "../stacks/memory_reader.h"
#include "registers.h"

/* More of a stack is not copied: what is further out is not unwound, and said. */
#define SN_STACK_COPY_BYTES (UINT32_C(1) << 20)
/* Below the stack pointer leaf functions may keep what they need. */
#define SN_RED_ZONE UINT64_C(128)

typedef struct {
    sn_registers registers;
    uint64_t low; /* address of the first byte */
    uint32_t size;
    bool is_whole; /* it goes as far as was asked for, or as the stack does */
    uint8_t *bytes; /* SN_STACK_COPY_BYTES */
} sn_stack_copy;

bool sn_stack_copy_create(sn_stack_copy *copy);
void sn_stack_copy_free(sn_stack_copy *copy);

/* Copy the stack from where the registers say that it ends, up to `end`. False: there is nothing.
 * Cost: a system call; 1 us for 4 KiB, 8 for 64. */
bool sn_stack_copy_take(sn_stack_copy *copy, const sn_memory_reader *memory, uint64_t end);

/* A word of it; false: it has not got that. */
bool sn_stack_copy_word(const sn_stack_copy *copy, uint64_t address, uint64_t *word);

#endif
