/* Which part of objects is accessed, and what the parts of Python's objects are called.
 *
 * Names are read out of the type when the first miss on one of its instances is counted: then it has been made. Those of
 * attributes may be added later to what all instances of a class share, and so are looked for again now and then.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "tool.h"

#include "python_memory.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"

enum { MANAGED_DICT = -24, MANAGED_WEAK = -32 }; /* in 3.11, values are there */
enum { MOST_MEMBERS = 256 };

/* What is known of a row of `field_counts`. */
struct named {
    uint64_t misses; /* of one level at least */
    const HChar *names[SN_FIELDS];
};
static struct named *named;

void fields_start(void) {
    named = need_pages(MOST_FIELDED * sizeof *named);
    if (!sn_field_counts_start(&field_counts, MOST_FIELDED)) VG_(tool_panic)("no memory for sonde's tables");
}

const HChar *field_name(UInt row, UInt index) { return named[row].names[index] ? named[row].names[index] : ""; }

/* ---- names ---- */

/* The first name stays; what is in the second half of a word is named beside the first. */
static void name(UInt row, Long offset, const HChar *what) {
    if (offset >= (Long)field_counts.rows[row].rest || offset < -SN_WORDS_BEFORE * SN_WORD_BYTES) return;
    const HChar **known = &named[row].names[(offset >> 3) + SN_WORDS_BEFORE];
    HChar both[200];
    if (*known && (!(offset & 7) || VG_(strstr)(*known, what))) return;
    VG_(snprintf)(both, sizeof both, *known ? "%.90s, %.90s" : "%s%.190s", *known ? *known : "", what);
    *known = sn_ledger_text(&ledger, both);
}

static void name_members(UInt row, Addr type) {
    for (UInt steps = 0; type && steps < MOST_BASES; steps++, type = word(type + python.type_base)) {
        Addr member = word(type + python.type_members);
        for (UInt i = 0; i < MOST_MEMBERS && is_readable(member, python.sizeof_member); i++, member += python.sizeof_member) {
            const HChar *own = (const HChar *)word(member + python.member_name);
            if (!own) break;
            SizeT length = VG_(strlen)(own);
            /* Those say where in the type something is: __dictoffset__, __vectorcalloffset__, ... */
            if (length > 8 && VG_(strcmp)(own + length - 8, "offset__") == 0) continue;
            name(row, word(member + python.member_offset), own);
        }
    }
}

/* What is before the reference count, by flags. */
static void name_head(UInt row, Addr type) {
    const uint64_t flags = word(type + python.type_flags);
    if (flags & FLAG_HAS_GC) name(row, -16, "gc links"), name(row, -8, "gc links");
    if (flags & FLAG_MANAGED_DICT) name(row, MANAGED_DICT, "dict");
    if (flags & FLAG_MANAGED_WEAK) name(row, MANAGED_WEAK, "weak references");
}

/* Where the items of an array begin: of a subclass where they do of its base, although it may have a dict behind them. */
static uint64_t items_of(Addr type) {
    uint64_t at = 0;
    for (; type && word(type + python.type_item_size); type = word(type + python.type_base))
        at = word(type + python.type_basic_size);
    return at & ~(uint64_t)7;
}

static void name_words(UInt row, UInt number) {
    const Addr type = types[number].address;
    struct sn_fields *fields = &field_counts.rows[row];
    const Bool is_text = type == python.text_type;
    if (is_text || word(type + python.type_item_size)) {
        const uint64_t items = is_text ? python.text_ascii : items_of(type);
        if (items < fields->rest) {
            fields->rest = items;
            named[row].names[SN_FIELD_REST] = is_text ? "text" : "items";
        }
    }
    name(row, python.object_count, "reference count");
    name(row, python.object_type, "type");
    if (is_text) name(row, python.text_hash, "hash"), name(row, python.text_state, "state");
    if (is_text || word(type + python.type_item_size) || owner_has_length(number)) name(row, python.bytes_length, "length");
    Int offset;
    const HChar *to;
    for (UInt i = 0; owner_pointer(number, i, &offset, &to); i++) {
        HChar pointer[40];
        VG_(snprintf)(pointer, sizeof pointer, "pointer to %s", to);
        name(row, offset, pointer);
    }
    name_head(row, type);
    name_members(row, type);
    const Long dict = word(type + python.type_dict), weak = word(type + python.type_weak_references);
    if (dict > 0) name(row, dict, "dict");
    if (weak > 0) name(row, weak, "weak references");
}

