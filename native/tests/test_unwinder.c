/* Stacks of this program, unwound from a copy by the real libdw; and ones whose words lead elsewhere. */
#define _GNU_SOURCE
#include "check.h"

#include "../core/native_stacks/unwinder.h"

#include <string.h>
#include <ucontext.h>

typedef struct {
    sn_libdw library;
    sn_unwinder *unwinder;
    sn_stack_copy copy;
    sn_unwound frames[SN_MOST_C_FRAMES];
    uint32_t count;
    uint32_t without; /* the number of a frame whose code says nothing of its frames, + 1 */
    uint32_t none;    /* of one that is no code, + 1 */
    uint32_t asked;
} unwinding;

static unwinding *u;

static sn_judged judge(void *of, const sn_unwound *frame) {
    unwinding *unwinding = of;
    (void)frame;
    uint32_t number = ++unwinding->asked;
    return (sn_judged){number == unwinding->none ? SN_CODE_AT_NONE : SN_CODE_AT_MODULE, number != unwinding->without};
}

static unsigned read_own(void *at, const sn_piece *pieces, unsigned count, sn_read_result *result) {
    (void)at;
    return sn_process_read_leading(getpid(), pieces, count, result);
}

#if SN_HAS_REGISTERS
static void take_registers(sn_registers *r, const ucontext_t *here) {
    static const int order[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
                                REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    for (unsigned i = 0; i < SN_REGISTERS; i++) r->values[i] = (uint64_t)here->uc_mcontext.gregs[order[i]];
    r->has_all = true;
}
#else
static void take_registers(sn_registers *r, const ucontext_t *here) {
    (void)here;
    *r = (sn_registers){0};
}
#endif

static void begin(void) {
    if (!SN_HAS_REGISTERS) SKIP("registers of this machine are not known");
    u = calloc(1, sizeof *u);
    CHECK(u);
    if (sn_libdw_load(&u->library)) SKIP("there is no libdw 0.188 or newer");
    u->unwinder = sn_unwinder_create(&u->library, getpid());
    CHECK(u->unwinder && sn_stack_copy_create(&u->copy));
}

static void end(void) {
    sn_unwinder_destroy(u->unwinder);
    sn_stack_copy_free(&u->copy);
    free(u);
}

static sn_unwound_result unwind(uint64_t until) {
    u->asked = 0;
    return sn_unwind(u->unwinder, &u->copy, until, judge, u, u->frames, &u->count);
}

/* Copy the stack from here on, and unwind it while it is the same. */
__attribute__((noipa)) static void with_a_copy(void (*check)(void), int deep) {
    if (deep) {
        with_a_copy(check, deep - 1);
        __asm__ volatile("" ::: "memory"); /* no jump in place of the call */
        return;
    }
    const sn_memory_reader reader = {read_own, NULL};
    ucontext_t here;
    getcontext(&here);
    take_registers(&u->copy.registers, &here);
    CHECK(sn_stack_copy_take(&u->copy, &reader, sn_stack_pointer(&u->copy.registers) + (1 << 16)));
    check();
    __asm__ volatile("" ::: "memory");
}

enum { DEEP = 20 };

static bool is_in(const sn_unwound *frame, const void *function) {
    uint64_t begin = (uint64_t)(uintptr_t)function;
    return frame->pc >= begin && frame->pc < begin + 1024;
}

static void check_whole(void) {
    CHECK_EQUAL(unwind(UINT64_MAX), SN_UNWOUND);
    CHECK(u->count > DEEP && !u->frames[0].is_caller);
    for (uint32_t i = 0; i <= DEEP; i++) CHECK(is_in(&u->frames[i], (const void *)with_a_copy));
    for (uint32_t i = 1; i < u->count; i++) CHECK(u->frames[i].is_caller && u->frames[i].stack > u->frames[i - 1].stack);
}

static void a_stack_is_unwound_up_to_its_beginning(void) {
    begin();
    with_a_copy(check_whole, DEEP);
    end();
}

static void check_until(void) {
    unwind(UINT64_MAX);
    uint64_t until = u->frames[5].stack;
    CHECK_EQUAL(unwind(until), SN_UNWOUND);
    CHECK_EQUAL(u->count, 7);
    u->copy.size = (uint32_t)(u->frames[6].stack - u->copy.low); /* the rest was not copied */
    CHECK_EQUAL(unwind(UINT64_MAX), SN_UNWOUND_COPY);
    CHECK_EQUAL(u->count, 7);
}

static void it_ends_where_it_is_asked_to_or_with_the_copy(void) {
    begin();
    with_a_copy(check_until, DEEP);
    end();
}

static void check_cut(void) {
    u->none = 4;
    CHECK_EQUAL(unwind(UINT64_MAX), SN_UNWOUND_BROKEN);
    CHECK_EQUAL(u->count, 3);
    u->without = 2;
    CHECK_EQUAL(unwind(UINT64_MAX), SN_UNWOUND_BROKEN);
    CHECK_EQUAL(u->count, 2); /* what was guessed is not believed, as the stack does not go on */
    u->none = 0;
    CHECK_EQUAL(unwind(UINT64_MAX), SN_UNWOUND_GUESSED);
    CHECK(u->count > DEEP);
}

static void guesses_are_believed_if_the_stack_goes_on_to_its_end(void) {
    begin();
    with_a_copy(check_cut, DEEP);
    end();
}

static void check_garbage(void) {
    uint64_t state = 99;
    for (unsigned round = 0; round < 300; round++) {
        for (unsigned i = 0; i < 8; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            u->copy.bytes[(state >> 33) % u->copy.size] = (uint8_t)(state >> 20);
        }
        unwind(UINT64_MAX);
        CHECK(u->count <= SN_MOST_C_FRAMES);
        for (uint32_t i = 1; i < u->count; i++) CHECK(u->frames[i].stack > u->frames[i - 1].stack);
    }
}

static void whatever_is_on_a_stack_frames_lie_above_one_another(void) {
    begin();
    with_a_copy(check_garbage, DEEP);
    end();
}

static void check_frames(void) {
    Dwfl_Module *module = sn_unwinder_module(u->unwinder, (uint64_t)(uintptr_t)&check_garbage);
    CHECK(module && sn_unwinder_has_frames(u->unwinder, module, (uint64_t)(uintptr_t)&check_garbage));
    CHECK(!sn_unwinder_has_frames(u->unwinder, module, 16));
    CHECK(!sn_unwinder_module(u->unwinder, 16));
}

static void code_with_call_frame_information_is_told(void) {
    begin();
    with_a_copy(check_frames, 0);
    end();
}

int main(void) {
    const check_test tests[] = {TEST(a_stack_is_unwound_up_to_its_beginning), TEST(it_ends_where_it_is_asked_to_or_with_the_copy),
                                TEST(guesses_are_believed_if_the_stack_goes_on_to_its_end),
                                TEST(whatever_is_on_a_stack_frames_lie_above_one_another),
                                TEST(code_with_call_frame_information_is_told)};
    return check_all(tests, sizeof tests / sizeof *tests);
}
