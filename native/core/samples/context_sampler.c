#define _GNU_SOURCE
#include "context_sampler.h"

#include "../base/look_loop.h"
#include "../base/thread_clock.h"
#include "../base/thread_schedule.h"
#include "../base/ticks.h"
#include "context_credit.h"
#include "current_context.h"
#include "spool_folder.h"

#include <stdlib.h>
#include <time.h>

/* Looking takes one part in so many of a processor at most. A look at a process that is new takes long, once; while we are
 * to pause for it, others may come and go. */
#define PART_OF_TIME 4u
/* How often it is asked how long threads wait for a processor, in looks. */
#define LOOKS_PER_WAIT 16u
/* What a process has run before it was looked at first is given to what it runs then, for so many periods. */
#define FIRST_PERIODS 2u
/* Of so many threads the system's files stay open, two for each. */
#define MOST_KEPT 64u

typedef struct {
    uint32_t cell; /* of its cursor */
    pid_t number;  /* of the system's, once it is known */
    bool keeps_files, was_unknown;
    sn_context_hint hint;
    sn_context_trail trail;               /* up to the gaps of its clock that are not settled */
    sn_seen_context ends[SN_CLOCK_GAPS]; /* of these: what was seen at the end of each */
    uint64_t looked;
    sn_thread_schedule schedule;
    uint64_t had_ns, waited_ns; /* a processor, or for one, when that was asked last; 0: not yet */
    /* Of processor time: */
    sn_thread_clock clock; /* its own, or that of its process where it has none */
    bool has_clock, is_new; /* new: its clock was not read before */
    uint64_t clock_ns;     /* its clock at this look */
    uint64_t waiting;      /* its turns when it was last seen to wait */
} watched;

typedef struct {
    sn_watched_spool spool;
    char *path; /* that stays */
    bool over; /* it has ended, or cannot be read: its cells are mapped no more */
    bool is_begun, has_layout, is_shown; /* looked at; what it needs is known, and is that of sampled times */
    sn_frame_layout layout;
    watched *threads;
    uint32_t count, room;
    sn_context_credits credits;
    uint64_t looked, looks;
    /* Of processor time: */
    clockid_t clock;
    bool has_clock;
    sn_process_clock shared;
    uint64_t seldom_ns; /* owed to threads that seldom run */
} process;

struct sn_context_sampler {
    sn_look_loop loop;
    sn_spool_folder folder; /* without a path: none is looked into */
    bool is_processor;
    process *processes;
    uint32_t count, room, kept;
    sn_context_sums sums;
};

sn_context_sampler *sn_context_sampler_create(uint64_t period_ns, bool is_processor) {
    sn_context_sampler *sampler = calloc(1, sizeof *sampler);
    if (!sampler) return NULL;
    sn_look_loop_init(&sampler->loop, period_ns);
    sampler->loop.part_of_time = PART_OF_TIME;
    sampler->is_processor = is_processor;
    return sampler;
}

static void let_go(process *p) {
    for (uint32_t i = 0; i < p->count; i++) sn_thread_schedule_close(&p->threads[i].schedule);
    sn_watched_spool_close(&p->spool);
    free(p->threads);
    p->threads = NULL;
    p->count = p->room = 0;
    p->over = true;
}

void sn_context_sampler_destroy(sn_context_sampler *sampler) {
    for (uint32_t i = 0; i < sampler->count; i++) {
        let_go(&sampler->processes[i]);
        sn_context_credits_free(&sampler->processes[i].credits);
        free(sampler->processes[i].path);
    }
    sn_spool_folder_free(&sampler->folder);
    free(sampler->processes);
    free(sampler);
}

/* ---- Which threads there are. ---- */

