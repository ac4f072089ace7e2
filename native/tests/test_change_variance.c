/* Whether stated standard errors are right: looks at made-up programs whose times are known. */
#include "check.h"

#include "../core/stacks/stack_tree.h"

#include <math.h>

enum { FUNCTIONS = 4, RUNS = 200, GAPS = 1000, GAP_NS = 1000000 };

static const double SHARES[FUNCTIONS] = {0.5, 0.3, 0.15, 0.05};

/* Stays in functions: all for `stay` gaps on average; of a mixture each hundredth for `long_stay`. */
typedef struct {
    double stay, long_stay;
    bool is_fixed; /* all equally long, else exponentially distributed */
    double missed; /* of the looks */
} program;

static uint64_t state;

static double uniform(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static unsigned any_function(void) {
    double at = uniform();
    unsigned i = 0;
    while (i < FUNCTIONS - 1 && at >= SHARES[i]) at -= SHARES[i++];
    return i;
}

static double a_stay(const program *p) {
    double mean = p->long_stay > 0 && uniform() < 0.01 ? p->long_stay : p->stay;
    return p->is_fixed ? mean : -log(uniform()) * mean;
}

/* One run; the errors of functions, in gaps, and what is said of their variances. */
static void run(const program *p, double error[FUNCTIONS], double square[FUNCTIONS]) {
    sn_stack_tree tree;
    sn_context *contexts[FUNCTIONS];
    sn_stack_trail trail = {0};
    double truth[FUNCTIONS] = {0}, since[FUNCTIONS] = {0}, now = 0, looked = uniform(), next = looked;
    CHECK_EQUAL(sn_stack_tree_init(&tree), SN_OK);
    for (unsigned i = 0; i < FUNCTIONS; i++) contexts[i] = sn_stack_tree_base(&tree, i);
    while (next < GAPS) {
        unsigned function = any_function();
        double end = now + a_stay(p);
        for (; next <= end; looked = now) {
            uint64_t ns = (uint64_t)((next - looked) * GAP_NS);
            if (trail.last) sn_stack_tree_credit(&tree, &trail, contexts[function], ns);
            since[function] += next - now;
            for (unsigned i = 0; i < FUNCTIONS; i++) truth[i] += trail.last ? since[i] : 0, since[i] = 0;
            sn_stack_trail_add(&trail, contexts[function], ns);
            now = next;
            do next += 0.5 + uniform();
            while (uniform() < p->missed);
        }
        since[function] += end - now;
        now = end;
    }
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        error[i] = (double)contexts[i]->ticks / GAP_NS - truth[i];
        square[i] = sn_stack_tree_squares(&tree, i) / GAP_NS / GAP_NS;
        CHECK(fabs(square[i] - sn_side_of(contexts[i])->ticks_squares / GAP_NS / GAP_NS) < 1e-9);
    }
    sn_stack_tree_free(&tree);
}

/* Intervals hold as often as they are to, and standard errors are at most `too_wide` times what they should be. */
static void check(const program *p, double most_held, double too_wide) {
    double errors = 0, squares = 0;
    unsigned held = 0;
    state = 20261127;
    for (int i = 0; i < RUNS; i++) {
        double error[FUNCTIONS], square[FUNCTIONS];
        run(p, error, square);
        for (int k = 0; k < FUNCTIONS; k++) {
            held += error[k] * error[k] <= 1.96 * 1.96 * square[k];
            errors += error[k] * error[k];
            squares += square[k];
        }
    }
    double share = (double)held / (RUNS * FUNCTIONS), wide = sqrt(squares / errors);
    printf("  stays of %g gaps: %.1f %% of the intervals hold, standard errors are %.2f times what they should be\n", p->stay,
           100 * share, wide);
    CHECK(share >= 0.93 && share <= most_held);
    CHECK(wide >= 0.95 && wide <= too_wide);
}

static void where_stays_are_much_shorter_than_gaps_intervals_are_right(void) {
    check(&(program){.stay = 0.03}, 0.975, 1.1);
    check(&(program){.stay = 0.03, .missed = 0.1}, 0.975, 1.15);
}

static void where_stays_are_much_longer_than_gaps_intervals_are_right(void) {
    check(&(program){.stay = 30}, 0.975, 1.15);
    check(&(program){.stay = 12.5, .is_fixed = true}, 0.975, 1.1);
    check(&(program){.stay = 40, .missed = 0.1}, 0.975, 1.15);
}

static void of_a_mixture_of_both_they_are_right_too(void) { check(&(program){.stay = 0.05, .long_stay = 15}, 0.975, 1.15); }

static void where_stays_are_about_as_long_as_gaps_they_are_too_wide_rather_than_too_narrow(void) {
    check(&(program){.stay = 0.5}, 1, 1.75);
    check(&(program){.stay = 1}, 1, 1.9);
    check(&(program){.stay = 2.5, .is_fixed = true}, 1, 1.2);
    check(&(program){.stay = 5}, 1, 1.4);
}

CHECK_MAIN(TEST(where_stays_are_much_shorter_than_gaps_intervals_are_right),
           TEST(where_stays_are_much_longer_than_gaps_intervals_are_right), TEST(of_a_mixture_of_both_they_are_right_too),
           TEST(where_stays_are_about_as_long_as_gaps_they_are_too_wide_rather_than_too_narrow))
