#define _GNU_SOURCE
#include "stack_sampler.h"

#include "../base/ticks.h"
#include "watched.h"

#include <stdlib.h>
#include <string.h>

/* Who asks for more than 1,000 looks a second gets up to half of a processor for them. */
#define OFTEN_NS 900000u
#define PART_WHEN_OFTEN 2u
/* So does who asks for C functions, as unwinding takes longer than looking. */
#define PART_WHEN_NATIVE 2u
/* With so many threads or fewer the list is looked at each time; else as often as it has so many. */
#define FEW_THREADS 8u
/* Threads that wait are looked at in turns, so many at a time: of more than that, each the less often. */
#define IDLE_AT_A_TIME 16u

sn_stack_sampler *sn_stack_sampler_create(uint64_t period_ns, sn_sampled_kind kind, sn_apart apart) {
    sn_stack_sampler *sampler = calloc(1, sizeof *sampler);
    if (!sampler) return NULL;
    sn_look_loop_init(&sampler->loop, period_ns);
    if (period_ns < OFTEN_NS) sampler->loop.part_of_time = PART_WHEN_OFTEN;
    sampler->kind = kind;
    sampler->apart = apart;
    sampler->still.round = UINT64_MAX;
    sampler->reader = sn_stack_reader_create();
    if (sampler->reader && sn_stack_tree_init(&sampler->tree) == SN_OK) return sampler;
    sn_stack_reader_destroy(sampler->reader);
    free(sampler);
    return NULL;
}

sn_libdw_result sn_stack_sampler_look_natively(sn_stack_sampler *sampler, sn_status *status) {
    sn_libdw_result result;
    sampler->native = sn_native_stacks_create(&result);
    *status = sampler->native || result != SN_LIBDW_FOUND ? SN_OK : SN_NO_MEMORY;
    if (sampler->native) sampler->loop.part_of_time = PART_WHEN_NATIVE;
    return result;
}

const sn_native_stacks *sn_stack_sampler_native(const sn_stack_sampler *sampler) { return sampler->native; }

static void let_go(sn_stack_sampler *sampler, sn_watched_process *t) {
    for (uint32_t i = 0; i < t->count; i++) sn_watched_let_go(sampler, &t->threads[i]);
    free(t->threads);
    t->threads = NULL;
    t->count = t->room = 0;
    for (uint32_t i = 0; i < t->other_count; i++) sn_watched_let_go(sampler, &t->others[i]);
    free(t->others);
    t->others = NULL;
    t->other_count = 0;
    sn_native_process_destroy(t->native);
    t->native = NULL;
    free(t->known_tasks);
    t->known_tasks = NULL;
    sampler->sums.replaced += t->codes.replaced;
    sn_code_table_free(&t->codes);
}

void sn_stack_sampler_destroy(sn_stack_sampler *sampler) {
    if (!sampler) return;
    for (uint32_t i = 0; i < sampler->count; i++) let_go(sampler, &sampler->targets[i]);
    sn_native_stacks_destroy(sampler->native);
    free(sampler->targets);
    free(sampler->threads);
    sn_code_functions_free(&sampler->functions);
    sn_known_calls_free(&sampler->known);
    sn_stack_tree_free(&sampler->tree);
    sn_stack_reader_destroy(sampler->reader);
    free(sampler);
}

sn_status sn_stack_sampler_add_python(sn_stack_sampler *sampler, pid_t pid, const sn_python *python,
                                      const sn_memory_reader *memory) {
    if (sampler->count == sampler->room) {
        uint32_t room = sampler->room ? 2 * sampler->room : 4;
        sn_watched_process *grown = realloc(sampler->targets, room * sizeof *grown);
        if (!grown) return SN_NO_MEMORY;
        sampler->targets = grown;
        sampler->room = room;
    }
    sn_watched_process *t = &sampler->targets[sampler->count++];
    *t = (sn_watched_process){.pid = pid, .python = *python, .memory = *memory, .since_list = UINT32_MAX / 2};
    sn_code_table_init(&t->codes, &python->layout, python->code_type);
    return SN_OK;
}

