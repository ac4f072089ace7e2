#include "await_chain.h"

#include <stdlib.h>
#include <string.h>

/* So much is read of an object first: all that is needed of a coroutine, and where its stack is not deep what it awaits. */
enum { LINK_BYTES = 256, SHORT_BYTES = 24, PER_LINK = 2 };
/* RESUME with this argument or more goes on after an `await` or a `yield from`. */
enum { FROM_YIELD_FROM = 2, MOST_STACK = 1 << 16, CODE_UNIT = 2 };

bool sn_await_init(sn_await_chains *chains) {
    *chains = (sn_await_chains){.piece_room = 0};
    return true;
}

void sn_await_free(sn_await_chains *chains) {
    free(chains->links);
    free(chains->pieces);
    free(chains->is_there);
    free(chains->bytes);
    *chains = (sn_await_chains){0};
}

static bool make_room(sn_await_chains *c, uint32_t links) {
    if (c->link_room < links) {
        uint32_t room = links < 1024 ? 1024 : 2 * links;
        sn_await_link *grown = realloc(c->links, room * sizeof *grown);
        if (!grown) return false;
        c->links = grown;
        c->link_room = room;
    }
    if (c->piece_room >= links) return true;
    uint32_t room = links < 1024 ? 1024 : 2 * links;
    sn_piece *pieces = realloc(c->pieces, PER_LINK * (size_t)room * sizeof *pieces);
    if (pieces) c->pieces = pieces;
    bool *is_there = realloc(c->is_there, PER_LINK * (size_t)room * sizeof *is_there);
    if (is_there) c->is_there = is_there;
    uint8_t *bytes = realloc(c->bytes, (size_t)room * LINK_BYTES);
    if (bytes) c->bytes = bytes;
    if (!pieces || !is_there || !bytes) return false;
    c->piece_room = room;
    return true;
}

static bool is_like_coroutine(sn_object_kind kind) { return kind == SN_OBJECT_COROUTINE || kind == SN_OBJECT_GENERATOR; }

static bool may_await(const sn_task_layout *tasks, const sn_await_link *link) {
    return is_like_coroutine(link->kind) && link->state == tasks->awaits && link->next_at;
}

/* What the first bytes of an object say; `is_short`: only those of any object were there. */
static void take_link(const sn_python_layout *l, const sn_task_layout *tasks, const uint8_t *bytes, bool is_short,
                      sn_await_link *link) {
    link->type = sn_word_at(bytes + l->object_type);
    if (link->kind == SN_OBJECT_PASSES_ON || link->kind == SN_OBJECT_FUTURE_ITERATOR) link->next = sn_word_at(bytes + SN_HOLDS_AT);
    if (!is_like_coroutine(link->kind)) return;
    if (is_short) {
        link->state = INT8_MAX; /* it cannot be one any more */
        return;
    }
    const uint8_t *frame = bytes + l->generator_frame;
    link->state = (int8_t)bytes[l->generator_frame - SN_STATE_BEFORE_FRAME];
    link->code = sn_word_at(frame + l->frame_code) & ~(uint64_t)l->frame_tags;
    link->instruction = sn_word_at(frame + l->frame_instruction);
    uint32_t values = l->generator_frame + l->frame_bytes;
    uint64_t size = 0;
    if (tasks->is_stack_pointed_to) size = (sn_word_at(frame + l->frame_instruction + SN_WORD) - link->object - values) / SN_WORD;
    else memcpy(&size, frame + SN_FRAME_STACK_SIZE, sizeof(int32_t));
    if (size < tasks->awaited_depth || size >= MOST_STACK) return; /* a negative one, too */
    uint32_t top = values + (uint32_t)(size - tasks->awaited_depth) * SN_WORD;
    link->next_at = link->object + top;
    link->has_next = top <= LINK_BYTES - SN_WORD;
    if (link->has_next) link->next = sn_word_at(bytes + top);
}

