/* What memory is: classes of objects, kinds of blocks, regions.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "tool.h"

#include "../core/base/hashes.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"

enum { MOST_TYPES = 1 << 20 };
struct type *types;
UInt type_count = 1; /* number 0 is none */
static UInt block_types[4];
static struct sn_word_map type_by_hash;

void types_start(void) {
    types = need_pages(MOST_TYPES * sizeof *types);
    block_types[SN_DOMAIN_OBJECT] = type_of(KIND_BLOCK, "parts of objects");
    block_types[SN_DOMAIN_MEMORY] = type_of(KIND_BLOCK, "memory of objects");
    block_types[SN_DOMAIN_C] = type_of(KIND_BLOCK, "malloc");
    block_types[SN_DOMAIN_NEW] = type_of(KIND_BLOCK, "operator new");
}

UInt type_of(UInt kind, const HChar *name) {
    uint64_t hash = sn_hash_text(sn_hash_word(SN_HASH_START, kind), name);
    UInt first = kind == KIND_OBJECT ? 0 : sn_word_get(&type_by_hash, hash); /* classes may share a name */
    for (UInt each = first; each; each = types[each].next)
        if (types[each].kind == kind && VG_(strcmp)(types[each].name, name) == 0) return each;
    UInt number = type_new(kind, name);
    if (!number || kind == KIND_OBJECT) return number;
    types[number].next = first;
    return sn_word_set(&type_by_hash, hash, number) ? number : 0;
}

UInt type_new(UInt kind, const HChar *name) {
    if (type_count == MOST_TYPES) return 0;
    types[type_count] = (struct type){.name = sn_ledger_text(&ledger, name), .kind = kind};
    return type_count++;
}

const HChar *type_kind(UInt kind) {
    static const HChar *const kinds[] = {"object", "block", "stack", "frames", "global", "heap", "mapping", "code", "unknown"};
    return kinds[kind];
}

int sn_type_name(UInt type, HChar *name, UInt room) {
    const struct type *asked = &types[type];
    if (type >= type_count || !asked->name) return 0;
    Bool is_region = asked->kind > KIND_BLOCK;
    VG_(snprintf)(name, room, "%s%s%s", is_region ? type_kind(asked->kind) : "", is_region ? ": " : "", asked->name);
    return 1;
}

UInt block_type(UInt domain) { return block_types[domain & 3]; }

Bool is_block_type(UInt type) { return type <= block_types[3]; }
