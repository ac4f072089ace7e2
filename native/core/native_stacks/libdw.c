#include "libdw.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

typedef struct {
    const char *name;
    size_t at;
} function;

#define FUNCTION(name) {"dwfl_" #name, offsetof(sn_libdw, name)}
static const function functions[] = {
    FUNCTION(begin),
    FUNCTION(end),
    FUNCTION(report_begin),
    FUNCTION(linux_proc_report),
    FUNCTION(report_end),
    FUNCTION(linux_proc_find_elf),
    FUNCTION(build_id_find_debuginfo),
    FUNCTION(addrmodule),
    FUNCTION(getmodules),
    FUNCTION(module_info),
    FUNCTION(module_getsymtab),
    FUNCTION(module_getsym_info),
    FUNCTION(module_getsrc),
    FUNCTION(lineinfo),
    FUNCTION(line_comp_dir),
    FUNCTION(attach_state),
    FUNCTION(thread_state_registers),
    FUNCTION(thread_state_register_pc),
    FUNCTION(getthread_frames),
    FUNCTION(frame_pc),
    FUNCTION(frame_reg),
    FUNCTION(report_module),
    FUNCTION(module_eh_cfi),
    FUNCTION(module_dwarf_cfi),
    {"dwarf_cfi_addrframe", offsetof(sn_libdw, cfi_addrframe)},
    {"elf_memory", offsetof(sn_libdw, elf_memory)}, /* libdw brings libelf with it */
};
_Static_assert(sizeof functions / sizeof *functions * sizeof(void *) == sizeof(sn_libdw), "all functions");

sn_libdw_result sn_libdw_load(sn_libdw *library) {
    void *loaded = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!loaded) return SN_LIBDW_MISSING;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = dlsym(loaded, functions[i].name);
        if (!found) {
            dlclose(loaded);
            return SN_LIBDW_TOO_OLD;
        }
        memcpy((char *)library + functions[i].at, &found, sizeof found);
    }
    return SN_LIBDW_FOUND;
}