/* Read the objects of some links. */
static bool read_objects(sn_await_chains *c, const sn_memory_reader *memory, uint32_t from, sn_read_result *why) {
    uint32_t count = c->link_count - from;
    for (uint32_t i = 0; i < count; i++)
        c->pieces[i] = (sn_piece){c->links[from + i].object, c->bytes + (size_t)i * LINK_BYTES, LINK_BYTES};
    return sn_read_many(memory, c->pieces, count, c->is_there, why);
}

/* Of links that may await something: what is on top of their stacks, where that is not known yet. */
static bool read_tops(sn_await_chains *c, const sn_memory_reader *memory, const sn_task_layout *tasks, uint32_t from,
                      sn_read_result *why) {
    uint32_t count = 0;
    for (uint32_t i = from; i < c->link_count; i++)
        if (may_await(tasks, &c->links[i]) && !c->links[i].has_next)
            c->pieces[count++] = (sn_piece){c->links[i].next_at, &c->links[i].next, SN_WORD};
    if (!sn_read_many(memory, c->pieces, count, c->is_there, why)) return false;
    count = 0;
    for (uint32_t i = from; i < c->link_count; i++)
        if (may_await(tasks, &c->links[i]) && !c->links[i].has_next && !c->is_there[count++]) c->links[i].next = 0;
    return true;
}

/* Whether a coroutine that is suspended here awaits something, or has only yielded: the instruction that comes next tells. */
static uint8_t resumes_at(sn_await_chains *c, const sn_memory_reader *memory, const sn_task_layout *tasks, uint64_t instruction) {
    uint8_t unit[CODE_UNIT], resumes = 0;
    uint64_t place = instruction / CODE_UNIT % SN_KNOWN_RESUMES;
    if (c->known[place].instruction == instruction) return c->known[place].resumes;
    if (sn_read_one(memory, instruction + CODE_UNIT, unit, sizeof unit))
        for (uint32_t i = 0; i < sizeof tasks->resumes; i++)
            if (tasks->resumes[i] && unit[0] == tasks->resumes[i] && unit[1] >= FROM_YIELD_FROM) resumes = unit[0];
    c->known[place].instruction = instruction;
    c->known[place].resumes = resumes;
    return resumes;
}

/* What links await, as far as they do. */
static bool read_awaited(sn_await_chains *c, const sn_memory_reader *memory, const sn_python_layout *l,
                         const sn_task_layout *tasks, uint32_t from, sn_read_result *why) {
    if (!read_tops(c, memory, tasks, from, why)) return false;
    for (uint32_t i = from; i < c->link_count; i++) {
        sn_await_link *link = &c->links[i];
        if (!is_like_coroutine(link->kind)) continue;
        bool awaits = may_await(tasks, link);
        if (awaits && tasks->resumes[0]) {
            link->resumes = resumes_at(c, memory, tasks, link->instruction);
            awaits = link->resumes != 0;
        }
        link->next = awaits ? link->next & ~(uint64_t)l->frame_tags : 0;
    }
    return true;
}

/* What becomes of a chain with this link as its last one; true if it goes on. */
static bool judge(sn_await_chains *c, const sn_task_layout *tasks, uint32_t chain, uint32_t depth) {
    const sn_await_link *link = &c->links[c->last[chain] - 1];
    if (is_like_coroutine(link->kind)) {
        if (link->state == tasks->executes) c->result[chain] = depth ? SN_CHAIN_CHANGED : SN_CHAIN_RUNS;
        else if (link->state == tasks->created) c->result[chain] = depth ? SN_CHAIN_READ : SN_CHAIN_CREATED;
        else if (link->state > tasks->executes) c->result[chain] = depth ? SN_CHAIN_CHANGED : SN_CHAIN_ENDED;
        else if (link->state != tasks->suspended && link->state != tasks->awaits) c->result[chain] = SN_CHAIN_CHANGED;
        else if (!link->code) c->result[chain] = SN_CHAIN_CHANGED;
        if (link->state >= tasks->executes || link->state == tasks->created || c->result[chain] != SN_CHAIN_READ) return false;
    }
    if (!link->next || link->kind == SN_OBJECT_FUTURE_ITERATOR) return false;
    if (depth + 1 < SN_LONGEST_CHAIN) return true;
    c->result[chain] = SN_CHAIN_LONG;
    return false;
}

