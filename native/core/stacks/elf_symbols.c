#include "elf_symbols.h"

#include <elf.h>
#include <string.h>

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_NONE
#endif

#define PAGE UINT64_C(4096)

typedef struct {
    const uint8_t *bytes;
    uint64_t size;
} image;

/* Copy a structure out of the file, which need not be aligned there; false beyond its end. */
static bool take(const image *file, uint64_t at, void *to, uint64_t bytes) {
    if (at > file->size || file->size - at < bytes) return false;
    memcpy(to, file->bytes + at, bytes);
    return true;
}

static bool is_named(const image *file, const Elf64_Shdr *texts, uint64_t at, const char *name) {
    uint64_t length = strlen(name) + 1;
    if (at >= texts->sh_size || texts->sh_size - at < length) return false;
    uint64_t from = texts->sh_offset + at;
    return texts->sh_offset <= file->size && from <= file->size && file->size - from >= length &&
           !memcmp(file->bytes + from, name, length);
}

static void look_through(const image *file, const Elf64_Shdr *table, const Elf64_Shdr *texts, const char *const *names,
                         uint64_t *values, unsigned count) {
    Elf64_Sym symbol;
    for (uint64_t at = 0; at + sizeof symbol <= table->sh_size && at + sizeof symbol <= file->size; at += sizeof symbol) {
        if (table->sh_offset > file->size || !take(file, table->sh_offset + at, &symbol, sizeof symbol)) return;
        if (symbol.st_shndx == SHN_UNDEF || !symbol.st_value) continue;
        for (unsigned i = 0; i < count; i++)
            if (!values[i] && is_named(file, texts, symbol.st_name, names[i])) values[i] = symbol.st_value;
    }
}

static uint64_t first_address(const image *file, const Elf64_Ehdr *head) {
    Elf64_Phdr part;
    for (unsigned i = 0; i < head->e_phnum; i++) {
        if (head->e_phoff > file->size || !take(file, head->e_phoff + (uint64_t)i * sizeof part, &part, sizeof part)) break;
        if (part.p_type == PT_LOAD && part.p_offset < PAGE) return part.p_vaddr & ~(PAGE - 1);
    }
    return 0;
}

static bool take_head(const image *file, Elf64_Ehdr *head) {
    return take(file, 0, head, sizeof *head) && !memcmp(head->e_ident, ELFMAG, SELFMAG) &&
           head->e_ident[EI_CLASS] == ELFCLASS64 && head->e_ident[EI_DATA] == ELFDATA2LSB && head->e_machine == MACHINE;
}

static bool take_section(const image *file, const Elf64_Ehdr *head, unsigned which, Elf64_Shdr *section) {
    return head->e_shoff <= file->size && take(file, head->e_shoff + (uint64_t)which * sizeof *section, section, sizeof *section);
}

uint64_t sn_elf_section(const uint8_t *bytes, size_t size, const char *name, uint64_t *first) {
    const image file = {bytes, size};
    Elf64_Ehdr head;
    Elf64_Shdr names, section;
    *first = 0;
    if (!take_head(&file, &head) || head.e_shstrndx >= head.e_shnum || !take_section(&file, &head, head.e_shstrndx, &names))
        return 0;
    *first = first_address(&file, &head);
    for (unsigned i = 0; i < head.e_shnum && take_section(&file, &head, i, &section); i++)
        if (section.sh_flags & SHF_ALLOC && is_named(&file, &names, section.sh_name, name)) return section.sh_addr;
    return 0;
}

sn_elf_result sn_elf_find(const uint8_t *bytes, size_t size, const char *const *names, uint64_t *values, unsigned count,
                          uint64_t *first) {
    const image file = {bytes, size};
    Elf64_Ehdr head;
    memset(values, 0, count * sizeof *values);
    *first = 0;
    if (!take_head(&file, &head)) return SN_ELF_OTHER;
    *first = first_address(&file, &head);
    static const uint32_t tables[] = {SHT_DYNSYM, SHT_SYMTAB};
    for (unsigned kind = 0; kind < 2 && !values[0]; kind++)
        for (unsigned i = 0; i < head.e_shnum; i++) {
            Elf64_Shdr table, texts;
            if (!take_section(&file, &head, i, &table)) break;
            if (table.sh_type != tables[kind] || table.sh_link >= head.e_shnum) continue;
            if (!take_section(&file, &head, table.sh_link, &texts)) continue;
            look_through(&file, &table, &texts, names, values, count);
        }
    return values[0] ? SN_ELF_FOUND : SN_ELF_MISSING;
}
