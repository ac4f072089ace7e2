/* Files that the tool writes while the program runs.
 *
 * They are open only while something is appended: a descriptor that is kept would be one that the program does not get.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "tool.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_vki.h"

enum { MOST_OUTPUTS = 64, MOST_AT_ONCE = 1 << 20, MODE = 0644 };
static const HChar *names[MOST_OUTPUTS];
static Int name_count;

Int output_open(const HChar *name) {
    if (name_count == MOST_OUTPUTS) return -1;
    const HChar *folder = VG_(get_startup_wd)(); /* the program may go elsewhere */
    HChar path[VG_(strlen)(folder) + VG_(strlen)(name) + 2];
    VG_(sprintf)(path, "%s/%s", folder, name);
    const HChar *kept = sn_ledger_text(&ledger, *name == '/' ? name : path);
    Int file = VG_(fd_open)(kept, VKI_O_CREAT | VKI_O_WRONLY | VKI_O_TRUNC, MODE);
    if (file < 0) return -1;
    VG_(close)(file);
    names[name_count] = kept;
    return name_count++;
}

Bool output_append(Int output, const void *bytes, SizeT size) {
    if (output < 0) return False;
    Int file = VG_(fd_open)(names[output], VKI_O_WRONLY | VKI_O_APPEND, MODE);
    if (file < 0) return False;
    Bool done = True;
    for (const HChar *at = bytes; size && done;) {
        Int written = VG_(write)(file, at, size > MOST_AT_ONCE ? MOST_AT_ONCE : size);
        done = written > 0;
        if (done) at += written, size -= written;
    }
    VG_(close)(file);
    return done;
}

int sn_output_open(const char *name) { return output_open(name); }

long sn_output_write(int output, const void *bytes, unsigned long size) {
    return output_append(output, bytes, size) ? (long)size : -1;
}
