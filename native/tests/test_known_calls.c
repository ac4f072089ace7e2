/* Calls that were seen, compared with a plain list of them. */
#include "check.h"

#include "../core/stacks/known_calls.h"

enum { FUNCTIONS = 6, LINES = 4, MOST_DEPTH = 5 };

static sn_code codes[FUNCTIONS];
static const sn_code_table table = {.codes = codes, .code_count = FUNCTIONS};
/* Whether a function, or nothing (the last one), was seen to call another one on a line. */
static bool was_seen[FUNCTIONS + 1][FUNCTIONS][LINES + 1];

static uint32_t random_stack(uint64_t *state, sn_stack_frame *frames) {
    uint32_t depth = 1 + (uint32_t)(check_random(state) % MOST_DEPTH);
    for (uint32_t i = 0; i < depth; i++)
        frames[i] = (sn_stack_frame){(uint32_t)(check_random(state) % FUNCTIONS), 1 + (uint32_t)(check_random(state) % LINES), 0};
    return depth;
}

static bool is_call_seen(const sn_stack_frame *frames, uint32_t callee) {
    uint32_t caller = callee ? frames[callee - 1].code : FUNCTIONS;
    for (uint32_t line = 0; line <= LINES; line++)
        if (was_seen[caller][frames[callee].code][line]) return true;
    return false;
}

static void calls_are_known_once_they_were_seen_and_have_lines_on_which_they_were(void) {
    uint64_t state = 4711;
    for (uint32_t i = 0; i < FUNCTIONS; i++) codes[i].function = i;
    for (unsigned program = 0; program < 200; program++) {
        sn_known_calls calls = {0};
        memset(was_seen, 0, sizeof was_seen);
        for (unsigned sample = 0; sample < 12; sample++) {
            sn_stack_frame frames[MOST_DEPTH];
            uint32_t depth = random_stack(&state, frames), certain = (uint32_t)(check_random(&state) % (depth + 1)), known = certain;
            while (known < depth && is_call_seen(frames, known)) known++;
            CHECK_EQUAL(sn_known_calls_count(&calls, &table, frames, certain, depth), known);
            for (uint32_t i = 1; i < depth; i++) {
                uint32_t line = sn_known_calls_line(&calls, &table, frames, i), as_read = frames[i - 1].line;
                bool *seen = was_seen[frames[i - 1].code][frames[i].code];
                CHECK(seen[line] || !is_call_seen(frames, i));
                CHECK(line == as_read || (!seen[as_read] && is_call_seen(frames, i)));
            }
            sn_known_calls_add(&calls, &table, frames, depth);
            for (uint32_t i = 0; i < depth; i++) was_seen[i ? frames[i - 1].code : FUNCTIONS][frames[i].code][i ? frames[i - 1].line : 0] = true;
        }
        sn_known_calls_free(&calls);
    }
}

CHECK_MAIN(TEST(calls_are_known_once_they_were_seen_and_have_lines_on_which_they_were))