/* Begin a new link of each chain that goes on. */
static uint32_t extend(sn_await_chains *c, uint32_t depth, const bool *goes_on) {
    uint32_t from = c->link_count;
    for (uint32_t i = 0; i < c->count; i++) {
        if (!goes_on[i]) continue;
        uint64_t object = depth ? c->links[c->last[i] - 1].next : c->first[i];
        c->links[c->link_count++] = (sn_await_link){.object = object, .before = c->last[i]};
        c->last[i] = c->link_count;
    }
    return c->link_count - from;
}

static bool read_level(sn_await_chains *c, const sn_memory_reader *memory, const sn_python_layout *l,
                       const sn_task_layout *tasks, sn_object_types *types, uint32_t from, sn_read_result *why) {
    if (!read_objects(c, memory, from, why)) return false;
    for (uint32_t i = from; i < c->link_count; i++) {
        sn_await_link *link = &c->links[i];
        uint8_t *at = c->bytes + (size_t)(i - from) * LINK_BYTES;
        bool is_whole = c->is_there[i - from];
        if (!is_whole && !sn_read_one(memory, link->object, at, SHORT_BYTES)) continue; /* stays OTHER */
        link->kind = sn_object_kind_at(types, memory, sn_word_at(at + l->object_type));
        take_link(l, tasks, at, !is_whole, link);
    }
    return read_awaited(c, memory, l, tasks, from, why);
}

bool sn_await_read(sn_await_chains *c, const sn_memory_reader *memory, const sn_python_layout *l, const sn_task_layout *tasks,
                   sn_object_types *types, sn_read_result *why) {
    bool goes_on[SN_CHAINS_AT_ONCE];
    c->link_count = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        goes_on[i] = c->first[i] != 0;
        c->last[i] = 0;
        c->result[i] = SN_CHAIN_READ;
    }
    memset(c->known, 0, sizeof c->known);
    *why = SN_READ_ALL;
    if (l->generator_frame + l->frame_bytes > LINK_BYTES) return false;
    for (uint32_t depth = 0;; depth++) {
        uint32_t from = c->link_count;
        if (!make_room(c, c->link_count + c->count)) return false;
        if (!extend(c, depth, goes_on)) return true;
        if (!read_level(c, memory, l, tasks, types, from, why)) return false;
        for (uint32_t i = 0; i < c->count; i++) goes_on[i] = goes_on[i] && judge(c, tasks, i, depth);
    }
}

static bool is_same(const sn_await_link *a, const sn_await_link *b) {
    return a->type == b->type && a->code == b->code && a->instruction == b->instruction && a->next == b->next &&
           a->next_at == b->next_at && a->state == b->state && a->resumes == b->resumes;
}

bool sn_await_check(sn_await_chains *c, const sn_memory_reader *memory, const sn_python_layout *l, const sn_task_layout *tasks,
                    sn_read_result *why) {
    uint32_t count = c->link_count;
    *why = SN_READ_ALL;
    if (!make_room(c, 2 * count)) return false;
    sn_await_link *again = c->links + count;
    for (uint32_t i = 0; i < count; i++)
        again[i] = (sn_await_link){.object = c->links[i].object, .kind = c->links[i].kind, .before = c->links[i].before};
    c->link_count = 2 * count;
    bool is_read = read_objects(c, memory, count, why);
    for (uint32_t i = 0; is_read && i < count; i++) {
        uint8_t *at = c->bytes + (size_t)i * LINK_BYTES;
        bool is_whole = c->is_there[i];
        if (is_whole || sn_read_one(memory, again[i].object, at, SHORT_BYTES)) take_link(l, tasks, at, !is_whole, &again[i]);
    }
    is_read = is_read && read_awaited(c, memory, l, tasks, count, why);
    c->link_count = count;
    for (uint32_t i = 0; is_read && i < c->count; i++)
        for (uint32_t at = c->last[i]; at; at = c->links[at - 1].before)
            if (!is_same(&c->links[at - 1], &again[at - 1])) c->result[i] = SN_CHAIN_CHANGED;
    return is_read;
}
