#include "waiting_tasks.h"

#include "emptied_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TRIES = 4, TASK_BYTES = 192 };
/* Of a task that runs: so many threads are looked at for its stack. */
enum { MOST_STACKS = 16, FLAG_COROUTINE = 0x80 };
enum { MOST_FRAMES = 1 << 21 };
/* Numbers of batches in the table of code, apart from those of the reader of stacks, which counts from 1. */
#define FIRST_BATCH (UINT64_C(1) << 63)

/* What is read of a task twice. */
typedef struct {
    uint64_t address, type, callback, callbacks, waits_for, coroutine, name;
    uint64_t awaited_type;
    uint32_t state, awaited_state;
    bool is_there, is_task;
} task_head;

struct sn_waiting_tasks {
    sn_object_types types;
    sn_await_chains chains;
    sn_awaiter_search search;
    sn_task_layout tasks;
    sn_seen_task *seen;
    uint32_t seen_count, seen_room;
    sn_chain_frame *frames;
    uint32_t frame_count, frame_room;
    sn_task_list list;
    struct sn_word_map by_address; /* index + 1 of those seen */
    uint64_t batch; /* its number */
    sn_task_sums sums;
    sn_listed_thread threads[SN_MOST_THREADS];
    sn_stack_hint hints[MOST_STACKS];
    task_head heads[SN_CHAINS_AT_ONCE], again[SN_CHAINS_AT_ONCE];
    sn_callbacks callbacks[SN_CHAINS_AT_ONCE];
    sn_awaiters may_await[SN_CHAINS_AT_ONCE];
    sn_piece pieces[SN_CHAINS_AT_ONCE];
    bool is_there[SN_CHAINS_AT_ONCE];
    uint8_t bytes[SN_CHAINS_AT_ONCE * TASK_BYTES];
    sn_read_result why;
};

/* What a look needs of its caller. */
typedef struct {
    const sn_memory_reader *memory;
    const sn_python *python;
    sn_code_table *codes;
    sn_code_functions *functions;
    sn_stack_reader *reader;
} means;

sn_waiting_tasks *sn_waiting_create(void) {
    sn_waiting_tasks *w = calloc(1, sizeof *w);
    if (w) sn_await_init(&w->chains);
    return w;
}

void sn_waiting_destroy(sn_waiting_tasks *w) {
    if (!w) return;
    sn_map_free(&w->by_address);
    sn_await_free(&w->chains);
    sn_awaiters_free(&w->search);
    free(w->seen);
    free(w->frames);
    sn_task_list_free(&w->list);
    free(w);
}

const sn_seen_task *sn_waiting_seen(const sn_waiting_tasks *w, uint32_t *count) {
    *count = w->seen_count;
    return w->seen;
}

const sn_chain_frame *sn_waiting_frames(const sn_waiting_tasks *w) { return w->frames; }
sn_task_sums sn_waiting_sums(const sn_waiting_tasks *w) {
    sn_task_sums sums = w->sums;
    sums.too_many = w->list.too_many;
    sums.changed += w->list.broken;
    return sums;
}

static const sn_object_type *type_of(sn_waiting_tasks *w, const means *m, uint64_t object) {
    if (!object) return NULL;
    return sn_object_type_at(&w->types, m->memory, sn_read_word(m->memory, object + m->python->layout.object_type));
}

/* Room for `count` of them; NULL: memory is short, and all is as it was. */
static void *with_room(void *all, uint32_t *room, uint32_t count, size_t bytes) {
    if (*room >= count) return all;
    uint32_t wanted = count < 256 ? 256 : 2 * count;
    void *grown = realloc(all, wanted * bytes);
    if (grown) *room = wanted;
    return grown;
}

static void take_task(const sn_waiting_tasks *w, const sn_python_layout *l, const uint8_t *bytes, task_head *head) {
    head->type = sn_word_at(bytes + l->object_type);
    if (!head->is_task) return;
    head->callback = sn_word_at(bytes + SN_FUTURE_CALLBACK);
    head->callbacks = sn_word_at(bytes + SN_FUTURE_CALLBACKS);
    memcpy(&head->state, bytes + w->tasks.future_state, sizeof head->state);
    head->waits_for = sn_word_at(bytes + l->task_coroutine - SN_WORD);
    head->coroutine = sn_word_at(bytes + l->task_coroutine);
    head->name = sn_word_at(bytes + l->task_coroutine + SN_WORD);
}