static bool add_thread(sn_context_sampler *sampler, process *p, uint32_t cell) {
    if (p->count == p->room) {
        uint32_t room = p->room ? 2 * p->room : 8;
        watched *grown = realloc(p->threads, room * sizeof *grown);
        if (!grown) return false;
        p->threads = grown;
        p->room = room;
    }
    bool keeps_files = sampler->is_processor && sampler->kept < MOST_KEPT;
    sampler->kept += keeps_files;
    p->threads[p->count++] = (watched){.cell = cell,
                                       .keeps_files = keeps_files,
                                       .looked = p->looked,
                                       .clock = {.ran_ns = p->shared.ran_ns, .ready_ns = p->looked},
                                       .schedule = sn_thread_schedule_of(0, 0, false),
                                       .waiting = UINT64_MAX};
    return true;
}

static void take_layout(process *p, const sn_record *record) {
    if (record->bytes != sizeof p->layout) return;
    memcpy(&p->layout, record + 1, sizeof p->layout);
    const sn_frame_layout *l = &p->layout;
    uint32_t most = SN_CELL_BYTES - sizeof(uint64_t);
    p->has_layout = l->cursor_state <= most && l->cursor_stack <= most && l->cursor_ended <= SN_CELL_BYTES - sizeof(uint32_t) &&
                    l->cursor_clock >= SN_CELL_BYTES && l->cursor_clock <= SN_CELL_BYTES + most;
}

/* Look through what has come to the cells for the layout, and for cursors. */
static void scan(sn_context_sampler *sampler, process *p) {
    uint64_t cell;
    sn_watched_spool_update(&p->spool);
    while (sn_watched_spool_next(&p->spool, &cell)) {
        const uint8_t *at = p->spool.bytes + cell * SN_CELL_BYTES;
        if (sn_watched_word(at) == SN_TAG_CURSOR) {
            if (add_thread(sampler, p, (uint32_t)cell)) continue;
            p->spool.scanned = cell; /* once more the next time */
            return;
        }
        const sn_record *record = (const sn_record *)(const void *)at;
        if (record->kind == SN_RECORD_LAYOUT) take_layout(p, record);
    }
}

sn_status sn_context_sampler_add(sn_context_sampler *sampler, const char *path) {
    if (sampler->count == sampler->room) {
        uint32_t room = sampler->room ? 2 * sampler->room : 4;
        process *grown = realloc(sampler->processes, room * sizeof *grown);
        if (!grown) return SN_NO_MEMORY;
        sampler->processes = grown;
        sampler->room = room;
    }
    process p = {0};
    sn_status status = sn_watched_spool_open(&p.spool, path, true);
    if (status != SN_OK) return status;
    const sn_header *header = sn_watched_spool_header(&p.spool);
    p.looked = header->start_ns;
    scan(sampler, &p);
    p.path = strdup(path);
    if (header->clock != SN_CLOCK_SAMPLED || !p.has_layout || !p.path) {
        bool is_short = !p.path;
        free(p.path);
        let_go(&p);
        return is_short ? SN_NO_MEMORY : SN_BAD_INPUT;
    }
    p.has_clock = sampler->is_processor && !clock_getcpuclockid((pid_t)p.spool.pid, &p.clock);
    sampler->processes[sampler->count++] = p;
    return SN_OK;
}

/* A spool has come. Those of other clocks are none of ours: of code below Python that was compiled. */
static bool take_spool(void *at, const char *path) {
    sn_context_sampler *sampler = at;
    sn_status status = sn_context_sampler_add(sampler, path);
    sampler->sums.unmapped += status == SN_SYSTEM || status == SN_NO_MEMORY;
    if (status != SN_BAD_INPUT) return status == SN_OK;
    sn_watched_spool spool;
    if (sn_watched_spool_open(&spool, path, false) != SN_OK) return false;
    bool is_other = sn_watched_spool_header(&spool)->clock != SN_CLOCK_SAMPLED;
    sn_watched_spool_close(&spool);
    return is_other;
}

sn_status sn_context_sampler_watch(sn_context_sampler *sampler, const char *folder) {
    return sn_spool_folder_init(&sampler->folder, folder) ? SN_OK : SN_NO_MEMORY;
}

