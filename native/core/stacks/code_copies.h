/* Copies of instructions: without a global lock, each thread but the first specializes one of its own for each code object that
 * it runs. A frame has the number of the copy that its instruction is in; the code object has a list of them. */
#ifndef SONDE_CODE_COPIES_H
#define SONDE_CODE_COPIES_H

#include "memory_reader.h"
#include "python_layout.h"

/* A copy of a code object, and where it begins: 0 when that cannot be read, or there is none of this number. */
typedef struct {
    uint64_t code;
    uint32_t number;
    uint64_t begin;
} sn_code_copy;

/* Find where copies begin. Cost: two system calls for each 170 of them. */
void sn_code_copies_find(const sn_memory_reader *memory, const sn_python_layout *layout, sn_code_copy *copies, uint32_t count);

#endif