sn_python_result sn_stack_sampler_add(sn_stack_sampler *sampler, pid_t pid, sn_status *status) {
    sn_python python;
    *status = SN_OK;
    sn_python_result result = sn_python_find(pid, &python);
    if (result != SN_PYTHON_FOUND) return result;
    if (sampler->kind == SN_SAMPLE_LOCK && python.layout.is_free_threaded) return SN_PYTHON_NO_LOCK;
    const sn_memory_reader memory = sn_memory_of_process(pid);
    *status = sn_stack_sampler_add_python(sampler, pid, &python, &memory);
    if (*status != SN_OK) return result;
    sn_watched_process *t = &sampler->targets[sampler->count - 1];
    if (sampler->native)
        t->native = sn_native_process_create(sampler->native, pid, &t->python, &t->memory, &sampler->functions);
    t->has_clock = sampler->kind == SN_SAMPLE_PROCESSOR && !clock_getcpuclockid(pid, &t->clock);
    return result;
}

/* Whether a thread is ready only since it was woken to ask for the lock, which another one has: it does so again and again where
 * threads contend, and runs none of the code that it is in. */
static bool asks_for_lock(const sn_stack_sampler *sampler, const sn_watched_process *t, const sn_watched_thread *w, uint64_t now) {
    uint64_t holder = sn_lock_holder(&w->thread.words);
    return sampler->kind == SN_SAMPLE_PROCESSOR && t->has_clock && w->has_clock && w->was_seen && holder &&
           holder != w->thread.state && sn_thread_clock_is_woken(&w->clock, w->clock_ns, now - w->looked);
}

/* The context of a stack; its C functions are in what was copied last if `is_native`. `*function`: the innermost one, at `*line`. */
static sn_context *place(sn_stack_sampler *sampler, sn_watched_process *t, sn_context *base, const sn_stack_frame *frames, uint32_t count,
                         bool is_native, sn_stack_leaf leaf, uint32_t *function, uint32_t *line) {
    if (is_native) {
        const sn_seen_frame *merged = sn_native_merge(sampler->native, t->native, &t->codes, frames, count, &count);
        if (!count) return NULL;
        *function = merged[count - 1].function;
        *line = merged[count - 1].line;
        return sn_stack_tree_place_seen(&sampler->tree, base, merged, count, leaf);
    }
    uint32_t certain = sn_stack_certain(sampler->reader);
    if (certain > count) certain = count;
    uint64_t contexts = sampler->tree.tree.nodes;
    *function = t->codes.codes[frames[count - 1].code].function;
    *line = frames[count - 1].line;
    sn_context *context = sn_stack_tree_place(&sampler->tree, base, &t->codes, &sampler->known, frames, certain, count, leaf);
    if (sampler->tree.tree.nodes > contexts) sn_known_calls_add(&sampler->known, &t->codes, frames, certain);
    return context;
}

static void note_stack(sn_stack_sampler *sampler, sn_watched_process *t, sn_watched_thread *w, const sn_stack_frame *frames, uint32_t count,
                       bool is_native, sn_stack_leaf leaf, uint64_t now) {
    uint32_t function, line;
    if (!leaf && asks_for_lock(sampler, t, w, now)) {
        sampler->sums.waiting++;
        sn_watched_note(sampler, t, w, NULL, false, now);
        return;
    }
    if (!leaf && w->thread.words.collecting && sn_lock_holder(&w->thread.words) == w->thread.state)
        leaf = SN_LEAF_COLLECTS;
    sn_context *base = sn_watched_base(sampler, t, w, now);
    sn_context *context = place(sampler, t, base, frames, count, is_native, leaf, &function, &line);
    if (!context) return;
    sampler->sums.stacks++;
    t->stacks++;
    if (!leaf) sn_stack_tree_line(&sampler->tree, function, line);
    sn_watched_note(sampler, t, w, context, leaf != SN_LEAF_WAITS && leaf != SN_LEAF_WAITS_FOR_LOCK, now);
}

