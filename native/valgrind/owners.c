/* Memory that objects of Python own besides their blocks: the items of a list, the table of a dict, an array's data.
 *
 * It is a block like others when it is allocated. Whose it is becomes known when its address is stored in its owner:
 * such stores are few, and into granules that little else is stored to, so each of them is looked at. Lists and arrays
 * have the address beside their length; there, what is stored behind it is listened for. Nothing is guessed: the owner's
 * word has the block's address then.
 * From 3.15 on a bytearray's data is within an object of the type `bytes` that nobody else has: it is told of as the bytearray's.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "tool.h"

#include "python_memory.h"
#include "../core/requests/array_layouts.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"

enum owns { OWNS_ITEMS = 1, OWNS_TABLE = 2, OWNS_SET = 4, OWNS_BYTES = 8, OWNS_ARRAY = 16, OWNS_NDARRAY = 32, OWNS_VALUES = 64 };

/* A word of an owner that has the address of a block. */
struct part {
    UInt owner;
    uint64_t pointer;    /* where, from the reference count on */
    uint64_t watched[2]; /* a store to one of these words is looked at */
    const HChar *word;
    UInt farthest;       /* bytes from the block's beginning to where it points */
    UInt slot;           /* of struct type's parts */
};
static struct part parts[8];
static UInt part_count;

static void add(UInt owner, uint64_t pointer, uint64_t watched, uint64_t also, const HChar *name, UInt farthest, UInt slot) {
    parts[part_count++] = (struct part){owner, pointer, {watched, also}, name, farthest, slot};
}

void owners_set_layout(void) {
    enum { LONGEST_PREFIX = 64 }; /* before values: the order in which they came */
    part_count = 0;
    add(OWNS_ITEMS, python.list_items, python.list_allocated, python.list_allocated, "items", 0, 0);
    add(OWNS_TABLE, python.dict_keys, python.dict_keys, python.dict_keys, "keys", 0, 0);
    add(OWNS_TABLE, python.dict_values, python.dict_values, python.dict_values, "values", LONGEST_PREFIX, 1);
    add(OWNS_SET, python.set_table, python.set_table, python.set_table, "table", 0, 0);
    add(OWNS_BYTES, python.bytearray_bytes, python.bytearray_bytes, python.bytearray_bytes, "data", 0, 0);
    add(OWNS_ARRAY, SN_ARRAY_ITEMS, SN_ARRAY_ALLOCATED, SN_ARRAY_EXPORTS, "data", 0, 0);
    add(OWNS_NDARRAY, SN_NDARRAY_DATA, SN_NDARRAY_DATA, SN_NDARRAY_DATA, "data", 0, 0);
    const uint64_t values = -python.values_before;
    if (values) add(OWNS_VALUES, values, values, values, "values", LONGEST_PREFIX, 1);
}

/* Whether the class has such a name, and its instances have so many bytes. */
static Bool is_named(Addr type, const HChar *name, SizeT bytes) {
    const HChar *own = (const HChar *)word(type + python.type_name);
    return VG_(strcmp)(own, name) == 0 && word(type + python.type_basic_size) >= bytes;
}

static UInt owns_of_type(Addr type) {
    UInt owns = python.values_before && python_has_attributes(type) ? OWNS_VALUES : 0;
    for (UInt steps = 0; type && steps < MOST_BASES; steps++, type = word(type + python.type_base)) {
        if (type == python.list_type) return owns | OWNS_ITEMS;
        if (type == python.dict_type || type == python.frozendict_type) return owns | OWNS_TABLE;
        if (type == python.set_type || type == python.frozenset_type) return owns | OWNS_SET;
        if (type == python.bytearray_type) return owns | OWNS_BYTES;
        if (is_named(type, "array.array", SN_ARRAY_BYTES)) return owns | OWNS_ARRAY;
        if (is_named(type, "numpy.ndarray", SN_NDARRAY_BYTES)) return owns | OWNS_NDARRAY;
    }
    return owns;
}

/* ---- names ---- */

