#include "cursor_sampler.h"

#include "../base/look_loop.h"
#include "../base/process_memory.h"
#include "../base/thread_schedule.h"
#include "hot_contexts.h"
#include "watched_spool.h"

#include <stdlib.h>

/* Of so many threads the system's files stay open, two for each. */
#define MOST_KEPT 64u
/* Processor time is shared out when a thread was so often seen to run. */
#define MOST_SEEN 64u

/* Which life of which thread a spool belongs to; a word of 0: none at present. */
typedef struct {
    uint64_t word, thread;
    uint32_t number; /* from 1, of the threads that have had this spool */
} life;

/* A context that a thread was seen to run in, and what had passed since the look before. */
typedef struct {
    uint64_t context, ns;
} seen_running;

/* A spool, and the thread that has it. */
typedef struct {
    sn_watched_spool spool;
    uint32_t cursor; /* its cell */
    bool keeps_files, is_absent; /* its memory, or clock, is not there any more */
    bool is_forbidden;
    life life;
    uint64_t looked;  /* when we looked last; at first, when the spool began */
    /* Of processor time: */
    sn_thread_schedule schedule;
    uint64_t ran_ns;  /* its clock then */
    uint64_t kept_ns; /* what that advanced, and is to be shared out */
    uint64_t waiting; /* its turns when it was last seen to wait */
    uint32_t seen_count;
    seen_running seen[MOST_SEEN];
} watched;

struct sn_cursor_sampler {
    sn_look_loop loop;
    bool is_processor;
    watched *threads;
    uint32_t count, room;
    sn_sampled_times sums;
};

sn_cursor_sampler *sn_cursor_sampler_create(uint64_t period_ns, bool is_processor) {
    sn_cursor_sampler *sampler = calloc(1, sizeof *sampler);
    if (!sampler) return NULL;
    sn_look_loop_init(&sampler->loop, period_ns);
    sampler->is_processor = is_processor;
    return sampler;
}

void sn_cursor_sampler_destroy(sn_cursor_sampler *sampler) {
    for (uint32_t i = 0; i < sampler->count; i++) {
        sn_thread_schedule_close(&sampler->threads[i].schedule);
        sn_watched_spool_close(&sampler->threads[i].spool);
    }
    free(sampler->threads);
    free(sampler);
}

/* Find the cursor; false when it is not the probes'. */
static bool find_cursor(watched *w) {
    uint64_t cell;
    bool is_found = false, is_of_probes = false;
    while (!(is_found && is_of_probes) && sn_watched_spool_next(&w->spool, &cell)) {
        const sn_record *record = (const sn_record *)(const void *)(w->spool.bytes + cell * SN_CELL_BYTES);
        if (record->tag == SN_TAG_CURSOR) {
            is_found = true;
            w->cursor = (uint32_t)cell;
        } else if (record->kind == SN_RECORD_PROCESS) { /* an interpreter's has its version */
            is_of_probes = !record->length[1];
        }
    }
    return is_found && is_of_probes;
}

sn_status sn_cursor_sampler_add(sn_cursor_sampler *sampler, const char *path) {
    if (sampler->count == sampler->room) {
        uint32_t room = sampler->room ? 2 * sampler->room : 4;
        watched *grown = realloc(sampler->threads, room * sizeof *grown);
        if (!grown) return SN_NO_MEMORY;
        sampler->threads = grown;
        sampler->room = room;
    }
    watched w = {.keeps_files = sampler->count < MOST_KEPT};
    w.schedule = sn_thread_schedule_of(0, 0, false);
    sn_status status = sn_watched_spool_open(&w.spool, path, true);
    if (status != SN_OK) return status;
    if (sn_watched_spool_header(&w.spool)->clock != SN_CLOCK_MONOTONIC || !find_cursor(&w)) {
        sn_watched_spool_close(&w.spool);
        return SN_BAD_INPUT;
    }
    w.looked = sn_watched_spool_header(&w.spool)->start_ns;
    sampler->threads[sampler->count++] = w;
    return SN_OK;
}

static life life_of(const watched *w) {
    const sn_cursor *cursor = (const sn_cursor *)(const void *)(w->spool.bytes + (uint64_t)w->cursor * SN_CELL_BYTES);
    life found = {.word = __atomic_load_n(&cursor->owner[0], __ATOMIC_ACQUIRE)};
    found.thread = __atomic_load_n(&cursor->owner[1], __ATOMIC_RELAXED);
    found.number = __atomic_load_n(&sn_watched_spool_header(&w->spool)->threads, __ATOMIC_RELAXED);
    return found;
}

static void place(sn_cursor_sampler *sampler, watched *w, uint64_t address, uint64_t ns) {
    sn_context *context = sn_watched_spool_find(&w->spool, address);
    if (context && sn_is_context(sn_watched_word(&context->key))) {
        __atomic_fetch_add(&context->ticks, ns, __ATOMIC_RELAXED);
        sampler->sums.placed_ns += ns;
    } else {
        sampler->sums.outside_ns += ns;
    }
}

/* Share out what the thread has run among what it was seen to run in. */
static void share_out(sn_cursor_sampler *sampler, watched *w) {
    uint64_t passed = 0, before = 0, shared = 0;
    for (uint32_t i = 0; i < w->seen_count; i++) passed += w->seen[i].ns;
    if (!passed) return;
    for (uint32_t i = 0; i < w->seen_count; i++) {
        before += w->seen[i].ns;
        uint64_t up_to_here = (uint64_t)((unsigned __int128)w->kept_ns * before / passed);
        place(sampler, w, w->seen[i].context, up_to_here - shared);
        shared = up_to_here;
    }
    w->kept_ns = 0;
    w->seen_count = 0;
}

