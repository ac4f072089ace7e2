#include "task_list.h"

#include "asyncio_tasks.h"
#include "instance_values.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TRIES = 4, MOST_SET = 1 << 20, WEAK_BYTES = 24, AT_ONCE = 256 };

void sn_task_list_free(sn_task_list *list) {
    free(list->addresses);
    free(list->references);
    free(list->table);
    *list = (sn_task_list){0};
}

static const sn_object_type *type_of(const sn_task_list_means *m, uint64_t object) {
    uint64_t type = 0;
    if (!object || !sn_read_one(m->memory, object + m->python->layout.object_type, &type, sizeof type)) return NULL;
    return sn_object_type_at(m->types, m->memory, type);
}

static bool list_one(sn_task_list *list, uint64_t address) {
    if (list->count == SN_MOST_TASKS) {
        list->too_many++;
        return true;
    }
    if (list->count == list->room) {
        uint32_t room = list->room ? 2 * list->room : 256;
        uint64_t *addresses = realloc(list->addresses, room * sizeof *addresses);
        if (addresses) list->addresses = addresses;
        uint64_t *references = realloc(list->references, room * sizeof *references);
        if (references) list->references = references;
        if (!addresses || !references) return false;
        list->room = room;
    }
    list->references[list->count] = 0;
    list->addresses[list->count++] = address;
    return true;
}

/* List the members of a set, which may change meanwhile: what they are is for others to see. */
static bool list_set(sn_task_list *list, const sn_task_list_means *m, uint64_t set) {
    const sn_object_type *type = type_of(m, set);
    if (!type || type->kind != SN_OBJECT_SET) return true;
    for (unsigned tries = 0; tries < MOST_TRIES; tries++) {
        uint64_t words[2], again[2]; /* the mask, where the table is */
        if (!sn_read_one(m->memory, set + SN_SET_MASK, words, sizeof words)) return true;
        bool is_part = words[0] >= MOST_SET;
        size_t bytes = (size_t)(is_part ? MOST_SET : words[0] + 1) * SN_SET_ENTRY;
        if (list->table_room < bytes) {
            uint8_t *grown = realloc(list->table, bytes);
            if (!grown) return false;
            list->table = grown;
            list->table_room = bytes;
        }
        bool is_read = sn_read_one(m->memory, words[1], list->table, bytes) &&
                       sn_read_one(m->memory, set + SN_SET_MASK, again, sizeof again) && !memcmp(words, again, sizeof words);
        if (!is_read) continue;
        for (size_t at = 0; at < bytes; at += SN_SET_ENTRY) {
            uint64_t key = sn_word_at(list->table + at), hash = sn_word_at(list->table + at + SN_WORD);
            bool is_member = key && hash != UINT64_MAX; /* else it was taken out */
            if (is_member && !list_one(list, key)) return false;
        }
        list->too_many += is_part; /* nobody knows how many */
        return true;
    }
    return true;
}

/* Put in place of weak references what they refer to; 0: nothing any more. */
static bool follow_references(sn_task_list *list, const sn_task_list_means *m, uint32_t from, sn_read_result *why) {
    sn_piece pieces[AT_ONCE];
    bool is_there[AT_ONCE];
    uint8_t all[AT_ONCE * WEAK_BYTES];
    for (uint32_t at = from; at < list->count;) {
        uint32_t part = list->count - at < AT_ONCE ? list->count - at : AT_ONCE;
        for (uint32_t i = 0; i < part; i++)
            pieces[i] = (sn_piece){list->addresses[at + i], all + (size_t)i * WEAK_BYTES, WEAK_BYTES};
        if (!sn_read_many(m->memory, pieces, part, is_there, why)) return false;
        for (uint32_t i = 0; i < part; i++) {
            const uint8_t *bytes = all + (size_t)i * WEAK_BYTES;
            uint64_t type = is_there[i] ? sn_word_at(bytes + m->python->layout.object_type) : 0;
            bool is_reference = sn_object_kind_at(m->types, m->memory, type) == SN_OBJECT_WEAK_REFERENCE;
            list->references[at + i] = list->addresses[at + i];
            list->addresses[at + i] = is_reference ? sn_word_at(bytes + SN_HOLDS_AT) : 0;
        }
        at += part;
    }
    return true;
}