/* Read a Python stack; where C functions are looked at, too, while the thread stands still. */
static sn_stack_result read_stack(sn_stack_sampler *sampler, sn_watched_process *t, sn_watched_thread *w, sn_stack_leaf leaf,
                                  const sn_stack_frame **frames, uint32_t *count, bool *is_native) {
    sn_native_result begun = SN_NATIVE_WITHOUT;
    uint64_t address;
    bool waits = leaf == SN_LEAF_WAITS || leaf == SN_LEAF_WAITS_FOR_LOCK;
    if (t->native && sampler->kind == SN_SAMPLE_LOCK) /* who has the lock may wait for something else all the same */
        waits = sn_thread_schedule_wait(&w->schedule, &address) > SN_WAIT_NONE;
    if (t->native) begun = sn_native_begin(sampler->native, &w->pause, &w->schedule, waits);
    if (begun == SN_NATIVE_LATE) return SN_STACK_TORN;
    *is_native = begun == SN_NATIVE_READY;
    sn_stack_result result = SN_STACK_EMPTY;
    if (w->thread.state)
        result = sn_stack_read(sampler->reader, &t->memory, &t->codes, &sampler->functions, &sampler->known, &w->thread, &w->hint, frames, count);
    if (*is_native) {
        uint32_t entry_count;
        const uint64_t *entries = sn_stack_entries(sampler->reader, &entry_count);
        if (!w->thread.state) entry_count = 0;
        sn_native_end(sampler->native, t->native, &w->pause, &w->schedule, entries, entry_count, w->hint.holders[0]);
    }
    return result;
}

static void read_thread(sn_stack_sampler *sampler, sn_watched_process *t, sn_watched_thread *w, sn_stack_leaf leaf, uint64_t now) {
    const sn_stack_frame *frames;
    uint32_t count;
    sn_stack_sums *sums = &sampler->sums;
    if (!w->thread.lock && w->thread.state)
        w->thread.lock = sn_interpreter_lock_find(&t->memory, &t->python, w->thread.interpreter);
    bool is_native;
    if (!leaf) sn_watched_still(sampler, t, w);
    sn_watched_tasks(sampler, t, w, now);
    sn_stack_result result = read_stack(sampler, t, w, leaf, &frames, &count, &is_native);
    if (!leaf) sn_watched_is_whole(sampler, t, w, result != SN_STACK_CUT && result != SN_STACK_TORN);
    switch (result) {
    case SN_STACK_CUT:
        sums->cut++;
        note_stack(sampler, t, w, frames, count, is_native, leaf, now);
        break;
    case SN_STACK_READ:
        note_stack(sampler, t, w, frames, count, is_native, leaf, now);
        break;
    case SN_STACK_EMPTY:
        sums->outside++;
        if (is_native) note_stack(sampler, t, w, frames, 0, true, leaf, now);
        else sn_watched_note(sampler, t, w, NULL, leaf == SN_LEAF_NONE, now);
        break;
    case SN_STACK_TORN:
        sums->torn++;
        break;
    case SN_STACK_TOO_DEEP:
        sums->too_deep++;
        break;
    case SN_STACK_NO_ROOM:
        sums->without_room++;
        break;
    case SN_STACK_FORBIDDEN:
        sums->forbidden++;
        t->state = SN_TARGET_LOST;
        break;
    case SN_STACK_OVER:
        t->state = SN_TARGET_ENDED;
        break;
    }
}

