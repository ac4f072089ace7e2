/* What memory is: classes of objects, kinds of blocks, regions.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "tool.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"

enum { MOST_TYPES = 1 << 20 };
struct type *types;
UInt type_count = 1; /* number 0 is none */
static UInt block_types[4];

void types_start(void) {
    types = need_pages(MOST_TYPES * sizeof *types);
    block_types[SN_DOMAIN_OBJECT] = type_of(KIND_BLOCK, "parts of objects");
    block_types[SN_DOMAIN_MEMORY] = type_of(KIND_BLOCK, "memory of objects");
    block_types[SN_DOMAIN_C] = type_of(KIND_BLOCK, "malloc");
    block_types[SN_DOMAIN_NEW] = type_of(KIND_BLOCK, "operator new");
}

UInt type_of(UInt kind, const HChar *name) {
    /* Regions are few, and asked for when a page is touched first: a search does. Classes come once each. */
    if (kind != KIND_OBJECT)
        for (UInt i = 1; i < type_count; i++)
            if (types[i].kind == kind && VG_(strcmp)(types[i].name, name) == 0) return i;
    if (type_count == MOST_TYPES) return 0;
    types[type_count] = (struct type){.name = sn_ledger_text(&ledger, name), .kind = kind};
    return type_count++;
}

UInt block_type(UInt domain) { return block_types[domain & 3]; }
