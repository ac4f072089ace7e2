/* Where advice is told that something happens.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "tool.h"

Bool advised;

void locate(struct sn_location *location, struct thread *thread, UInt place, Addr ip, Addr address, SizeT size) {
    *location = (struct sn_location){.ip = ip, .address = address, .size = size, .thread = thread->number, .place = place};
    if (!place || !sn_advice.uses_place) return;
    const struct sn_frame *frame = &ledger.frames[ledger.places[place].first_frame];
    location->method = frame->function;
    location->line = frame->line;
}

uint64_t sn_object_about(const int64_t *fields, UInt *place) {
    const struct sn_object *object = &lives.objects[(SizeT)(fields - lives.fields) / lives.field_count];
    UInt site = lives.groups[object->group].place;
    *place = site == SN_NO_PLACE ? 0 : site;
    return object->number;
}

static void tell(sn_method_advice *const *advice, struct thread *thread, UInt method) {
    struct sn_location location;
    if (!window_open) return;
    locate(&location, thread, thread->place, 0, 0, 0);
    for (Int when = SN_BEFORE; when <= SN_AFTER; when++)
        if (advice[when]) advice[when](&location, method);
}

/* What is deeper than this is not told of. */
enum { DEEPEST = 1 << 16 };

/* Another Python frame is the innermost. If it was there before, those above it have been left; else it was entered. */
void frame_changed(struct thread *thread, Addr frame, UInt method) {
    if (!sn_advice.method_enter[0] && !sn_advice.method_enter[1] && !sn_advice.method_leave[0] &&
        !sn_advice.method_leave[1])
        return;
    if (!thread->frames) thread->frames = need_pages(DEEPEST * sizeof *thread->frames);
    UInt depth = thread->depth;
    while (depth && thread->frames[depth - 1].frame != frame) depth--;
    if (depth || !frame) {
        while (thread->depth > depth) tell(sn_advice.method_leave, thread, thread->frames[--thread->depth].method);
    } else if (thread->depth < DEEPEST) {
        thread->frames[thread->depth++] = (struct active){frame, method};
        tell(sn_advice.method_enter, thread, method);
    }
}
