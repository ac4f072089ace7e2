#include "burst_gate.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t function, line;
} sn_gate_frame;

/* What runs on a thread, whether the gate is open or not. */
struct sn_gate_thread {
    sn_gate_frame *frames;
    uint32_t depth, room;
    bool seen; /* in the burst that goes on it ran something, or had an event */
};

void sn_burst_gate_init(sn_burst_gate *gate, uint64_t interval, uint64_t length) {
    *gate = (sn_burst_gate){.interval = interval, .length = length};
}

void sn_burst_gate_free(sn_burst_gate *gate) {
    for (uint32_t i = 0; i < gate->thread_count; i++) free(gate->threads[i].frames);
    free(gate->threads);
    sn_burst_gate_init(gate, gate->interval, gate->length);
}

static struct sn_gate_thread *thread_of(sn_burst_gate *gate, uint32_t number) {
    if (number >= gate->thread_count) {
        uint32_t count = gate->thread_count ? gate->thread_count : 1;
        while (count <= number) count *= 2;
        struct sn_gate_thread *grown = realloc(gate->threads, (size_t)count * sizeof *grown);
        if (!grown) return NULL;
        memset(grown + gate->thread_count, 0, (size_t)(count - gate->thread_count) * sizeof *grown);
        gate->threads = grown;
        gate->thread_count = count;
    }
    return &gate->threads[number];
}

static sn_status end_burst(sn_burst_gate *gate, uint64_t at, const sn_burst_taker *taker) {
    sn_status status = SN_OK;
    bool was_seen = false;
    for (uint32_t i = 0; i < gate->thread_count && status == SN_OK; i++) {
        struct sn_gate_thread *thread = &gate->threads[i];
        if (!thread->seen) continue;
        thread->seen = false;
        was_seen = true;
        sn_event lost = {.kind = SN_EVENT_LOST, .thread = i, .time = at};
        status = taker->event(taker->to, &lost);
    }
    gate->is_open = false;
    if (was_seen) taker->end_of_burst(taker->to);
    return status;
}

static sn_status begin_burst(sn_burst_gate *gate, uint64_t at, const sn_burst_taker *taker) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < gate->thread_count; i++) {
        struct sn_gate_thread *thread = &gate->threads[i];
        thread->seen = thread->depth > 0;
        for (uint32_t depth = 0; depth < thread->depth && status == SN_OK; depth++) {
            sn_event found = {SN_EVENT_FOUND, i, thread->frames[depth].function, thread->frames[depth].line, at};
            status = taker->event(taker->to, &found);
        }
    }
    gate->is_open = true;
    return status;
}

/* Whether anything runs on any thread. */
static bool is_busy(const sn_burst_gate *gate) {
    for (uint32_t i = 0; i < gate->thread_count; i++)
        if (gate->threads[i].depth) return true;
    return false;
}

/* Begin and end the bursts that begin or end up to now. */
static sn_status catch_up(sn_burst_gate *gate, const sn_burst_taker *taker) {
    sn_status status = SN_OK;
    while (status == SN_OK) {
        uint64_t turn = gate->first + gate->next * gate->interval + (gate->is_open ? gate->length : 0);
        if (turn > gate->now) break;
        if (gate->is_open) {
            status = end_burst(gate, turn, taker);
            gate->next++;
            /* Bursts in which there is nothing to be seen need not be gone through. */
            uint64_t passed = (gate->now - gate->first) / gate->interval;
            if (passed > gate->next && !is_busy(gate)) gate->next = passed;
        } else {
            status = begin_burst(gate, turn > gate->ended ? turn : gate->ended, taker);
        }
    }
    return status;
}

static sn_status follow(struct sn_gate_thread *thread, const sn_event *event) {
    switch (event->kind) {
    case SN_EVENT_ENTER:
    case SN_EVENT_FOUND:
        if (thread->depth == thread->room) {
            uint32_t room = thread->room ? thread->room * 2 : 64;
            sn_gate_frame *grown = realloc(thread->frames, (size_t)room * sizeof *grown);
            if (!grown) return SN_NO_MEMORY;
            thread->frames = grown;
            thread->room = room;
        }
        thread->frames[thread->depth++] = (sn_gate_frame){event->function, event->line};
        break;
    case SN_EVENT_LOST:
        thread->depth = 0;
        break;
    default:
        if (thread->depth) thread->depth--;
        break;
    }
    return SN_OK;
}

sn_status sn_burst_gate_event(sn_burst_gate *gate, const sn_event *event, const sn_burst_taker *taker) {
    struct sn_gate_thread *thread = thread_of(gate, event->thread);
    if (!thread) return SN_NO_MEMORY;
    if (!gate->begun) gate->first = gate->now = event->time;
    gate->begun = true;
    if (event->time > gate->now) gate->now = event->time;
    sn_status status = catch_up(gate, taker);
    if (status == SN_OK && gate->is_open) {
        sn_event seen = *event;
        seen.time = gate->now;
        thread->seen = true;
        status = taker->event(taker->to, &seen);
    }
    return status == SN_OK ? follow(thread, event) : status;
}

sn_status sn_burst_gate_end(sn_burst_gate *gate, const sn_burst_taker *taker) {
    if (!gate->is_open) return SN_OK;
    gate->ended = gate->now;
    return end_burst(gate, gate->now, taker);
}

uint64_t sn_burst_gate_bursts(const sn_burst_gate *gate) {
    return gate->begun ? sn_burst_gate_elapsed(gate) / gate->interval + 1 : 0;
}

uint64_t sn_burst_gate_elapsed(const sn_burst_gate *gate) { return gate->now - gate->first; }

uint64_t sn_burst_gate_open_time(const sn_burst_gate *gate) {
    uint64_t elapsed = sn_burst_gate_elapsed(gate), rest = elapsed % gate->interval;
    return elapsed / gate->interval * gate->length + (rest < gate->length ? rest : gate->length);
}
