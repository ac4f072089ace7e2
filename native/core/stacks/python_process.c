#define _GNU_SOURCE
#include "python_process.h"

#include "elf_symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 + 64 };

enum { RUNTIME, CODE_TYPE, VERSION, SYMBOLS };
static const char *const symbols[SYMBOLS] = {"_PyRuntime", "PyCode_Type", "Py_Version"};

static sn_elf_result find_in_file(const char *path, uint64_t start, uint64_t address[SYMBOLS]) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return SN_ELF_OTHER;
    struct stat about;
    sn_elf_result result = SN_ELF_OTHER;
    if (!fstat(file, &about) && S_ISREG(about.st_mode) && about.st_size > 0) {
        size_t size = (size_t)about.st_size;
        void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes != MAP_FAILED) {
            uint64_t first;
            result = sn_elf_find(bytes, size, symbols, address, SYMBOLS, &first);
            for (unsigned i = 0; i < SYMBOLS; i++)
                if (address[i]) address[i] += start - first;
            munmap(bytes, size);
        }
    }
    close(file);
    return result;
}

/* Whether a mapped file may have an interpreter in it: the executable, or a file named so. */
static bool is_candidate(const char *path, const char *executable) {
    const char *name = strrchr(path, '/');
    return name && (!strcmp(path, executable) || strstr(name, "python"));
}

static sn_python_result take_layout(const sn_memory_reader *reader, const uint64_t address[SYMBOLS], sn_python *python) {
    uint64_t version = 0, interpreter = 0;
    uint8_t offsets[SN_OFFSETS_BYTES];
    if (!address[CODE_TYPE]) return SN_PYTHON_NO_SYMBOLS;
    if (address[VERSION] && !sn_read_one(reader, address[VERSION], &version, sizeof version)) return SN_PYTHON_NOT_READY;
    python->runtime = address[RUNTIME];
    python->code_type = address[CODE_TYPE];
    python->version = (uint32_t)version;
    if (!sn_python_layout_of(python->version, &python->layout)) {
        if (version < 0x030D0000 || !sn_read_one(reader, python->runtime, offsets, sizeof offsets) ||
            !sn_python_layout_told(offsets, &python->layout))
            return SN_PYTHON_UNKNOWN;
    }
    if (!sn_read_one(reader, python->runtime + python->layout.runtime_interpreters, &interpreter, sizeof interpreter) ||
        !interpreter)
        return SN_PYTHON_NOT_READY;
    return SN_PYTHON_FOUND;
}

static unsigned read_from_system(void *pid, const sn_piece *pieces, unsigned count, sn_read_result *result) {
    return sn_process_read_leading(*(const pid_t *)pid, pieces, count, result);
}

/* What stands in the way; a file of no use to us leaves what was found out before. */
static sn_python_result look_at_file(pid_t pid, uint64_t start, uint64_t end, const char *path, bool is_executable,
                                     sn_python_result before, sn_python *python) {
    char opened[PATH_ROOM];
    uint64_t address[SYMBOLS] = {0};
    const sn_memory_reader reader = {read_from_system, &pid};
    if (is_executable) snprintf(opened, sizeof opened, "/proc/%ld/exe", (long)pid);
    else snprintf(opened, sizeof opened, "/proc/%ld/root%s", (long)pid, path);
    sn_elf_result result = find_in_file(opened, start, address);
    if (result == SN_ELF_OTHER && !is_executable) { /* replaced or removed since; the system may still have it */
        snprintf(opened, sizeof opened, "/proc/%ld/map_files/%lx-%lx", (long)pid, (unsigned long)start, (unsigned long)end);
        result = find_in_file(opened, start, address);
    }
    if (result == SN_ELF_FOUND) return take_layout(&reader, address, python);
    if (result == SN_ELF_MISSING && strstr(strrchr(path, '/'), "python")) return SN_PYTHON_NO_SYMBOLS;
    if (result == SN_ELF_OTHER && is_executable) return SN_PYTHON_OTHER_MACHINE;
    return before;
}

static bool is_worse(sn_python_result result, sn_python_result than) {
    static const uint8_t rank[] = {[SN_PYTHON_FOUND] = 9,      [SN_PYTHON_UNKNOWN] = 8,       [SN_PYTHON_NOT_READY] = 7,
                                   [SN_PYTHON_NO_SYMBOLS] = 6, [SN_PYTHON_OTHER_MACHINE] = 5, [SN_PYTHON_NONE] = 4};
    return rank[result] < rank[than];
}

static sn_python_result why_not_open(void) {
    return errno == EACCES || errno == EPERM ? SN_PYTHON_FORBIDDEN : SN_PYTHON_NO_PROCESS;
}

/* Whether the system lets us read its memory at all: of which piece does not matter. */
static bool is_forbidden(pid_t pid, uint64_t address) {
    uint64_t word;
    const sn_piece piece = {address, &word, sizeof word};
    sn_read_result result;
    sn_process_read_leading(pid, &piece, 1, &result);
    return result == SN_READ_FORBIDDEN;
}

sn_python_result sn_python_find(pid_t pid, sn_python *python) {
    char path[PATH_ROOM], executable[PATH_ROOM], *line = NULL;
    size_t room = 0;
    *python = (sn_python){0};
    snprintf(path, sizeof path, "/proc/%ld/exe", (long)pid);
    ssize_t length = readlink(path, executable, sizeof executable - 1);
    if (length < 0) return why_not_open();
    executable[length] = 0;
    snprintf(path, sizeof path, "/proc/%ld/maps", (long)pid);
    FILE *maps = fopen(path, "re");
    if (!maps) return why_not_open();
    sn_python_result found = SN_PYTHON_NONE;
    bool is_first = true;
    errno = 0;
    while (found != SN_PYTHON_FOUND && found != SN_PYTHON_FORBIDDEN && getline(&line, &room, maps) > 0) {
        unsigned long start, end, offset;
        int at = 0;
        if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %n", &start, &end, &offset, &at) < 3 || !at) continue;
        if (is_first && is_forbidden(pid, start)) found = SN_PYTHON_FORBIDDEN;
        is_first = false;
        line[strcspn(line, "\n")] = 0;
        if (found == SN_PYTHON_FORBIDDEN || offset || line[at] != '/' || strlen(line + at) > 4096) continue;
        if (!is_candidate(line + at, executable)) continue;
        sn_python_result result =
            look_at_file(pid, start, end, line + at, !strcmp(line + at, executable), found, python);
        if (!is_worse(result, found)) found = result;
    }
    if (is_first && errno) found = why_not_open();
    free(line);
    fclose(maps);
    return found;
}
