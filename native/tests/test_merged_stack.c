/* C frames and Python functions of one stack: examples, and random ones against a slow twin. */
#include "check.h"

#include "../core/native_stacks/interpreter_symbols.h"
#include "../core/native_stacks/merged_stack.h"

enum { MOST = 24 };

/* Functions of C are below 1,000, those of Python above. */
static sn_c_frame c(uint64_t stack, uint32_t function, sn_frame_role role) {
    return (sn_c_frame){stack, {function, 0}, role};
}

static sn_python_frame python(uint32_t function, uint32_t entry) {
    return (sn_python_frame){{function, 0}, entry};
}

static void check_functions(const sn_two_stacks *stacks, const uint32_t *wanted, uint32_t count) {
    sn_seen_frame merged[2 * MOST];
    CHECK_EQUAL(sn_merge_stacks(stacks, merged), count);
    for (uint32_t i = 0; i < count; i++) CHECK_EQUAL(merged[i].function, wanted[i]);
}

static const sn_c_frame sorting[] = {
    {0x7f00, {1, 0}, SN_FRAME_FUNCTION}, {0x7f20, {2, 0}, SN_FRAME_FUNCTION}, {0x7f80, {3, 0}, SN_FRAME_LOOP},
    {0x8000, {4, 0}, SN_FRAME_GLUE},     {0x8008, {5, 0}, SN_FRAME_FUNCTION}, {0x8010, {3, 0}, SN_FRAME_LOOP},
    {0x80f0, {6, 0}, SN_FRAME_FUNCTION}};
static const sn_python_frame called[] = {{{1000, 7}, 0}, {{1001, 8}, 0}, {{1002, 9}, 1}};

static sn_two_stacks sorted(const uint64_t *entries) {
    return (sn_two_stacks){sorting, 7, false, called, 3, entries, 2};
}

static void loops_become_the_functions_that_they_run(void) {
    const uint32_t wanted[] = {1000, 1001, 5, 1002, 2, 1};
    const uint64_t entries[] = {0x8060, 0x7fa0};
    const sn_two_stacks stacks = sorted(entries);
    check_functions(&stacks, wanted, 6);
}

static void entries_tell_loops_without_symbols(void) {
    sn_c_frame frames[7];
    const uint32_t wanted[] = {1000, 1001, 5, 1002, 2, 1};
    const uint64_t entries[] = {0x8060, 0x7fa0};
    sn_two_stacks stacks = sorted(entries);
    memcpy(frames, sorting, sizeof frames);
    frames[2].role = frames[5].role = SN_FRAME_FUNCTION;
    stacks.c = frames;
    check_functions(&stacks, wanted, 6);
}

static void loops_tell_entries_without_addresses(void) {
    const uint32_t wanted[] = {1000, 1001, 5, 1002, 2, 1};
    const uint64_t unknown[] = {0, 0}, elsewhere[] = {0x7fa0, 0x8060};
    sn_two_stacks stacks = sorted(unknown);
    check_functions(&stacks, wanted, 6);
    stacks.entries = elsewhere; /* they do not grow from callee to caller */
    check_functions(&stacks, wanted, 6);
}

static void of_a_cut_stack_the_python_functions_stay(void) {
    const uint32_t wanted[] = {1000, 1001, 1002, 2, 1};
    const uint64_t entries[] = {0x8060, 0x7fa0};
    sn_two_stacks stacks = sorted(entries);
    stacks.is_cut = true;
    stacks.c_count = 2;
    check_functions(&stacks, wanted, 5);
    stacks.c_count = 3; /* the loop is the last one that is known */
    check_functions(&stacks, wanted, 5);
    stacks.c_count = 0;
    check_functions(&stacks, (const uint32_t[]){1000, 1001, 1002}, 3);
}

static void frames_that_were_left_out_do_not_shift_the_others(void) {
    const sn_c_frame frames[] = {c(0x7f00, 1, SN_FRAME_FUNCTION), c(0x8008, 5, SN_FRAME_FUNCTION), c(0x8010, 3, SN_FRAME_LOOP),
                                 c(0x80f0, 6, SN_FRAME_FUNCTION)};
    const uint64_t entries[] = {0x8060, 0x7fa0};
    sn_two_stacks stacks = sorted(entries);
    stacks.c = frames;
    stacks.c_count = 4;
    check_functions(&stacks, (const uint32_t[]){1000, 1001, 5, 1002}, 4); /* frame 1 has the entry in it, and was the loop */
}

static void a_thread_without_python_has_all_its_frames(void) {
    sn_two_stacks stacks = {sorting, 7, false, NULL, 0, NULL, 0};
    check_functions(&stacks, (const uint32_t[]){6, 5, 2, 1}, 4);
}

static void a_loop_that_has_not_begun_is_left_out(void) {
    const sn_c_frame frames[] = {c(0x7e00, 3, SN_FRAME_LOOP), c(0x7f00, 1, SN_FRAME_FUNCTION), c(0x7f80, 3, SN_FRAME_LOOP)};
    const sn_python_frame functions[] = {python(1000, 0)};
    const uint64_t entries[] = {0x7fa0};
    const sn_two_stacks stacks = {frames, 3, false, functions, 1, entries, 1};
    check_functions(&stacks, (const uint32_t[]){1000, 1}, 2);
}

/* ---- random stacks, and a twin that looks at each pair ---- */

static uint64_t state = 88172645463325252u;
static uint32_t below(uint32_t limit) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state % limit);
}

typedef struct {
    sn_c_frame c[MOST];
    sn_python_frame python[MOST];
    uint64_t entries[MOST];
    sn_two_stacks both;
} made;