/* Read the heads of tasks, of which the addresses are known, and whether they are any if this is the second time. */
static bool read_heads(sn_waiting_tasks *w, const means *m, task_head *heads, uint32_t count, bool is_again) {
    const sn_python_layout *l = &m->python->layout;
    uint32_t bytes = l->task_coroutine + 2 * SN_WORD;
    if (bytes > TASK_BYTES || w->tasks.future_state + 4 > bytes) return false;
    for (uint32_t i = 0; i < count; i++)
        w->pieces[i] = (sn_piece){heads[i].address, w->bytes + (size_t)i * TASK_BYTES, bytes};
    if (!sn_read_many(m->memory, w->pieces, count, w->is_there, &w->why)) return false;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *at = w->bytes + (size_t)i * TASK_BYTES;
        heads[i].is_there = w->is_there[i];
        if (!heads[i].is_there) continue;
        if (!is_again) {
            sn_object_kind kind = sn_object_kind_at(&w->types, m->memory, sn_word_at(at + l->object_type));
            heads[i].is_task = kind == SN_OBJECT_TASK;
        }
        take_task(w, l, at, &heads[i]);
    }
    return true;
}

/* Read what tasks wait for: its type, and whether it is there. */
static bool read_awaited(sn_waiting_tasks *w, const means *m, task_head *heads, uint32_t count) {
    uint32_t type_at = m->python->layout.object_type, state_at = w->tasks.future_state, used = 0;
    uint32_t bytes = state_at + (uint32_t)sizeof heads->awaited_state;
    if (bytes > TASK_BYTES || type_at + SN_WORD > bytes) return false;
    for (uint32_t i = 0; i < count; i++) {
        heads[i].awaited_type = heads[i].awaited_state = 0;
        if (heads[i].is_task && heads[i].waits_for)
            w->pieces[used] = (sn_piece){heads[i].waits_for, w->bytes + (size_t)used * TASK_BYTES, bytes};
        used += heads[i].is_task && heads[i].waits_for;
    }
    if (!sn_read_many(m->memory, w->pieces, used, w->is_there, &w->why)) return false;
    used = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!heads[i].is_task || !heads[i].waits_for) continue;
        const uint8_t *at = w->bytes + (size_t)used * TASK_BYTES;
        if (!w->is_there[used++]) continue; /* of another type: no future of the C part is shorter */
        heads[i].awaited_type = sn_word_at(at + type_at);
        memcpy(&heads[i].awaited_state, at + state_at, sizeof heads[i].awaited_state);
    }
    return true;
}

/* Who may await tasks, by their callbacks. It is believed of those that have the same ones when they are read again: until then
 * these hold what was followed, and nothing else came to its place. */
static bool read_awaiters(sn_waiting_tasks *w, const means *m, uint32_t count) {
    const sn_awaiter_means by = {m->memory, &m->python->layout, &w->tasks, &w->types, &w->search};
    sn_awaiters_forget(&w->search); /* that holds for what this batch has alone */
    for (uint32_t i = 0; i < count; i++) {
        const task_head *head = &w->heads[i];
        w->callbacks[i] = (sn_callbacks){.future = head->address};
        if (!head->is_task || head->state) continue;
        w->callbacks[i].first = head->callback;
        w->callbacks[i].others = head->callbacks;
    }
    if (!sn_callbacks_read(&by, w->callbacks, count, &w->why)) return false;
    for (uint32_t i = 0; i < count; i++) {
        w->may_await[i] = (sn_awaiters){0};
        sn_awaiters_of(&by, &w->callbacks[i], &w->may_await[i]);
    }
    return true;
}