enum { LONGEST = 400 };

static void name_part(HChar name[LONGEST], const HChar *what, UInt type) {
    VG_(snprintf)(name, LONGEST, "%s of %s", what, types[type].name);
}

static UInt plain_name(const struct part *part, UInt type) {
    UInt *named = &types[type].parts[part->slot];
    HChar name[LONGEST];
    if (*named) return *named;
    name_part(name, part->word, type);
    *named = type_new(KIND_BLOCK, name);
    if (part->owner == OWNS_VALUES) types[*named].values_of = *named ? type : 0;
    return *named;
}

void owner_renamed(UInt type) {
    HChar name[LONGEST];
    for (UInt i = 0; i < sizeof types[type].parts / sizeof *types[type].parts; i++) {
        UInt named = types[type].parts[i];
        if (!named) continue;
        HChar what[LONGEST];
        VG_(strcpy)(what, types[named].name);
        *VG_(strstr)(what, " of ") = 0;
        name_part(name, what, type);
        types[named].name = sn_ledger_text(&ledger, name);
    }
}

static UInt array_name(UInt type, Addr owner) {
    HChar name[LONGEST];
    Addr description = word(owner + SN_ARRAY_DESCRIPTION);
    if (!is_readable(description, sizeof(Addr))) return 0;
    HChar code = *(HChar *)description;
    if (code < 'A' || code > 'z') return 0;
    VG_(snprintf)(name, sizeof name, "data of %s('%c')",
                  VG_(strcmp)(types[type].name, "array.array") ? types[type].name : "array", code);
    return type_of(KIND_BLOCK, name);
}

/* Arrays of more shapes than that have names without their shapes. */
enum { MOST_SHAPES = 1000 };

static UInt ndarray_name(UInt type, Addr owner) {
    static const HChar *const numbers[] = {
        "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "longlong", "ulonglong",
        "float32", "float64", "longdouble", "complex64", "complex128", "clongdouble", "object", "bytes", "str", "void",
        "datetime64", "timedelta64", "float16"};
    enum { MOST_DIMENSIONS = 64 };
    static UInt shapes; /* types of that kind before the last one */
    HChar name[LONGEST];
    Addr description = word(owner + SN_NDARRAY_DESCRIPTION), dimensions = word(owner + SN_NDARRAY_DIMENSIONS);
    UInt count = half(owner + SN_NDARRAY_DIMENSION_COUNT);
    if (!(half(owner + SN_NDARRAY_FLAGS) & SN_NDARRAY_OWNS_DATA)) return 0; /* a view */
    if (count > MOST_DIMENSIONS || !is_readable(description, SN_DESCRIPTION_BYTES)) return 0;
    if (count && !is_readable(dimensions, count * sizeof(Addr))) return 0;
    UInt number = half(description + SN_DESCRIPTION_NUMBER);
    UInt used = VG_(snprintf)(name, sizeof name, "data of %.200s%s%s",
                              VG_(strcmp)(types[type].name, "numpy.ndarray") ? types[type].name : "ndarray",
                              number < sizeof numbers / sizeof *numbers ? " " : "",
                              number < sizeof numbers / sizeof *numbers ? numbers[number] : "");
    if (shapes < MOST_SHAPES) {
        used += VG_(snprintf)(name + used, sizeof name - used, " (");
        for (UInt i = 0; i < count && used < sizeof name - 30; i++)
            used += VG_(snprintf)(name + used, sizeof name - used, i ? ", %lu" : "%lu", word(dimensions + i * sizeof(Addr)));
        VG_(snprintf)(name + used, sizeof name - used, count == 1 ? ",)" : ")");
    }
    UInt before = type_count, found = type_of(KIND_BLOCK, name);
    shapes += type_count > before;
    return found;
}

/* The table of names of attributes, which a type has and its instances share. */
static void name_shared_keys(UInt type) {
    enum { SHARED = 2 };
    HChar name[LONGEST];
    UInt block = sn_object_at(&lives.map, word(types[type].address + python.type_keys));
    if (!block || !is_block_type(object_type(block))) return;
    name_part(name, "shared keys", type);
    if ((types[type].parts[SHARED] = type_new(KIND_BLOCK, name))) block_named(block, types[type].parts[SHARED]);
}

