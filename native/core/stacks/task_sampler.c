#define _GNU_SOURCE
#include "task_sampler.h"

#include "../base/look_loop.h"
#include "../base/ticks.h"
#include "asyncio_offsets.h"
#include "emptied_map.h"
#include "presence.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Looks at which nothing of a process could be read, one after the other, until it counts as lost. */
#define MOST_FAILURES 20u
/* Tasks above one another in a context, and their frames. */
enum { MOST_ABOVE = 32 };
/* From so many groups on numbers in names of tasks do not count. */
enum { MANY_GROUPS = 64 };
enum { MODULE_SEARCH_NS = 200000000 };
/* Looking takes one part in so many of a processor at most. */
enum { PART_OF_TIME = 10 };
/* Who looks for so long gets a processor as others do: a thread that is served first would keep the program from its own. */
enum { LONG_LOOK_NS = 2000000 };

/* A task whose name is known. */
typedef struct {
    uint64_t address, coroutine, name;
    uint32_t group;
    uint64_t round; /* at which it was seen last */
    uint32_t next_free;
} followed;

typedef struct {
    pid_t pid;
    sn_python python;
    sn_memory_reader memory;
    bool had_tasks;
    sn_code_table codes;
    sn_waiting_tasks *waiting;
    sn_target_state state;
    followed *tasks;
    uint32_t count, room, free; /* free: the first place that is not used, + 1 */
    struct sn_word_map by_address;
    sn_presence presence;
    uint64_t looked, next_search;
    uint32_t failures;
    uint64_t stacks;
} target;

struct sn_task_sampler {
    sn_look_loop loop;
    target *targets;
    uint32_t count, room;
    sn_code_functions functions;
    sn_stack_reader *reader;
    sn_stack_tree tree;
    sn_target_thread *threads; /* what stands for groups */
    sn_task_group groups[SN_MOST_TASK_GROUPS];
    uint32_t group_count;
    uint64_t round;
    bool was_long;       /* a look */
    uint64_t rest_until; /* no looks, so that they do not take too much: the loop itself goes on, and can be stopped */
    sn_task_sampler_sums sums;
};

sn_task_sampler *sn_task_sampler_create(uint64_t period_ns) {
    sn_task_sampler *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    sn_look_loop_init(&s->loop, period_ns);
    s->loop.part_of_time = 0;
    s->reader = sn_stack_reader_create();
    s->threads = calloc(SN_MOST_TASK_GROUPS, sizeof *s->threads);
    if (s->reader && s->threads && sn_stack_tree_init(&s->tree) == SN_OK) return s;
    sn_stack_reader_destroy(s->reader);
    free(s->threads);
    free(s);
    return NULL;
}

static void add_up(sn_task_sums *to, sn_task_sums more) {
    to->seen += more.seen;
    to->changed += more.changed;
    to->not_in_c += more.not_in_c;
    to->too_many += more.too_many;
    to->cut += more.cut;
    to->without_room += more.without_room;
}

static void let_go(sn_task_sampler *s, target *t) {
    s->sums.replaced += t->codes.replaced;
    sn_code_table_free(&t->codes);
    if (t->waiting) add_up(&s->sums.tasks, sn_waiting_sums(t->waiting));
    sn_waiting_destroy(t->waiting);
    t->waiting = NULL;
    free(t->tasks);
    t->tasks = NULL;
    t->count = t->room = t->free = 0;
    sn_map_free(&t->by_address);
    sn_presence_free(&t->presence);
}

void sn_task_sampler_destroy(sn_task_sampler *s) {
    if (!s) return;
    for (uint32_t i = 0; i < s->count; i++) let_go(s, &s->targets[i]);
    free(s->targets);
    free(s->threads);
    sn_code_functions_free(&s->functions);
    sn_stack_tree_free(&s->tree);
    sn_stack_reader_destroy(s->reader);
    free(s);
}

sn_status sn_task_sampler_add_python(sn_task_sampler *s, pid_t pid, const sn_python *python, const sn_memory_reader *memory) {
    if (s->count == s->room) {
        uint32_t room = s->room ? 2 * s->room : 4;
        target *grown = realloc(s->targets, room * sizeof *grown);
        if (!grown) return SN_NO_MEMORY;
        s->targets = grown;
        s->room = room;
    }
    sn_waiting_tasks *waiting = sn_waiting_create();
    if (!waiting) return SN_NO_MEMORY;
    target *t = &s->targets[s->count++];
    *t = (target){.pid = pid, .python = *python, .memory = *memory, .waiting = waiting};
    sn_code_table_init(&t->codes, &python->layout, python->code_type);
    return SN_OK;
}

