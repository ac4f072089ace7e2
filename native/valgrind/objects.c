/* Objects: blocks of memory, and what their first words say that they are.
 *
 * A block of PyObject_Malloc is an object from the moment on when the address of a type is stored where an instance of
 * that type has it. Objects of types whose dead the interpreter keeps for the next of their kind (floats, lists, ...)
 * die when 0 is stored into their reference count, and are born again when something else is.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "tool.h"

static void advise(sn_object_advice *const *advice, Int when, UInt number, Addr ip) {
    if (!advice[when]) return;
    const struct sn_object *object = &lives.objects[number];
    struct sn_location location;
    locate(&location, current, current->place, ip, object->base, object->size);
    advice[when](&location, lives.groups[object->group].type,
                 lives.field_count ? &lives.fields[(SizeT)number * lives.field_count] : NULL);
}

static void advise_both(sn_object_advice *const *advice, UInt number, Addr ip) {
    advise(advice, SN_BEFORE, number, ip);
    advise(advice, SN_AFTER, number, ip);
}

void advise_of_deaths(void) {
    for (UInt number = 1; number < lives.used; number++)
        if ((lives.uses[number].state & (SN_TYPED | SN_SLEEPS)) == SN_TYPED) advise_both(sn_advice.object_delete, number, 0);
}

/* Where what is born now is made. */
static UInt birth_place(const struct thread *thread, Addr return_address) {
    if (!window_open) return SN_NO_PLACE;
    if (thread->place) return thread->place;
    return return_address ? native_place(return_address - 1) : SN_NO_PLACE;
}

void object_allocated(struct thread *thread, Addr address, SizeT size, UInt domain, Addr return_address) {
    UInt group = sn_group_of(&lives, block_type(domain), birth_place(thread, return_address));
    UInt state = domain == SN_DOMAIN_OBJECT && python.version ? SN_BLOCK : SN_TYPED;
    if (!window_open || thread->paused) state |= SN_UNBORN;
    UInt there = sn_object_at(&lives.map, address);
    struct sn_object *object = &lives.objects[there];
    if (there && object->base == address && lives.groups[object->group].type == block_type(SN_DOMAIN_C)) {
        /* An allocator that got its memory from malloc, which has told of it already. */
        if (group) sn_object_regroup(&lives, there, group);
        lives.uses[there].state = state;
    } else {
        if (domain != SN_DOMAIN_C && domain != SN_DOMAIN_NEW) region_is_arena(address);
        there = sn_object_born(&lives, address, size, group, state, clock_);
    }
    if (there && state & SN_TYPED) advise_both(sn_advice.object_create, there, return_address);
}

static UInt block_at(Addr address) {
    UInt number = sn_object_at(&lives.map, address);
    const struct sn_object *object = &lives.objects[number];
    return number && !(lives.uses[number].state & SN_REGION) && object->base == address ? number : 0;
}

void object_reallocated(struct thread *thread, Addr old, Addr address, SizeT size, UInt domain, Addr return_address) {
    UInt number = block_at(old);
    if (!number) {
        /* An allocator that had malloc move its block, which has told of it already. */
        UInt there = block_at(address);
        if (there && lives.groups[lives.objects[there].group].type != block_type(SN_DOMAIN_C)) return;
        object_allocated(thread, address, size, domain, return_address);
        return;
    }
    Addr before = lives.objects[number].base;
    for (Int when = SN_BEFORE; when <= SN_AFTER; when++) {
        if (when == SN_AFTER) sn_object_moved(&lives, number, address, size, old == address ? 0 : region_behind(old));
        if (!sn_advice.object_relocate[when]) continue;
        struct sn_location location;
        locate(&location, thread, thread->place, return_address, address, size);
        sn_advice.object_relocate[when](&location, lives.groups[lives.objects[number].group].type,
                                        lives.field_count ? &lives.fields[(SizeT)number * lives.field_count] : NULL,
                                        before);
    }
}

