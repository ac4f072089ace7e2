#include "task_awaiters.h"

#include "emptied_map.h"
#include "instance_values.h"

#include <stdlib.h>

/* Of a list of callbacks, of cells or arguments, so many are looked at. */
enum { MOST_CALLBACKS = 8, MOST_CELLS = 8, MOST_DEPTH = 4 };
enum { MOST_KNOWN = 1 << 17, CALLBACK_HEAD = 32 };

static sn_object_kind kind_of(const sn_awaiter_means *m, uint64_t object) {
    return sn_object_kind_at(m->types, m->memory, object ? sn_read_word(m->memory, object + m->layout->object_type) : 0);
}

void sn_awaiters_forget(sn_awaiter_search *search) {
    sn_map_empty(&search->by_object);
    search->count = 0;
}

void sn_awaiters_free(sn_awaiter_search *search) {
    sn_map_free(&search->by_object);
    free(search->known);
    *search = (sn_awaiter_search){0};
}

static void add(sn_awaiters *found, sn_awaiter awaiter) {
    for (uint32_t i = 0; i < found->count; i++)
        if (found->found[i].task == awaiter.task) return;
    if (found->count < SN_MOST_AWAITERS) found->found[found->count++] = awaiter;
}

static void add_all(sn_awaiters *found, const sn_awaiters *more) {
    for (uint32_t i = 0; i < more->count; i++) add(found, more->found[i]);
}

static void follow_callback(const sn_awaiter_means *m, uint64_t future, uint64_t callback, uint32_t depth, sn_awaiters *found);
static void follow_others(const sn_awaiter_means *m, uint64_t future, uint64_t callbacks, uint32_t depth, sn_awaiters *found);

/* Who awaits a future that something refers to. */
static void follow_future(const sn_awaiter_means *m, uint64_t future, uint32_t depth, sn_awaiters *found) {
    uint64_t words[3]; /* the first callback, its context, the list of the others */
    if (depth >= MOST_DEPTH || !sn_read_one(m->memory, future + SN_FUTURE_CALLBACK, words, sizeof words)) return;
    follow_callback(m, future, words[0], depth + 1, found);
    follow_others(m, future, words[2], depth + 1, found);
}

/* What a callback has by a cell or as an argument: a future, or a group of tasks. */
static void follow_held(const sn_awaiter_means *m, uint64_t object, uint32_t depth, sn_awaiters *found) {
    uint64_t values[SN_MOST_VALUES];
    uint64_t type_at = sn_read_word(m->memory, object + m->layout->object_type);
    const sn_object_type *type = object ? sn_object_type_at(m->types, m->memory, type_at) : NULL;
    if (!type) return;
    if (type->kind == SN_OBJECT_FUTURE) {
        follow_future(m, object, depth, found);
        return;
    }
    if (type->kind != SN_OBJECT_GROUP) return;
    uint32_t count = sn_instance_values(m->memory, m->layout, m->tasks, object, type, values);
    for (uint32_t i = 0; i < count; i++)
        if (kind_of(m, values[i]) == SN_OBJECT_FUTURE) follow_future(m, values[i], depth, found);
}

static void follow_tuple(const sn_awaiter_means *m, uint64_t tuple, bool of_cells, uint32_t depth, sn_awaiters *found) {
    uint64_t items[MOST_CELLS], size = 0;
    if (kind_of(m, tuple) != SN_OBJECT_TUPLE || !sn_read_one(m->memory, tuple + SN_SIZE_AT, &size, sizeof size)) return;
    if (size > MOST_CELLS) size = MOST_CELLS;
    if (!size || !sn_read_one(m->memory, tuple + m->tasks->tuple_items, items, size * sizeof *items)) return;
    for (uint64_t i = 0; i < size; i++) {
        if (of_cells && kind_of(m, items[i]) != SN_OBJECT_CELL) continue;
        follow_held(m, of_cells ? sn_read_word(m->memory, items[i] + SN_HOLDS_AT) : items[i], depth, found);
    }
}

/* The same closure is a callback of all that `gather` gathers, the same group one of all its tasks: each is followed once. */
static void follow_once(const sn_awaiter_means *m, uint64_t object, sn_object_kind kind, uint32_t depth, sn_awaiters *found) {
    sn_awaiter_search *s = m->search;
    uint32_t known = sn_word_get(&s->by_object, object);
    if (known) {
        add_all(found, &s->known[known - 1]);
        return;
    }
    sn_awaiters all = {0};
    if (kind == SN_OBJECT_FUNCTION) follow_tuple(m, sn_read_word(m->memory, object + SN_CLOSURE), true, depth, &all);
    else if (kind == SN_OBJECT_PARTIAL) follow_tuple(m, sn_read_word(m->memory, object + SN_PARTIAL_ARGUMENTS), false, depth, &all);
    else follow_held(m, object, depth, &all);
    add_all(found, &all);
    if (s->count == s->room && s->count < MOST_KNOWN) {
        uint32_t room = s->room ? 2 * s->room : 256;
        sn_awaiters *grown = realloc(s->known, room * sizeof *grown);
        if (!grown) return;
        s->known = grown;
        s->room = room;
    }
    if (s->count == s->room || !sn_word_set(&s->by_object, object, s->count + 1)) return;
    s->known[s->count++] = all;
}

