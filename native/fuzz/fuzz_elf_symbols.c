/* Any bytes as an ELF file: this program's own head and tables, damaged. */
#include "fuzz.h"

#include "../core/stacks/elf_symbols.h"

#include <elf.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const char *const names[] = {"_PyRuntime", "Py_Version"};
    uint64_t values[2], first;
    uint8_t *copy = malloc(size + 1); /* of the right size: a byte too far is seen by the sanitizer */
    PROMISE(copy);
    memcpy(copy, bytes, size);
    sn_elf_result result = sn_elf_find(copy, size, names, values, 2, &first);
    PROMISE((result == SN_ELF_FOUND) == (values[0] != 0));
    PROMISE(result != SN_ELF_OTHER || !sn_elf_section(copy, size, ".PyRuntime", &first));
    free(copy);
    return 0;
}

size_t fuzz_example(uint8_t *bytes, size_t room, uint64_t *random) {
    enum { SYMBOLS = 3, TABLES = 3 };
    static const char texts[] = "\0_PyRuntime\0Py_Version\0.PyRuntime";
    Elf64_Ehdr head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB}, .e_phnum = 1, .e_shnum = TABLES};
#if defined(__x86_64__)
    head.e_machine = EM_X86_64;
#else
    head.e_machine = EM_AARCH64;
#endif
    Elf64_Phdr part = {.p_type = PT_LOAD, .p_vaddr = 0x400000};
    Elf64_Sym symbols[SYMBOLS] = {{0}, {.st_name = 1, .st_shndx = 1, .st_value = 0x1000 + *random % 4096}, {.st_name = 12, .st_shndx = 1, .st_value = 0x2000}};
    Elf64_Shdr tables[TABLES] = {{0}, {.sh_type = *random & 1 ? SHT_DYNSYM : SHT_SYMTAB, .sh_link = 2}, {.sh_type = SHT_STRTAB, .sh_name = 23, .sh_flags = *random & 2 ? SHF_ALLOC : 0, .sh_addr = 0x3000}};
    head.e_shstrndx = 2;
    head.e_phoff = sizeof head;
    head.e_shoff = head.e_phoff + sizeof part;
    tables[1].sh_offset = head.e_shoff + sizeof tables;
    tables[1].sh_size = sizeof symbols;
    tables[2].sh_offset = tables[1].sh_offset + sizeof symbols;
    tables[2].sh_size = sizeof texts;
    PROMISE(room >= tables[2].sh_offset + sizeof texts);
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + head.e_phoff, &part, sizeof part);
    memcpy(bytes + head.e_shoff, tables, sizeof tables);
    memcpy(bytes + tables[1].sh_offset, symbols, sizeof symbols);
    memcpy(bytes + tables[2].sh_offset, texts, sizeof texts);
    return tables[2].sh_offset + sizeof texts;
}