/* Attributes have the places of their names among those that the instances of a class share. */
static void name_attributes(UInt row, Addr type, Long first) {
    enum { KEYS_BYTES = 32, MOST_INDEX_BITS = 12 };
    if (!python_has_attributes(type)) return;
    Addr keys = word(type + python.type_keys);
    if (!is_readable(keys, KEYS_BYTES)) return;
    const UInt index_bits = *(UChar *)(keys + python.keys_log2_index_bytes);
    const uint64_t count = word(keys + python.keys_count);
    if (index_bits > MOST_INDEX_BITS || count > SN_WORDS) return;
    const Addr entries = keys + python.keys_indices + (1UL << index_bits);
    if (count && !is_readable(entries, count * python.sizeof_keys_entry)) return;
    for (uint64_t i = 0; i < count; i++) {
        Addr own = word(entries + i * python.sizeof_keys_entry);
        if (is_readable(own, python.text_compact) && word(own + python.object_type) == python.text_type)
            name(row, first + i * sizeof(Addr), python_text(own));
    }
}

static void look_for_attributes(UInt row) {
    const UInt number = field_counts.rows[row].type;
    const UInt class = types[number].values_of ? types[number].values_of : number;
    const Addr type = types[class].address;
    if (!type || !python_type_lives(class)) return;
    if (class != number)
        name_attributes(row, type, 0);
    else if (python.values_inside && word(type + python.type_flags) & FLAG_INLINE_VALUES)
        name_attributes(row, type, word(type + python.type_basic_size) + python.values_inside);
}

/* ---- counts ---- */

/* Types that say nothing of what the memory is for: where it was allocated does. */
static Bool is_told_by_site(UInt type) { return type == block_type(SN_DOMAIN_C) || type == block_type(SN_DOMAIN_NEW); }

/* The row of an object; 0: there is none, or no space. */
static UInt row_of(UInt number, UInt *hint) {
    const struct sn_group *group = &lives.groups[lives.objects[number].group];
    const UInt before = field_counts.count;
    UInt row = sn_fields_of(&field_counts, group->type, is_told_by_site(group->type) ? group->place : SN_NO_PLACE, hint);
    if (field_counts.count > before && types[group->type].kind == KIND_OBJECT && types[group->type].address)
        name_words(row, group->type);
    return row;
}

static struct sn_field *field_at(UInt row, UInt number, Addr address) {
    return sn_field_at(&field_counts.rows[row], (Long)(address - numbered_from(&lives.objects[number])));
}

void field_missed(UInt number, Addr address, UInt depth, UInt *hint) {
    if (lives.uses[number].state & SN_REGION) return;
    UInt row = row_of(number, hint);
    if (!row) {
        field_counts.lost++;
        return;
    }
    struct sn_field *field = field_at(row, number, address);
    for (UInt i = 0; i < depth; i++) field->misses[i]++;
    const uint64_t misses = named[row].misses++;
    if (!(misses & (misses - 1))) look_for_attributes(row); /* 0, 1, 2, 4, 8 */
}

void field_sampled(UInt number, Addr address, Bool stores, UInt *hint) {
    if (lives.uses[number].state & SN_REGION) return;
    UInt row = row_of(number, hint);
    if (!row) return;
    struct sn_field *field = field_at(row, number, address);
    if (stores)
        field->sampled_stores++;
    else
        field->sampled_loads++;
}
