#include "thread_clock.h"

/* A thread that was not seen to run for so long seldom does. */
#define SELDOM_NS 1000000000u
/* Nanoseconds that a clock is behind at most: a tick of the slowest kernel, and another one. */
#define MOST_OWED_NS 20000000u

uint64_t sn_thread_clock_credited(sn_thread_clock *clock, uint64_t ran_ns, uint64_t passed_ns) {
    ran_ns += clock->owed_ns;
    uint64_t now = ran_ns < passed_ns ? ran_ns : passed_ns;
    clock->owed_ns = ran_ns - now < MOST_OWED_NS ? ran_ns - now : MOST_OWED_NS;
    return now;
}

void sn_thread_clock_share_out(sn_thread_clock *clock, const sn_two_looks *looks, uint64_t *seldom_ns, sn_stack_tree *tree) {
    uint64_t ran = looks->ran_ns > clock->ran_ns ? looks->ran_ns - clock->ran_ns : 0;
    if (clock->was_ready && looks->is_ready) {
        uint64_t credited = sn_thread_clock_credited(clock, ran, looks->passed_ns);
        sn_stack_tree_credit(tree, looks->before, looks->after, credited);
        return;
    }
    ran += clock->owed_ns;
    clock->owed_ns = 0;
    bool is_seldom = looks->now - clock->ready_ns > SELDOM_NS;
    if (clock->was_ready) {
        if (looks->before) sn_stack_tree_credit_after(tree, NULL, looks->before, ran);
    } else if (looks->is_ready) {
        if (is_seldom) {
            ran += *seldom_ns;
            *seldom_ns = 0;
        }
        if (looks->after) sn_stack_tree_credit_after(tree, NULL, looks->after, ran);
    } else if (is_seldom) {
        *seldom_ns += ran;
    } else {
        clock->owed_ns = ran;
    }
}