static void follow_known(const sn_awaiter_means *m, uint64_t callback, const sn_callbacks *c, uint32_t depth, sn_awaiters *found) {
    sn_object_kind kind = sn_object_kind_at(m->types, m->memory, c->type);
    if (kind == SN_OBJECT_FUNCTION || kind == SN_OBJECT_PARTIAL) follow_once(m, callback, kind, depth, found);
    if (kind != SN_OBJECT_BUILTIN && kind != SN_OBJECT_METHOD) return;
    sn_object_kind bound = sn_object_kind_at(m->types, m->memory, c->bound_type);
    if (kind == SN_OBJECT_BUILTIN && bound == SN_OBJECT_TASK) add(found, (sn_awaiter){c->bound_to, c->future});
    if (kind == SN_OBJECT_METHOD && bound == SN_OBJECT_GROUP) follow_once(m, c->bound_to, SN_OBJECT_GROUP, depth, found);
}

static void follow_callback(const sn_awaiter_means *m, uint64_t future, uint64_t callback, uint32_t depth, sn_awaiters *found) {
    uint64_t head[CALLBACK_HEAD / SN_WORD];
    if (!callback || !sn_read_one(m->memory, callback, head, sizeof head)) return;
    sn_callbacks c = {.future = future, .type = head[m->layout->object_type / SN_WORD], .bound_to = head[SN_BOUND_TO / SN_WORD]};
    c.bound_type = sn_read_word(m->memory, c.bound_to ? c.bound_to + m->layout->object_type : 0);
    follow_known(m, callback, &c, depth, found);
}

static void follow_others(const sn_awaiter_means *m, uint64_t future, uint64_t callbacks, uint32_t depth, sn_awaiters *found) {
    uint64_t pairs[MOST_CALLBACKS], words[2]; /* its size, where its items are */
    if (!callbacks || kind_of(m, callbacks) != SN_OBJECT_LIST) return;
    if (!sn_read_one(m->memory, callbacks + SN_SIZE_AT, words, sizeof words)) return;
    if (words[0] > MOST_CALLBACKS) words[0] = MOST_CALLBACKS;
    if (!words[0] || !sn_read_one(m->memory, words[1], pairs, words[0] * sizeof *pairs)) return;
    for (uint64_t i = 0; i < words[0]; i++) /* each with its context */
        if (kind_of(m, pairs[i]) == SN_OBJECT_TUPLE)
            follow_callback(m, future, sn_read_word(m->memory, pairs[i] + m->tasks->tuple_items), depth, found);
}

bool sn_callbacks_read(const sn_awaiter_means *m, sn_callbacks *all, uint32_t count, sn_read_result *why) {
    sn_piece pieces[SN_CALLBACKS_AT_ONCE];
    bool is_there[SN_CALLBACKS_AT_ONCE];
    uint64_t heads[SN_CALLBACKS_AT_ONCE][CALLBACK_HEAD / SN_WORD];
    uint32_t which[SN_CALLBACKS_AT_ONCE], used = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!all[i].first) continue;
        which[used] = i;
        pieces[used] = (sn_piece){all[i].first, heads[used], sizeof heads[used]};
        used++;
    }
    if (!sn_read_many(m->memory, pieces, used, is_there, why)) return false;
    uint32_t bound = 0;
    for (uint32_t i = 0; i < used; i++) {
        sn_callbacks *c = &all[which[i]];
        c->type = is_there[i] ? heads[i][m->layout->object_type / SN_WORD] : 0;
        sn_object_kind kind = sn_object_kind_at(m->types, m->memory, c->type);
        if (kind != SN_OBJECT_BUILTIN && kind != SN_OBJECT_METHOD) continue;
        c->bound_to = heads[i][SN_BOUND_TO / SN_WORD];
        which[bound] = which[i];
        pieces[bound++] = (sn_piece){c->bound_to + m->layout->object_type, &c->bound_type, sizeof c->bound_type};
    }
    if (!sn_read_many(m->memory, pieces, bound, is_there, why)) return false;
    for (uint32_t i = 0; i < bound; i++)
        if (!is_there[i]) all[which[i]].bound_type = 0;
    return true;
}

void sn_awaiters_of(const sn_awaiter_means *means, const sn_callbacks *callbacks, sn_awaiters *found) {
    found->count = 0;
    if (callbacks->first) follow_known(means, callbacks->first, callbacks, 0, found);
    follow_others(means, callbacks->future, callbacks->others, 0, found);
}
