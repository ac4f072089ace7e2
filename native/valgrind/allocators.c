/* Calls of malloc, operator new and their kind: blocks that are allocated and freed.
 *
 * The allocator stays the program's own, and nothing is loaded into the program. Where code is translated that begins
 * such a function, in whichever program or library, a call of allocator_called() is put in; and at each return
 * instruction one of allocator_returned(), made only if the stack pointer is where an allocator's caller has it.
 *
 * Allocators call one another: operator new calls malloc, realloc may, and a malloc of the program's own calls that of
 * the C library. A block is told of once: with the site of the outermost call and the address of the innermost one for
 * operator new, and those of the outermost one else. Operator new may leave by an exception, whose beginning is seen
 * likewise. What leaves by longjmp is noticed when the stack pointer is above it, or at a return that is not its own.
 *
 * Between a realloc that moves a block and its return, another thread may be given the old place; one block is then
 * taken for the other. Threads run in turns that are long, so that is rare.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "allocators.h"

#include "pub_tool_debuginfo.h"
#include "pub_tool_libcbase.h"

Addr allocator_returns;

static Bool begins_with(const HChar *text, const HChar *beginning) {
    return VG_(strncmp)(text, beginning, VG_(strlen)(beginning)) == 0;
}

/* Of the operators that programs may replace; those of a class have its name before theirs, and what is called with a
 * place of memory allocates nothing. */
static enum allocator operator_of(const HChar *name) {
    static const HChar *const ends[] = {"(unsigned long)", "(unsigned long, std::nothrow_t const&)",
                                        "(unsigned long, std::align_val_t)",
                                        "(unsigned long, std::align_val_t, std::nothrow_t const&)"};
    const HChar *parameters = VG_(strchr)(name, '(');
    if (!parameters) return NO_ALLOCATOR;
    if (begins_with(name, "delete(void*") || begins_with(name, "delete[](void*"))
        return VG_(strcmp)(parameters, "(void*, void*)") ? ALLOCATOR_DELETE : NO_ALLOCATOR;
    if (!begins_with(name, "new(") && !begins_with(name, "new[](")) return NO_ALLOCATOR;
    for (UInt i = 0; i < sizeof ends / sizeof *ends; i++)
        if (VG_(strcmp)(parameters, ends[i]) == 0) return i < 2 ? ALLOCATOR_NEW : ALLOCATOR_NEW_ALIGNED;
    return NO_ALLOCATOR;
}

static enum allocator kind_of(const HChar *name) {
    static const struct { const HChar *name; enum allocator kind; } of_c[] = {
        {"malloc", ALLOCATOR_MALLOC},      {"valloc", ALLOCATOR_MALLOC},
        {"pvalloc", ALLOCATOR_MALLOC},     {"calloc", ALLOCATOR_CALLOC},
        {"realloc", ALLOCATOR_REALLOC},    {"reallocarray", ALLOCATOR_REALLOCARRAY},
        {"memalign", ALLOCATOR_MEMALIGN},  {"aligned_alloc", ALLOCATOR_MEMALIGN},
        {"free", ALLOCATOR_FREE},          {"cfree", ALLOCATOR_FREE},
        {"posix_memalign", ALLOCATOR_POSIX_MEMALIGN}, {"__cxa_throw", ALLOCATOR_THROWS},
    };
    if (begins_with(name, "operator ")) return operator_of(name + VG_(strlen)("operator "));
    /* The GNU C library has second names for them, which Valgrind may prefer. */
    if (begins_with(name, "__libc_"))
        name += VG_(strlen)("__libc_");
    else if (begins_with(name, "__posix"))
        name += 2;
    const HChar *version = VG_(strchr)(name, '@');
    SizeT length = version ? (SizeT)(version - name) : VG_(strlen)(name);
    for (UInt i = 0; i < sizeof of_c / sizeof *of_c; i++)
        if (VG_(strlen)(of_c[i].name) == length && VG_(strncmp)(of_c[i].name, name, length) == 0) return of_c[i].kind;
    return NO_ALLOCATOR;
}

