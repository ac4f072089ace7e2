/* Native code: the function and line of an instruction, and what it was inlined into.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "tool.h"

#include "pub_tool_debuginfo.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"

enum { MOST_FRAMES = 64, MOST_CODES = 1 << 16, LONGEST = 1024 };
static struct sn_word_map place_by_ip;

/* Machine code that somebody made while the program ran. */
static struct loaded { Addr start, end; UInt function; } *loaded;
static UInt loaded_count;

static struct loaded *code_at(Addr ip) {
    for (UInt i = loaded_count; i-- > 0;) /* the newest first: code that was loaded over old code */
        if (ip >= loaded[i].start && ip < loaded[i].end) return &loaded[i];
    return NULL;
}

/* As much of a text as there is room for; strncpy would fill the rest. */
static void copy(HChar into[LONGEST], const HChar *text) {
    UInt used = 0;
    for (; text[used] && used < LONGEST - 1; used++) into[used] = text[used];
    into[used] = 0;
}

/* Valgrind describes an instruction as "0xADDRESS: FUNCTION (FILE:LINE)", "... (in OBJECT)" or without parentheses. */
static struct sn_frame frame_of(const HChar *description, const HChar *object) {
    HChar name[LONGEST], file[LONGEST] = "";
    UInt line = 0;
    const HChar *at = VG_(strstr)(description, ": ");
    copy(name, at ? at + 2 : description);
    HChar *place = NULL;
    for (HChar *each = name; (each = VG_(strstr)(each, " (")); each++) place = each; /* the last: names have them, too */
    if (place) {
        *place = 0;
        place += 2;
        HChar *colon = VG_(strrchr)(place, ':');
        if (colon && VG_(strncmp)(place, "in ", 3) != 0) {
            *colon = 0;
            line = VG_(strtoull10)(colon + 1, NULL);
            VG_(strcpy)(file, place);
        }
    }
    return (struct sn_frame){sn_function_of(&ledger, SN_IN_NATIVE, name, file, 0, object), line};
}

static UInt described_place(Addr ip) {
    DiEpoch epoch = VG_(current_DiEpoch)();
    const HChar *object = "";
    if (!VG_(get_objname)(epoch, ip, &object)) object = "";
    HChar own_object[LONGEST];
    copy(own_object, object);
    struct sn_frame frames[MOST_FRAMES];
    UInt count = 0;
    InlIPCursor *cursor = VG_(new_IIPC)(epoch, ip);
    do
        frames[count++] = frame_of(VG_(describe_IP)(epoch, ip, cursor), own_object);
    while (VG_(next_IIPC)(cursor) && count < MOST_FRAMES);
    VG_(delete_IIPC)(cursor);
    return sn_place_of(&ledger, frames, count);
}

UInt native_place(Addr ip) {
    const struct loaded *code = code_at(ip);
    if (code) {
        struct sn_frame frame = {code->function, (UInt)(ip - code->start)};
        return sn_place_of(&ledger, &frame, 1);
    }
    /* Libraries come and go; each time is another epoch. */
    ULong key = ip ^ (ULong)VG_(current_DiEpoch)().n << 48;
    UInt place = sn_word_get(&place_by_ip, key);
    if (!place) {
        place = described_place(ip);
        if (place) sn_word_set(&place_by_ip, key, place);
    }
    return place;
}

Bool code_loaded(Addr address, SizeT size, const HChar *name, UInt number) {
    if (!loaded) loaded = need_pages(MOST_CODES * sizeof *loaded);
    if (loaded_count == MOST_CODES) return False;
    HChar label[20];
    VG_(snprintf)(label, sizeof label, "%u", number);
    loaded[loaded_count++] =
        (struct loaded){address, address + size, sn_function_of(&ledger, SN_IN_JIT, name, "", 0, label)};
    return True;
}

Bool code_unloaded(Addr address) {
    struct loaded *code = code_at(address);
    if (!code) return False;
    code->start = code->end = 0;
    return True;
}