static void make(made *m, bool is_garbage) {
    uint32_t c_count = below(MOST), entry_count = below(MOST / 2), python_count = 0;
    uint64_t at = 0x1000, end;
    for (uint32_t i = 0; i < c_count; i++) {
        m->c[i] = c(at, i, below(5) ? SN_FRAME_FUNCTION : below(2) ? SN_FRAME_LOOP : SN_FRAME_GLUE);
        at += 8 + 8 * below(8);
        if (is_garbage && !below(6)) at = below(0x4000);
    }
    end = 0x1000;
    for (uint32_t i = entry_count; i-- > 0;) {
        end += 4 + 8 * below(16);
        m->entries[i] = is_garbage ? below(0x4000) : end;
    }
    for (uint32_t entry = 0; entry < entry_count; entry++)
        for (uint32_t i = below(3); i-- > 0 && python_count < MOST; python_count++)
            m->python[python_count] = python(1000 + python_count, entry);
    m->both = (sn_two_stacks){m->c, c_count, below(2), m->python, python_count, m->entries, entry_count};
}

/* The address up to which a frame's part of the stack goes. */
static uint64_t end_of(const sn_two_stacks *s, uint32_t i) {
    return i + 1 < s->c_count ? s->c[i + 1].stack : s->is_cut ? s->c[i].stack : UINT64_MAX;
}

/* Slow: for each C frame, how many Python functions are inside of it, by looking at all entries. */
static uint32_t twin(const sn_two_stacks *s, uint32_t *wanted) {
    uint32_t count = 0, shown = 0;
    for (uint32_t i = 0; i < s->c_count; i++) {
        bool is_left_out = s->c[i].role != SN_FRAME_FUNCTION;
        uint32_t inside = 0;
        for (uint32_t p = 0; p < s->python_count; p++) inside += s->entries[s->python[p].entry] < end_of(s, i);
        for (uint32_t e = 0; e < s->entry_count; e++)
            is_left_out |= s->entries[e] >= s->c[i].stack && s->entries[e] < end_of(s, i);
        if (s->python_count && inside == s->python_count) is_left_out = true;
        if (is_left_out) continue;
        while (shown < inside) wanted[count++] = s->python[s->python_count - ++shown].seen.function;
        wanted[count++] = s->c[i].seen.function;
    }
    while (shown < s->python_count) wanted[count++] = s->python[s->python_count - ++shown].seen.function;
    return count;
}

static void merged_stacks_are_those_of_the_twin(void) {
    for (unsigned round = 0; round < 20000; round++) {
        made m;
        uint32_t wanted[2 * MOST];
        sn_seen_frame merged[2 * MOST];
        make(&m, false);
        uint32_t count = sn_merge_stacks(&m.both, merged);
        CHECK_EQUAL(count, twin(&m.both, wanted));
        for (uint32_t i = 0; i < count; i++) CHECK_EQUAL(merged[count - 1 - i].function, wanted[i]);
    }
}

static void whatever_is_given_all_python_functions_stay_and_nothing_is_made_up(void) {
    for (unsigned round = 0; round < 20000; round++) {
        made m;
        sn_seen_frame merged[2 * MOST];
        make(&m, true);
        uint32_t count = sn_merge_stacks(&m.both, merged), seen = 0, last = MOST;
        for (uint32_t i = 0; i < count; i++) {
            if (merged[i].function >= 1000) {
                CHECK_EQUAL(merged[i].function, m.both.python[seen++].seen.function);
            } else {
                CHECK(merged[i].function < last); /* inwards, each once */
                last = merged[i].function;
                CHECK(m.c[last].role == SN_FRAME_FUNCTION);
            }
        }
        CHECK_EQUAL(seen, m.both.python_count);
    }
}

static void the_interpreters_functions_are_known_with_what_compilers_append(void) {
    CHECK_EQUAL(sn_interpreter_role("_PyEval_EvalFrameDefault"), SN_FRAME_LOOP);
    CHECK_EQUAL(sn_interpreter_role("_PyEval_EvalFrameDefault.cold"), SN_FRAME_LOOP);
    CHECK_EQUAL(sn_interpreter_role("PyObject_Vectorcall.localalias"), SN_FRAME_GLUE);
    CHECK_EQUAL(sn_interpreter_role("PyObject_VectorcallX"), SN_FRAME_FUNCTION);
    CHECK_EQUAL(sn_interpreter_role("_TAIL_CALL_BINARY_OP"), SN_FRAME_GLUE);
    CHECK_EQUAL(sn_interpreter_role("_Py_VectorCall_StackRefSteal.lto_priv.0"), SN_FRAME_GLUE);
    CHECK_EQUAL(sn_interpreter_role("_StackRefStealX"), SN_FRAME_FUNCTION);
    CHECK_EQUAL(sn_interpreter_role("list_sort"), SN_FRAME_FUNCTION);
}

int main(void) {
    const check_test tests[] = {TEST(loops_become_the_functions_that_they_run),
                                TEST(entries_tell_loops_without_symbols),
                                TEST(loops_tell_entries_without_addresses),
                                TEST(of_a_cut_stack_the_python_functions_stay),
                                TEST(frames_that_were_left_out_do_not_shift_the_others),
                                TEST(a_thread_without_python_has_all_its_frames),
                                TEST(a_loop_that_has_not_begun_is_left_out),
                                TEST(merged_stacks_are_those_of_the_twin),
                                TEST(whatever_is_given_all_python_functions_stay_and_nothing_is_made_up),
                                TEST(the_interpreters_functions_are_known_with_what_compilers_append)};
    return check_all(tests, sizeof tests / sizeof *tests);
}
