/* Maps of code that was made at run time, and what comes before return addresses. */
#include "check.h"

#include "../core/native_stacks/call_sites.h"
#include "../core/native_stacks/jit_map.h"

static const char *at(sn_jit_map *map, uint64_t address) {
    const sn_jit_code *code = sn_jit_map_find(map, address);
    return code ? code->name : "";
}

static void take(sn_jit_map *map, const char *text) { CHECK_EQUAL(sn_jit_map_take(map, text, strlen(text)), strlen(text)); }

static void code_is_found_by_any_of_its_addresses(void) {
    sn_jit_map map = {0};
    take(&map, "7f001000 20 first function\n7f001040 10 second\n");
    CHECK(!strcmp(at(&map, 0x7f001000), "first function"));
    CHECK(!strcmp(at(&map, 0x7f00101f), "first function"));
    CHECK(!strcmp(at(&map, 0x7f001020), ""));
    CHECK(!strcmp(at(&map, 0x7f001045), "second"));
    CHECK(!strcmp(at(&map, 0x7f000fff), ""));
    CHECK(!strcmp(at(&map, UINT64_MAX), ""));
    sn_jit_map_free(&map);
}

static void the_later_of_two_pieces_holds(void) {
    sn_jit_map map = {0};
    take(&map, "1000 100 old\n1080 10 inner\n");
    CHECK(!strcmp(at(&map, 0x1010), "old"));
    CHECK(!strcmp(at(&map, 0x1085), "inner"));
    take(&map, "1000 200 new\n");
    CHECK(!strcmp(at(&map, 0x1010), "new"));
    CHECK(!strcmp(at(&map, 0x1085), "new"));
    CHECK(!strcmp(at(&map, 0x11ff), "new"));
    sn_jit_map_free(&map);
}

static void lines_that_are_none_are_passed_over(void) {
    sn_jit_map map = {0};
    take(&map, "\nnonsense\n10\n10 \n10 zz name\n10 0 nothing\nffffffffffffffff 10 beyond\n2000 8 good\n");
    CHECK_EQUAL(map.count, 1);
    CHECK(!strcmp(at(&map, 0x2000), "good"));
    CHECK_EQUAL(sn_jit_map_take(&map, "3000 8 half", 11), 0); /* the rest of the line is not written yet */
    CHECK_EQUAL(map.count, 1);
    sn_jit_map_free(&map);
}

/* The slow twin: who has each address. */
static void names_are_those_of_the_last_that_was_added(void) {
    uint64_t state = 7;
    for (unsigned round = 0; round < 300; round++) {
        sn_jit_map map = {0};
        char name[16];
        int owner[256];
        for (unsigned i = 0; i < 256; i++) owner[i] = -1;
        for (int i = 0; i < 12; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            unsigned begin = state >> 33 & 127, size = 1 + (state >> 45 & 63);
            snprintf(name, sizeof name, "%d", i);
            CHECK(sn_jit_map_add(&map, 1000 + begin, size, name, strlen(name)));
            for (unsigned k = begin; k < begin + size; k++) owner[k] = i;
        }
        for (unsigned k = 0; k < 256; k++) {
            const char *found = at(&map, 1000 + k);
            CHECK_EQUAL(*found ? atoi(found) : -1, owner[k]);
        }
        sn_jit_map_free(&map);
    }
}

static void calls_are_told_from_what_is_none(void) {
#if defined(__x86_64__)
    static const uint8_t calls[][SN_CALL_BYTES] = {
        {0x90, 0x90, 0x90, 0xe8, 1, 2, 3, 4},          /* call near */
        {0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xd0}, /* call *rax */
        {0x90, 0x90, 0x90, 0x90, 0x90, 0x41, 0xff, 0xd3}, /* call *r11 */
        {0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0x50, 0x18}, /* call *0x18(rax) */
        {0x90, 0x90, 0xff, 0x15, 1, 2, 3, 4},          /* call *x(rip) */
        {0x90, 0xff, 0x94, 0x24, 1, 2, 3, 4},          /* call *x(rsp) */
        {0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0x14, 0xc8}, /* call *(rax,rcx,8) */
    };
    static const uint8_t others[][SN_CALL_BYTES] = {
        {0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90}, {0, 0, 0, 0, 0, 0, 0, 0},
        {0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xe0}, /* jmp *rax */
        {0x90, 0x90, 0x90, 0xe9, 1, 2, 3, 4},          /* jmp near */
        {0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0x70, 0x18}, /* push 0x18(rax) */
    };
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) CHECK(sn_is_after_call(calls[i]));
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++) CHECK(!sn_is_after_call(others[i]));
#else
    SKIP("calls of this machine are not known");
#endif
}

int main(void) {
    const check_test tests[] = {TEST(code_is_found_by_any_of_its_addresses), TEST(the_later_of_two_pieces_holds),
                                TEST(lines_that_are_none_are_passed_over), TEST(names_are_those_of_the_last_that_was_added),
                                TEST(calls_are_told_from_what_is_none)};
    return check_all(tests, sizeof tests / sizeof *tests);
}
