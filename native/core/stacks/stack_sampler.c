#define _GNU_SOURCE
#include "stack_sampler.h"

#include "../base/look_loop.h"
#include "../base/thread_schedule.h"
#include "../base/ticks.h"
#include "asyncio_offsets.h"
#include "thread_clock.h"
#include "thread_list.h"

#include <stdlib.h>
#include <string.h>

/* Of so many threads the system's files stay open, three for each. */
#define MOST_KEPT 128u
/* Who asks for more than 1,000 looks a second gets up to half of a processor for them. */
#define OFTEN_NS 900000u
#define PART_WHEN_OFTEN 2u
/* Looks at which the list of threads could not be read, one after the other, until the process counts as lost. */
#define MOST_FAILURES 20u
/* With so many threads or fewer the list is looked at each time; else as often as it has so many. */
#define FEW_THREADS 8u
/* Threads that wait are looked at in turns, so many at a time: of more than that, each the less often. */
#define IDLE_AT_A_TIME 16u
/* asyncio may be imported late: from one search for it to the next. */
#define SEARCH_NS 200000000u

typedef struct {
    uint32_t number; /* of the thread, in order of their appearance in all processes */
    uint64_t native_id;
    sn_stack_thread thread;
    sn_thread_schedule schedule;
    sn_stack_hint hint;
    sn_context *base, *last; /* what it ran at the last look; NULL: nothing that counts */
    bool was_seen, was_skipped; /* the latter since then */
    uint64_t looked;  /* when that was */
    sn_thread_clock clock; /* or that of its process where it has none */
    bool has_clock;
    uint64_t clock_ns; /* its clock at this look */
    uint64_t waiting; /* its turns when it was last seen to wait */
} watched;

typedef struct {
    pid_t pid;
    sn_python python;
    sn_memory_reader memory;
    bool owns_reader;
    sn_code_table codes;
    sn_target_state state;
    watched *threads;
    uint32_t count, room, seen;
    uint64_t interpreter; /* the only one */
    clockid_t clock;      /* of the time in which its threads had a processor */
    bool has_clock;
    uint64_t ran_ns;           /* what it shows at this look */
    uint32_t ready, was_ready; /* threads that had, or wanted, a processor: at this look, at the last */
    uint32_t since_list, failures;
    uint32_t idle, round; /* threads that waited at the last look; looks */
    uint64_t tasks_of, tasks; /* an interpreter, and where its running tasks are; 0: not found */
    uint64_t next_search;     /* for these */
    uint64_t seldom_ns; /* owed to threads that seldom run */
    uint64_t stacks;
} target;

struct sn_stack_sampler {
    sn_look_loop loop;
    sn_sampled_kind kind;
    sn_apart apart;
    target *targets;
    uint32_t count, room;
    sn_code_functions functions;
    sn_stack_reader *reader;
    sn_stack_tree tree;
    sn_target_thread *threads;
    uint32_t thread_count, thread_room;
    uint32_t kept;
    sn_stack_sums sums;
    sn_listed_thread listed[SN_MOST_THREADS];
    sn_task_group groups[SN_MOST_TASK_GROUPS];
    uint32_t group_count;
};

sn_stack_sampler *sn_stack_sampler_create(uint64_t period_ns, sn_sampled_kind kind, sn_apart apart) {
    sn_stack_sampler *sampler = calloc(1, sizeof *sampler);
    if (!sampler) return NULL;
    sn_look_loop_init(&sampler->loop, period_ns);
    if (period_ns < OFTEN_NS) sampler->loop.part_of_time = PART_WHEN_OFTEN;
    sampler->kind = kind;
    sampler->apart = apart;
    sampler->reader = sn_stack_reader_create();
    if (sampler->reader && sn_stack_tree_init(&sampler->tree) == SN_OK) return sampler;
    sn_stack_reader_destroy(sampler->reader);
    free(sampler);
    return NULL;
}

static void let_thread_go(sn_stack_sampler *sampler, watched *w) {
    sampler->kept -= w->schedule.keeps_files;
    sn_thread_schedule_close(&w->schedule);
    w->schedule.keeps_files = false;
}

