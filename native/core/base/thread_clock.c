#include "thread_clock.h"

#include <string.h>

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

/* Give what the thread ran last to the gaps, the latest first; returns what they have no room for. */
static uint64_t give_backwards(sn_thread_clock *clock, uint64_t ns) {
    for (uint32_t i = clock->count; i-- > 0 && ns;) {
        sn_clock_gap *gap = &clock->gaps[i];
        uint64_t room = gap->passed_ns - gap->got_ns, got = ns < room ? ns : room;
        gap->got_ns += got;
        ns -= got;
    }
    return ns;
}

static sn_clock_share ran_on(sn_thread_clock *clock, uint64_t ran, uint64_t passed_ns) {
    clock->gaps[clock->count++] = (sn_clock_gap){passed_ns, 0};
    uint64_t rest = give_backwards(clock, ran + clock->owed_ns);
    clock->owed_ns = rest < MOST_OWED_NS ? rest : MOST_OWED_NS;
    uint32_t final = ran ? clock->count - 1 : clock->count == SN_CLOCK_GAPS;
    return (sn_clock_share){final, SN_SHARE_GAP, 0};
}

/* The clock of a thread that waits does not stand: it has made up. */
static sn_clock_share began_to_wait(sn_thread_clock *clock, uint64_t ran, uint64_t passed_ns) {
    uint64_t now = ran < passed_ns ? ran : passed_ns;
    uint64_t rest = give_backwards(clock, ran - now);
    return (sn_clock_share){clock->count, SN_SHARE_BEFORE, now + rest};
}

sn_clock_share sn_thread_clock_share(sn_thread_clock *clock, const sn_clock_look *look, uint64_t *seldom_ns) {
    uint64_t ran = look->ran_ns > clock->ran_ns ? look->ran_ns - clock->ran_ns : 0;
    if (clock->was_ready && look->is_ready) return ran_on(clock, ran, look->passed_ns);
    ran += clock->owed_ns;
    clock->owed_ns = 0;
    bool is_seldom = look->now - clock->ready_ns > SELDOM_NS;
    if (clock->was_ready) return began_to_wait(clock, ran, look->passed_ns);
    if (look->is_ready) {
        if (is_seldom) {
            ran += *seldom_ns;
            *seldom_ns = 0;
        }
        return (sn_clock_share){0, SN_SHARE_AFTER, ran};
    }
    if (is_seldom) *seldom_ns += ran;
    else clock->owed_ns = ran;
    return (sn_clock_share){0, SN_SHARE_NOBODY, 0};
}

void sn_thread_clock_settled(sn_thread_clock *clock, uint32_t count) {
    clock->count -= count;
    memmove(clock->gaps, clock->gaps + count, clock->count * sizeof *clock->gaps);
}

uint64_t sn_process_clock_part(const sn_process_clock *process, sn_thread_clock *clock, bool is_ready_at_both, uint64_t passed_ns) {
    if (!is_ready_at_both || !clock->ran_ns || process->ran_ns < clock->ran_ns) {
        clock->owed_ns = 0;
        return passed_ns;
    }
    uint64_t part = (process->ran_ns - clock->ran_ns) / (process->was_ready ? process->was_ready : 1);
    return sn_thread_clock_credited(clock, part, passed_ns);
}
