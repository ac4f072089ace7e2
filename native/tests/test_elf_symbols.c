/* Symbols in ELF files: this program's own, and damaged ones. */
#include "check.h"

#include "../core/stacks/elf_symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>

int sonde_symbol_to_be_found = 7;
int sonde_variable_in_a_section __attribute__((section(".SondeSection"))) = 7;
int main(void);

typedef struct {
    uint8_t *bytes;
    size_t size;
} file;

static file own_program(void) {
    struct stat about;
    int opened = open("/proc/self/exe", O_RDONLY);
    CHECK(opened >= 0 && !fstat(opened, &about));
    file f = {.size = (size_t)about.st_size};
    f.bytes = malloc(f.size);
    CHECK(f.bytes);
    for (size_t at = 0; at < f.size;) {
        ssize_t got = read(opened, f.bytes + at, f.size - at);
        CHECK(got > 0);
        at += (size_t)got;
    }
    close(opened);
    return f;
}

static const char *const names[] = {"sonde_symbol_to_be_found", "main", "no such symbol"};

static void symbols_of_a_program_are_found_where_they_are(void) {
    file f = own_program();
    uint64_t at[3], first;
    CHECK_EQUAL(sn_elf_find(f.bytes, f.size, names, at, 3, &first), SN_ELF_FOUND);
    CHECK(at[0] && at[1]);
    CHECK_EQUAL(at[2], 0);
    /* Both moved by the same, wherever the program was loaded. */
    CHECK_EQUAL((uint64_t)(uintptr_t)&sonde_symbol_to_be_found - at[0], (uint64_t)(uintptr_t)&main - at[1]);
    free(f.bytes);
}

static void a_symbol_that_is_not_there_is_missing(void) {
    file f = own_program();
    uint64_t at[1], first;
    CHECK_EQUAL(sn_elf_find(f.bytes, f.size, names + 2, at, 1, &first), SN_ELF_MISSING);
    free(f.bytes);
}

static void what_is_no_elf_file_of_this_machine_is_told(void) {
    file f = own_program();
    uint64_t at[1], first;
    CHECK_EQUAL(sn_elf_find(f.bytes, 10, names, at, 1, &first), SN_ELF_OTHER);
    CHECK_EQUAL(sn_elf_find(f.bytes, 0, names, at, 1, &first), SN_ELF_OTHER);
    ((Elf64_Ehdr *)(void *)f.bytes)->e_machine = EM_S390;
    CHECK_EQUAL(sn_elf_find(f.bytes, f.size, names, at, 1, &first), SN_ELF_OTHER);
    free(f.bytes);
}

static void a_section_is_found_without_any_symbols(void) {
    file f = own_program();
    uint64_t at[1], first, of_section;
    CHECK_EQUAL(sn_elf_find(f.bytes, f.size, names, at, 1, &first), SN_ELF_FOUND);
    Elf64_Ehdr *head = (void *)f.bytes;
    Elf64_Shdr *sections = (void *)(f.bytes + head->e_shoff);
    for (unsigned i = 0; i < head->e_shnum; i++)
        if (sections[i].sh_type == SHT_SYMTAB || sections[i].sh_type == SHT_DYNSYM) sections[i].sh_type = SHT_NULL;
    uint64_t before = at[0];
    CHECK_EQUAL(sn_elf_find(f.bytes, f.size, names, at, 1, &first), SN_ELF_MISSING);
    of_section = sn_elf_section(f.bytes, f.size, ".SondeSection", &first);
    CHECK_EQUAL((uint64_t)(uintptr_t)&sonde_symbol_to_be_found - before,
                (uint64_t)(uintptr_t)&sonde_variable_in_a_section - of_section);
    CHECK_EQUAL(sn_elf_section(f.bytes, f.size, ".NoSuchSection", &first), 0);
    CHECK_EQUAL(sn_elf_section(f.bytes, f.size, ".symtab", &first), 0); /* it is not loaded */
    head->e_shstrndx = head->e_shnum;
    CHECK_EQUAL(sn_elf_section(f.bytes, f.size, ".SondeSection", &first), 0);
    CHECK_EQUAL(sn_elf_section(f.bytes, 10, ".SondeSection", &first), 0);
    free(f.bytes);
}

CHECK_MAIN(TEST(a_section_is_found_without_any_symbols), TEST(symbols_of_a_program_are_found_where_they_are), TEST(a_symbol_that_is_not_there_is_missing),
           TEST(what_is_no_elf_file_of_this_machine_is_told))
