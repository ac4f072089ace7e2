/* Memory of a process with a JIT that has announced its code: a list, object files, and what was loaded of them. */
#ifndef SONDE_EXAMPLE_JIT_OBJECT_H
#define SONDE_EXAMPLE_JIT_OBJECT_H

#include "../core/native_stacks/jit_objects.h"

#include <elf.h>
#include <string.h>

#define JIT_BASE UINT64_C(0x7f0000000000)
enum { JIT_BYTES = 8192, JIT_CODE = 64, JIT_FRAMES = 32 };

typedef struct {
    uint8_t bytes[JIT_BYTES];
} jit_memory;

static inline unsigned jit_read(void *at, const sn_piece *pieces, unsigned count, sn_read_result *result) {
    const jit_memory *memory = at;
    for (unsigned i = 0; i < count; i++) {
        uint64_t from = pieces[i].from - JIT_BASE;
        *result = SN_READ_ABSENT;
        if (from >= JIT_BYTES || JIT_BYTES - from < pieces[i].bytes) return i;
        memcpy(pieces[i].to, memory->bytes + from, pieces[i].bytes);
    }
    *result = SN_READ_ALL;
    return count;
}

/* An object file of one function, whose code and call-frame information were loaded at these addresses. Returns its bytes. */
static inline size_t jit_object(uint8_t *to, uint64_t code, uint64_t frames, const char *function) {
    enum { SECTIONS = 5, TEXT_NAME = 1, FRAMES_NAME = 7, FUNCTION_NAME = 17 };
    char texts[64] = "\0.text\0.eh_frame";
    strcpy(texts + FUNCTION_NAME, function);
    Elf64_Ehdr head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB}, .e_type = ET_REL,
                       .e_machine = EM_X86_64, .e_shnum = SECTIONS, .e_shstrndx = 4, .e_shoff = sizeof head};
    Elf64_Sym symbols[2] = {{0}, {.st_name = FUNCTION_NAME, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1,
                                  .st_value = 16, .st_size = 32}};
    uint64_t symbols_at = sizeof head + SECTIONS * sizeof(Elf64_Shdr), texts_at = symbols_at + sizeof symbols;
    Elf64_Shdr sections[SECTIONS] = {
        {0},
        {.sh_name = TEXT_NAME, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_addr = code, .sh_size = JIT_CODE},
        {.sh_name = FRAMES_NAME, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC, .sh_addr = frames, .sh_size = JIT_FRAMES},
        {.sh_type = SHT_SYMTAB, .sh_link = 4, .sh_offset = symbols_at, .sh_size = sizeof symbols},
        {.sh_type = SHT_STRTAB, .sh_offset = texts_at, .sh_size = sizeof texts}};
    memcpy(to, &head, sizeof head);
    memcpy(to + sizeof head, sections, sizeof sections);
    memcpy(to + symbols_at, symbols, sizeof symbols);
    memcpy(to + texts_at, texts, sizeof texts);
    return texts_at + sizeof texts;
}

/* Where the parts of the n-th object are; the list begins at JIT_BASE. */
static inline uint64_t jit_part(unsigned number, uint64_t offset) { return JIT_BASE + 1024 + 1536 * (uint64_t)number + offset; }

/* A list of objects 0 to `count` - 1, the last one first. */
static inline void jit_announce(jit_memory *memory, unsigned count) {
    const uint64_t head[] = {1, 0, count ? JIT_BASE + 64 * count : 0};
    memcpy(memory->bytes, head, sizeof head);
    for (unsigned i = 0; i < count; i++) {
        char name[16] = "function 0";
        name[9] = (char)('0' + i);
        size_t size = jit_object(memory->bytes + (jit_part(i, 0) - JIT_BASE), jit_part(i, 1200), jit_part(i, 1400), name);
        const uint64_t entry[] = {i ? JIT_BASE + 64 * i : 0, 0, jit_part(i, 0), size};
        memcpy(memory->bytes + 64 * (i + 1), entry, sizeof entry);
        memset(memory->bytes + (jit_part(i, 1400) - JIT_BASE), 0x50 + (int)i, JIT_FRAMES);
    }
}

#endif
