/* Memory for the core's data, from Valgrind.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "tool.h"

#include "pages.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcassert.h"

void *sn_pages(size_t bytes) { return VG_(am_shadow_alloc)((bytes + 4095) & ~(SizeT)4095); }

void *need_pages(SizeT bytes) {
    void *memory = sn_pages(bytes);
    if (!memory) VG_(tool_panic)("no memory for sonde's tables");
    return memory;
}
