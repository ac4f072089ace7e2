/* Accesses by calling context: against a path of functions for each, and a sum for each path. */
#include "../core/objects/access_contexts.h"
#include "check.h"

enum { MOST_DEEP = 6, FUNCTIONS = 3, STEPS = 20000 };

struct path {
    uint32_t functions[MOST_DEEP], depth;
};

static struct sn_access_contexts *started(uint32_t limit) {
    static struct sn_access_contexts contexts;
    CHECK(sn_access_contexts_start(&contexts, limit));
    return &contexts;
}

/* The number of a path, and how much of it there was space for. */
static uint32_t number_of(struct sn_access_contexts *contexts, const struct path *path, uint32_t *kept) {
    uint32_t number = 0;
    for (*kept = 0; *kept < path->depth; ++*kept) {
        uint32_t below = sn_access_context_below(contexts, number, path->functions[*kept]);
        if (!below) break;
        number = below;
    }
    return number ? number : SN_NO_FUNCTION_RUNS;
}

static void add_at_random(uint32_t limit, bool wants_all) {
    struct sn_access_contexts *contexts = started(limit);
    static struct { struct path path; uint64_t accesses, misses[SN_LEVELS]; } wanted[4000];
    uint64_t random = 5, clock = 0, misses[SN_LEVELS] = {0}, folded = 0;
    uint32_t known = 0;
    for (unsigned step = 0; step < STEPS; step++) {
        struct path path = {.depth = check_random(&random) % (MOST_DEEP + 1)}, found = {.depth = 0};
        for (uint32_t i = 0; i < path.depth; i++) path.functions[i] = 1 + check_random(&random) % FUNCTIONS;
        uint32_t context = number_of(contexts, &path, &found.depth);
        for (uint32_t i = 0; i < found.depth; i++) found.functions[i] = path.functions[i];
        uint64_t more = check_random(&random) % 100, missed[SN_LEVELS];
        clock += more;
        for (unsigned i = 0; i < SN_LEVELS; i++) misses[i] += missed[i] = check_random(&random) % 10;
        sn_access_contexts_add(contexts, context, found.depth < path.depth, clock, misses);
        if (found.depth < path.depth) folded += more;
        uint32_t at = 0;
        while (at < known && memcmp(&wanted[at].path, &found, sizeof found)) at++;
        if (at == known) wanted[known++].path = found;
        CHECK(known < 4000);
        wanted[at].accesses += more;
        for (unsigned i = 0; i < SN_LEVELS; i++) wanted[at].misses[i] += missed[i];
    }
    CHECK_EQUAL(contexts->folded, folded);
    CHECK(wants_all ? !folded : folded > 0 && contexts->count == limit);
    uint64_t total = 0;
    for (uint32_t at = 0; at < known; at++) {
        uint32_t kept;
        const struct sn_access_context *got = &contexts->contexts[number_of(contexts, &wanted[at].path, &kept)];
        CHECK_EQUAL(kept, wanted[at].path.depth);
        CHECK_EQUAL(got->accesses, wanted[at].accesses);
        CHECK(memcmp(got->misses, wanted[at].misses, sizeof got->misses) == 0);
        CHECK(got->parent < (uint32_t)(got - contexts->contexts));
        total += got->accesses;
    }
    CHECK_EQUAL(total, clock);
    sn_access_contexts_find_used(contexts);
    for (uint32_t i = 1; i < contexts->count; i++) {
        bool is_used = false;
        for (uint32_t below = i; below < contexts->count; below++) {
            uint32_t above = below;
            while (above > i) above = contexts->contexts[above].parent;
            is_used |= above == i && contexts->contexts[below].accesses;
        }
        CHECK_EQUAL(contexts->contexts[i].is_used, is_used);
    }
}

static void each_context_has_what_was_done_in_it(void) { add_at_random(4000, true); }
static void what_has_no_space_goes_to_the_deepest_ancestor_that_has(void) { add_at_random(200, false); }

CHECK_MAIN(TEST(each_context_has_what_was_done_in_it), TEST(what_has_no_space_goes_to_the_deepest_ancestor_that_has))