sn_python_result sn_task_sampler_add(sn_task_sampler *s, pid_t pid, sn_status *status) {
    sn_python python;
    *status = SN_OK;
    sn_python_result result = sn_python_find(pid, &python);
    if (result != SN_PYTHON_FOUND) return result;
    const sn_memory_reader memory = sn_memory_of_process(pid);
    *status = sn_task_sampler_add_python(s, pid, &python, &memory);
    return result;
}

/* Numbers in a name are one star each: there are many that differ in these alone. */
static uint32_t without_numbers(char *name, uint32_t bytes) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < bytes; i++) {
        bool is_digit = name[i] >= '0' && name[i] <= '9';
        if (is_digit && kept && name[kept - 1] == '*') continue;
        name[kept++] = is_digit ? '*' : name[i];
    }
    return kept;
}

/* The group of tasks with this name, by number. */
static uint32_t group_named(sn_task_sampler *s, uint32_t process, bool is_named, char *name, uint32_t bytes, uint64_t now) {
    uint32_t i = 0;
    if (is_named && s->group_count >= MANY_GROUPS) bytes = without_numbers(name, bytes);
    for (; i < s->group_count; i++) {
        const sn_task_group *g = &s->groups[i];
        if (s->threads[i].process == process && g->is_named == is_named && g->bytes == bytes && !memcmp(g->name, name, bytes)) return i;
    }
    if (i == SN_MOST_TASK_GROUPS) return i - 1; /* those beyond have it together */
    bool is_last = ++s->group_count == SN_MOST_TASK_GROUPS;
    s->groups[i] = (sn_task_group){.thread = i, .is_named = is_named, .bytes = is_last ? 0 : bytes};
    memcpy(s->groups[i].name, name, s->groups[i].bytes);
    s->threads[i] = (sn_target_thread){process, 0, now, now};
    return i;
}

/* Tasks that were given a name have it in common; others the function of their coroutine. */
static uint32_t group_of(sn_task_sampler *s, target *t, const sn_seen_task *task, uint64_t now) {
    char name[SN_TASK_NAME];
    uint32_t bytes = sn_waiting_name(t->waiting, &t->memory, &t->codes, task->name, name, sizeof name);
    bool is_named = bytes && !sn_task_is_numbered(name, bytes);
    if (!is_named && task->count) {
        const sn_code_function *f = &s->functions.functions[sn_waiting_frames(t->waiting)[task->first].function];
        bytes = f->name_bytes < sizeof name ? f->name_bytes : sizeof name;
        memcpy(name, f->name, bytes);
    } else if (!is_named) {
        bytes = (uint32_t)strlen(task->made_of);
        memcpy(name, task->made_of, bytes);
    }
    return group_named(s, (uint32_t)(t - s->targets), is_named, name, bytes, now);
}

/* The tasks above one another, the innermost first; returns how many. In a circle each one begins with itself. */
static uint32_t above(const sn_seen_task *tasks, uint32_t index, uint32_t path[MOST_ABOVE]) {
    uint32_t count = 0;
    for (uint32_t at = index; count < MOST_ABOVE; at = tasks[at].awaiters[0]) {
        for (uint32_t i = 0; i < count; i++)
            if (path[i] == at) return 1;
        path[count++] = at;
        if (!tasks[at].awaiter_count) return count;
    }
    return 1;
}

static sn_stack_leaf leaf_of(sn_task_state state) {
    if (state == SN_TASK_RUNS) return SN_LEAF_NONE;
    if (state == SN_TASK_READY) return (sn_stack_leaf)SN_TASK_LEAF_READY;
    return (sn_stack_leaf)(state == SN_TASK_WAITS ? SN_TASK_LEAF_WAITS : SN_TASK_LEAF_WAITS_FOR_TASKS);
}

