#include "python_process.h"

#include "debug_offsets.h"
#include "elf_symbols.h"
#include "process_files.h"
#include "python_check.h"

#include <string.h>

enum { RUNTIME, CODE_TYPE, VERSION, SYMBOLS };
static const char *const symbols[SYMBOLS] = {"_PyRuntime", "PyCode_Type", "Py_Version"};

static sn_elf_result find_in_file(const sn_process_file *file, bool as_the_system_has_it, uint64_t address[SYMBOLS]) {
    size_t size;
    uint64_t first;
    const uint8_t *bytes = sn_process_file_map(file, as_the_system_has_it, &size);
    if (!bytes) return SN_ELF_OTHER;
    sn_elf_result result = sn_elf_find(bytes, size, symbols, address, SYMBOLS, &first);
    if (result == SN_ELF_MISSING && (address[RUNTIME] = sn_elf_section(bytes, size, ".PyRuntime", &first)))
        result = SN_ELF_FOUND;
    for (unsigned i = 0; i < SYMBOLS; i++)
        if (address[i]) address[i] += file->start - first;
    sn_process_file_unmap(bytes, size);
    return result;
}

static bool is_named_python(const sn_process_file *file) { return strstr(strrchr(file->path, '/'), "python"); }

static sn_python_result take_layout(const sn_memory_reader *reader, const uint64_t address[SYMBOLS], sn_python *python) {
    uint64_t version = 0;
    uint8_t offsets[SN_OFFSETS_BYTES];
    if (!sn_read_one(reader, address[RUNTIME], offsets, sizeof offsets)) return SN_PYTHON_NOT_READY;
    if (address[VERSION] && !sn_read_one(reader, address[VERSION], &version, sizeof version)) return SN_PYTHON_NOT_READY;
    bool is_told = sn_python_version_told(offsets, &python->version);
    if (!is_told) python->version = (uint32_t)version;
    python->runtime = address[RUNTIME];
    python->code_type = address[CODE_TYPE];
    if (!is_told && !address[CODE_TYPE]) return SN_PYTHON_NO_SYMBOLS;
    if (is_told && python->version >> 16 == 0x030D && sn_python_is_free_threaded(offsets)) return SN_PYTHON_LOCKLESS_3_13;
    if (is_told ? !sn_python_layout_told(offsets, &python->layout) : !sn_python_layout_of(python->version, &python->layout))
        return SN_PYTHON_UNKNOWN;
    return sn_python_check(reader, python);
}

/* What stands in the way; a file of no use to us leaves what was found out before. */
static sn_python_result look_at_file(const sn_process_file *file, sn_python_result before, sn_python *python) {
    uint64_t address[SYMBOLS] = {0};
    const sn_memory_reader reader = sn_memory_of_process(file->pid);
    sn_elf_result result = find_in_file(file, false, address);
    if (result == SN_ELF_OTHER && !file->is_executable) /* replaced or removed since; the system may still have it */
        result = find_in_file(file, true, address);
    if (result == SN_ELF_FOUND) return take_layout(&reader, address, python);
    if (result == SN_ELF_MISSING && address[CODE_TYPE]) return SN_PYTHON_UNKNOWN; /* older than 3.7 */
    if (result == SN_ELF_MISSING && is_named_python(file)) return SN_PYTHON_NO_SYMBOLS;
    if (result == SN_ELF_OTHER && file->is_executable) return SN_PYTHON_OTHER_MACHINE;
    return before;
}

static bool is_worse(sn_python_result result, sn_python_result than) {
    static const uint8_t rank[] = {[SN_PYTHON_FOUND] = 9,      [SN_PYTHON_UNKNOWN] = 8,       [SN_PYTHON_LOCKLESS_3_13] = 8,
                                   [SN_PYTHON_NOT_READY] = 7,  [SN_PYTHON_NO_SYMBOLS] = 6, [SN_PYTHON_OTHER_MACHINE] = 5,
                                   [SN_PYTHON_NONE] = 4};
    return rank[result] < rank[than];
}

/* Whether the system lets us read its memory at all: of which piece does not matter. */
static bool is_forbidden(pid_t pid, uint64_t address) {
    uint64_t word;
    const sn_piece piece = {address, &word, sizeof word};
    sn_read_result result;
    sn_process_read_leading(pid, &piece, 1, &result);
    return result == SN_READ_FORBIDDEN;
}

typedef struct {
    sn_python *python;
    sn_python_result found;
    bool was_tried; /* whether its memory can be read */
} search;

/* A mapped file that may have an interpreter in it: the executable, or a file named so. */
static bool look(void *at, const sn_process_file *file) {
    search *s = at;
    if (!s->was_tried && is_forbidden(file->pid, file->start)) s->found = SN_PYTHON_FORBIDDEN;
    s->was_tried = true;
    if (s->found == SN_PYTHON_FORBIDDEN) return false;
    if (!file->is_executable && !is_named_python(file)) return true;
    sn_python_result result = look_at_file(file, s->found, s->python);
    if (!is_worse(result, s->found)) s->found = result;
    return s->found != SN_PYTHON_FOUND;
}

sn_python_result sn_python_find(pid_t pid, sn_python *python) {
    search s = {python, SN_PYTHON_NONE, false};
    *python = (sn_python){0};
    sn_files_result result = sn_process_files(pid, look, &s);
    if (result == SN_FILES_SEEN) return s.found;
    return result == SN_FILES_FORBIDDEN ? SN_PYTHON_FORBIDDEN : SN_PYTHON_NO_PROCESS;
}