/* What a thread waits for; NONE: it runs, or could. */
static sn_stack_leaf why_it_waits(const sn_watched_process *t, sn_watched_thread *w) {
    uint64_t address = 0;
    sn_thread_wait wait = sn_thread_schedule_wait(&w->schedule, &address);
    if (wait == SN_WAIT_UNKNOWN) return sn_thread_schedule_is_ready(&w->schedule) ? SN_LEAF_NONE : SN_LEAF_WAITS;
    if (wait == SN_WAIT_NONE) return SN_LEAF_NONE;
    bool is_in_lock = wait == SN_WAIT_FUTEX && sn_is_in_lock(&t->python.layout, w->thread.lock, address);
    return is_in_lock ? SN_LEAF_WAITS_FOR_LOCK : SN_LEAF_WAITS;
}

static void look_at(sn_stack_sampler *sampler, sn_watched_process *t, sn_watched_thread *w, uint64_t now) {
    uint64_t turns = 0;
    sampler->sums.looks++;
    bool has_turns = sn_thread_schedule_time(&w->schedule, &w->clock_ns, &turns);
    w->has_clock = has_turns;
    if (has_turns && turns == w->waiting) { /* it has had no processor since it was seen to wait */
        sampler->sums.waiting++;
        if (w->was_seen) sn_watched_note(sampler, t, w, w->trail.last, false, now);
        return;
    }
    w->waiting = UINT64_MAX;
    if (!w->thread.lock && w->thread.state)
        w->thread.lock = sn_interpreter_lock_find(&t->memory, &t->python, w->thread.interpreter);
    sn_stack_leaf leaf = why_it_waits(t, w);
    if (!leaf) {
        t->process.ready++;
        read_thread(sampler, t, w, leaf, now);
        return;
    }
    sampler->sums.waiting++;
    if (sampler->kind == SN_SAMPLE_PROCESSOR) {
        sn_watched_note(sampler, t, w, NULL, false, now);
        if (has_turns) w->waiting = turns;
        return;
    }
    uint64_t before = sampler->sums.stacks;
    read_thread(sampler, t, w, leaf, now);
    if (has_turns && sampler->sums.stacks > before) w->waiting = turns;
}

/* Look at all threads that ran, and at some of those that waited at the last look. When a thread is looked at again depends
 * on what was seen before, and on nothing that it does by then: so each look stands for the time since the one before it. */
static void look_in_turns(sn_stack_sampler *sampler, sn_watched_process *t, uint64_t now) {
    uint32_t stride = (t->idle + IDLE_AT_A_TIME - 1) / IDLE_AT_A_TIME;
    t->idle = 0;
    t->round++;
    for (uint32_t i = 0; i < t->count + t->other_count && t->state == SN_TARGET_LOOKED_AT; i++) {
        sn_watched_thread *w = i < t->count ? &t->threads[i] : &t->others[i - t->count];
        if (w->waiting != UINT64_MAX && stride > 1 && (t->round + i) % stride) w->was_skipped = true;
        else look_at(sampler, t, w, now);
        t->idle += w->waiting != UINT64_MAX;
    }
}

/* Look at those threads that have the lock of their interpreter; the others have nothing that counts. */
static void look_at_holders(sn_stack_sampler *sampler, sn_watched_process *t, uint64_t now) {
    uint64_t lock = 0;
    sn_lock_words words = {0};
    for (uint32_t i = 0; i < t->count && t->state == SN_TARGET_LOOKED_AT; i++) {
        sn_watched_thread *w = &t->threads[i];
        if (!w->thread.lock) w->thread.lock = sn_interpreter_lock_find(&t->memory, &t->python, w->thread.interpreter);
        if (w->thread.lock != lock) {
            sn_piece pieces[SN_LOCK_PIECES];
            sn_read_result result;
            lock = w->thread.lock;
            sn_interpreter_lock_pieces(&t->python.layout, w->thread.interpreter, lock, &words, pieces);
            if (t->memory.read(t->memory.at, pieces, SN_LOCK_PIECES, &result) < SN_LOCK_PIECES) words = (sn_lock_words){0};
        }
        sampler->sums.looks++;
        if (lock && sn_lock_holder(&words) == w->thread.state) read_thread(sampler, t, w, SN_LEAF_NONE, now);
        else sn_watched_note(sampler, t, w, NULL, false, now);
    }
}