void object_freed(Addr address) {
    UInt number = block_at(address);
    if (!number) return;
    const struct sn_object *object = &lives.objects[number];
    UInt state = lives.uses[number].state;
    if (state & SN_IS_CODE) python_code_freed(object->base + object->count_offset);
    if (state & SN_IS_TYPE) python_type_freed(object->base + object->count_offset);
    Bool dies = !(state & SN_SLEEPS) && state & SN_TYPED;
    if (dies) advise_both(sn_advice.object_delete, number, 0);
    sn_object_freed(&lives, number, region_behind(address));
}

/* The object's type is known. */
static void typed(UInt number, UInt type, Addr address, UInt count_offset) {
    UInt flags = types[type].flags, state = (lives.uses[number].state & SN_UNBORN) | SN_TYPED;
    if (flags & SN_TYPE_FREE_LISTED) state |= SN_REVIVES;
    if (address == python.code_type) state |= SN_IS_CODE;
    if (flags & SN_TYPE_OF_TYPES) state |= SN_IS_TYPE;
    lives.uses[number].state = state;
    lives.objects[number].count_offset = count_offset;
}

void object_found(Addr address, SizeT size, Addr type, Bool sleeps) {
    UInt number_of_type = python_type_of(type), number = block_at(address);
    if (!number_of_type || (number && lives.uses[number].state & SN_TYPED)) return; /* known already */
    UInt group = sn_group_of(&lives, number_of_type, SN_NO_PLACE);
    if (!group) return;
    if (number)
        sn_object_regroup(&lives, number, group);
    else
        number = sn_object_born(&lives, address, size, group, SN_UNBORN, clock_);
    if (!number) return;
    lives.uses[number].state |= SN_UNBORN;
    typed(number, number_of_type, type, python_head_of(type));
    if (sleeps) sn_object_sleeps(&lives, number, clock_);
}

static void becomes(UInt number, Addr type, UInt offset) {
    UInt number_of_type = python_type_of(type);
    if (!number_of_type) number_of_type = python_type_found(type);
    if (!number_of_type || offset != python_head_of(type) + python.object_type) return;
    struct sn_object *object = &lives.objects[number];
    UInt group = sn_group_of(&lives, number_of_type, lives.groups[object->group].place);
    if (group) sn_object_regroup(&lives, number, group);
    typed(number, number_of_type, type, offset - python.object_type);
    if (lives.uses[number].state & SN_IS_TYPE) python_type_born(object->base + object->count_offset);
    advise_both(sn_advice.object_create, number, 0);
}

enum { FARTHEST = 40 }; /* of a type's address: behind two words, a head and a reference count */

Bool object_listens(UInt number, Addr address) {
    const struct sn_object *object = &lives.objects[number];
    UInt state = lives.uses[number].state;
    if (state & SN_BLOCK) return address - object->base <= FARTHEST;
    return state & SN_REVIVES && (object->base + object->count_offset) >> SN_GRANULE_BITS == address >> SN_GRANULE_BITS;
}

/* Whether a count of references that is no longer 0 is the work of what takes a dead object apart. It is, if the object
 * has just died. */
static Bool is_raised(const struct sn_object *object) {
    enum { AT_ONCE = 64 }; /* accesses; it takes 23, and to use the block again at least 160 */
    return types[lives.groups[object->group].type].flags & SN_TYPE_RAISED && clock_ - object->birth <= AT_ONCE;
}

void object_stored(UInt number, Addr address, uint64_t value) {
    struct sn_object *object = &lives.objects[number];
    UInt offset = address - object->base, state = lives.uses[number].state;
    if (state & SN_BLOCK) {
        if (offset <= FARTHEST) becomes(number, value, offset);
    } else if (offset == object->count_offset) {
        if (!value && !(state & SN_SLEEPS)) {
            advise_both(sn_advice.object_delete, number, 0);
            sn_object_sleeps(&lives, number, clock_);
        } else if (value && state & SN_SLEEPS && !is_raised(object)) {
            UInt group = sn_group_of(&lives, lives.groups[object->group].type, birth_place(current, 0));
            sn_object_revives(&lives, number, group ? group : object->group, clock_);
            advise_both(sn_advice.object_create, number, 0);
        }
    }
}
