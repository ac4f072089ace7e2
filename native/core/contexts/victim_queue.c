#include "victim_queue.h"

#include <stdlib.h>

#define FIRST_ROOM 256u
/* So many slots after a victim's are searched for the next one, whose cells are then fetched ahead. */
#define AHEAD 16u

void sn_queue_init(sn_queue *queue) { *queue = (sn_queue){0}; }

void sn_queue_free(sn_queue *queue) {
    free(queue->seen);
    free(queue->contexts);
    sn_queue_init(queue);
}

static uint64_t bound(const sn_queue *queue, uint32_t slot) { return sn_upper_bound(queue->contexts[slot], false); }

static bool make_room(sn_queue *queue) {
    if (queue->count < queue->room) return true;
    uint32_t room = queue->room ? queue->room * 2 : FIRST_ROOM;
    uint64_t *seen = realloc(queue->seen, room * sizeof *seen);
    if (seen) queue->seen = seen;
    sn_context **contexts = realloc(queue->contexts, room * sizeof(sn_context *));
    if (contexts) queue->contexts = contexts;
    if (!seen || !contexts) return false;
    queue->room = room;
    return true;
}

bool sn_queue_add(sn_queue *queue, sn_context *context) {
    if (!make_room(queue)) return false;
    uint32_t slot = queue->count++;
    queue->contexts[slot] = context;
    queue->seen[slot] = bound(queue, slot);
    if (queue->seen[slot] < queue->level || (queue->seen[slot] == queue->level && slot < queue->scanned)) {
        queue->level = queue->seen[slot]; /* the least so far, or an older level come back: scan anew */
        queue->scanned = 0;
    }
    return true;
}

static uint64_t next_level(const sn_queue *queue) {
    uint64_t least = UINT64_MAX;
    for (uint32_t slot = 0; slot < queue->count; slot++)
        if (queue->seen[slot] < least) least = queue->seen[slot];
    return least;
}

/* The next victims are seldom in the cache, and nothing else needs them before. */
static void fetch_ahead(const sn_queue *queue) {
    uint32_t end = queue->scanned + AHEAD < queue->count ? queue->scanned + AHEAD : queue->count;
    for (uint32_t slot = queue->scanned + 1; slot < end; slot++) {
        if (queue->seen[slot] != queue->level) continue;
        __builtin_prefetch(queue->contexts[slot], 1);
        __builtin_prefetch(sn_side_of(queue->contexts[slot]), 1);
    }
}

uint32_t sn_queue_least(sn_queue *queue) {
    for (;;) {
        for (; queue->scanned < queue->count; queue->scanned++) {
            uint32_t slot = queue->scanned;
            if (queue->seen[slot] != queue->level) continue;
            uint64_t now = bound(queue, slot);
            if (now == queue->level) {
                fetch_ahead(queue);
                return slot;
            }
            queue->seen[slot] = now;
        }
        queue->level = next_level(queue);
        queue->scanned = 0;
    }
}

void sn_queue_replace(sn_queue *queue, uint32_t slot, sn_context *context) {
    queue->contexts[slot] = context;
    queue->seen[slot] = bound(queue, slot);
}

void sn_queue_take(sn_queue *queue, uint32_t slot) {
    uint32_t last = --queue->count;
    queue->contexts[slot] = queue->contexts[last];
    queue->seen[slot] = queue->seen[last];
}

void sn_queue_restart(sn_queue *queue) {
    for (uint32_t slot = 0; slot < queue->count; slot++) queue->seen[slot] = 0;
    queue->level = 0;
    queue->scanned = 0;
}
