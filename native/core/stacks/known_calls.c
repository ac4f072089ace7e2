#include "known_calls.h"

#include <sys/mman.h>

/* Functions are fewer than 2^24, lines than 2^29: what does not fit is not told apart. */
enum { FUNCTION_BITS = 24 };
#define FUNCTION_MASK ((UINT64_C(1) << FUNCTION_BITS) - 1)
#define NO_CALLER FUNCTION_MASK

static uint64_t function_of(const sn_code_table *table, const sn_stack_frame *frame) {
    return table->codes[frame->code].function & FUNCTION_MASK;
}

/* Of the call of a frame; `line` 0: on whatever line. The outermost one has no caller. */
static uint64_t key_of(const sn_code_table *table, const sn_stack_frame *frames, uint32_t callee, uint32_t line) {
    uint64_t caller = callee ? function_of(table, &frames[callee - 1]) : NO_CALLER;
    uint64_t key = caller << FUNCTION_BITS | function_of(table, &frames[callee]);
    return line ? (key * UINT64_C(0x9E3779B97F4A7C15) ^ line) | UINT64_C(1) << 63 : key;
}

void sn_known_calls_free(sn_known_calls *calls) {
    if (calls->lines.entries) munmap(calls->lines.entries, (calls->lines.mask + 1) * sizeof *calls->lines.entries);
    *calls = (sn_known_calls){0};
}

void sn_known_calls_add(sn_known_calls *calls, const sn_code_table *table, const sn_stack_frame *frames, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t line = i ? frames[i - 1].line : 0;
        uint64_t key = key_of(table, frames, i, 0);
        if (sn_word_get(&calls->lines, key) == line + 1) continue;
        sn_word_set(&calls->lines, key, line + 1);
        if (line) sn_word_set(&calls->lines, key_of(table, frames, i, line), line + 1);
    }
}

uint32_t sn_known_calls_count(const sn_known_calls *calls, const sn_code_table *table, const sn_stack_frame *frames, uint32_t certain,
                              uint32_t count) {
    uint32_t known = certain;
    while (known < count && sn_word_get(&calls->lines, key_of(table, frames, known, 0))) known++;
    return known;
}

uint32_t sn_known_calls_line(const sn_known_calls *calls, const sn_code_table *table, const sn_stack_frame *frames, uint32_t callee) {
    uint32_t line = frames[callee - 1].line;
    bool is_seen = line && sn_word_get(&calls->lines, key_of(table, frames, callee, line));
    uint32_t last = sn_word_get(&calls->lines, key_of(table, frames, callee, 0));
    return is_seen || !last ? line : last - 1;
}