static bool is_list_due(sn_watched_process *t) {
    return ++t->since_list * FEW_THREADS >= t->count;
}

static void look_at_target(sn_stack_sampler *sampler, sn_watched_process *t, uint64_t now) {
    if (is_list_due(t)) {
        t->since_list = 0;
        if (!sn_watched_update_list(sampler, t)) return;
    }
    sn_process_clock_look(&t->process, t->has_clock ? sn_clock_ns(t->clock) : 0);
    if (t->native && sampler->kind == SN_SAMPLE_PROCESSOR && now >= t->next_others) sn_watched_update_others(sampler, t, now);
    for (uint32_t i = 0; t->native && i < t->count; i++) sn_pause_settle(&t->threads[i].pause);
    for (uint32_t i = 0; i < t->other_count; i++) sn_pause_settle(&t->others[i].pause);
    if (sampler->kind == SN_SAMPLE_LOCK) {
        look_at_holders(sampler, t, now);
        return;
    }
    look_in_turns(sampler, t, now);
}

void sn_stack_sampler_look(sn_stack_sampler *sampler, uint64_t now) {
    if (!sampler->sums.first_ns) sampler->sums.first_ns = now;
    sampler->sums.last_ns = now;
    for (uint32_t i = 0; i < sampler->count; i++) {
        sn_watched_process *t = &sampler->targets[i];
        if (t->state != SN_TARGET_LOOKED_AT) continue;
        look_at_target(sampler, t, now);
        if (t->state != SN_TARGET_LOOKED_AT) let_go(sampler, t);
    }
}

static void look_then(void *sampler, uint64_t now) { sn_stack_sampler_look(sampler, now); }

void sn_stack_sampler_run(sn_stack_sampler *sampler, uint64_t ns) {
    sn_look_loop_run(&sampler->loop, ns, look_then, sampler);
    sn_still_return(&sampler->still);
}

void sn_stack_sampler_stop(sn_stack_sampler *sampler) { sn_look_loop_stop(&sampler->loop); }

sn_stack_sums sn_stack_sampler_sums(const sn_stack_sampler *sampler) {
    sn_stack_sums sums = sampler->sums;
    sums.rounds = sampler->loop.rounds;
    sums.late = sampler->loop.late;
    sums.without_room += sampler->tree.without_room;
    for (uint32_t i = 0; i < sampler->count; i++) sums.replaced += sampler->targets[i].codes.replaced;
    return sums;
}

const sn_stack_tree *sn_stack_sampler_tree(const sn_stack_sampler *sampler) { return &sampler->tree; }
const sn_code_functions *sn_stack_sampler_functions(const sn_stack_sampler *sampler) { return &sampler->functions; }
uint32_t sn_stack_sampler_targets(const sn_stack_sampler *sampler) { return sampler->count; }

sn_target sn_stack_sampler_target(const sn_stack_sampler *sampler, uint32_t number) {
    const sn_watched_process *t = &sampler->targets[number];
    return (sn_target){(uint32_t)t->pid, t->python.version, t->seen, t->state, t->stacks, t->python.layout.is_free_threaded};
}

uint32_t sn_stack_sampler_threads(const sn_stack_sampler *sampler) { return sampler->thread_count; }

uint32_t sn_stack_sampler_task_groups(const sn_stack_sampler *sampler) { return sampler->group_count; }

const sn_task_group *sn_stack_sampler_task_group(const sn_stack_sampler *sampler, uint32_t number) {
    return &sampler->groups[number];
}

sn_target_thread sn_stack_sampler_thread(const sn_stack_sampler *sampler, uint32_t number) {
    return sampler->threads[number];
}