/* The set in a WeakSet: its first attribute that is one. */
static uint64_t set_within(const sn_task_list_means *m, uint64_t weak) {
    uint64_t values[SN_MOST_VALUES];
    const sn_object_type *type = type_of(m, weak);
    if (!type) return 0;
    uint32_t count = sn_instance_values(m->memory, &m->python->layout, m->tasks, weak, type, values);
    for (uint32_t i = 0; i < count; i++) {
        const sn_object_type *of_value = type_of(m, values[i]);
        if (of_value && of_value->kind == SN_OBJECT_SET) return values[i];
    }
    return 0;
}

/* List tasks that are linked, from this head of a list on. Each must be linked to the one before it; if it is not any more, all is
 * followed anew. What the last try has found stays. */
static bool list_linked(sn_task_list *list, const sn_task_list_means *m, uint64_t head, sn_read_result *why) {
    uint32_t node_at = m->python->layout.task_node, from = list->count;
    for (unsigned tries = 0; tries < MOST_TRIES; tries++) {
        uint64_t links[2], before = head, at = head; /* the next one, the one before */
        list->count = from;
        for (uint32_t count = 0; count <= SN_MOST_TASKS; count++) {
            const sn_piece piece = {at, links, sizeof links};
            if (m->memory->read(m->memory->at, &piece, 1, why) < 1) {
                if (*why == SN_READ_OVER || *why == SN_READ_FORBIDDEN) return false;
                break;
            }
            if (at == head && !links[0]) return true; /* of a thread that never had a loop */
            if (at != head && links[1] != before) break;
            if (links[0] == head) return true;
            before = at;
            at = links[0];
            if (!list_one(list, at - node_at)) return false;
        }
    }
    list->broken++;
    *why = SN_READ_ALL;
    return true;
}

static bool list_threads(sn_task_list *list, const sn_task_list_means *m, uint64_t interpreter, sn_read_result *why) {
    const sn_python_layout *l = &m->python->layout;
    uint64_t state = 0;
    if (!sn_read_one(m->memory, interpreter + l->interpreter_threads, &state, sizeof state)) return true;
    for (uint32_t i = 0; state && i < SN_MOST_THREADS; i++) {
        if (!list_linked(list, m, state + l->state_tasks, why)) return false;
        if (!sn_read_one(m->memory, state + l->state_next, &state, sizeof state)) break;
    }
    return list_linked(list, m, interpreter + l->interpreter_tasks, why);
}

bool sn_task_list_add(sn_task_list *list, const sn_task_list_means *m, uint64_t interpreter, bool *is_found,
                      sn_read_result *why) {
    *why = SN_READ_ALL;
    if (m->python->layout.task_node) {
        *is_found = true;
        return list_threads(list, m, interpreter, why);
    }
    if (list->of_interpreter != interpreter || !list->scheduled) {
        list->of_interpreter = interpreter;
        list->scheduled = sn_task_find_kept(m->memory, m->python, interpreter, "_scheduled_tasks");
        if (!list->scheduled) list->scheduled = sn_task_find_kept(m->memory, m->python, interpreter, "_all_tasks"); /* of 3.11 */
        list->eager = list->scheduled ? sn_task_find_kept(m->memory, m->python, interpreter, "_eager_tasks") : 0;
    }
    uint64_t set = list->scheduled ? set_within(m, list->scheduled) : 0;
    if (!set) {
        list->scheduled = 0;
        return true;
    }
    *is_found = true;
    uint32_t from = list->count;
    return list_set(list, m, set) && follow_references(list, m, from, why) && list_set(list, m, list->eager);
}