static sn_context *context_of(sn_task_sampler *s, const target *t, sn_context *base, uint32_t index) {
    uint32_t seen_count, path[MOST_ABOVE], line = 0;
    const sn_seen_task *seen = sn_waiting_seen(t->waiting, &seen_count);
    const sn_chain_frame *frames = sn_waiting_frames(t->waiting);
    sn_context *at = base;
    const sn_chain_frame *innermost = NULL;
    for (uint32_t i = above(seen, index, path); i > 0 && at; i--) {
        const sn_seen_task *task = &seen[path[i - 1]];
        for (uint32_t f = 0; f < task->count && at; f++) {
            innermost = &frames[task->first + f];
            at = sn_stack_tree_below(&s->tree, at, innermost->function, line);
            line = innermost->line;
        }
    }
    if (at) at = sn_stack_tree_leaf(&s->tree, at, line, leaf_of(seen[index].state));
    if (at && innermost) sn_stack_tree_line(&s->tree, innermost->function, innermost->line);
    return at;
}

/* The place of a task that is followed, or is to be from now on; NULL: memory is short. */
static followed *follow(sn_task_sampler *s, target *t, const sn_seen_task *task, uint64_t now) {
    uint32_t index = sn_word_get(&t->by_address, task->address);
    followed *known = index ? &t->tasks[index - 1] : NULL;
    if (known && known->coroutine == task->coroutine && known->name == task->name) return known;
    if (!known && t->free) {
        index = t->free;
        t->free = t->tasks[index - 1].next_free;
    } else if (!known) {
        if (t->count == t->room) {
            uint32_t room = t->room ? 2 * t->room : 256;
            followed *grown = realloc(t->tasks, room * sizeof *grown);
            if (!grown) return NULL;
            t->tasks = grown;
            t->room = room;
        }
        index = ++t->count;
    }
    followed *f = &t->tasks[index - 1];
    *f = (followed){.address = task->address, .coroutine = task->coroutine, .name = task->name};
    if (!known && !sn_word_set(&t->by_address, task->address, index)) {
        *f = (followed){.next_free = t->free};
        t->free = index;
        return NULL;
    }
    f->group = group_of(s, t, task, now);
    return f;
}

/* Forget those that were not seen any more. */
static void let_ended_go(sn_task_sampler *s, target *t) {
    for (uint32_t i = 0; i < t->count; i++) {
        followed *f = &t->tasks[i];
        if (!f->address || f->round == s->round) continue;
        sn_word_remove(&t->by_address, f->address);
        *f = (followed){.next_free = t->free};
        t->free = i + 1;
    }
}

static void note(sn_task_sampler *s, target *t, uint64_t now) {
    uint32_t count;
    const sn_seen_task *seen = sn_waiting_seen(t->waiting, &count);
    for (uint32_t i = 0; i < count; i++) {
        followed *f = follow(s, t, &seen[i], now);
        sn_context *context = NULL;
        if (f) {
            f->round = s->round;
            s->threads[f->group].last_ns = now;
            context = context_of(s, t, sn_stack_tree_base(&s->tree, f->group), i);
        }
        bool is_noted = context && sn_presence_add(&t->presence, context, seen[i].state == SN_TASK_RUNS && seen[i].count);
        s->sums.without_room += !is_noted;
    }
    let_ended_go(s, t);
    sn_presence_share_out(&t->presence, &s->tree, t->looked ? now - t->looked : 0);
    t->looked = now;
    t->stacks += count;
}

/* Look at one process; whether it has tasks. */
static bool look_at(sn_task_sampler *s, target *t, uint64_t now) {
    if (now < t->next_search) return false;
    if (!t->python.layout.task_coroutine && sn_asyncio_layout_find(t->pid, &t->python.layout)) t->codes.layout = t->python.layout;
    switch (sn_waiting_look(t->waiting, &t->memory, &t->python, &t->codes, &s->functions, s->reader)) {
    case SN_WAITING_READ:
        t->failures = 0;
        t->had_tasks = s->sums.has_asyncio = true;
        s->sums.looks++;
        note(s, t, now);
        return true;
    case SN_WAITING_NO_ASYNCIO:
        if (t->had_tasks && ++t->failures == MOST_FAILURES) t->state = SN_TARGET_LOST;
        t->next_search = now + MODULE_SEARCH_NS / (t->had_tasks ? MOST_FAILURES : 1);
        break;
    case SN_WAITING_UNKNOWN:
        s->sums.is_unknown = true;
        t->state = SN_TARGET_LOST;
        break;
    case SN_WAITING_OVER:
        t->state = SN_TARGET_ENDED;
        break;
    case SN_WAITING_FORBIDDEN:
        t->state = SN_TARGET_LOST;
        break;
    case SN_WAITING_NO_MEMORY:
        s->sums.without_room++;
        break;
    }
    return false;
}

