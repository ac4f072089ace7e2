/* Memory that is no object: stacks, variables of programs and libraries, what allocators have not given out.
 *
 * A page is looked up when it is touched first, and belongs to its region from then on.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "tool.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"

enum { PAGE = 4096, GRANULE = 1 << SN_GRANULE_BITS };
static struct sn_word_map region_by_type, region_by_page, arenas;
static UInt regions_lost; /* the region of what there is no space for */

static UInt region_of(UInt kind, const HChar *name) {
    if (!regions_lost) /* made first, while there is space */
        regions_lost = sn_region_new(&lives, sn_group_of(&lives, type_of(KIND_UNKNOWN, "not told apart"), SN_NO_PLACE));
    UInt type = type_of(kind, name);
    if (!type) return regions_lost;
    UInt region = sn_word_get(&region_by_type, type);
    if (region) return region;
    region = sn_region_new(&lives, sn_group_of(&lives, type, SN_NO_PLACE));
    if (!region) return regions_lost;
    sn_word_set(&region_by_type, type, region);
    return region;
}

static const HChar *base_name(const HChar *path) {
    const HChar *slash = path ? VG_(strrchr)(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "?";
}

/* The stack of which thread, 0: none. */
static UInt stack_at(Addr address) {
    ThreadId tid;
    Addr low, high;
    VG_(thread_stack_reset_iter)(&tid);
    while (VG_(thread_stack_next)(&tid, &low, &high)) {
        /* Below the stack pointer, too: red zones, and what was called and has returned. */
        const NSegment *segment = VG_(am_find_nsegment)(high - 1);
        if (segment && address >= segment->start && address <= segment->end && address <= high) return thread_of(tid)->number;
    }
    return 0;
}

/* Whether an address is on the interpreter's stack of Python frames of a thread. */
static Bool in_frames(const struct thread *thread, Addr address) {
    if (!thread->state || !python.version) return False;
    for (Addr chunk = *(Addr *)(thread->state + python.thread_chunk); chunk; chunk = *(Addr *)(chunk + python.chunk_previous))
        if (address >= chunk && address - chunk < *(uint64_t *)(chunk + python.chunk_size)) return True;
    return False;
}

/* A variable of a program or library. */
static UInt global_at(Addr address) {
    const HChar *name, *object;
    PtrdiffT offset;
    HChar full[600];
    VgSectKind section = VG_(DebugInfo_sect_kind)(&object, address);
    if (section == Vg_SectUnknown) return 0;
    if (VG_(get_datasym_and_offset)(VG_(current_DiEpoch)(), address, &name, &offset))
        VG_(snprintf)(full, sizeof full, "%.400s of %.150s", name, base_name(object));
    else
        VG_(snprintf)(full, sizeof full, "%s of %.150s", VG_(pp_SectKind)(section), base_name(object));
    return region_of(KIND_GLOBAL, full);
}

static UInt mapping_at(Addr address) {
    HChar full[600];
    const NSegment *segment = VG_(am_find_nsegment)(address);
    if (!segment) return region_of(KIND_UNKNOWN, "no mapping");
    if (sn_word_get(&arenas, segment->start)) return region_of(KIND_HEAP, "pools of Python's allocator");
    switch (segment->kind) {
    case SkAnonC:
        return segment->isCH ? region_of(KIND_HEAP, "heap of the C library") : region_of(KIND_MAPPING, "anonymous memory");
    case SkFileC:
        VG_(snprintf)(full, sizeof full, "%.500s", base_name(VG_(am_get_filename)(segment)));
        return region_of(segment->hasX ? KIND_CODE : KIND_MAPPING, full);
    case SkShmC:
        return region_of(KIND_MAPPING, "shared memory");
    default:
        return region_of(KIND_UNKNOWN, "not the program's");
    }
}

UInt region_at(Addr address) {
    UInt global = global_at(address);
    if (global) { /* variables share pages */
        sn_object_map_fill(&lives.map, address & -(Addr)GRANULE, GRANULE, global);
        return global;
    }
    Addr page = address & -(Addr)PAGE;
    UInt region, stack = stack_at(address);
    if (stack) {
        HChar name[40];
        VG_(snprintf)(name, sizeof name, stack == 1 ? "stack" : "stack of thread %u", stack);
        region = region_of(KIND_STACK, name);
    } else if (in_frames(current, address)) {
        region = region_of(KIND_FRAMES, "Python's frames");
    } else {
        region = mapping_at(address);
    }
    sn_word_set(&region_by_page, page / PAGE, region);
    sn_object_map_fill(&lives.map, page, PAGE, region);
    return region;
}

UInt region_behind(Addr address) { return sn_word_get(&region_by_page, address / PAGE); }

void region_is_arena(Addr address) {
    const NSegment *segment = VG_(am_find_nsegment)(address);
    if (segment && segment->kind == SkAnonC && !segment->isCH && !sn_word_get(&arenas, segment->start))
        sn_word_set(&arenas, segment->start, 1);
}

void region_gone(Addr address, SizeT size) {
    sn_word_remove(&arenas, address);
    for (Addr page = address / PAGE; page < (address + size) / PAGE; page++) sn_word_remove(&region_by_page, page);
    if (lives.collect) lives.collect(lives.counter, address, size);
    sn_object_map_set(&lives.map, address, size, 0);
}
