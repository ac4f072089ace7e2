#define _GNU_SOURCE
#include "jit_objects.h"

#include "../stacks/elf_symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* struct jit_descriptor and struct jit_code_entry of GDB's interface, version 1. */
typedef struct {
    uint32_t version, action;
    uint64_t relevant, first;
} descriptor;

typedef struct {
    uint64_t next, previous, object, size;
} entry;

static uint64_t find_in_file(const char *path, uint64_t start) {
    static const char *const name = "__jit_debug_descriptor";
    uint64_t value = 0, first = 0;
    struct stat about;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return 0;
    if (!fstat(file, &about) && S_ISREG(about.st_mode) && about.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes != MAP_FAILED) {
            if (sn_elf_find(bytes, (size_t)about.st_size, &name, &value, 1, &first) != SN_ELF_FOUND) value = 0;
            munmap(bytes, (size_t)about.st_size);
        }
    }
    close(file);
    return value ? value + start - first : 0;
}

uint64_t sn_jit_objects_find(pid_t process) {
    char path[4096 + 64], *line = NULL;
    size_t room = 0;
    uint64_t found = 0;
    snprintf(path, sizeof path, "/proc/%ld/maps", (long)process);
    FILE *maps = fopen(path, "re");
    if (!maps) return 0;
    while (!found && getline(&line, &room, maps) > 0) {
        unsigned long start, end, offset;
        int at = 0;
        if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %n", &start, &end, &offset, &at) < 3 || !at || offset) continue;
        line[strcspn(line, "\n")] = 0;
        const char *name = strrchr(line + at, '/');
        if (line[at] != '/' || strlen(line + at) > 4096 || !strcasestr(name, "llvm")) continue;
        snprintf(path, sizeof path, "/proc/%ld/root%s", (long)process, line + at);
        found = find_in_file(path, start);
    }
    free(line);
    fclose(maps);
    return found;
}

void sn_jit_objects_free(sn_jit_objects *objects) {
    for (uint32_t i = 0; i < objects->count; i++) free(objects->sections[i].image);
    free(objects->sections);
    free(objects->objects);
    *objects = (sn_jit_objects){.descriptor = objects->descriptor};
}

typedef struct {
    const uint8_t *bytes;
    uint64_t size;
    Elf64_Ehdr head;
} object_file;

static bool take(const object_file *file, uint64_t at, void *to, uint64_t bytes) {
    if (at > file->size || file->size - at < bytes) return false;
    memcpy(to, file->bytes + at, bytes);
    return true;
}

static bool take_section(const object_file *file, uint32_t number, Elf64_Shdr *section) {
    return number < file->head.e_shnum && file->head.e_shoff <= file->size &&
           take(file, file->head.e_shoff + (uint64_t)number * sizeof *section, section, sizeof *section);
}

static bool is_code(const Elf64_Shdr *section) {
    return section->sh_flags & SHF_EXECINSTR && section->sh_addr && section->sh_size &&
           section->sh_addr + section->sh_size > section->sh_addr;
}

/* Functions of a table of symbols: those of object files are relative to their sections. */
static void take_names(const object_file *file, const Elf64_Shdr *table, sn_jit_map *map) {
    Elf64_Shdr texts, section;
    if (table->sh_offset > file->size || !take_section(file, table->sh_link, &texts) || texts.sh_offset > file->size) return;
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table->sh_size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        if (!take(file, table->sh_offset + at, &symbol, sizeof symbol)) return;
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || !take_section(file, symbol.st_shndx, &section) || !is_code(&section))
            continue;
        if (symbol.st_name >= texts.sh_size || symbol.st_name >= file->size - texts.sh_offset) continue;
        const char *name = (const char *)file->bytes + texts.sh_offset + symbol.st_name;
        size_t bytes = strnlen(name, file->size - texts.sh_offset - symbol.st_name);
        uint64_t begin = file->head.e_type == ET_REL ? section.sh_addr + symbol.st_value : symbol.st_value;
        sn_jit_map_add(map, begin, symbol.st_size, name, bytes);
    }
}

/* An ELF file of one piece of code and its call-frame information, which is `frames.sh_size` bytes in the process's memory. */
static uint8_t *make_image(const object_file *file, const Elf64_Shdr *code, const Elf64_Shdr *frames,
                           const sn_memory_reader *memory, size_t *size) {
    static const char names[] = "\0.text\0.eh_frame\0.shstrtab";
    enum { TEXT_NAME = 1, FRAMES_NAME = 7, NAMES_NAME = 17, SECTIONS = 4 };
    struct {
        Elf64_Ehdr head;
        Elf64_Phdr part;
        Elf64_Shdr sections[SECTIONS];
        char names[(sizeof names + 7) / 8 * 8];
    } made;
    memset(&made, 0, sizeof made);
    uint8_t *image = malloc(sizeof made + frames->sh_size);
    if (!image || !sn_read_one(memory, frames->sh_addr, image + sizeof made, frames->sh_size)) {
        free(image);
        return NULL;
    }
    memcpy(made.names, names, sizeof names);
    made.head = file->head;
    made.head.e_type = ET_EXEC;
    made.head.e_entry = 0;
    made.head.e_phoff = offsetof(__typeof__(made), part);
    made.head.e_phentsize = sizeof made.part;
    made.head.e_phnum = 1;
    made.head.e_shoff = offsetof(__typeof__(made), sections);
    made.head.e_shentsize = sizeof *made.sections;
    made.head.e_shnum = SECTIONS;
    made.head.e_shstrndx = SECTIONS - 1;
    made.part = (Elf64_Phdr){.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = code->sh_addr, .p_memsz = code->sh_size,
                             .p_align = 1};
    made.sections[1] = (Elf64_Shdr){.sh_name = TEXT_NAME, .sh_type = SHT_NOBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                                    .sh_addr = code->sh_addr, .sh_size = code->sh_size, .sh_addralign = 1};
    made.sections[2] = (Elf64_Shdr){.sh_name = FRAMES_NAME, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC,
                                    .sh_addr = frames->sh_addr, .sh_offset = sizeof made, .sh_size = frames->sh_size,
                                    .sh_addralign = 8};
    made.sections[3] = (Elf64_Shdr){.sh_name = NAMES_NAME, .sh_type = SHT_STRTAB, .sh_offset = offsetof(__typeof__(made), names),
                                    .sh_size = sizeof names, .sh_addralign = 1};
    memcpy(image, &made, sizeof made);
    *size = sizeof made + frames->sh_size;
    return image;
}

