#include "watched.h"

#include "../native_stacks/system_threads.h"

#include <stdlib.h>

/* Of so many threads the system's files stay open, three for each. */
#define MOST_KEPT 128u
/* Looks at which the list of threads could not be read, one after the other, until the process counts as lost. */
#define MOST_FAILURES 20u
/* From one look for threads that run no Python to the next. */
#define OTHERS_NS 100000000u

void sn_watched_let_go(sn_stack_sampler *sampler, sn_watched_thread *w) {
    sn_watched_settle(sampler, w, w->clock.count);
    sn_pause_finish(&w->pause);
    sampler->kept -= w->schedule.keeps_files;
    sn_thread_schedule_close(&w->schedule);
    w->schedule.keeps_files = false;
}

bool sn_watched_number(sn_stack_sampler *sampler, uint32_t process, uint64_t native_id, uint32_t *number) {
    if (sampler->thread_count == sampler->thread_room) {
        uint32_t room = sampler->thread_room ? 2 * sampler->thread_room : 16;
        sn_target_thread *grown = realloc(sampler->threads, room * sizeof *grown);
        if (!grown) return false;
        sampler->threads = grown;
        sampler->thread_room = room;
    }
    *number = sampler->thread_count++;
    sampler->threads[*number] = (sn_target_thread){process, (uint32_t)native_id, 0, 0};
    return true;
}

static bool begin_thread(sn_stack_sampler *sampler, sn_watched_process *t, const sn_listed_thread *listed, sn_watched_thread *w) {
    *w = (sn_watched_thread){.native_id = listed->native_id, .waiting = UINT64_MAX};
    w->thread = (sn_stack_thread){.state = listed->state, .interpreter = listed->interpreter};
    if (!sn_watched_number(sampler, (uint32_t)(t - sampler->targets), listed->native_id, &w->number)) return false;
    bool is_kept = sampler->kept < MOST_KEPT;
    sampler->kept += is_kept;
    w->pause = sn_pause_of(t->pid, (pid_t)listed->native_id);
    w->schedule = sn_thread_schedule_of(t->pid, (pid_t)listed->native_id, is_kept);
    if (sampler->apart) w->base = sn_stack_tree_base(&sampler->tree, w->number);
    t->seen++;
    return true;
}

/* Whether a thread has a state in Python, or will have one. */
static bool is_python_thread(const sn_watched_process *t, uint64_t native_id) {
    for (uint32_t i = 0; i < t->count; i++)
        if (t->threads[i].native_id == native_id) return true;
    return native_id == (uint64_t)t->pid;
}

/* Those that have got one are not looked at twice. */
static void drop_others_of_python(sn_stack_sampler *sampler, sn_watched_process *t) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < t->other_count; i++) {
        if (is_python_thread(t, t->others[i].native_id)) sn_watched_let_go(sampler, &t->others[i]);
        else t->others[kept++] = t->others[i];
    }
    t->other_count = kept;
}

/* Take over a list that has changed: threads that stay keep what is known of them. */
static bool take_list(sn_stack_sampler *sampler, sn_watched_process *t, uint32_t count) {
    sn_watched_thread *threads = malloc((count ? count : 1) * sizeof *threads);
    if (!threads) return false;
    uint32_t taken = 0;
    for (uint32_t i = 0; i < count; i++) {
        const sn_listed_thread *listed = &sampler->listed[i];
        sn_watched_thread *known = NULL;
        if (!listed->native_id) continue; /* it has not begun */
        for (uint32_t k = 0; k < t->count && !known; k++)
            if (t->threads[k].thread.state == listed->state && t->threads[k].native_id == listed->native_id) known = &t->threads[k];
        if (known) {
            threads[taken++] = *known;
            known->thread.state = 0;
        } else if (begin_thread(sampler, t, listed, &threads[taken])) {
            taken++;
        }
    }
    for (uint32_t k = 0; k < t->count; k++)
        if (t->threads[k].thread.state) sn_watched_let_go(sampler, &t->threads[k]);
    free(t->threads);
    t->threads = threads;
    t->count = t->room = taken;
    drop_others_of_python(sampler, t);
    return true;
}

void sn_watched_update_others(sn_stack_sampler *sampler, sn_watched_process *t, uint64_t now) {
    uint32_t *ids = malloc(SN_MOST_THREADS * sizeof *ids), taken = 0;
    uint32_t count = ids ? sn_system_threads(t->pid, ids, SN_MOST_THREADS) : 0;
    sn_watched_thread *others = count ? malloc(count * sizeof *others) : NULL;
    t->next_others = now + OTHERS_NS;
    for (uint32_t i = 0; others && i < count; i++) {
        sn_watched_thread *known = NULL;
        if (is_python_thread(t, ids[i])) continue;
        for (uint32_t k = 0; k < t->other_count && !known; k++)
            if (t->others[k].native_id == ids[i]) known = &t->others[k];
        if (known) {
            others[taken++] = *known;
            known->native_id = 0;
        } else {
            taken += begin_thread(sampler, t, &(sn_listed_thread){0, ids[i], 0}, &others[taken]);
        }
    }
    free(ids);
    for (uint32_t k = 0; k < t->other_count; k++)
        if (t->others[k].native_id) sn_watched_let_go(sampler, &t->others[k]);
    free(t->others);
    t->others = others;
    t->other_count = taken;
}

bool sn_watched_update_list(sn_stack_sampler *sampler, sn_watched_process *t) {
    uint32_t count;
    for (uint32_t i = 0; i < t->count; i++)
        sampler->listed[i] = (sn_listed_thread){t->threads[i].thread.state, t->threads[i].native_id, 0};
    if (t->count && sn_thread_list_is(&t->memory, &t->python, sampler->listed, t->count, &t->interpreter)) {
        t->failures = 0;
        return true;
    }
    if (!sn_thread_list(&t->memory, &t->python, sampler->listed, &count) || !count) {
        if (++t->failures >= MOST_FAILURES) t->state = SN_TARGET_LOST;
        return false;
    }
    t->failures = 0;
    return take_list(sampler, t, count);
}
