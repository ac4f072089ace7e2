#include "cursor_sampler.h"

#include "../base/look_loop.h"
#include "../base/process_memory.h"
#include "../base/thread_schedule.h"
#include "hot_contexts.h"
#include "watched_spool.h"

#include <stdlib.h>

/* Of so many threads the system's files stay open, two for each. */
#define MOST_KEPT 64u

/* Which life of which thread a spool belongs to; a word of 0: none at present. */
typedef struct {
    uint64_t word, thread;
    uint32_t number; /* of the threads that had this spool */
} life;

/* A spool, and the thread that has it. */
typedef struct {
    sn_watched_spool spool;
    uint32_t cursor; /* its cell */
    bool keeps_files, is_absent; /* its memory, or clock, is not there any more */
    bool is_forbidden;
    life seen;
    uint64_t looked;  /* when we looked last; at first, when the spool began */
    sn_thread_schedule schedule;
    uint64_t ran_ns;  /* its clock then */
    uint64_t kept_ns; /* ran at times at which we did not see what */
    uint64_t waiting; /* its turns when it was last seen to wait */
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
    /* Whatever it says now, some thread has had it. */
    watched w = {.keeps_files = sampler->count < MOST_KEPT, .seen = {.word = UINT64_MAX}};
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

/* Begin with what has the spool now. */
static void begin_life(sn_cursor_sampler *sampler, watched *w, life now) {
    uint64_t turns;
    sampler->sums.lost_ns += w->kept_ns;
    sn_thread_schedule_close(&w->schedule);
    w->seen = now;
    w->is_absent = false;
    w->ran_ns = w->kept_ns = 0;
    w->waiting = UINT64_MAX;
    if (!sampler->is_processor || !now.word) return;
    w->schedule = sn_thread_schedule_of((pid_t)w->spool.pid, (pid_t)now.thread, w->keeps_files);
    w->is_absent = !sn_thread_schedule_time(&w->schedule, &w->ran_ns, &turns);
    sampler->sums.missed += w->is_absent;
}

static void forbid(sn_cursor_sampler *sampler, watched *w) {
    bool is_known = false;
    for (uint32_t i = 0; i < sampler->count; i++)
        is_known |= sampler->threads[i].is_forbidden && sampler->threads[i].spool.pid == w->spool.pid;
    w->is_forbidden = true;
    sampler->sums.forbidden += !is_known;
}

/* Read what the thread runs. */
static bool read_word(sn_cursor_sampler *sampler, watched *w, uint64_t *context) {
    const sn_piece piece = {w->seen.word, context, sizeof *context};
    sn_read_result result = sn_process_read((pid_t)w->spool.pid, &piece, 1);
    if (result == SN_READ_ALL) return true;
    if (result == SN_READ_ABSENT) {
        w->is_absent = true;
        sampler->sums.missed++;
        return false;
    }
    if (result == SN_READ_FORBIDDEN) forbid(sampler, w);
    sn_thread_schedule_close(&w->schedule);
    sn_watched_spool_close(&w->spool);
    return false;
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

/* What the thread ran that belongs to what it runs now; 0 when it waits. */
static uint64_t take_processor_time(sn_cursor_sampler *sampler, watched *w) {
    uint64_t ran_ns, turns, taken;
    if (!sn_thread_schedule_time(&w->schedule, &ran_ns, &turns)) {
        w->is_absent = true;
        sampler->sums.missed++;
        return 0;
    }
    if (ran_ns > w->ran_ns) w->kept_ns += ran_ns - w->ran_ns;
    w->ran_ns = ran_ns;
    if (!w->kept_ns || turns == w->waiting) return 0;
    if (!sn_thread_schedule_is_ready(&w->schedule)) {
        w->waiting = turns;
        return 0;
    }
    taken = w->kept_ns;
    w->kept_ns = 0;
    return taken;
}

static void look_at(sn_cursor_sampler *sampler, watched *w, uint64_t now) {
    uint64_t since = now > w->looked ? now - w->looked : 0, context;
    life life_now = life_of(w);
    w->looked = now;
    if (life_now.word != w->seen.word || life_now.thread != w->seen.thread || life_now.number != w->seen.number) {
        sampler->sums.lost_ns += since;
        begin_life(sampler, w, life_now);
        return;
    }
    if (!life_now.word || w->is_absent) return;
    uint64_t ns = sampler->is_processor ? take_processor_time(sampler, w) : since;
    bool is_told = !w->is_absent && (!ns || read_word(sampler, w, &context));
    if (!is_told) {
        sampler->sums.lost_ns += ns > since ? ns : since;
        return;
    }
    sampler->sums.looks++;
    if (ns) place(sampler, w, context, ns);
}

void sn_cursor_sampler_look(sn_cursor_sampler *sampler, uint64_t now) {
    for (uint32_t i = 0; i < sampler->count; i++) {
        watched *w = &sampler->threads[i];
        if (w->spool.bytes) look_at(sampler, w, now);
    }
}

static void look_then(void *sampler, uint64_t now) { sn_cursor_sampler_look(sampler, now); }

void sn_cursor_sampler_run(sn_cursor_sampler *sampler, uint64_t ns) {
    sn_look_loop_run(&sampler->loop, ns, look_then, sampler);
}

void sn_cursor_sampler_stop(sn_cursor_sampler *sampler) { sn_look_loop_stop(&sampler->loop); }

sn_sampled_times sn_cursor_sampler_sums(const sn_cursor_sampler *sampler) {
    sn_sampled_times sums = sampler->sums;
    for (uint32_t i = 0; i < sampler->count; i++) sums.lost_ns += sampler->threads[i].kept_ns;
    return sums;
}
