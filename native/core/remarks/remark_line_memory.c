#include "remark_line_memory.h"

#include <stdlib.h>
#include <string.h>

/* 512 KiB of table: a large program's remarks have some ten thousand different lines. */
#define LINES 16384u

sn_status sn_remark_line_memory_create(sn_remark_line_memory *memory) {
    memory->era = 1;
    memory->lines = calloc(LINES, sizeof *memory->lines);
    return memory->lines ? SN_OK : SN_NO_MEMORY;
}

void sn_remark_line_memory_destroy(sn_remark_line_memory *memory) {
    free(memory->lines);
    *memory = (sn_remark_line_memory){0};
}

sn_remark_line *sn_remark_line_for(const sn_remark_line_memory *memory, const char *text, size_t size) {
    return memory->lines + sn_remark_hash(text, size, 0) % LINES;
}

void sn_remark_lines_forget(sn_remark_line_memory *memory) {
    if (++memory->era) return;
    memset(memory->lines, 0, LINES * sizeof *memory->lines);
    memory->era = 1;
}

bool sn_remark_line_is(const sn_remark_line_memory *memory, const sn_remark_line *line, size_t indent,
                       const char *text, size_t size) {
    return line->era == memory->era && line->size == size && line->indent == indent && !memcmp(line->text, text, size);
}