static bool is_same(const task_head *a, const task_head *b) {
    return a->is_there == b->is_there && a->type == b->type && a->callback == b->callback && a->callbacks == b->callbacks &&
           a->waits_for == b->waits_for && a->coroutine == b->coroutine && a->name == b->name && a->state == b->state &&
           a->awaited_type == b->awaited_type && a->awaited_state == b->awaited_state;
}

/* Write down the frames of a chain, outermost first; false when there is no room. Frames of which the code cannot be read, or is
 * not what it was, make it CHANGED. */
static bool take_frames(sn_waiting_tasks *w, const means *m, uint32_t chain, sn_seen_task *task) {
    uint32_t count = 0;
    for (uint32_t at = w->chains.last[chain]; at; at = w->chains.links[at - 1].before) count += w->chains.links[at - 1].code != 0;
    task->first = w->frame_count;
    task->count = count;
    if (w->frame_count + count > MOST_FRAMES) return false;
    sn_chain_frame *frames = with_room(w->frames, &w->frame_room, w->frame_count + count + 1, sizeof *frames);
    if (!frames) return false;
    w->frames = frames;
    uint32_t to = w->frame_count + count;
    for (uint32_t at = w->chains.last[chain]; at; at = w->chains.links[at - 1].before) {
        const sn_await_link *link = &w->chains.links[at - 1];
        uint32_t index;
        if (!link->code) continue;
        if (sn_code_table_find(m->codes, m->functions, m->memory, link->code, &index) != SN_CODE_OK) {
            w->chains.result[chain] = SN_CHAIN_CHANGED;
            return true;
        }
        uint32_t line = link->state == w->tasks.created ? m->codes->codes[index].first_line
                                                        : sn_code_line(m->codes, index, link->instruction);
        w->frames[--to] = (sn_chain_frame){m->codes->codes[index].function, line};
    }
    w->frame_count += count;
    return true;
}

/* Look whether the code of all chains is still what is known of it. If one is not, all are to be read again. */
static bool is_code_same(sn_waiting_tasks *w, const means *m) {
    enum { AT_ONCE = SN_MOST_LEADING / SN_CHECK_PIECES };
    static const size_t room = (size_t)AT_ONCE * SN_CHECK_ROOM;
    uint8_t *texts = malloc(room);
    sn_piece pieces[SN_MOST_LEADING];
    uint32_t indices[AT_ONCE], at = 0;
    bool is_same_code = texts != NULL;
    while (texts && at < w->chains.link_count) {
        uint32_t count = 0;
        size_t used = 0;
        for (; at < w->chains.link_count && count < AT_ONCE; at++) {
            uint64_t code = w->chains.links[at].code;
            uint32_t index = code ? sn_word_get(&m->codes->by_address, code) : 0;
            if (!index || m->codes->codes[index - 1].checked == FIRST_BATCH + w->batch) continue;
            m->codes->codes[index - 1].checked = FIRST_BATCH + w->batch;
            used += sn_code_check_pieces(m->codes, index - 1, texts + used, &pieces[count * SN_CHECK_PIECES]);
            indices[count++] = index - 1;
        }
        if (!count) break;
        sn_read_result why;
        uint32_t done = m->memory->read(m->memory->at, pieces, count * SN_CHECK_PIECES, &why);
        for (uint32_t i = 0; i < count; i++) {
            bool is_read = (i + 1) * SN_CHECK_PIECES <= done;
            if (is_read && sn_code_check(m->codes, indices[i], &pieces[i * SN_CHECK_PIECES])) continue;
            if (!is_read) sn_code_forget(m->codes, indices[i]);
            is_same_code = false;
        }
    }
    free(texts);
    return is_same_code;
}

