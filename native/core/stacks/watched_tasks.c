#include "watched.h"

#include "asyncio_offsets.h"

#include <stdlib.h>
#include <string.h>

/* asyncio may be imported late: from one search for it to the next. */
#define SEARCH_NS 200000000u

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
    if (!sn_watched_number(sampler, process, 0, &group->thread)) return NULL;
    group->is_named = is_named;
    group->bytes = ++sampler->group_count == SN_MOST_TASK_GROUPS ? 0 : bytes;
    memcpy(group->name, name, group->bytes);
    return group;
}

/* Whether tasks of this thread's interpreter can be seen. */
static bool has_tasks(sn_watched_process *t, const sn_watched_thread *w) {
    return t->tasks_of == w->thread.interpreter && t->tasks && t->known_tasks;
}

void sn_watched_tasks(sn_stack_sampler *sampler, sn_watched_process *t, const sn_watched_thread *w, uint64_t now) {
    if (sampler->apart != SN_APART_TASKS || !w->thread.state) return;
    if ((t->tasks_of != w->thread.interpreter || !t->tasks) && now >= t->next_search) {
        t->tasks_of = w->thread.interpreter;
        if (!t->python.layout.task_coroutine && sn_asyncio_layout_find(t->pid, &t->python.layout))
            t->codes.layout = t->python.layout;
        t->tasks = sn_task_find_running(&t->memory, &t->python, t->tasks_of);
        t->next_search = now + (t->tasks ? 0 : SEARCH_NS);
        if (t->tasks && !t->known_tasks) t->known_tasks = calloc(SN_KNOWN_TASKS, sizeof *t->known_tasks);
    }
    if (has_tasks(t, w)) sn_task_remember(&t->memory, &t->codes, t->tasks, w->thread.state, t->known_tasks);
}

sn_context *sn_watched_base(sn_stack_sampler *sampler, sn_watched_process *t, const sn_watched_thread *w, uint64_t now) {
    char name[SN_TASK_NAME];
    uint32_t bytes = 0, code = 0;
    if (sampler->apart != SN_APART_TASKS || !w->thread.coroutine_count || !has_tasks(t, w)) return w->base;
    sn_task_result result = sn_task_of(&t->memory, &t->codes, t->tasks, t->known_tasks, &w->thread, &code, name, &bytes);
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