static void let_go(sn_stack_sampler *sampler, target *t) {
    for (uint32_t i = 0; i < t->count; i++) let_thread_go(sampler, &t->threads[i]);
    free(t->threads);
    t->threads = NULL;
    t->count = t->room = 0;
    if (t->owns_reader) free(t->memory.at);
    t->memory.at = NULL;
    t->owns_reader = false;
    sampler->sums.replaced += t->codes.replaced;
    sn_code_table_free(&t->codes);
}

void sn_stack_sampler_destroy(sn_stack_sampler *sampler) {
    if (!sampler) return;
    for (uint32_t i = 0; i < sampler->count; i++) let_go(sampler, &sampler->targets[i]);
    free(sampler->targets);
    free(sampler->threads);
    sn_code_functions_free(&sampler->functions);
    sn_stack_tree_free(&sampler->tree);
    sn_stack_reader_destroy(sampler->reader);
    free(sampler);
}

static unsigned read_from_system(void *pid, const sn_piece *pieces, unsigned count, sn_read_result *result) {
    return sn_process_read_leading(*(const pid_t *)pid, pieces, count, result);
}

sn_status sn_stack_sampler_add_python(sn_stack_sampler *sampler, pid_t pid, const sn_python *python,
                                      const sn_memory_reader *memory) {
    if (sampler->count == sampler->room) {
        uint32_t room = sampler->room ? 2 * sampler->room : 4;
        target *grown = realloc(sampler->targets, room * sizeof *grown);
        if (!grown) return SN_NO_MEMORY;
        sampler->targets = grown;
        sampler->room = room;
    }
    target *t = &sampler->targets[sampler->count++];
    *t = (target){.pid = pid, .python = *python, .memory = *memory, .since_list = UINT32_MAX / 2};
    sn_code_table_init(&t->codes, &python->layout, python->code_type);
    return SN_OK;
}

sn_python_result sn_stack_sampler_add(sn_stack_sampler *sampler, pid_t pid, sn_status *status) {
    sn_python python;
    *status = SN_OK;
    sn_python_result result = sn_python_find(pid, &python);
    if (result != SN_PYTHON_FOUND) return result;
    if (sampler->kind == SN_SAMPLE_LOCK && python.layout.is_free_threaded) return SN_PYTHON_NO_LOCK;
    pid_t *of = malloc(sizeof *of);
    if (!of) {
        *status = SN_NO_MEMORY;
        return result;
    }
    *of = pid;
    const sn_memory_reader memory = {read_from_system, of};
    *status = sn_stack_sampler_add_python(sampler, pid, &python, &memory);
    if (*status != SN_OK) {
        free(of);
        return result;
    }
    target *t = &sampler->targets[sampler->count - 1];
    t->owns_reader = true;
    t->has_clock = sampler->kind == SN_SAMPLE_PROCESSOR && !clock_getcpuclockid(pid, &t->clock);
    return result;
}