static void describe(sn_waiting_tasks *w, const means *m, uint32_t chain, const task_head *head, sn_seen_task *task) {
    const sn_object_type *awaited = sn_object_type_at(&w->types, m->memory, head->awaited_type);
    bool is_future = awaited && (awaited->kind == SN_OBJECT_FUTURE || awaited->kind == SN_OBJECT_TASK);
    bool is_waiting = head->waits_for && !(is_future && head->awaited_state);
    if (w->chains.result[chain] == SN_CHAIN_RUNS) task->state = SN_TASK_RUNS;
    else if (!is_waiting) task->state = SN_TASK_READY;
    else task->state = awaited && awaited->kind == SN_OBJECT_TASK ? SN_TASK_WAITS_FOR_TASKS : SN_TASK_WAITS;
    if (awaited && is_waiting) memcpy(task->awaited, awaited->name, sizeof task->awaited);
    const sn_object_type *made_of = task->count ? NULL : type_of(w, m, head->coroutine);
    if (made_of) memcpy(task->made_of, made_of->name, sizeof task->made_of);
}

/* Take over a task of the batch; false when memory is short. */
static bool take_over(sn_waiting_tasks *w, const means *m, uint32_t chain, const task_head *head, bool *is_changed) {
    sn_seen_task *seen = with_room(w->seen, &w->seen_room, w->seen_count + 1, sizeof *seen);
    if (!seen) return false;
    w->seen = seen;
    sn_seen_task *task = &w->seen[w->seen_count];
    *task = (sn_seen_task){.address = head->address, .coroutine = head->coroutine, .name = head->name, .waits_for = head->waits_for};
    if (!take_frames(w, m, chain, task)) {
        w->sums.without_room++;
        return true;
    }
    *is_changed = w->chains.result[chain] == SN_CHAIN_CHANGED;
    if (*is_changed) return true;
    describe(w, m, chain, head, task);
    task->may_await = w->may_await[chain];
    if (!sn_word_set(&w->by_address, task->address, w->seen_count + 1)) return false;
    w->sums.cut += w->chains.result[chain] == SN_CHAIN_LONG;
    w->sums.seen++;
    w->seen_count++;
    return true;
}

/* Count tasks of Python: instances of a class of the program's. Where a task has ended there may be anything else by now; then the
 * reference to it leads nowhere. */
static void count_others(sn_waiting_tasks *w, const means *m, const uint64_t *references, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const task_head *head = &w->heads[i];
        if (!head->is_there || head->is_task || !w->again[i].is_there || w->again[i].type != head->type) continue;
        const sn_object_type *type = sn_object_type_at(&w->types, m->memory, head->type);
        if (!type || type->kind != SN_OBJECT_OTHER || !type->has_values || !references[i]) continue;
        w->sums.not_in_c += sn_read_word(m->memory, references[i] + SN_HOLDS_AT) == head->address;
    }
}

/* Read tasks, and take over those that did not change meanwhile; the others come to the beginning of `addresses`. */
static sn_waiting_result read_batch(sn_waiting_tasks *w, const means *m, uint32_t from, uint32_t *count) {
    uint64_t *addresses = w->list.addresses + from, *references = w->list.references + from;
    const sn_python_layout *l = &m->python->layout;
    uint32_t all = *count, left = 0;
    w->batch++;
    for (uint32_t i = 0; i < all; i++) w->heads[i] = (task_head){.address = addresses[i]};
    if (!read_heads(w, m, w->heads, all, false) || !read_awaited(w, m, w->heads, all)) return SN_WAITING_OVER;
    w->chains.count = all;
    for (uint32_t i = 0; i < all; i++) {
        bool is_pending = w->heads[i].is_task && !w->heads[i].state;
        w->chains.first[i] = is_pending ? w->heads[i].coroutine : 0;
    }
    sn_read_result why;
    if (!sn_await_read(&w->chains, m->memory, l, &w->tasks, &w->types, &why))
        return why == SN_READ_ALL ? SN_WAITING_NO_MEMORY : SN_WAITING_OVER;
    if (!read_awaiters(w, m, all)) return SN_WAITING_OVER;
    for (uint32_t i = 0; i < all; i++) w->again[i] = (task_head){.address = addresses[i], .is_task = w->heads[i].is_task};
    if (!read_heads(w, m, w->again, all, true) || !read_awaited(w, m, w->again, all)) return SN_WAITING_OVER;
    if (!sn_await_check(&w->chains, m->memory, l, &w->tasks, &why))
        return why == SN_READ_ALL ? SN_WAITING_NO_MEMORY : SN_WAITING_OVER;
    bool is_code = is_code_same(w, m);
    count_others(w, m, references, all);
    for (uint32_t i = 0; i < all; i++) {
        bool is_pending = w->chains.first[i] != 0, is_changed = false;
        if (!is_pending || w->chains.result[i] == SN_CHAIN_ENDED) continue;
        if (!is_code || w->chains.result[i] == SN_CHAIN_CHANGED || !is_same(&w->heads[i], &w->again[i])) is_changed = true;
        else if (sn_word_get(&w->by_address, addresses[i])) continue; /* an eager task may be scheduled by now */
        else if (!take_over(w, m, i, &w->heads[i], &is_changed)) return SN_WAITING_NO_MEMORY;
        if (!is_changed) continue;
        references[left] = references[i];
        addresses[left++] = addresses[i];
    }
    *count = left;
    return SN_WAITING_READ;
}