static void look_for_spools(sn_context_sampler *sampler) {
    if (!sampler->folder.path) return;
    if (!sampler->folder.changed_ns) sampler->sums.unmapped = 0; /* all that was not taken is tried again */
    sn_spool_folder_look(&sampler->folder, take_spool, sampler);
}

/* ---- Crediting. ---- */

/* Share out what a thread ran in the oldest gaps of its clock. */
static void settle(process *p, watched *w, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        uint64_t ns = w->clock.gaps[i].got_ns;
        sn_context_credit(&p->spool, &p->credits, &w->trail, &w->ends[i], ns);
        sn_context_trail_add(&w->trail, &w->ends[i], ns);
    }
    sn_thread_clock_settled(&w->clock, count);
    memmove(w->ends, w->ends + count, w->clock.count * sizeof *w->ends);
}

/* Share out what a thread ran by its own clock; returns whether that is not settled yet. */
static bool share_out(process *p, watched *w, const sn_seen_context *context, bool is_ready, uint64_t now) {
    const sn_clock_look look = {is_ready, w->clock_ns, now - w->looked, now};
    sn_clock_share share = sn_thread_clock_share(&w->clock, &look, &p->seldom_ns);
    if (share.to == SN_SHARE_GAP) w->ends[w->clock.count - 1] = *context;
    settle(p, w, share.final);
    if (share.to == SN_SHARE_GAP) return true;
    const sn_seen_context *to = share.to == SN_SHARE_BEFORE ? &w->trail.last : context;
    if (share.to) sn_context_credit_one(&p->spool, &p->credits, to, share.ns);
    return false;
}

/* The same by the time that has passed, and the clock of the process, where the system does not tell that of the thread. */
static uint64_t share_out_passed(process *p, watched *w, const sn_seen_context *context, uint64_t now) {
    const sn_seen_context *last = &w->trail.last;
    bool is_ready_at_both = p->has_clock && last->address && context->address;
    /* What its clock was behind when it began to wait is of what it ran before. */
    if (p->has_clock && last->address && !context->address)
        sn_context_credit_certain(&p->spool, &p->credits, last, w->clock.owed_ns);
    uint64_t ns = sn_process_clock_part(&p->shared, &w->clock, is_ready_at_both, now - w->looked);
    sn_context_credit(&p->spool, &p->credits, &w->trail, context, ns);
    return ns;
}

/* What has run up to the first look at a process runs at it, unless that is long: then nobody knows what has. */
static uint64_t share_out_first(sn_context_sampler *sampler, process *p, watched *w, const sn_seen_context *context, uint64_t now) {
    uint64_t passed = now - w->looked, known = FIRST_PERIODS * sampler->loop.period_ns, ns = passed < known ? passed : known;
    sampler->sums.lost_ns += passed - ns;
    w->trail.last = *context;
    sn_context_credit_certain(&p->spool, &p->credits, context, ns);
    return ns;
}

/* A thread ran this, or nothing that counts, at this moment. */
static void note(sn_context_sampler *sampler, process *p, watched *w, const sn_seen_context *context, bool is_ready, uint64_t now) {
    bool is_by_clock = p->has_clock && w->has_clock, is_first = !p->is_begun && context->address, is_pending = false;
    uint64_t ns = 0;
    if (now <= w->looked || is_first || !is_by_clock) settle(p, w, w->clock.count);
    if (now > w->looked) {
        if (is_first) ns = share_out_first(sampler, p, w, context, now);
        else if (is_by_clock) is_pending = share_out(p, w, context, is_ready, now);
        else ns = share_out_passed(p, w, context, now);
        if (w->was_unknown && !is_first) sampler->sums.unknown_ns += (is_pending ? now - w->looked : ns) / 2;
    }
    sampler->sums.looks += context->address != 0;
    if (!is_pending) sn_context_trail_add(&w->trail, context, ns);
    w->looked = now;
    sn_thread_clock_set(&w->clock, is_ready, is_by_clock ? w->clock_ns : p->shared.ran_ns, now);
    w->was_unknown = false;
}

