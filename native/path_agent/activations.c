#include "activations.h"

#if PY_VERSION_HEX >= 0x030C0000

#include "../core/base/word_map.h"

#include <stdlib.h>

_Thread_local sn_running sn_here __attribute__((tls_model("initial-exec")));

/* Places of suspended activations, by frame; guarded by the GIL. */
static struct sn_word_map place_of;
static sn_activation *suspended;
static uint32_t *free_places;
static uint32_t places, place_room, free_count;

sn_activation *sn_activation_below(const sn_frame *frame) {
    for (uint32_t depth = sn_here.depth; depth; depth--) {
        if (sn_here.running[depth - 1].frame != frame) continue;
        counting.unended += sn_here.depth - depth;
        sn_here.depth = depth;
        return &sn_here.running[depth - 1];
    }
    return NULL;
}

sn_activation *sn_activation_push(const sn_frame *frame) {
    if (unlikely(sn_here.depth == sn_here.room)) {
        uint32_t room = sn_here.room ? 2 * sn_here.room : 64;
        sn_activation *larger = realloc(sn_here.running, room * sizeof *larger);
        if (!larger) return NULL;
        sn_here.running = larger;
        sn_here.room = room;
    }
    sn_activation *new = &sn_here.running[sn_here.depth++];
    new->frame = frame;
    return new;
}

static uint32_t new_place(void) {
    if (free_count) return free_places[--free_count];
    if (places == place_room) {
        uint32_t room = place_room ? 2 * place_room : 64;
        sn_activation *larger = realloc(suspended, room * sizeof *larger);
        if (larger) suspended = larger;
        uint32_t *more = realloc(free_places, room * sizeof *more);
        if (more) free_places = more;
        if (!larger || !more) return UINT32_MAX;
        place_room = room;
    }
    return places++;
}

void sn_activation_suspend(sn_activation *activation) {
    uint32_t place = new_place();
    if (place == UINT32_MAX || !sn_word_set(&place_of, (uint64_t)(uintptr_t)activation->frame, place + 1)) {
        counting.unended++;
        if (place != UINT32_MAX) free_places[free_count++] = place;
    } else {
        suspended[place] = *activation;
    }
    sn_activation_pop();
}

sn_activation *sn_activation_resume(const sn_frame *frame) {
    uint32_t place = sn_word_get(&place_of, (uint64_t)(uintptr_t)frame);
    sn_activation *new = place ? sn_activation_push(frame) : NULL;
    if (!new) return NULL;
    *new = suspended[place - 1];
    free_places[free_count++] = place - 1;
    sn_word_remove(&place_of, (uint64_t)(uintptr_t)frame);
    return new;
}

void sn_activation_forget(const sn_frame *frame) {
    if (likely(!place_of.used)) return;
    uint32_t place = sn_word_get(&place_of, (uint64_t)(uintptr_t)frame);
    if (!place) return;
    counting.unended++;
    free_places[free_count++] = place - 1;
    sn_word_remove(&place_of, (uint64_t)(uintptr_t)frame);
}

#endif