static uint64_t ran_ns(void) {
    struct timespec ran;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran);
    return (uint64_t)ran.tv_sec * 1000000000u + (uint64_t)ran.tv_nsec;
}

void sn_task_sampler_look(sn_task_sampler *s, uint64_t now) {
    uint64_t before = ran_ns();
    bool has_looked = false;
    s->round++;
    for (uint32_t i = 0; i < s->count; i++) {
        target *t = &s->targets[i];
        if (t->state != SN_TARGET_LOOKED_AT) continue;
        has_looked |= look_at(s, t, now);
        if (t->state != SN_TARGET_LOOKED_AT) let_go(s, t);
    }
    uint64_t took = ran_ns() - before;
    s->sums.took_ns += took;
    s->was_long |= took >= LONG_LOOK_NS;
    if (!has_looked) return;
    if (!s->sums.first_ns) s->sums.first_ns = now;
    s->sums.last_ns = now;
    s->sums.rounds++;
}

static void look_then(void *at, uint64_t now) {
    sn_task_sampler *s = at;
    bool was_long = s->was_long;
    if (now < s->rest_until) return;
    uint64_t took = s->sums.took_ns;
    sn_task_sampler_look(s, now);
    s->rest_until = sn_monotonic_ns() + PART_OF_TIME * (s->sums.took_ns - took);
    const struct sched_param none = {.sched_priority = 0};
    if (s->was_long && !was_long) sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &none);
}

void sn_task_sampler_run(sn_task_sampler *s, uint64_t ns) { sn_look_loop_run(&s->loop, ns, look_then, s); }
void sn_task_sampler_stop(sn_task_sampler *s) { sn_look_loop_stop(&s->loop); }

sn_task_sampler_sums sn_task_sampler_told(const sn_task_sampler *s) {
    sn_task_sampler_sums sums = s->sums;
    sums.late = s->loop.late;
    sums.without_room += s->tree.without_room;
    for (uint32_t i = 0; i < s->count; i++) {
        sums.replaced += s->targets[i].codes.replaced;
        if (s->targets[i].waiting) add_up(&sums.tasks, sn_waiting_sums(s->targets[i].waiting));
    }
    return sums;
}

const sn_stack_tree *sn_task_sampler_tree(const sn_task_sampler *s) { return &s->tree; }
const sn_code_functions *sn_task_sampler_functions(const sn_task_sampler *s) { return &s->functions; }
uint32_t sn_task_sampler_targets(const sn_task_sampler *s) { return s->count; }

sn_target sn_task_sampler_target(const sn_task_sampler *s, uint32_t number) {
    const target *t = &s->targets[number];
    return (sn_target){(uint32_t)t->pid, t->python.version, 0, t->state, t->stacks, t->python.layout.is_free_threaded};
}

uint32_t sn_task_sampler_groups(const sn_task_sampler *s) { return s->group_count; }
const sn_task_group *sn_task_sampler_group(const sn_task_sampler *s, uint32_t number) { return &s->groups[number]; }
sn_target_thread sn_task_sampler_thread(const sn_task_sampler *s, uint32_t number) { return s->threads[number]; }

const sn_seen_task *sn_task_sampler_seen(const sn_task_sampler *s, uint32_t number, uint32_t *count) {
    const target *t = &s->targets[number];
    *count = 0;
    return t->waiting ? sn_waiting_seen(t->waiting, count) : NULL;
}

const sn_chain_frame *sn_task_sampler_frames(const sn_task_sampler *s, uint32_t number) {
    const target *t = &s->targets[number];
    return t->waiting ? sn_waiting_frames(t->waiting) : NULL;
}

uint32_t sn_task_sampler_name(sn_task_sampler *s, uint32_t number, const sn_seen_task *task, char name[SN_TASK_NAME]) {
    target *t = &s->targets[number];
    return t->waiting ? sn_waiting_name(t->waiting, &t->memory, &t->codes, task->name, name, SN_TASK_NAME) : 0;
}