/* ---- Looking. ---- */

static void begin_thread(process *p, watched *w, pid_t number) {
    settle(p, w, w->clock.count);
    sn_thread_schedule_close(&w->schedule);
    w->schedule = sn_thread_schedule_of((pid_t)p->spool.pid, number, w->keeps_files);
    w->number = number;
    w->had_ns = 0;
    w->hint = (sn_context_hint){0};
    w->waiting = UINT64_MAX;
    w->is_new = true;
}

/* Of elapsed time: on a busy machine a thread waits for a processor now and then, as likely within what counting takes as that
 * has a share in what it runs. How much that is, the spool has. */
static void note_wait(process *p, watched *w) {
    sn_header *header = (sn_header *)(void *)p->spool.bytes;
    uint64_t had_ns, waited_ns;
    if (!sn_thread_schedule_delay(&w->schedule, &had_ns, &waited_ns)) return;
    if (w->had_ns && had_ns >= w->had_ns && waited_ns >= w->waited_ns) {
        __atomic_fetch_add(&header->looked_ticks, had_ns - w->had_ns, __ATOMIC_RELAXED);
        __atomic_fetch_add(&header->burst_start, waited_ns - w->waited_ns, __ATOMIC_RELAXED);
    }
    w->had_ns = had_ns;
    w->waited_ns = waited_ns;
}

/* Of processor time: what the thread's clock shows. When it is read first, what it ran before the last look at the process is
 * none of ours: it ran no longer than has passed since. */
static bool read_clock(watched *w, uint64_t now, uint64_t *turns) {
    w->has_clock = sn_thread_schedule_time(&w->schedule, &w->clock_ns, turns);
    uint64_t passed = now - w->looked;
    if (w->has_clock && w->is_new) w->clock.ran_ns = w->clock_ns > passed ? w->clock_ns - passed : 0;
    w->is_new &= !w->has_clock;
    return w->has_clock;
}

/* Of processor time: whether the thread has a processor, or could have one. */
static bool is_ready(process *p, watched *w, uint64_t now) {
    uint64_t turns = 0;
    bool has_turns = read_clock(w, now, &turns);
    if (has_turns && turns == w->waiting) return false; /* it has had no processor since it was seen to wait */
    w->waiting = UINT64_MAX;
    if (sn_thread_schedule_is_ready(&w->schedule)) {
        p->shared.ready++;
        return true;
    }
    if (has_turns) w->waiting = turns;
    return false;
}

/* What the process says of its own end; 0: nothing. */
static uint64_t end_of(const process *p) {
    const sn_header *header = sn_watched_spool_header(&p->spool);
    uint64_t ended = sn_watched_word(&header->end_ticks), replaced = sn_watched_word(&header->replaced_ticks);
    return ended > replaced ? ended : replaced;
}

/* It has ended, some time before `now`. */
static void end_process(sn_context_sampler *sampler, process *p, uint64_t now) {
    const sn_seen_context nothing = {0};
    uint64_t end = end_of(p);
    if (!p->is_begun && end > p->looked) sampler->sums.lost_ns += end - p->looked;
    for (uint32_t i = 0; i < p->count; i++) {
        watched *w = &p->threads[i];
        settle(p, w, w->clock.count);
        if (end > w->looked && end <= now) sn_context_credit_certain(&p->spool, &p->credits, &w->trail.last, end - w->looked);
        else if (now > w->looked && !end) sn_context_credit(&p->spool, &p->credits, &w->trail, &nothing, now - w->looked);
    }
    let_go(p);
}

