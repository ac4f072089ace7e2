/* Objects: blocks of memory, and what their first words say that they are.
 *
 * A block of PyObject_Malloc is an object from the moment on when the address of a type is stored where an instance of
 * that type has it. Objects of types whose dead the interpreter keeps for the next of their kind (floats, lists, ...)
 * die when 0 is stored into their reference count, and are born again when something else is.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "tool.h"

enum { GRANULE = 1 << SN_GRANULE_BITS };

static void advise(sn_object_advice *const *advice, Int when, UInt number, Addr ip) {
    if (!advice[when]) return;
    const struct sn_object *object = &lives.objects[number];
    struct sn_location location;
    locate(&location, current, current->place, ip, object->base, object->size);
    location.was_there = lives.uses[number].state & SN_UNBORN;
    advice[when](&location, lives.groups[object->group].type,
                 lives.field_count ? &lives.fields[(SizeT)number * lives.field_count] : NULL);
}

static void advise_both(sn_object_advice *const *advice, UInt number, Addr ip) {
    advise(advice, SN_BEFORE, number, ip);
    advise(advice, SN_AFTER, number, ip);
}

/* Whether what happens now is the program's doing, in a window. */
static Bool is_looked_at(void) { return window_open && !current->paused; }

static void advise_of_birth(UInt number, Addr ip) {
    if (!(lives.uses[number].state & SN_UNBORN)) advise_both(sn_advice.object_create, number, ip);
}

/* What was born dies once, whenever that is; what was there before, only while somebody looks. */
static void advise_of_death(UInt number) {
    UInt state = lives.uses[number].state;
    if ((state & (SN_TYPED | SN_SLEEPS)) == SN_TYPED && (!(state & SN_UNBORN) || is_looked_at()))
        advise_both(sn_advice.object_delete, number, 0);
}

void advise_of_deaths(void) {
    window_open = False;
    for (UInt number = 1; number < lives.used; number++) advise_of_death(number);
}

/* Advice is told: what lies there, `but` for one object, will be forgotten. */
static void objects_gone(Addr address, SizeT size, UInt but) {
    if (!sn_advice.object_delete[SN_BEFORE] && !sn_advice.object_delete[SN_AFTER]) return;
    UInt last = 0;
    const Addr end = address + (size ? size : 1);
    for (Addr at = address; (at = sn_object_map_next(&lives.map, at, end)) < end; at = (at | (GRANULE - 1)) + 1) {
        UInt number = sn_object_at(&lives.map, at);
        if (number && number != last && number != but && !(lives.uses[number].state & SN_REGION)) advise_of_death(number);
        last = number;
    }
}

void memory_gone(Addr address, SizeT size) {
    /* Objects that were not freed before their memory went. */
    objects_gone(address, size, 0);
    const Addr end = address + size;
    for (Addr at = address; (at = sn_object_map_next(&lives.map, at, end)) < end; at += GRANULE) {
        UInt number = sn_object_at(&lives.map, at);
        if (!(lives.uses[number].state & SN_REGION)) sn_object_freed(&lives, number, 0);
    }
    region_gone(address, size);
}

/* Where what is born now is made. */
static UInt birth_place(struct thread *thread, Addr return_address) {
    if (!window_open) {
        if (!options.sites_before) return SN_NO_PLACE;
        python_look_again(thread, clock_); /* nobody watches it there */
    }
    if (thread->place) return thread->place;
    return return_address ? native_place(return_address - 1) : SN_NO_PLACE;
}

/* The block of malloc's that another allocator has got for its own block at [address, address + size): it is as large,
 * or has some words of bookkeeping more. 0: none. */
static UInt block_around(Addr address, SizeT size) {
    enum { BOOKKEEPING = 64 };
    UInt number = sn_object_at(&lives.map, address);
    const struct sn_object *object = &lives.objects[number];
    if (!number || lives.groups[object->group].type != block_type(SN_DOMAIN_C)) return 0;
    Bool fits = address - object->base + size <= object->size && object->size <= size + BOOKKEEPING;
    return fits ? number : 0;
}

/* It is the other allocator's block from now on, as nobody but that allocator saw malloc's. */
static void take_over(UInt number, Addr address, SizeT size, UInt group, UInt state) {
    sn_object_cut(&lives, number, address, size, region_behind(lives.objects[number].base));
    if (group) sn_object_regroup(&lives, number, group);
    lives.uses[number].state = state;
    for (UInt i = 0; i < lives.field_count; i++) lives.fields[(SizeT)number * lives.field_count + i] = 0;
}

