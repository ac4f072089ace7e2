/* The environment of the measured program: it and its children are to find the one that sonde was given.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "environment.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"

/* Behind the name and '=' of a variable; NULL if it is another one. */
static HChar *value_of(HChar *variable, const HChar *name) {
    SizeT length = VG_(strlen)(name);
    return VG_(strncmp)(variable, name, length) || variable[length] != '=' ? NULL : variable + length + 1;
}

/* Takes those paths out of a list whose file Valgrind has there; whether others are left. */
static Bool without_ours(HChar *list) {
    HChar *out = list;
    for (HChar *at = list; *at;) {
        HChar *end = at, *name = at;
        for (; *end && *end != ':' && *end != ' '; end++)
            if (*end == '/') name = end + 1;
        if (end > at && VG_(strncmp)(name, "vgpreload_", VG_(strlen)("vgpreload_"))) {
            if (out != list) *out++ = ':';
            while (at < end) *out++ = *at++;
        }
        at = *end ? end + 1 : end;
    }
    *out = 0;
    return out != list;
}

/* Takes the first path out of a list. */
static void without_first(HChar *list) {
    HChar *rest = list;
    while (*rest && *rest != ':') rest++;
    if (*rest) rest++;
    while ((*list++ = *rest++)) {}
}

/* A Python still needs what is meant for its start-up file, which takes it away then. */
static void clean(HChar **environment, Bool for_python) {
    HChar **out = environment, *path = NULL, *value;
    Bool begun = False, had_path = False;
    for (HChar **each = environment; *each; each++)
        if ((value = value_of(*each, "SONDE_START"))) {
            begun = True;
            had_path = *value == '1'; /* whether there was a PYTHONPATH */
        }
    for (HChar **each = environment; *each; each++) {
        if (value_of(*each, "VALGRIND_LIB")) continue;
        if ((value = value_of(*each, "LD_PRELOAD")) && !without_ours(value)) continue;
        if (begun && !for_python) {
            if (value_of(*each, "SONDE_START")) continue;
            if ((path = value_of(*each, "PYTHONPATH"))) {
                without_first(path);
                if (!*path && !had_path) continue;
            }
        }
        *out++ = *each;
    }
    *out = NULL;
}

/* Behind its variables, a program is given facts in pairs of words. Whether one is that it has a dynamic linker. */
static Bool has_linker(HChar **environment) {
    enum { END = 0, LINKER_BASE = 7 };
    while (*environment) environment++;
    for (const UWord *fact = (UWord *)(environment + 1); fact[0] != END; fact += 2)
        if (fact[0] == LINKER_BASE) return fact[1] != 0;
    return False;
}

/* Valgrind's own, of which tools' headers do not tell: whether a symbol is in any program or library whose name fits. */
extern Bool VG_(lookup_symbol_SLOW)(DiEpoch epoch, const HChar *objects, const HChar *name, void *addresses);

void environment_clean(Addr code) {
    static HChar **environment;
    static Int linker; /* the file that it is in */
    static Bool done;
    if (done) return;
    const NSegment *segment = VG_(am_find_nsegment)(code);
    if (!environment) {
        /* The first instruction of all: the stack has the number of arguments, pointers to them, none, and variables. */
        UWord *stack = (UWord *)VG_(get_SP)(VG_(get_running_tid)());
        environment = (HChar **)(stack + 1 + stack[0] + 1);
        linker = segment && has_linker(environment) ? segment->fnIdx : -1;
    }
    if (!segment || segment->fnIdx == linker) return;
    done = True;
    Addr found[4];
    clean(environment, VG_(lookup_symbol_SLOW)(VG_(current_DiEpoch)(), "*", "Py_IsInitialized", found));
}