static sn_waiting_result read_all(sn_waiting_tasks *w, const means *m) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < w->list.count; i++) {
        if (!w->list.addresses[i]) continue;
        w->list.references[kept] = w->list.references[i];
        w->list.addresses[kept++] = w->list.addresses[i];
    }
    for (uint32_t from = 0; from < kept; from += SN_CHAINS_AT_ONCE) {
        uint32_t count = kept - from < SN_CHAINS_AT_ONCE ? kept - from : SN_CHAINS_AT_ONCE;
        for (unsigned tries = 0; count && tries < MOST_TRIES; tries++) {
            sn_waiting_result result = read_batch(w, m, from, &count);
            if (result != SN_WAITING_READ) return result;
        }
        w->sums.changed += count;
    }
    return SN_WAITING_READ;
}

/* The frames of a stack from the one of this coroutine on; 0: it is not there. */
static uint32_t frames_from(const sn_stack_thread *thread, const sn_code_table *codes, uint64_t coroutine,
                            const sn_stack_frame *frames, uint32_t count) {
    uint32_t which = 0, passed = 0;
    while (which < thread->coroutine_count && thread->coroutines[which].address != coroutine) which++;
    if (which == thread->coroutine_count) return 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!(codes->codes[frames[i].code].flags & FLAG_COROUTINE)) continue;
        if (passed++ == which) return frames[i].code == thread->coroutines[which].code ? count - i : 0;
    }
    return 0;
}

/* Give tasks that run their stacks, as far as these are found. Of others what they run is known: their coroutines. */
static void read_stacks(sn_waiting_tasks *w, const means *m) {
    uint32_t threads = 0, wanted = 0;
    for (uint32_t i = 0; i < w->seen_count; i++) wanted += w->seen[i].state == SN_TASK_RUNS && w->seen[i].count;
    if (!wanted || !sn_thread_list(m->memory, m->python, w->threads, &threads)) return;
    for (uint32_t i = 0; i < threads && i < MOST_STACKS && wanted; i++) {
        const sn_stack_frame *frames;
        uint32_t count;
        const sn_listed_thread *listed = &w->threads[threads - 1 - i]; /* the last one began first */
        sn_stack_thread thread = {.state = listed->state, .interpreter = listed->interpreter};
        sn_stack_result result =
            sn_stack_read(m->reader, m->memory, m->codes, m->functions, NULL, &thread, &w->hints[i], &frames, &count);
        if (result != SN_STACK_READ && result != SN_STACK_CUT) continue;
        for (uint32_t t = 0; t < w->seen_count; t++) {
            sn_seen_task *task = &w->seen[t];
            if (task->state != SN_TASK_RUNS || task->count != 1) continue;
            uint32_t of_task = frames_from(&thread, m->codes, task->coroutine, frames, count);
            sn_chain_frame *grown =
                of_task ? with_room(w->frames, &w->frame_room, w->frame_count + of_task, sizeof *grown) : NULL;
            if (!grown) continue;
            w->frames = grown;
            task->first = w->frame_count;
            task->count = of_task;
            for (uint32_t f = count - of_task; f < count; f++)
                w->frames[w->frame_count++] = (sn_chain_frame){m->codes->codes[frames[f].code].function, frames[f].line};
            wanted--;
        }
    }
}

