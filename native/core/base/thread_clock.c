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

sn_clock_share sn_thread_clock_share(sn_thread_clock *clock, const sn_clock_look *look, uint64_t *seldom_ns) {
    uint64_t ran = look->ran_ns > clock->ran_ns ? look->ran_ns - clock->ran_ns : 0;
    if (clock->was_ready && look->is_ready)
        return (sn_clock_share){SN_SHARE_HALVES, sn_thread_clock_credited(clock, ran, look->passed_ns)};
    ran += clock->owed_ns;
    clock->owed_ns = 0;
    bool is_seldom = look->now - clock->ready_ns > SELDOM_NS;
    if (clock->was_ready) return (sn_clock_share){SN_SHARE_BEFORE, ran};
    if (look->is_ready) {
        if (is_seldom) {
            ran += *seldom_ns;
            *seldom_ns = 0;
        }
        return (sn_clock_share){SN_SHARE_AFTER, ran};
    }
    if (is_seldom) *seldom_ns += ran;
    else clock->owed_ns = ran;
    return (sn_clock_share){SN_SHARE_NOBODY, 0};
}

uint64_t sn_process_clock_part(const sn_process_clock *process, sn_thread_clock *clock, bool is_ready_at_both, uint64_t passed_ns) {
    if (!is_ready_at_both || !clock->ran_ns || process->ran_ns < clock->ran_ns) {
        clock->owed_ns = 0;
        return passed_ns;
    }
    uint64_t part = (process->ran_ns - clock->ran_ns) / (process->was_ready ? process->was_ready : 1);
    return sn_thread_clock_credited(clock, part, passed_ns);
}