static void look_at(sn_context_sampler *sampler, process *p, watched *w, uint64_t now) {
    const uint8_t *cursor = p->spool.bytes + (uint64_t)w->cell * SN_CELL_BYTES;
    const sn_frame_layout *l = &p->layout;
    sn_seen_context runs = {0};
    uint64_t context = 0;
    int64_t clock = w->cell + UINT64_C(1) < p->spool.cells ? (int64_t)sn_watched_word(cursor + l->cursor_clock) : 0;
    pid_t number = (pid_t)~(clock >> 3);
    bool has_ended = __atomic_load_n((const uint32_t *)(const void *)(cursor + l->cursor_ended), __ATOMIC_ACQUIRE);
    if (number != w->number && clock) begin_thread(p, w, number);
    if (!sampler->is_processor && clock && !has_ended && p->looks % LOOKS_PER_WAIT == 0) note_wait(p, w);
    if (has_ended || (sampler->is_processor && !is_ready(p, w, now))) {
        note(sampler, p, w, &runs, false, now);
        return;
    }
    switch (sn_current_context(&p->spool, l, w->cell, &w->hint, &context)) {
    case SN_CONTEXT_FOUND:
        runs = sn_context_seen(&p->spool, context);
        note(sampler, p, w, &runs, true, now);
        break;
    case SN_CONTEXT_NONE:
        note(sampler, p, w, &runs, true, now);
        break;
    case SN_CONTEXT_UNKNOWN: {
        bool is_over = end_of(p); /* what is done after the program's end is none of it */
        if (!is_over) sampler->sums.unknown_ns += (now - w->looked) / 2;
        note(sampler, p, w, &runs, true, now);
        w->was_unknown = !is_over;
        break;
    }
    case SN_CONTEXT_FORBIDDEN:
        sampler->sums.forbidden++;
        let_go(p);
        break;
    case SN_CONTEXT_OVER:
        end_process(sampler, p, now);
        break;
    }
}

static void look_at_process(sn_context_sampler *sampler, process *p, uint64_t now) {
    scan(sampler, p);
    if (sn_watched_word(&sn_watched_spool_header(&p->spool)->replaced_ticks)) {
        end_process(sampler, p, now);
        return;
    }
    sn_process_clock_look(&p->shared, p->has_clock ? sn_clock_ns(p->clock) : 0);
    for (uint32_t i = 0; i < p->count && !p->over; i++) look_at(sampler, p, &p->threads[i], now);
    p->is_begun = true;
    p->looks++;
    p->looked = now;
}

void sn_context_sampler_look(sn_context_sampler *sampler, uint64_t now) {
    look_for_spools(sampler);
    if (!sampler->sums.first_ns) sampler->sums.first_ns = now;
    sampler->sums.last_ns = now;
    for (uint32_t i = 0; i < sampler->count; i++)
        if (!sampler->processes[i].over) look_at_process(sampler, &sampler->processes[i], now);
}

static void look_then(void *sampler, uint64_t now) { sn_context_sampler_look(sampler, now); }

void sn_context_sampler_run(sn_context_sampler *sampler, uint64_t ns) {
    sn_look_loop_run(&sampler->loop, ns, look_then, sampler);
}

void sn_context_sampler_stop(sn_context_sampler *sampler) { sn_look_loop_stop(&sampler->loop); }

sn_context_sums sn_context_sampler_sums(const sn_context_sampler *sampler) {
    sn_context_sums sums = sampler->sums;
    sums.rounds = sampler->loop.rounds;
    sums.late = sampler->loop.late;
    for (uint32_t i = 0; i < sampler->count; i++) {
        sums.placed_ns += sampler->processes[i].credits.placed_ns;
        sums.lost_ns += sampler->processes[i].credits.lost_ns;
    }
    return sums;
}

const char *sn_context_sampler_path(const sn_context_sampler *sampler, uint32_t number) {
    return number < sampler->count ? sampler->processes[number].path : NULL;
}

const double *sn_context_sampler_squares(const sn_context_sampler *sampler, uint32_t number, uint32_t *count) {
    *count = number < sampler->count ? sampler->processes[number].credits.room : 0;
    return *count ? sampler->processes[number].credits.squares : NULL;
}
