/* Memory for the core's data, from Valgrind.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "tool.h"

#include "../core/base/pages.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcassert.h"

static SizeT whole_pages(SizeT bytes) {
    enum { PAGE = 4096 };
    return (bytes + PAGE - 1) & ~(SizeT)(PAGE - 1);
}

void *sn_pages(size_t bytes) { return VG_(am_shadow_alloc)(whole_pages(bytes)); }

void *need_pages(SizeT bytes) {
    void *memory = sn_pages(bytes);
    if (!memory) VG_(tool_panic)("no memory for sonde's tables");
    return memory;
}

void give_pages_back(void *memory, SizeT bytes) { VG_(am_munmap_valgrind)((Addr)memory, whole_pages(bytes)); }