static void add_section(sn_jit_objects *objects, sn_jit_section section) {
    if (objects->count == objects->room) {
        uint32_t room = objects->room ? 2 * objects->room : 16;
        sn_jit_section *grown = realloc(objects->sections, room * sizeof *grown);
        if (!grown) {
            free(section.image);
            return;
        }
        objects->sections = grown;
        objects->room = room;
    }
    objects->sections[objects->count++] = section;
}

/* The section in which call-frame information is, by its name. */
static bool find_frames(const object_file *file, Elf64_Shdr *frames) {
    Elf64_Shdr texts;
    char name[sizeof ".eh_frame"];
    if (!take_section(file, file->head.e_shstrndx, &texts)) return false;
    for (uint32_t i = 0; take_section(file, i, frames); i++) {
        bool is_loaded = frames->sh_addr && frames->sh_size && frames->sh_size <= SN_MOST_OBJECT_BYTES;
        if (is_loaded && texts.sh_offset <= file->size && take(file, texts.sh_offset + frames->sh_name, name, sizeof name) &&
            !memcmp(name, ".eh_frame", sizeof name))
            return true;
    }
    return false;
}

void sn_jit_objects_take(sn_jit_objects *objects, sn_jit_map *map, const sn_memory_reader *memory, uint64_t address,
                         const uint8_t *bytes, size_t size) {
    object_file file = {.bytes = bytes, .size = size};
    Elf64_Shdr section, frames;
    if (!take(&file, 0, &file.head, sizeof file.head) || memcmp(file.head.e_ident, ELFMAG, SELFMAG) ||
        file.head.e_ident[EI_CLASS] != ELFCLASS64 || file.head.e_ident[EI_DATA] != ELFDATA2LSB)
        return;
    bool has_frames = find_frames(&file, &frames);
    for (uint32_t i = 0; take_section(&file, i, &section); i++) {
        if (section.sh_type == SHT_SYMTAB) take_names(&file, &section, map);
        if (!is_code(&section)) continue;
        sn_jit_section made = {section.sh_addr, section.sh_addr + section.sh_size, address, NULL, 0};
        if (has_frames) made.image = make_image(&file, &section, &frames, memory, &made.size);
        add_section(objects, made);
    }
}

static bool is_known(const sn_jit_objects *objects, uint64_t object) {
    for (uint32_t i = objects->object_count; i-- > 0;)
        if (objects->objects[i] == object) return true;
    return false;
}

sn_jit_objects_change sn_jit_objects_read(sn_jit_objects *objects, sn_jit_map *map, const sn_memory_reader *memory) {
    descriptor list;
    entry each;
    uint32_t count = 0, still = 0, known = objects->object_count, next_known = known;
    if (!objects->descriptor || !sn_read_one(memory, objects->descriptor, &list, sizeof list) || list.version != 1)
        return SN_JIT_OBJECTS_SAME;
    if (!objects->objects) objects->objects = malloc(SN_MOST_JIT_OBJECTS * sizeof *objects->objects);
    entry *fresh = malloc(SN_MOST_JIT_OBJECTS * sizeof *fresh);
    if (!objects->objects || !fresh) {
        free(fresh);
        return SN_JIT_OBJECTS_SAME;
    }
    /* New ones are put in front of the list: those that are known come in the order in which they are kept, the last one first. */
    for (uint64_t at = list.first, i = 0; at && i < SN_MOST_JIT_OBJECTS && sn_read_one(memory, at, &each, sizeof each); i++) {
        bool is_next = next_known && objects->objects[next_known - 1] == each.object;
        next_known -= is_next;
        if (is_next || is_known(objects, each.object)) still++;
        else fresh[count++] = each;
        at = each.next;
    }
    sn_jit_objects_change change = still < known ? SN_JIT_OBJECTS_LESS : count ? SN_JIT_OBJECTS_MORE : SN_JIT_OBJECTS_SAME;
    for (uint32_t i = count; change == SN_JIT_OBJECTS_MORE && i-- > 0 && objects->object_count < SN_MOST_JIT_OBJECTS;) {
        objects->objects[objects->object_count++] = fresh[i].object;
        uint8_t *bytes = fresh[i].size <= SN_MOST_OBJECT_BYTES ? malloc(fresh[i].size + 1) : NULL;
        if (bytes && sn_read_one(memory, fresh[i].object, bytes, fresh[i].size))
            sn_jit_objects_take(objects, map, memory, fresh[i].object, bytes, fresh[i].size);
        free(bytes);
    }
    free(fresh);
    return change;
}

const sn_jit_section *sn_jit_objects_at(const sn_jit_objects *objects, uint64_t begin) {
    for (uint32_t i = objects->count; i-- > 0;)
        if (objects->sections[i].begin == begin) return &objects->sections[i];
    return NULL;
}
