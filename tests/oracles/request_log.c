/* A Valgrind tool that writes down every request that sonde's agent makes, and what the requests say can be read:
 * the Python stack when a window opens. It links Valgrind's core: GPL-2.0-or-later.
 *
 *   R number thread a b c d e [name]       a request; numbers count from SN_WINDOW_OPEN
 *   F name file line                       a frame, innermost first
 */
#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_options.h"
#include "pub_tool_tooliface.h"

#include "lines/python_lines.h"
#include "requests/requests.h"

static const HChar *path = "requests.log";
static VgFile *log;
static struct sn_python_layout python;
static Addr state;

static Addr word(Addr at) { return *(Addr *)at; }

static void write_text(Addr text) {
    UInt bits = *(UInt *)(text + python.text_state);
    const UChar *data = (const UChar *)(text + (bits >> 6 & 1 ? python.text_ascii : python.text_compact));
    for (Addr i = 0; i < word(text + python.text_length); i++) VG_(fprintf)(log, "%c", data[i]);
}

static void write_stack(void) {
    Addr frame = state ? word(state + python.thread_frame) : 0;
    if (frame && python.frame_by_cframe) frame = word(frame + python.cframe_frame);
    for (; frame; frame = word(frame + python.frame_previous)) {
        Addr code = word(frame + python.frame_code);
        if (*(UChar *)(frame + python.frame_owner) == python.owner_not_python) continue;
        if (word(code + python.object_type) != python.code_type) continue;
        Addr table = word(code + python.code_line_table);
        Addr instruction = word(frame + python.frame_instruction) - code - python.code_instructions;
        VG_(fprintf)(log, "F ");
        write_text(word(code + python.code_qualname));
        VG_(fprintf)(log, " ");
        write_text(word(code + python.code_filename));
        VG_(fprintf)(log, " %u\n",
                     sn_python_line((const UChar *)(table + python.bytes_data), word(table + python.bytes_length),
                                    *(UInt *)(code + python.code_first_line), instruction / 2));
    }
}

static Bool answer(ThreadId thread, UWord *a, UWord *result) {
    if ((a[0] & 0xffff0000) != SN_REQUEST_BASE) return False;
    *result = a[0] == SN_UNDER_TOOL;
    VG_(fprintf)(log, "R %lu %u %lu %lu %lu %lu %lu %s\n", a[0] - SN_REQUEST_BASE, thread, a[1], a[2], a[3], a[4], a[5],
                 a[0] == SN_TYPE ? (const HChar *)a[2] : "");
    if (a[0] == SN_PYTHON) python = *(const struct sn_python_layout *)a[1];
    if (a[0] == SN_THREAD_STATE) state = a[1];
    if (a[0] == SN_WINDOW_OPEN) write_stack();
    return True;
}

static IRSB *as_it_is(VgCallbackClosure *closure, IRSB *block, const VexGuestLayout *layout,
                      const VexGuestExtents *extents, const VexArchInfo *machine, IRType word_type, IRType host_type) {
    (void)closure, (void)layout, (void)extents, (void)machine, (void)word_type, (void)host_type;
    return block;
}

static Bool option(const HChar *argument) {
    if VG_STR_CLO(argument, "--log", path) {}
    else return False;
    return True;
}

static void no_usage(void) {}

static void begin(void) {
    log = VG_(fopen)(path, VKI_O_CREAT | VKI_O_WRONLY | VKI_O_TRUNC, 0644);
    tl_assert(log);
}

static void end(Int code) {
    (void)code;
    VG_(fclose)(log);
}

static void describe(void) {
    VG_(details_name)("requests");
    VG_(details_version)(NULL);
    VG_(details_description)("writes down requests");
    VG_(details_copyright_author)("the sonde authors");
    VG_(details_bug_reports_to)("the sonde authors");
    VG_(basic_tool_funcs)(begin, as_it_is, end);
    VG_(needs_command_line_options)(option, no_usage, no_usage);
    VG_(needs_client_requests)(answer);
}

VG_DETERMINE_INTERFACE_VERSION(describe)