void object_allocated(struct thread *thread, Addr address, SizeT size, UInt domain, Addr return_address) {
    UInt group = sn_group_of(&lives, block_type(domain), birth_place(thread, return_address));
    UInt state = domain == SN_DOMAIN_OBJECT && python.version ? SN_BLOCK : SN_TYPED;
    if (!window_open || thread->paused) state |= SN_UNBORN;
    UInt number = domain == SN_DOMAIN_C ? 0 : block_around(address, size);
    if (number) {
        take_over(number, address, size, group, state);
    } else {
        if (domain != SN_DOMAIN_C && domain != SN_DOMAIN_NEW) region_is_arena(address);
        objects_gone(address, size, 0);
        number = sn_object_born(&lives, address, size, group, state, clock_);
    }
    if (number && state & SN_TYPED) advise_of_birth(number, return_address);
}

static UInt block_at(Addr address) {
    UInt number = sn_object_at(&lives.map, address);
    const struct sn_object *object = &lives.objects[number];
    return number && !(lives.uses[number].state & SN_REGION) && object->base == address ? number : 0;
}

static void moved(UInt number, Addr address, SizeT size, Addr return_address) {
    const Addr before = lives.objects[number].base;
    for (Int when = SN_BEFORE; when <= SN_AFTER; when++) {
        if (when == SN_AFTER) {
            objects_gone(address, size, number);
            sn_object_moved(&lives, number, address, size, before == address ? 0 : region_behind(before));
        }
        if (!sn_advice.object_relocate[when] || !is_looked_at()) continue;
        struct sn_location location;
        locate(&location, current, current->place, return_address, address, size);
        location.was_there = lives.uses[number].state & SN_UNBORN;
        sn_advice.object_relocate[when](&location, object_type(number),
                                        lives.field_count ? &lives.fields[(SizeT)number * lives.field_count] : NULL,
                                        before);
    }
}

/* The block of another allocator behind its bookkeeping, which begins at an address; 0: none. */
static UInt block_behind(Addr bookkeeping) {
    enum { FARTHEST = 32 };
    for (Addr at = bookkeeping + GRANULE; at <= bookkeeping + FARTHEST; at += GRANULE) {
        UInt number = block_at(at), type = object_type(number);
        if (number) return type == block_type(SN_DOMAIN_C) || type == block_type(SN_DOMAIN_NEW) ? 0 : number;
    }
    return 0;
}

void object_reallocated(struct thread *thread, Addr old, Addr address, SizeT size, UInt domain, Addr return_address) {
    UInt number = block_at(old), there;
    if (number) {
        moved(number, address, size, return_address);
    } else if (domain == SN_DOMAIN_C && (number = block_behind(old))) {
        /* Its allocator will tell how large it is now. */
        const struct sn_object *object = &lives.objects[number];
        const SizeT before = object->base - old;
        moved(number, address + before, object->size < size - before ? object->size : size - before, return_address);
    } else if ((there = block_at(address)) && object_type(there) != block_type(SN_DOMAIN_C)) {
        /* An allocator that had malloc move its block, which has told of it already. */
        if (lives.objects[there].size != size) moved(there, address, size, return_address);
    } else {
        object_allocated(thread, address, size, domain, return_address);
    }
}

void object_freed(Addr address) {
    UInt number = block_at(address);
    if (!number) return;
    const struct sn_object *object = &lives.objects[number];
    UInt state = lives.uses[number].state;
    if (state & SN_IS_CODE) python_code_freed(object->base + object->count_offset);
    if (state & SN_IS_TYPE) python_type_freed(object->base + object->count_offset);
    advise_of_death(number);
    sn_object_freed(&lives, number, region_behind(address));
}

/* The object's type is known. */
static void typed(UInt number, UInt type, Addr address, UInt count_offset) {
    UInt flags = types[type].flags, state = (lives.uses[number].state & SN_UNBORN) | SN_TYPED;
    if (flags & SN_TYPE_FREE_LISTED) state |= SN_REVIVES;
    if (address == python.code_type) state |= SN_IS_CODE;
    if (flags & SN_TYPE_OF_TYPES) state |= SN_IS_TYPE;
    if (types[type].owns) state |= SN_OWNS;
    lives.uses[number].state = state;
    lives.objects[number].count_offset = count_offset;
}