enum allocator allocator_at(Addr ip) {
    const HChar *name;
    return VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), ip, &name) ? kind_of(name) : NO_ALLOCATOR;
}

void allocators_of(const struct thread *thread) {
    allocator_returns = thread->open_calls ? thread->calls[thread->open_calls - 1].returns : 0;
}

static void leave(void) {
    current->open_calls--;
    allocators_of(current);
}

static void enter(const struct allocator_call *call) {
    current->calls[current->open_calls++] = *call;
    allocator_returns = call->returns;
}

static struct allocator_call *innermost(void) {
    return current->open_calls ? &current->calls[current->open_calls - 1] : NULL;
}

static Bool is_new(const struct allocator_call *call) {
    return call && (call->kind == ALLOCATOR_NEW || call->kind == ALLOCATOR_NEW_ALIGNED);
}

void allocator_called(UWord kind, Addr stack_pointer, UWord a, UWord b, UWord c) {
    enum { DEEPEST = 1 << 16 }; /* stack that an allocator takes at most */
    if (is_forked) return;
    struct allocator_call call = {kind, stack_pointer + sizeof(Addr), *(Addr *)stack_pointer, a, a};
    struct allocator_call *outer;
    while ((outer = innermost()) && (kind == ALLOCATOR_THROWS || outer->returns - call.returns - 1 >= DEEPEST)) leave();
    if (kind == ALLOCATOR_THROWS) return;
    if (outer && !is_new(outer)) return; /* its own business */
    switch (kind) {
    case ALLOCATOR_CALLOC: call.size = a * b; break;
    case ALLOCATOR_REALLOC: case ALLOCATOR_MEMALIGN: call.size = b; break;
    case ALLOCATOR_REALLOCARRAY: call.size = b * c; break;
    case ALLOCATOR_POSIX_MEMALIGN: call.size = c; break;
    case ALLOCATOR_NEW: case ALLOCATOR_NEW_ALIGNED:
        if (outer && outer->size == a) return; /* called by another operator, for the same block */
        if (outer) leave();
        call.alignment = kind == ALLOCATOR_NEW_ALIGNED ? b : 0;
        break;
    case ALLOCATOR_DELETE: object_freed(a); return; /* as a rule it calls free, which finds it done */
    case ALLOCATOR_FREE: object_freed(a); break;    /* before: behind it, the place may be another's */
    default: break;
    }
    enter(&call);
}

/* A block of malloc's is there: perhaps one that operator new had asked for. */
static void allocated(const struct allocator_call *call, Addr block) {
    enum { BOOKKEEPING = 64 };
    struct allocator_call *outer = innermost();
    if (!block) return;
    if (is_new(outer) && call->size >= outer->size && call->size - outer->size <= outer->alignment + BOOKKEEPING) {
        object_allocated(current, block, call->size, SN_DOMAIN_NEW, outer->site);
        leave();
    } else {
        object_allocated(current, block, call->size, SN_DOMAIN_C, call->site);
    }
}

void allocator_returned(UWord result) {
    struct allocator_call call = *innermost();
    leave();
    if (*(Addr *)(call.returns - sizeof(Addr)) != call.site) return; /* somebody else: it has left */
    switch (call.kind) {
    case ALLOCATOR_FREE: break;
    case ALLOCATOR_NEW: case ALLOCATOR_NEW_ALIGNED: /* not by malloc: of a pool */
        if (result) object_allocated(current, result, call.size, SN_DOMAIN_NEW, call.site);
        break;
    case ALLOCATOR_POSIX_MEMALIGN:
        if (!result) allocated(&call, *(Addr *)call.argument);
        break;
    case ALLOCATOR_REALLOC: case ALLOCATOR_REALLOCARRAY:
        if (!call.argument)
            allocated(&call, result);
        else if (result)
            object_reallocated(current, call.argument, result, call.size, SN_DOMAIN_C, call.site);
        else if (!call.size)
            object_freed(call.argument);
        break;
    default: allocated(&call, result);
    }
}
