/* Lines of remarks that were read before, and what was in them.
 *
 * Most lines of a compiler's remarks are the same as some before them. What a line means is looked up by its bytes; a
 * line that takes another's place in the table is read once more when it comes back. */
#ifndef SONDE_REMARK_LINE_MEMORY_H
#define SONDE_REMARK_LINE_MEMORY_H

#include "remark_strings.h"

typedef struct {
    const char *text; /* in the text that is read */
    uint32_t size, era;
    uint32_t indent; /* of the mapping that the line was read as a part of */
    uint32_t key, value;
} sn_remark_line;

typedef struct {
    sn_remark_line *lines;
    uint32_t era; /* lines of another one are forgotten */
} sn_remark_line_memory;

sn_status sn_remark_line_memory_create(sn_remark_line_memory *memory);
void sn_remark_line_memory_destroy(sn_remark_line_memory *memory);

/* Where the line is or would be; it is there when sn_remark_line_is says so. */
sn_remark_line *sn_remark_line_for(const sn_remark_line_memory *memory, const char *text, size_t size);

/* All lines: strings that they stand for are no more. */
void sn_remark_lines_forget(sn_remark_line_memory *memory);

bool sn_remark_line_is(const sn_remark_line_memory *memory, const sn_remark_line *line, size_t indent,
                       const char *text, size_t size);

#endif