/* Begin with what has the spool now; what has passed since the last look is lost. */
static void begin_life(sn_cursor_sampler *sampler, watched *w, life now, uint64_t since) {
    uint64_t turns, lost_ns = since;
    bool is_only = !w->life.word && now.number == w->life.number + 1; /* that lived since then */
    share_out(sampler, w);
    sampler->sums.lost_ns += w->kept_ns;
    sn_thread_schedule_close(&w->schedule);
    w->life = now;
    w->is_absent = false;
    w->ran_ns = w->kept_ns = 0;
    w->seen_count = 0;
    w->waiting = UINT64_MAX;
    if (sampler->is_processor && now.word) {
        w->schedule = sn_thread_schedule_of((pid_t)w->spool.pid, (pid_t)now.thread, w->keeps_files);
        w->is_absent = !sn_thread_schedule_time(&w->schedule, &w->ran_ns, &turns);
        sampler->sums.missed += w->is_absent;
        if (is_only && !w->is_absent && w->ran_ns < since) lost_ns = w->ran_ns;
    }
    sampler->sums.lost_ns += lost_ns;
}

static void forbid(sn_cursor_sampler *sampler, watched *w) {
    bool is_known = false;
    for (uint32_t i = 0; i < sampler->count; i++)
        is_known |= sampler->threads[i].is_forbidden && sampler->threads[i].spool.pid == w->spool.pid;
    w->is_forbidden = true;
    sampler->sums.forbidden += !is_known;
}

/* What is asked for is not there. */
static bool give_up(sn_cursor_sampler *sampler, watched *w) {
    w->is_absent = true;
    sampler->sums.missed++;
    return false;
}

/* Read what the thread runs; false when it cannot be looked at any more. */
static bool read_word(sn_cursor_sampler *sampler, watched *w, uint64_t *context) {
    const sn_piece piece = {w->life.word, context, sizeof *context};
    sn_read_result result = sn_process_read((pid_t)w->spool.pid, &piece, 1);
    if (result == SN_READ_ALL) return true;
    if (result == SN_READ_ABSENT) return give_up(sampler, w);
    if (result == SN_READ_FORBIDDEN) forbid(sampler, w);
    share_out(sampler, w);
    sn_thread_schedule_close(&w->schedule);
    sn_watched_spool_close(&w->spool);
    return false;
}

/* Give what has passed to what runs. */
static bool look_at_time(sn_cursor_sampler *sampler, watched *w, uint64_t since) {
    uint64_t context;
    if (!read_word(sampler, w, &context)) return false;
    place(sampler, w, context, since);
    return true;
}

/* Note what runs, if anything does, and what the clock says. */
static bool look_at_processor_time(sn_cursor_sampler *sampler, watched *w, uint64_t since) {
    uint64_t ran_ns, turns, context;
    if (!sn_thread_schedule_time(&w->schedule, &ran_ns, &turns)) return give_up(sampler, w);
    if (ran_ns > w->ran_ns) w->kept_ns += ran_ns - w->ran_ns;
    w->ran_ns = ran_ns;
    if (turns == w->waiting) return true; /* it has had no processor since */
    if (!read_word(sampler, w, &context)) return false;
    if (!sn_thread_schedule_is_ready(&w->schedule)) {
        w->waiting = turns;
        return true;
    }
    if (w->seen_count == MOST_SEEN) share_out(sampler, w);
    w->seen[w->seen_count++] = (seen_running){context, since};
    return true;
}

static void look_at(sn_cursor_sampler *sampler, watched *w, uint64_t now) {
    uint64_t since = now > w->looked ? now - w->looked : 0;
    life life_now = life_of(w);
    w->looked = now;
    if (life_now.word != w->life.word || life_now.thread != w->life.thread || life_now.number != w->life.number) {
        begin_life(sampler, w, life_now, since);
        return;
    }
    if (!life_now.word || w->is_absent) return;
    bool is_told = sampler->is_processor ? look_at_processor_time(sampler, w, since) : look_at_time(sampler, w, since);
    if (is_told) sampler->sums.looks++;
    else sampler->sums.lost_ns += since;
}

void sn_cursor_sampler_look(sn_cursor_sampler *sampler, uint64_t now) {
    for (uint32_t i = 0; i < sampler->count; i++) {
        watched *w = &sampler->threads[i];
        if (w->spool.bytes) look_at(sampler, w, now);
    }
}

void sn_cursor_sampler_finish(sn_cursor_sampler *sampler, uint64_t now) {
    sn_cursor_sampler_look(sampler, now);
    for (uint32_t i = 0; i < sampler->count; i++)
        if (sampler->threads[i].spool.bytes) share_out(sampler, &sampler->threads[i]);
}

static void look_then(void *sampler, uint64_t now) { sn_cursor_sampler_look(sampler, now); }

void sn_cursor_sampler_run(sn_cursor_sampler *sampler, uint64_t ns) {
    sn_look_loop_run(&sampler->loop, ns, look_then, sampler);
}

void sn_cursor_sampler_stop(sn_cursor_sampler *sampler) { sn_look_loop_stop(&sampler->loop); }

sn_sampled_times sn_cursor_sampler_sums(const sn_cursor_sampler *sampler) {
    sn_sampled_times sums = sampler->sums;
    sums.rounds = sampler->loop.rounds;
    sums.late = sampler->loop.late;
    for (uint32_t i = 0; i < sampler->count; i++) sums.lost_ns += sampler->threads[i].kept_ns;
    return sums;
}
