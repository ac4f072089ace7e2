#include "stack_copy.h"

#include <stdlib.h>
#include <string.h>

#define PAGE UINT64_C(4096)

bool sn_stack_copy_create(sn_stack_copy *copy) {
    *copy = (sn_stack_copy){.bytes = malloc(SN_STACK_COPY_BYTES)};
    return copy->bytes != NULL;
}

void sn_stack_copy_free(sn_stack_copy *copy) {
    free(copy->bytes);
    *copy = (sn_stack_copy){0};
}

bool sn_stack_copy_take(sn_stack_copy *copy, const sn_memory_reader *memory, uint64_t end) {
    sn_piece pieces[SN_STACK_COPY_BYTES / PAGE + 1];
    sn_read_result result;
    unsigned count = 0;
    copy->low = sn_stack_pointer(&copy->registers) - SN_RED_ZONE;
    copy->size = 0;
    copy->is_whole = true;
    if (end <= copy->low) return false;
    if (end - copy->low > SN_STACK_COPY_BYTES) {
        end = copy->low + SN_STACK_COPY_BYTES;
        copy->is_whole = false;
    }
    for (uint64_t at = copy->low; at < end; count++) { /* what is read of a piece that is not all there is lost */
        uint64_t next = (at & ~(PAGE - 1)) + PAGE;
        if (next > end) next = end;
        pieces[count] = (sn_piece){at, copy->bytes + (at - copy->low), next - at};
        at = next;
    }
    unsigned done = memory->read(memory->at, pieces, count, &result);
    for (unsigned i = 0; i < done; i++) copy->size += (uint32_t)pieces[i].bytes;
    return done > 0;
}

bool sn_stack_copy_word(const sn_stack_copy *copy, uint64_t address, uint64_t *word) {
    if (address < copy->low || copy->size < sizeof *word || address - copy->low > copy->size - sizeof *word) return false;
    memcpy(word, copy->bytes + (address - copy->low), sizeof *word);
    return true;
}
