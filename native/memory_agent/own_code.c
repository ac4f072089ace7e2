/* SN_OWN_CODE: the executable part of the shared object that this is in. */
#define _GNU_SOURCE
#include "agent.h"

#include <link.h>

static int tell_if_ours(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size, (void)unused;
    uintptr_t here = (uintptr_t)tell_if_ours;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uintptr_t start = object->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) || here - start >= part->p_memsz) continue;
        sn_tell(SN_OWN_CODE, start, start + part->p_memsz, 0, 0, 0);
        return 1;
    }
    return 0;
}

void sn_tell_own_code(void) { dl_iterate_phdr(tell_if_ours, NULL); }