/* Tell which task awaits which: where what was found from one side is so from the other. */
static void join(sn_waiting_tasks *w) {
    for (uint32_t i = 0; i < w->seen_count; i++) {
        sn_seen_task *task = &w->seen[i];
        for (uint32_t k = 0; k < task->may_await.count; k++) {
            uint32_t index = sn_word_get(&w->by_address, task->may_await.found[k].task);
            sn_seen_task *awaiter = index ? &w->seen[index - 1] : NULL;
            if (!awaiter || awaiter->waits_for != task->may_await.found[k].waits_for) continue;
            if (awaiter->state != SN_TASK_WAITS && awaiter->state != SN_TASK_WAITS_FOR_TASKS) continue;
            awaiter->state = SN_TASK_WAITS_FOR_TASKS;
            task->awaiters[task->awaiter_count++] = index - 1;
        }
    }
}

sn_waiting_result sn_waiting_look(sn_waiting_tasks *w, const sn_memory_reader *memory, const sn_python *python,
                                  sn_code_table *codes, sn_code_functions *functions, sn_stack_reader *reader) {
    const means m = {memory, python, codes, functions, reader};
    uint64_t interpreter = sn_read_word(memory, python->runtime + python->layout.runtime_interpreters);
    const sn_task_list_means listing = {memory, python, &w->tasks, &w->types};
    bool is_found = false;
    if (python->layout.is_free_threaded || !sn_task_layout_of(python->version, &w->tasks)) return SN_WAITING_UNKNOWN;
    if (!python->layout.task_coroutine) return SN_WAITING_NO_ASYNCIO; /* or it was not asked yet what it tells */
    sn_map_empty(&w->by_address);
    sn_object_types_forget(&w->types);
    w->seen_count = w->frame_count = w->list.count = 0;
    w->why = SN_READ_ALL;
    for (unsigned i = 0; interpreter && i < SN_MOST_INTERPRETERS; i++) {
        if (!sn_task_list_add(&w->list, &listing, interpreter, &is_found, &w->why))
            return w->why == SN_READ_ALL ? SN_WAITING_NO_MEMORY : SN_WAITING_OVER;
        interpreter = sn_read_word(memory, interpreter + python->layout.interpreter_next);
    }
    if (!is_found) {
        uint64_t word;
        sn_read_result why;
        const sn_piece piece = {python->runtime, &word, sizeof word};
        memory->read(memory->at, &piece, 1, &why);
        if (why == SN_READ_FORBIDDEN) return SN_WAITING_FORBIDDEN;
        return why == SN_READ_OVER ? SN_WAITING_OVER : SN_WAITING_NO_ASYNCIO;
    }
    sn_waiting_result result = read_all(w, &m);
    if (result == SN_WAITING_OVER && w->why == SN_READ_FORBIDDEN) result = SN_WAITING_FORBIDDEN;
    if (result != SN_WAITING_READ) return result;
    read_stacks(w, &m);
    join(w);
    return SN_WAITING_READ;
}

uint32_t sn_waiting_name(sn_waiting_tasks *w, const sn_memory_reader *memory, sn_code_table *codes, uint64_t name, char *to,
                         uint32_t room) {
    uint64_t words[2]; /* digits of an integer: how many and their sign; the first one */
    uint64_t type = sn_read_word(memory, name + codes->layout.object_type);
    if (sn_object_kind_at(&w->types, memory, type) != SN_OBJECT_INTEGER)
        return sn_code_text(codes, memory, name, to, room);
    if (!sn_read_one(memory, name + SN_SIZE_AT, words, sizeof words)) return 0;
    char text[32];
    int bytes = snprintf(text, sizeof text, "Task-%u", (unsigned)(words[1] & 0x3fffffff));
    uint32_t taken = bytes < 0 ? 0 : (uint32_t)bytes < room ? (uint32_t)bytes : room;
    memcpy(to, text, taken);
    return taken;
}