void owner_type_named(UInt number) {
    if (!python.version) return;
    types[number].owns = owns_of_type(types[number].address);
    if (python_has_attributes(types[number].address)) name_shared_keys(number);
}

/* ---- what owners are seen to own ---- */

static Addr counted_at(UInt number) { return lives.objects[number].base + lives.objects[number].count_offset; }

/* An object that an owner has for its data: not one that is empty, which all of them share. */
static Bool is_lent(UInt type, const struct part *part, Addr data) {
    return part->owner == OWNS_BYTES && python.lent_type && types[type].address == python.lent_type &&
           word(data + python.bytes_length);
}

static void look_at(UInt number, const struct part *part) {
    const Addr owner = counted_at(number);
    Addr data = word(owner + part->pointer);
    if (part->owner == OWNS_VALUES && python.values_mark) {
        if (!(data & 1)) return; /* a dict */
        data++;
    }
    UInt block = sn_object_at(&lives.map, data);
    const struct sn_object *object = &lives.objects[block];
    if (!block || block == number || lives.uses[block].state & SN_REGION || data - object->base > part->farthest) return;
    if (part->owner == OWNS_ITEMS && word(owner + python.list_allocated) * sizeof(Addr) != object->size) return;
    UInt type = object_type(number), now = lives.groups[object->group].type;
    const Bool lent = is_lent(now, part, data);
    if ((types[now].kind != KIND_BLOCK && !lent) || (part->slot && !is_block_type(now))) return; /* values: the dict's, an instance's before */
    UInt name = part->owner == OWNS_ARRAY     ? array_name(type, owner)
                : part->owner == OWNS_NDARRAY ? ndarray_name(type, owner)
                                              : plain_name(part, type);
    if (!name || name == now) return;
    if (lent)
        block_lent(block, name, python.bytes_data);
    else
        block_named(block, name);
    if (part->owner != OWNS_VALUES || !(block = sn_object_at(&lives.map, data))) return;
    lives.objects[block].count_offset = data - lives.objects[block].base; /* bytes are numbered from the first value on */
}

Bool owner_listens(UInt number, Addr address) {
    const UInt owns = types[object_type(number)].owns;
    const Addr owner = counted_at(number);
    for (UInt i = 0; i < part_count; i++) {
        if (!(owns & parts[i].owner)) continue;
        for (UInt j = 0; j < 2; j++)
            if ((owner + parts[i].watched[j]) >> SN_GRANULE_BITS == address >> SN_GRANULE_BITS) return True;
    }
    return False;
}

void owner_stored(UInt number, Addr address, SizeT size) {
    const UInt owns = types[object_type(number)].owns;
    const Addr owner = counted_at(number);
    if (lives.uses[number].state & SN_SLEEPS) return;
    for (UInt i = 0; i < part_count; i++) {
        if (!(owns & parts[i].owner)) continue;
        for (UInt j = 0; j < 2; j++)
            if (owner + parts[i].watched[j] - address < size) {
                look_at(number, &parts[i]);
                break;
            }
    }
}

void owner_found(UInt number) {
    const UInt owns = types[object_type(number)].owns;
    if (lives.uses[number].state & SN_SLEEPS) return;
    for (UInt i = 0; i < part_count; i++)
        if (owns & parts[i].owner) look_at(number, &parts[i]);
}

Bool owner_pointer(UInt type, UInt number, Int *offset, const HChar **to) {
    for (UInt i = 0; i < part_count; i++) {
        if (!(types[type].owns & parts[i].owner) || number--) continue;
        *offset = parts[i].pointer, *to = parts[i].word;
        return True;
    }
    return False;
}

Bool owner_has_length(UInt type) { return (types[type].owns & (OWNS_ITEMS | OWNS_BYTES | OWNS_ARRAY)) != 0; }
