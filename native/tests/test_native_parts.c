/* Copies of stacks, code that is in no file, symbols of modules: what stacks of C functions are made of. */
#define _GNU_SOURCE
#include "check.h"

#include "../core/native_stacks/code_ranges.h"
#include "../core/native_stacks/module_symbols.h"
#include "../core/native_stacks/stack_copy.h"

#include <sys/mman.h>

/* A stack of two mebibytes whose words are their own addresses, up to `end`. */
typedef struct {
    uint64_t begin, end;
} made_stack;

static unsigned read_stack(void *at, const sn_piece *pieces, unsigned count, sn_read_result *result) {
    const made_stack *stack = at;
    for (unsigned i = 0; i < count; i++) {
        *result = SN_READ_ABSENT;
        if (pieces[i].from < stack->begin || pieces[i].from + pieces[i].bytes > stack->end) return i;
        for (size_t k = 0; k + 8 <= pieces[i].bytes; k += 8) {
            uint64_t address = pieces[i].from + k;
            memcpy((uint8_t *)pieces[i].to + k, &address, 8);
        }
    }
    *result = SN_READ_ALL;
    return count;
}

static void take_copy(sn_stack_copy *copy, made_stack *stack, uint64_t pointer, uint64_t end, bool is_there) {
    const sn_memory_reader reader = {read_stack, stack};
    copy->registers.values[SN_REGISTER_STACK] = pointer;
    CHECK_EQUAL(sn_stack_copy_take(copy, &reader, end), is_there);
}

static void a_copy_has_the_words_from_the_red_zone_to_its_end(void) {
    made_stack stack = {0x7000000000, 0x7000200000};
    sn_stack_copy copy;
    uint64_t word, pointer = 0x7000001238;
    CHECK(sn_stack_copy_create(&copy));
    take_copy(&copy, &stack, pointer, pointer + 10000, true);
    CHECK(copy.is_whole && copy.low == pointer - SN_RED_ZONE && copy.size == 10000 + SN_RED_ZONE);
    for (uint64_t at = copy.low; at < pointer + 10000; at += 8) CHECK(sn_stack_copy_word(&copy, at, &word) && word == at);
    CHECK(!sn_stack_copy_word(&copy, copy.low - 8, &word));
    CHECK(!sn_stack_copy_word(&copy, pointer + 10000, &word));
    CHECK(!sn_stack_copy_word(&copy, UINT64_MAX, &word));
    sn_stack_copy_free(&copy);
}

static void a_copy_ends_with_the_stack_or_at_its_limit(void) {
    made_stack stack = {0x7000000000, 0x7000004000};
    sn_stack_copy copy;
    CHECK(sn_stack_copy_create(&copy));
    take_copy(&copy, &stack, 0x7000001000, 0x7000009000, true);
    CHECK(copy.size == 0x3000 + SN_RED_ZONE);
    take_copy(&copy, &stack, 0x7000008000, 0x7000009000, false); /* none of it is there */
    take_copy(&copy, &stack, 0x7000008000, 0x7000001000, false); /* it would end before it begins */
    take_copy(&copy, &stack, 16, 0x1000, false);                 /* it would begin before memory does */
    stack.end = 0x7000400000;
    take_copy(&copy, &stack, 0x7000001000, UINT64_MAX, true);
    CHECK(copy.size == SN_STACK_COPY_BYTES && !copy.is_whole);
    sn_stack_copy_free(&copy);
}

static void code_in_no_file_is_told_from_that_of_files(void) {
    sn_code_ranges ranges = {0};
    void *made = mmap(NULL, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(made != MAP_FAILED);
    uint64_t begin = (uint64_t)(uintptr_t)made;
    sn_code_ranges_read(&ranges, getpid());
    CHECK(sn_code_ranges_have(&ranges, begin) && sn_code_ranges_have(&ranges, begin + 8191));
    CHECK(!sn_code_ranges_have(&ranges, (uint64_t)(uintptr_t)&take_copy));
    CHECK(!sn_code_ranges_have(&ranges, (uint64_t)(uintptr_t)&ranges));
    CHECK(!sn_code_ranges_have(&ranges, 0) && !sn_code_ranges_have(&ranges, UINT64_MAX));
    uint64_t files = ranges.files, code = ranges.code;
    munmap(made, 8192);
    sn_code_ranges_read(&ranges, getpid());
    CHECK(!sn_code_ranges_have(&ranges, begin));
    CHECK(ranges.files == files && ranges.code != code);
    sn_code_ranges_free(&ranges);
}

static const char *name_at(const sn_symbol *symbols, uint32_t count, uint64_t address) {
    const sn_symbol *found = sn_symbols_find(symbols, count, address);
    return found ? found->name : "";
}

static void addresses_are_of_the_innermost_symbol(void) {
    sn_symbol symbols[] = {{100, 120, "local", 0}, {100, 120, "global", 2}, {100, 110, "weak", 1},
                           {40, 60, "__first", 2}, {40, 60, "first", 2},  {105, 108, "inner", 0},  {200, 201, "last", 2}};
    uint32_t count = sn_symbols_sort(symbols, 7);
    CHECK_EQUAL(count, 4);
    CHECK(!strcmp(name_at(symbols, count, 100), "global") && !strcmp(name_at(symbols, count, 119), "global"));
    CHECK(!strcmp(name_at(symbols, count, 106), "inner"));
    CHECK(!strcmp(name_at(symbols, count, 59), "first") && !strcmp(name_at(symbols, count, 60), ""));
    CHECK(!strcmp(name_at(symbols, count, 200), "last") && !strcmp(name_at(symbols, count, 201), ""));
    CHECK(!strcmp(name_at(symbols, count, 0), ""));
}

int main(void) {
    const check_test tests[] = {TEST(a_copy_has_the_words_from_the_red_zone_to_its_end),
                                TEST(a_copy_ends_with_the_stack_or_at_its_limit),
                                TEST(code_in_no_file_is_told_from_that_of_files), TEST(addresses_are_of_the_innermost_symbol)};
    return check_all(tests, sizeof tests / sizeof *tests);
}
