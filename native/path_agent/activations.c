#include "activations.h"

#if PY_VERSION_HEX >= 0x030C0000

#include "../core/base/word_map.h"

#include <stdlib.h>

_Thread_local sn_running sn_here SN_STATIC_TLS;

/* Places of generators' activations, by frame; guarded by the GIL. */
static struct sn_word_map place_of;
static sn_activation *generators;
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

static sn_activation *push(const sn_frame *frame) {
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
        sn_activation *larger = realloc(generators, room * sizeof *larger);
        if (larger) generators = larger;
        uint32_t *more = realloc(free_places, room * sizeof *more);
        if (more) free_places = more;
        if (!larger || !more) return UINT32_MAX;
        place_room = room;
    }
    return places++;
}

sn_activation *sn_generator_activation(const sn_frame *frame) {
    uint32_t place = sn_word_get(&place_of, (uint64_t)(uintptr_t)frame);
    return place ? &generators[place - 1] : NULL;
}

void sn_generator_end(const sn_frame *frame) {
    free_places[free_count++] = sn_word_get(&place_of, (uint64_t)(uintptr_t)frame) - 1;
    sn_word_remove(&place_of, (uint64_t)(uintptr_t)frame);
}

static sn_activation *add_generator(const sn_frame *frame) {
    sn_activation *stale = sn_generator_activation(frame); /* it was dropped, and its memory used again */
    if (stale) {
        counting.unended++;
        return stale;
    }
    uint32_t place = new_place();
    if (place == UINT32_MAX) return NULL;
    if (!sn_word_set(&place_of, (uint64_t)(uintptr_t)frame, place + 1)) {
        free_places[free_count++] = place;
        return NULL;
    }
    generators[place].frame = frame;
    return &generators[place];
}

sn_activation *sn_activation_begin(PyObject *code) {
    return sn_is_generator(code) ? add_generator(sn_frame_top(sn_thread_state())) : push(sn_beginning_frame());
}

#endif