void object_found(Addr address, SizeT size, Addr type, Bool sleeps) {
    UInt number_of_type = python_type_of(type), number = block_at(address), around = block_around(address, size);
    if (number && !around && object_type(number) == block_type(SN_DOMAIN_C))
        around = number, size = lives.objects[number].size; /* more was asked for than it needs */
    if (around) number = around;
    if (!number_of_type) return;
    if (number && !around && lives.uses[number].state & SN_TYPED) { /* known already */
        if (lives.uses[number].state & SN_OWNS) owner_found(number);
        return;
    }
    UInt group = sn_group_of(&lives, number_of_type, number ? lives.groups[lives.objects[number].group].place : SN_NO_PLACE);
    if (!group) return;
    if (around)
        take_over(number, address, size, group, SN_UNBORN);
    else if (number)
        sn_object_regroup(&lives, number, group);
    else
        number = sn_object_born(&lives, address, size, group, SN_UNBORN, clock_);
    if (!number) return;
    lives.uses[number].state |= SN_UNBORN;
    typed(number, number_of_type, type, python_head_of(type));
    if (sleeps)
        sn_object_sleeps(&lives, number, clock_);
    else if (lives.uses[number].state & SN_OWNS)
        owner_found(number);
}

void buffer_found(Addr address, SizeT size) {
    if (block_at(address) || block_around(address, size)) return;
    UInt there = sn_object_at(&lives.map, address);
    if (!there) there = region_at(address);
    if (types[object_type(there)].kind != KIND_HEAP) return;
    sn_object_born(&lives, address, size, sn_group_of(&lives, block_type(SN_DOMAIN_MEMORY), SN_NO_PLACE),
                   SN_TYPED | SN_UNBORN, clock_);
}

void block_lent(UInt number, UInt type, UInt data_offset) {
    lives.objects[number].count_offset = data_offset; /* bytes are numbered from the first one of the data on */
    UInt group = sn_group_of(&lives, type, lives.groups[lives.objects[number].group].place);
    if (group) sn_object_regroup(&lives, number, group);
}

void block_named(UInt number, UInt type) {
    const struct sn_object block = lives.objects[number];
    const struct sn_group *old = &lives.groups[block.group];
    if (is_block_type(old->type)) {
        UInt group = sn_group_of(&lives, type, old->place), state = lives.uses[number].state;
        if (group) sn_object_regroup(&lives, number, group);
        lives.uses[number].state = (state & SN_UNBORN) | SN_TYPED;
        if (state & SN_BLOCK) advise_of_birth(number, 0);
    } else { /* what it was has been given back to somebody who keeps memory for the next one */
        UInt group = sn_group_of(&lives, type, birth_place(current, 0));
        advise_of_death(number);
        sn_object_freed(&lives, number, region_behind(block.base));
        number = sn_object_born(&lives, block.base, block.size, group, SN_TYPED, clock_);
        if (number) advise_of_birth(number, 0);
    }
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
    advise_of_birth(number, 0);
}

enum { FARTHEST = 40 }; /* of a type's address: behind two words, a head and a reference count */

Bool object_listens(UInt number, Addr address) {
    const struct sn_object *object = &lives.objects[number];
    UInt state = lives.uses[number].state;
    if (state & SN_BLOCK) return address - object->base <= FARTHEST;
    if (state & SN_OWNS && owner_listens(number, address)) return True;
    return state & SN_REVIVES && (object->base + object->count_offset) >> SN_GRANULE_BITS == address >> SN_GRANULE_BITS;
}

/* Whether a count of references that is no longer 0 is the work of what takes a dead object apart. It is, if the object
 * has just died. */
static Bool is_raised(const struct sn_object *object) {
    enum { AT_ONCE = 64 }; /* accesses; it takes 23, and to use the block again at least 160 */
    return types[lives.groups[object->group].type].flags & SN_TYPE_RAISED && clock_ - object->birth <= AT_ONCE;
}

/* The beginning of the next life is a store of eight bytes. */
void object_counted(UInt number, Addr address, uint64_t value) {
    const struct sn_object *object = &lives.objects[number];
    UInt state = lives.uses[number].state;
    if (value || state & (SN_BLOCK | SN_SLEEPS) || !(state & SN_REVIVES) || address - object->base != object->count_offset) return;
    advise_of_death(number);
    sn_object_sleeps(&lives, number, clock_);
}

void object_stored(UInt number, Addr address, uint64_t value) {
    struct sn_object *object = &lives.objects[number];
    UInt offset = address - object->base, state = lives.uses[number].state;
    if (state & SN_BLOCK) {
        if (offset <= FARTHEST) becomes(number, value, offset);
    } else if (offset == object->count_offset) {
        if (!value && !(state & SN_SLEEPS)) {
            advise_of_death(number);
            sn_object_sleeps(&lives, number, clock_);
        } else if (value && state & SN_SLEEPS && !is_raised(object) && (!python_has_short_counts() || (UInt)value == 1)) {
            UInt group = sn_group_of(&lives, lives.groups[object->group].type, birth_place(current, 0));
            sn_object_revives(&lives, number, group ? group : object->group, clock_);
            advise_of_birth(number, 0);
        }
    }
}
