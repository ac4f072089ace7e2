/* The part of elfutils' libdw that unwinds stacks and names addresses, found when it is needed.
 *
 * The library is loaded at run time, so that nothing else depends on it; what is declared here of it is its stable interface
 * (elfutils/libdwfl.h), which has versioned symbols. Needed is 0.188, of 2022, or newer: older ones do not tell where a frame's
 * stack pointer was.
 */
#ifndef SONDE_LIBDW_H
#define SONDE_LIBDW_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct Dwfl Dwfl;
typedef struct Dwfl_Module Dwfl_Module;
typedef struct Dwfl_Thread Dwfl_Thread;
typedef struct Dwfl_Frame Dwfl_Frame;
typedef struct Dwfl_Line Dwfl_Line;
typedef struct Dwarf_CFI_s Dwarf_CFI;
typedef struct Elf Elf;

typedef struct {
    int (*find_elf)(Dwfl_Module *, void **, const char *name, uint64_t base, char **file, Elf **);
    int (*find_debuginfo)(Dwfl_Module *, void **, const char *name, uint64_t base, const char *file, const char *link,
                          uint32_t crc, char **found);
    int (*section_address)(Dwfl_Module *, void **, const char *, uint64_t, const char *, uint32_t, const void *, uint64_t *);
    char **debuginfo_path;
} Dwfl_Callbacks;

typedef struct {
    pid_t (*next_thread)(Dwfl *, void *of, void **of_thread);
    bool (*get_thread)(Dwfl *, pid_t thread, void *of, void **of_thread);
    bool (*memory_read)(Dwfl *, uint64_t address, uint64_t *word, void *of);
    bool (*set_initial_registers)(Dwfl_Thread *, void *of_thread);
    void (*detach)(Dwfl *, void *of);
    void (*thread_detach)(Dwfl_Thread *, void *of_thread);
} Dwfl_Thread_Callbacks;

enum { DWARF_CB_OK = 0, DWARF_CB_ABORT };

/* Each as elfutils declares it, without `dwfl_`. */
typedef struct {
    Dwfl *(*begin)(const Dwfl_Callbacks *);
    void (*end)(Dwfl *);
    void (*report_begin)(Dwfl *);
    int (*linux_proc_report)(Dwfl *, pid_t);
    int (*report_end)(Dwfl *, int (*removed)(Dwfl_Module *, void *, const char *, uint64_t, void *), void *);
    int (*linux_proc_find_elf)(Dwfl_Module *, void **, const char *, uint64_t, char **, Elf **);
    int (*build_id_find_debuginfo)(Dwfl_Module *, void **, const char *, uint64_t, const char *, const char *, uint32_t, char **);
    Dwfl_Module *(*addrmodule)(Dwfl *, uint64_t);
    ptrdiff_t (*getmodules)(Dwfl *, int (*)(Dwfl_Module *, void **, const char *, uint64_t, void *), void *, ptrdiff_t from);
    const char *(*module_info)(Dwfl_Module *, void ***, uint64_t *start, uint64_t *end, uint64_t *, uint64_t *, const char **main,
                               const char **debug);
    int (*module_getsymtab)(Dwfl_Module *); /* how many symbols */
    const char *(*module_getsym_info)(Dwfl_Module *, int number, Elf64_Sym *, uint64_t *address, uint32_t *section, Elf **, uint64_t *);
    Dwfl_Line *(*module_getsrc)(Dwfl_Module *, uint64_t);
    const char *(*lineinfo)(Dwfl_Line *, uint64_t *, int *line, int *column, uint64_t *, uint64_t *);
    const char *(*line_comp_dir)(Dwfl_Line *);
    bool (*attach_state)(Dwfl *, Elf *, pid_t, const Dwfl_Thread_Callbacks *, void *of);
    bool (*thread_state_registers)(Dwfl_Thread *, int first, unsigned count, const uint64_t *);
    void (*thread_state_register_pc)(Dwfl_Thread *, uint64_t);
    int (*getthread_frames)(Dwfl *, pid_t, int (*frame)(Dwfl_Frame *, void *), void *of);
    bool (*frame_pc)(Dwfl_Frame *, uint64_t *, bool *is_activation);
    int (*frame_reg)(Dwfl_Frame *, unsigned number, uint64_t *value); /* 0: it is known */
    Dwfl_Module *(*report_module)(Dwfl *, const char *name, uint64_t begin, uint64_t end);
    Dwarf_CFI *(*module_eh_cfi)(Dwfl_Module *, uint64_t *bias);
    Dwarf_CFI *(*module_dwarf_cfi)(Dwfl_Module *, uint64_t *bias);
    int (*cfi_addrframe)(Dwarf_CFI *, uint64_t address, void **frame); /* dwarf_; 0: there is one, to be freed */
    Elf *(*elf_memory)(char *image, size_t size);                      /* of libelf */
} sn_libdw;

typedef enum { SN_LIBDW_FOUND = 0, SN_LIBDW_MISSING, SN_LIBDW_TOO_OLD } sn_libdw_result;

/* Load it; it stays loaded. */
sn_libdw_result sn_libdw_load(sn_libdw *library);

#endif
