/* What the command line of the tool says.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "tool.h"

#include "../core/base/pages.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_options.h"

struct options options = {
    .caches = "I1:32768,8,64;D1:32768,8,64;L2:1048576,16,64",
    .write_allocate = True,
    .objects = True,
    .whole_run = True,
};

Bool options_read(const HChar *argument) {
    Long snapshot;
    if (VG_STR_CLO(argument, "--sonde-record", options.record)) return True;
    if (VG_STR_CLO(argument, "--sonde-spare", options.spare)) return True;
    if (VG_BINT_CLO(argument, "--sonde-launcher", options.launcher, 0, 1 << 30)) return True;
    if (VG_STR_CLO(argument, "--sonde-caches", options.caches)) return True;
    if (VG_STR_CLO(argument, "--sonde-trace", options.trace)) return True;
    if (VG_XACT_CLO(argument, "--sonde-mode=full", options.mode, SN_FULL)) return True;
    if (VG_XACT_CLO(argument, "--sonde-mode=count", options.mode, SN_COUNT)) return True;
    if (VG_XACT_CLO(argument, "--sonde-policy=lru", options.policy, SN_CACHE_LRU)) return True;
    if (VG_XACT_CLO(argument, "--sonde-policy=plru", options.policy, SN_CACHE_PLRU)) return True;
    if (VG_XACT_CLO(argument, "--sonde-policy=random", options.policy, SN_CACHE_RANDOM)) return True;
    if (VG_XACT_CLO(argument, "--sonde-inclusion=neither", options.inclusion, SN_CACHE_NEITHER)) return True;
    if (VG_XACT_CLO(argument, "--sonde-inclusion=inclusive", options.inclusion, SN_CACHE_INCLUSIVE)) return True;
    if (VG_XACT_CLO(argument, "--sonde-inclusion=exclusive", options.inclusion, SN_CACHE_EXCLUSIVE)) return True;
    if (VG_BOOL_CLO(argument, "--sonde-write-allocate", options.write_allocate)) return True;
    if (VG_BOOL_CLO(argument, "--sonde-classify", options.classify)) return True;
    if (VG_BOOL_CLO(argument, "--sonde-objects", options.objects)) return True;
    if (VG_BOOL_CLO(argument, "--sonde-branches", options.branches)) return True;
    if (VG_BOOL_CLO(argument, "--sonde-sharing", options.sharing)) return True;
    if (VG_XACT_CLO(argument, "--sonde-window=all", options.whole_run, True)) return True;
    if (VG_XACT_CLO(argument, "--sonde-window=requests", options.whole_run, False)) return True;
    if (VG_BOOL_CLO(argument, "--sonde-sites-before", options.sites_before)) return True;
    if (VG_BINT_CLO(argument, "--sonde-snapshot", snapshot, 0, 1LL << 62)) {
        options.snapshot = snapshot;
        return True;
    }
    return False;
}

void options_usage(void) {
    VG_(printf)("    the options of this tool are set by `sonde memory`\n");
}

static void refuse(const HChar *what) {
    VG_(fmsg_bad_option)("--sonde-caches", "%s\n", what); /* does not return */
}

/* "I1:32768,8,64;D1:...;L2:..." */
static void read_caches(struct sn_cache_settings *settings) {
    const HChar *at = options.caches;
    for (UInt each = 0; *at; each++) {
        struct sn_cache_geometry *geometry = &settings->instruction;
        if (each > SN_CACHE_LEVELS) refuse("more caches than there can be");
        if (each) geometry = &settings->level[each - 1], settings->levels = each;
        for (UInt skip = 0; skip < 3 && *at; skip++) at++; /* its name: I1, D1, L2 or L3 */
        HChar *end;
        geometry->size = VG_(strtoull10)(at, &end);
        geometry->ways = *end == ',' ? VG_(strtoull10)(end + 1, &end) : 0;
        geometry->line = *end == ',' ? VG_(strtoull10)(end + 1, &end) : 0;
        at = *end == ';' ? end + 1 : end;
        if (*end && *end != ';') refuse("not NAME:SIZE,WAYS,LINE;...");
    }
}

/* More memory, to know which lines were touched before. */
static void *take(void *context, size_t bytes) {
    (void)context;
    return sn_pages(bytes);
}

static void give_back(void *context, void *memory, size_t bytes) {
    (void)context;
    give_pages_back(memory, bytes);
}

enum { MOST_CONTEXTS = 1 << 16 };

void options_apply(void) {
    struct sn_cache_settings settings = {
        .policy = options.policy,
        .inclusion = options.inclusion,
        .write_allocate = options.write_allocate,
        .classify = options.classify,
        .seed = 1,
    };
    if (options.mode == SN_COUNT) options.objects = False;
    read_caches(&settings);
    SizeT bytes = sn_cache_bytes(&settings);
    if (!bytes) refuse("no caches can be like that");
    cache = sn_cache_place(need_pages(bytes), &settings);
    static const struct sn_cache_memory memory = {take, give_back, NULL};
    sn_cache_grow_with(cache, &memory);
    if (!sn_lives_start(&lives, 1u << 26, 1u << 20, sn_advice.object_fields) || !sn_ledger_start(&ledger, 1u << 22) ||
        !sn_access_contexts_start(&contexts, MOST_CONTEXTS))
        VG_(tool_panic)("no memory for sonde's tables");
    if (options.sharing && !sn_line_sharing_start(&sharing, 1u << 22, 1u << 23))
        VG_(tool_panic)("no memory for sonde's tables");
    if (options.objects) fields_start();
    accesses_start();
}
