/* What the measured process says. See requests.h of the core.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "tool.h"

#include "pub_tool_transtab.h"

void window_set(Bool open) {
    if (open == window_open || (open && is_forked)) return;
    window_open = open;
    lives.closed = !open;
    next_snapshot = options.snapshot ? clock_ + options.snapshot : ~(uint64_t)0;
    /* Code outside of a window is translated as it is; so all of it has to be translated anew. */
    VG_(discard_translations_safely)((Addr)0x1000, ~(SizeT)0xfff, "sonde");
}

static void code_changed(Addr address, SizeT size) {
    VG_(discard_translations_safely)(address, size ? size : 1, "sonde");
}

static void collection(UInt generation, Bool begins) {
    static uint64_t began;
    sn_collection_advice *const *advice = begins ? sn_advice.gc_start : sn_advice.gc_stop;
    if (!window_open) return;
    if (!begins && generation < GENERATIONS) {
        collections[generation].count++;
        collections[generation].accesses += clock_ - began;
    }
    if (begins) began = clock_; /* one at a time: the interpreter has a lock */
    for (Int when = SN_BEFORE; when <= SN_AFTER; when++)
        if (advice[when]) advice[when](generation);
}

static void set_state(struct thread *thread, Addr state) {
    if (!state || thread->state == state) return;
    thread->state = state;
    python_look_again(thread, clock_);
}

Bool answer_request(ThreadId tid, UWord *arguments, UWord *answer) {
    if ((arguments[0] & 0xffff0000) != SN_REQUEST_BASE) return False;
    if (is_forked) window_set(False);
    struct thread *thread = thread_of(tid);
    current = thread;
    const UWord a = arguments[1], b = arguments[2], c = arguments[3], d = arguments[4], e = arguments[5];
    totals.requests++;
    *answer = 1;
    Bool of_objects = arguments[0] == SN_OBJECT || arguments[0] == SN_BUFFER || arguments[0] == SN_ALLOCATE || arguments[0] == SN_REALLOCATE ||
                      arguments[0] == SN_FREE;
    if (arguments[0] == SN_ALLOCATE) set_state(thread, d);
    if (of_objects && !options.objects) return True;
    switch (arguments[0]) {
    case SN_WINDOW_OPEN: window_set(True); break;
    case SN_WINDOW_CLOSE: window_set(False); break;
    case SN_PAUSE: thread->paused++; break;
    case SN_RESUME:
        if (thread->paused) thread->paused--;
        python_look_again(thread, clock_); /* what it did meanwhile was not watched */
        break;
    case SN_OWN_CODE:
        own_code_add(a, b);
        code_changed(a, b - a);
        break;
    case SN_PYTHON: python_set_layout((const struct sn_python_layout *)a); break;
    case SN_THREAD_STATE: set_state(thread, a); break;
    case SN_TYPE: python_type_named(a, (const HChar *)b, c); break;
    case SN_OBJECT: object_found(a, b, c, d); break;
    case SN_BUFFER: buffer_found(a, b); break;
    case SN_ALLOCATE: object_allocated(thread, a, b, c, e); break;
    case SN_REALLOCATE: object_reallocated(thread, a, b, c, d, e); break;
    case SN_FREE: object_freed(a); break;
    case SN_GC_START: collection(a, True); break;
    case SN_GC_STOP: collection(a, False); break;
    case SN_CODE_LOAD:
        code_loaded(a, b, (const HChar *)c, d);
        code_changed(a, b);
        break;
    case SN_CODE_UNLOAD: code_unloaded(a); break;
    case SN_COUNTS_SO_FAR: counts_tell((uint64_t *)a); break;
    case SN_UNDER_TOOL: break;
    default: *answer = 0;
    }
    return True;
}