/* Note that there is a thread; false: memory is short. */
static bool number_thread(sn_stack_sampler *sampler, uint32_t process, uint64_t native_id, uint32_t *number) {
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

static bool begin_thread(sn_stack_sampler *sampler, target *t, const sn_listed_thread *listed, watched *w) {
    *w = (watched){.native_id = listed->native_id, .waiting = UINT64_MAX};
    w->thread = (sn_stack_thread){.state = listed->state, .interpreter = listed->interpreter};
    if (!number_thread(sampler, (uint32_t)(t - sampler->targets), listed->native_id, &w->number)) return false;
    bool is_kept = sampler->kept < MOST_KEPT;
    sampler->kept += is_kept;
    w->schedule = sn_thread_schedule_of(t->pid, (pid_t)listed->native_id, is_kept);
    if (sampler->apart) w->base = sn_stack_tree_base(&sampler->tree, w->number);
    t->seen++;
    return true;
}

/* Take over a list that has changed: threads that stay keep what is known of them. */
static bool take_list(sn_stack_sampler *sampler, target *t, uint32_t count) {
    watched *threads = malloc((count ? count : 1) * sizeof *threads);
    if (!threads) return false;
    uint32_t taken = 0;
    for (uint32_t i = 0; i < count; i++) {
        const sn_listed_thread *listed = &sampler->listed[i];
        watched *known = NULL;
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
        if (t->threads[k].thread.state) let_thread_go(sampler, &t->threads[k]);
    free(t->threads);
    t->threads = threads;
    t->count = t->room = taken;
    return true;
}

static bool is_list_due(target *t) {
    return ++t->since_list * FEW_THREADS >= t->count;
}

/* See which threads there are; false when that cannot be told. */
static bool update_list(sn_stack_sampler *sampler, target *t) {
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

/* How long a thread ran since it was looked at last, where the system does not tell its own clock. If it had, or wanted, a
 * processor then and now, that is what the clock of its process tells, which stands while others have the processor: as much
 * of it as it shares with other threads. */
static uint64_t time_since(const target *t, watched *w, const sn_context *context, uint64_t now) {
    uint64_t passed = now - w->looked;
    if (!t->has_clock || !w->last || !context || !w->clock.ran_ns || t->ran_ns < w->clock.ran_ns) {
        w->clock.owed_ns = 0;
        return passed;
    }
    return sn_thread_clock_credited(&w->clock, (t->ran_ns - w->clock.ran_ns) / (t->was_ready ? t->was_ready : 1), passed);
}

/* A thread ran this, or nothing that counts, at this moment. */
static void note(sn_stack_sampler *sampler, target *t, watched *w, sn_context *context, bool is_ready, uint64_t now) {
    bool has_passed = w->was_seen && now > w->looked, is_by_clock = t->has_clock && w->has_clock;
    if (has_passed && is_by_clock) {
        const sn_two_looks looks = {w->last, context, is_ready, w->clock_ns, now - w->looked, now};
        sn_thread_clock_share_out(&w->clock, &looks, &t->seldom_ns, &sampler->tree);
    } else if (has_passed) {
        uint64_t ns = time_since(t, w, context, now);
        if (w->was_skipped) sn_stack_tree_credit_after(&sampler->tree, w->last, context, ns);
        else sn_stack_tree_credit(&sampler->tree, w->last, context, ns);
    }
    w->was_skipped = false;
    w->last = context;
    w->looked = now;
    w->clock.ran_ns = is_by_clock ? w->clock_ns : t->ran_ns;
    if (is_ready || !w->was_seen) w->clock.ready_ns = now;
    w->clock.was_ready = is_ready;
    w->was_seen = true;
    sn_target_thread *thread = &sampler->threads[w->number];
    if (!thread->first_ns) thread->first_ns = now;
    thread->last_ns = now;
}

/* The group of tasks with this name; NULL: memory is short. */
static sn_task_group *group_named(sn_stack_sampler *sampler, uint32_t process, bool is_named, const char *name,
                                  uint32_t bytes) {
    for (uint32_t i = 0; i < sampler->group_count; i++) {
        sn_task_group *group = &sampler->groups[i];
        if (sampler->threads[group->thread].process == process && group->is_named == is_named && group->bytes == bytes &&
            !memcmp(group->name, name, bytes))
            return group;
    }
    if (sampler->group_count == SN_MOST_TASK_GROUPS) return &sampler->groups[SN_MOST_TASK_GROUPS - 1];
    sn_task_group *group = &sampler->groups[sampler->group_count];
    if (!number_thread(sampler, process, 0, &group->thread)) return NULL;
    group->is_named = is_named;
    group->bytes = ++sampler->group_count == SN_MOST_TASK_GROUPS ? 0 : bytes;
    memcpy(group->name, name, group->bytes);
    return group;
}

/* Below which a stack is to be: the task that runs it, or its thread. */
static sn_context *base_of(sn_stack_sampler *sampler, target *t, const watched *w, uint64_t now) {
    char name[SN_TASK_NAME];
    uint32_t bytes = 0, code = 0;
    if (sampler->apart != SN_APART_TASKS || !w->thread.coroutine_count) return w->base;
    if ((t->tasks_of != w->thread.interpreter || !t->tasks) && now >= t->next_search) {
        t->tasks_of = w->thread.interpreter;
        if (!t->python.layout.task_coroutine && sn_asyncio_layout_find(t->pid, &t->python.layout))
            t->codes.layout = t->python.layout;
        t->tasks = sn_task_find_running(&t->memory, &t->python, t->tasks_of);
        t->next_search = now + (t->tasks ? 0 : SEARCH_NS);
    }
    if (t->tasks_of != w->thread.interpreter || !t->tasks) return w->base;
    sn_task_result result = sn_task_of(&t->memory, &t->codes, t->tasks, &w->thread, &code, name, &bytes);
    if (!result) return w->base;
    if (result == SN_TASK_NUMBERED) {
        const sn_code_function *f = &sampler->functions.functions[t->codes.codes[code].function];
        bytes = f->name_bytes < SN_TASK_NAME ? f->name_bytes : SN_TASK_NAME;
        memcpy(name, f->name, bytes);
    }
    sn_task_group *group = group_named(sampler, (uint32_t)(t - sampler->targets), result == SN_TASK_NAMED, name, bytes);
    if (!group) return w->base;
    sn_target_thread *thread = &sampler->threads[group->thread];
    if (!thread->first_ns) thread->first_ns = now;
    thread->last_ns = now;
    return sn_stack_tree_base(&sampler->tree, group->thread);
}

/* Whether a thread is ready only since it was woken to ask for the lock, which another one has: it does so again and again where
 * threads contend, and runs none of the code that it is in. */
static bool asks_for_lock(const sn_stack_sampler *sampler, const target *t, const watched *w, uint64_t now) {
    uint64_t holder = sn_lock_holder(&w->thread.words);
    return sampler->kind == SN_SAMPLE_PROCESSOR && t->has_clock && w->has_clock && w->was_seen && holder &&
           holder != w->thread.state && sn_thread_clock_is_woken(&w->clock, w->clock_ns, now - w->looked);
}

static void note_stack(sn_stack_sampler *sampler, target *t, watched *w, const sn_stack_frame *frames, uint32_t count,
                       sn_stack_leaf leaf, uint64_t now) {
    if (!leaf && asks_for_lock(sampler, t, w, now)) {
        sampler->sums.waiting++;
        note(sampler, t, w, NULL, false, now);
        return;
    }
    if (!leaf && w->thread.words.collecting && sn_lock_holder(&w->thread.words) == w->thread.state)
        leaf = SN_LEAF_COLLECTS;
    sn_context *context = sn_stack_tree_place(&sampler->tree, base_of(sampler, t, w, now), &t->codes, frames, count, leaf);
    if (!context) return;
    sampler->sums.stacks++;
    t->stacks++;
    if (!leaf) {
        const sn_stack_frame *top = &frames[count - 1];
        sn_stack_tree_line(&sampler->tree, t->codes.codes[top->code].function, top->line);
    }
    note(sampler, t, w, context, leaf != SN_LEAF_WAITS && leaf != SN_LEAF_WAITS_FOR_LOCK, now);
}

static void read_thread(sn_stack_sampler *sampler, target *t, watched *w, sn_stack_leaf leaf, uint64_t now) {
    const sn_stack_frame *frames;
    uint32_t count;
    sn_stack_sums *sums = &sampler->sums;
    if (!w->thread.lock) w->thread.lock = sn_interpreter_lock_find(&t->memory, &t->python, w->thread.interpreter);
    switch (sn_stack_read(sampler->reader, &t->memory, &t->codes, &sampler->functions, &w->thread, &w->hint, &frames, &count)) {
    case SN_STACK_CUT:
        sums->cut++;
        note_stack(sampler, t, w, frames, count, leaf, now);
        break;
    case SN_STACK_READ:
        note_stack(sampler, t, w, frames, count, leaf, now);
        break;
    case SN_STACK_EMPTY:
        sums->outside++;
        note(sampler, t, w, NULL, leaf == SN_LEAF_NONE, now);
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
static sn_stack_leaf why_it_waits(const target *t, watched *w) {
    uint64_t address = 0;
    sn_thread_wait wait = sn_thread_schedule_wait(&w->schedule, &address);
    if (wait == SN_WAIT_UNKNOWN) return sn_thread_schedule_is_ready(&w->schedule) ? SN_LEAF_NONE : SN_LEAF_WAITS;
    if (wait == SN_WAIT_NONE) return SN_LEAF_NONE;
    bool is_in_lock = wait == SN_WAIT_FUTEX && sn_is_in_lock(&t->python.layout, w->thread.lock, address);
    return is_in_lock ? SN_LEAF_WAITS_FOR_LOCK : SN_LEAF_WAITS;
}

static void look_at(sn_stack_sampler *sampler, target *t, watched *w, uint64_t now) {
    uint64_t turns = 0;
    sampler->sums.looks++;
    bool has_turns = sn_thread_schedule_time(&w->schedule, &w->clock_ns, &turns);
    w->has_clock = has_turns;
    if (has_turns && turns == w->waiting) { /* it has had no processor since it was seen to wait */
        sampler->sums.waiting++;
        if (w->was_seen) note(sampler, t, w, w->last, false, now);
        return;
    }
    w->waiting = UINT64_MAX;
    if (!w->thread.lock) w->thread.lock = sn_interpreter_lock_find(&t->memory, &t->python, w->thread.interpreter);
    sn_stack_leaf leaf = why_it_waits(t, w);
    if (!leaf) {
        t->ready++;
        read_thread(sampler, t, w, leaf, now);
        return;
    }
    sampler->sums.waiting++;
    if (sampler->kind == SN_SAMPLE_PROCESSOR) {
        note(sampler, t, w, NULL, false, now);
        if (has_turns) w->waiting = turns;
        return;
    }
    uint64_t before = sampler->sums.stacks;
    read_thread(sampler, t, w, leaf, now);
    if (has_turns && sampler->sums.stacks > before) w->waiting = turns;
}

/* Look at all threads that ran, and at some of those that waited at the last look. When a thread is looked at again depends
 * on what was seen before, and on nothing that it does by then: so each look stands for the time since the one before it. */
static void look_in_turns(sn_stack_sampler *sampler, target *t, uint64_t now) {
    uint32_t stride = (t->idle + IDLE_AT_A_TIME - 1) / IDLE_AT_A_TIME;
    t->idle = 0;
    t->round++;
    for (uint32_t i = 0; i < t->count && t->state == SN_TARGET_LOOKED_AT; i++) {
        watched *w = &t->threads[i];
        if (w->waiting != UINT64_MAX && stride > 1 && (t->round + i) % stride) w->was_skipped = true;
        else look_at(sampler, t, w, now);
        t->idle += w->waiting != UINT64_MAX;
    }
}

/* Look at those threads that have the lock of their interpreter; the others have nothing that counts. */
static void look_at_holders(sn_stack_sampler *sampler, target *t, uint64_t now) {
    uint64_t lock = 0;
    sn_lock_words words = {0};
    for (uint32_t i = 0; i < t->count && t->state == SN_TARGET_LOOKED_AT; i++) {
        watched *w = &t->threads[i];
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
        else note(sampler, t, w, NULL, false, now);
    }
}

static void look_at_target(sn_stack_sampler *sampler, target *t, uint64_t now) {
    if (is_list_due(t)) {
        t->since_list = 0;
        if (!update_list(sampler, t)) return;
    }
    if (t->has_clock) t->ran_ns = sn_clock_ns(t->clock);
    t->was_ready = t->ready;
    t->ready = 0;
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
        target *t = &sampler->targets[i];
        if (t->state != SN_TARGET_LOOKED_AT) continue;
        look_at_target(sampler, t, now);
        if (t->state != SN_TARGET_LOOKED_AT) let_go(sampler, t);
    }
}

static void look_then(void *sampler, uint64_t now) { sn_stack_sampler_look(sampler, now); }

void sn_stack_sampler_run(sn_stack_sampler *sampler, uint64_t ns) {
    sn_look_loop_run(&sampler->loop, ns, look_then, sampler);
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
    const target *t = &sampler->targets[number];
    return (sn_target){(uint32_t)t->pid, t->python.version, t->seen, t->state, t->stacks};
}

uint32_t sn_stack_sampler_threads(const sn_stack_sampler *sampler) { return sampler->thread_count; }

uint32_t sn_stack_sampler_task_groups(const sn_stack_sampler *sampler) { return sampler->group_count; }

const sn_task_group *sn_stack_sampler_task_group(const sn_stack_sampler *sampler, uint32_t number) {
    return &sampler->groups[number];
}

sn_target_thread sn_stack_sampler_thread(const sn_stack_sampler *sampler, uint32_t number) {
    return sampler->threads[number];
}
