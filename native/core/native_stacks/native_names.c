#define _GNU_SOURCE
#include "native_names.h"

#include "../base/word_map.h"
#include "call_sites.h"
#include "code_ranges.h"
#include "interpreter_symbols.h"
#include "jit_map.h"
#include "module_symbols.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* From one look at what there is to the next. */
#define LOOK_AGAIN_NS 100000000u
/* What a JIT, or Python itself (-X perf), calls code that only leads from the interpreter to itself. */
static const char trampoline[] = "py::";

struct sn_native_names {
    const sn_libdw *library;
    sn_unwinder *unwinder;
    pid_t process;
    uint64_t runtime;
    const sn_memory_reader *memory;
    sn_code_functions *functions;
    sn_native_libraries *libraries;
    struct sn_word_map by_address; /* index + 1 */
    sn_native_place *places;
    uint32_t count, room;
    sn_code_ranges made;
    sn_jit_map jit;
    sn_jit_objects objects;
    sn_module_symbols symbols;
    bool has_missed, has_made; /* an address was asked for that was not known; one in code made at run time */
    uint64_t looked, read; /* when, last: what there is; the map of made code */
};

void sn_native_libraries_free(sn_native_libraries *libraries) {
    for (uint32_t i = 0; i < libraries->count; i++) free(libraries->paths[i]);
    free(libraries->paths);
    *libraries = (sn_native_libraries){0};
}

/* The number of a library; 0 when there is no room: that of the first one. */
static uint32_t number_library(sn_native_libraries *libraries, const char *path) {
    for (uint32_t i = libraries->count; i-- > 0;)
        if (!strcmp(libraries->paths[i], path)) return i;
    if (libraries->count == libraries->room) {
        uint32_t room = libraries->room ? 2 * libraries->room : 16;
        char **grown = realloc(libraries->paths, room * sizeof *grown);
        if (!grown) return 0;
        libraries->paths = grown;
        libraries->room = room;
    }
    char *copy = strdup(path);
    if (!copy) return 0;
    libraries->paths[libraries->count] = copy;
    return libraries->count++;
}

static uint64_t now(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
}

sn_native_names *sn_native_names_create(const sn_libdw *library, sn_unwinder *unwinder, pid_t process, uint64_t runtime,
                                        const sn_memory_reader *memory, sn_code_functions *functions,
                                        sn_native_libraries *libraries) {
    sn_native_names *names = calloc(1, sizeof *names);
    if (!names) return NULL;
    names->library = library;
    names->unwinder = unwinder;
    names->process = process;
    names->runtime = runtime;
    names->memory = memory;
    names->functions = functions;
    names->libraries = libraries;
    return names;
}

static void forget_places(sn_native_names *names) {
    if (names->by_address.entries)
        munmap(names->by_address.entries, (names->by_address.mask + 1) * sizeof *names->by_address.entries);
    names->by_address = (struct sn_word_map){0};
    names->count = 0;
}

void sn_native_names_destroy(sn_native_names *names) {
    if (!names) return;
    forget_places(names);
    free(names->places);
    sn_code_ranges_free(&names->made);
    sn_jit_map_free(&names->jit);
    sn_jit_objects_free(&names->objects);
    sn_module_symbols_free(&names->symbols);
    free(names);
}

/* See what code of a JIT there is; whether that is other than before. */
static bool read_objects(sn_native_names *names, sn_jit_objects *gone) {
    if (!names->objects.descriptor) names->objects.descriptor = sn_jit_objects_find(names->process);
    sn_jit_objects_change change = sn_jit_objects_read(&names->objects, &names->jit, names->memory);
    if (change == SN_JIT_OBJECTS_LESS) { /* names of what is gone must go, too */
        *gone = names->objects;
        names->objects = (sn_jit_objects){.descriptor = gone->descriptor};
        sn_jit_map_free(&names->jit);
        sn_jit_map_read(&names->jit, names->process);
        sn_jit_objects_read(&names->objects, &names->jit, names->memory);
    }
    return change != SN_JIT_OBJECTS_SAME;
}

static void module_is_gone(void *of, Dwfl_Module *module) {
    sn_module_symbols_forget(&((sn_native_names *)of)->symbols, module);
}

bool sn_native_names_refresh(sn_native_names *names) {
    bool is_wanted = names->has_missed || names->has_made;
    uint64_t at = is_wanted ? now() : 0, files = names->made.files, code = names->made.code;
    sn_jit_objects gone = {0};
    if (!is_wanted || (names->looked && at - names->looked < LOOK_AGAIN_NS)) return false;
    bool has_new_objects = names->has_made && read_objects(names, &gone);
    names->has_missed = names->has_made = false;
    names->looked = at;
    sn_code_ranges_read(&names->made, names->process);
    bool has_new_files = names->made.files != files, has_new_code = has_new_files || names->made.code != code;
    if (has_new_code) forget_places(names);
    if (has_new_files || has_new_objects) sn_unwinder_look_again(names->unwinder, &names->objects, module_is_gone, names);
    sn_jit_objects_free(&gone);
    return has_new_code || has_new_objects;
}

static bool is_after_call(const sn_native_names *names, uint64_t pc) {
    uint8_t before[SN_CALL_BYTES];
    return sn_read_one(names->memory, pc + 1 - SN_CALL_BYTES, before, sizeof before) && sn_is_after_call(before);
}

/* The file and the line of an instruction, where debug information has them: an absolute path, if it is known. */
static const char *source_of(const sn_native_names *names, Dwfl_Module *module, uint64_t pc, int *line, char *room, size_t size) {
    const sn_libdw *dw = names->library;
    Dwfl_Line *at = dw->module_getsrc(module, pc);
    const char *file = at ? dw->lineinfo(at, NULL, line, NULL, NULL, NULL) : NULL, *folder;
    if (!file || *file == '/' || !(folder = dw->line_comp_dir(at)) || *folder != '/') return file;
    size_t bytes = strlen(folder);
    if (bytes + strlen(file) + 2 > size) return file;
    memcpy(room, folder, bytes);
    room[bytes] = '/';
    strcpy(room + bytes + 1, file);
    return room;
}

static bool number(sn_native_names *names, const char *name, const char *file, int line, uint32_t flags, uint32_t *function) {
    size_t name_bytes = strlen(name), file_bytes = strlen(file);
    if (name_bytes > SN_CODE_TEXT) name_bytes = SN_CODE_TEXT;
    if (file_bytes > SN_CODE_TEXT) file_bytes = 0;
    const sn_code_function wanted = {.name = (char *)name, .file = (char *)file, .name_bytes = (uint32_t)name_bytes,
                                     .file_bytes = (uint32_t)file_bytes, .first_line = line > 0 ? (uint32_t)line : 0, .flags = flags};
    return sn_code_functions_number(names->functions, &wanted, function);
}

static bool place_in_module(sn_native_names *names, Dwfl_Module *module, uint64_t pc, sn_native_place *place) {
    const sn_libdw *dw = names->library;
    char room[2][4096 + 256], name[SN_CODE_TEXT + 1] = "";
    int first = 0, line = 0;
    const sn_symbol *found = sn_module_symbols_find(&names->symbols, dw, module, pc);
    const char *path = NULL;
    const char *file = NULL, *here = NULL, *library = dw->module_info(module, NULL, NULL, NULL, NULL, NULL, &path, NULL);
    if (!path || *path != '/') path = library ? library : "";
    if (found) {
        strncpy(name, found->name, sizeof name - 1);
        file = source_of(names, module, found->begin, &first, room[0], sizeof room[0]);
        if (file) here = source_of(names, module, pc, &line, room[1], sizeof room[1]);
    }
    bool is_same_file = file && here && !strcmp(file, here); /* else it is of a function that was inlined */
    bool is_interpreter = module == sn_unwinder_module(names->unwinder, names->runtime);
    place->at = SN_CODE_AT_MODULE;
    place->has_frames = sn_unwinder_has_frames(names->unwinder, module, pc);
    place->role = is_interpreter && *name ? sn_interpreter_role(name) : SN_FRAME_FUNCTION;
    place->is_after_call = is_after_call(names, pc);
    place->seen.line = is_same_file && line > 0 ? (uint32_t)line : 0;
    uint32_t flags = SN_NATIVE_FUNCTION | (number_library(names->libraries, path) & SN_LIBRARY_MASK);
    return number(names, name, file ? file : "", first, flags, &place->seen.function);
}

static bool place_in_made_code(sn_native_names *names, uint64_t pc, sn_native_place *place) {
    const sn_jit_code *code = sn_jit_map_find(&names->jit, pc);
    uint64_t at = code ? 0 : now();
    if (!code && (!names->read || at - names->read >= LOOK_AGAIN_NS)) {
        names->read = at;
        sn_jit_map_read(&names->jit, names->process);
        code = sn_jit_map_find(&names->jit, pc);
    }
    const char *name = code ? code->name : "";
    names->has_made = true;
    place->at = SN_CODE_AT_JIT;
    Dwfl_Module *module = sn_unwinder_module(names->unwinder, pc);
    place->has_frames = module && sn_unwinder_has_frames(names->unwinder, module, pc);
    place->role = strncmp(name, trampoline, sizeof trampoline - 1) ? SN_FRAME_FUNCTION : SN_FRAME_GLUE;
    place->is_after_call = is_after_call(names, pc);
    place->seen.line = 0;
    return number(names, name, "", 0, SN_NATIVE_FUNCTION | SN_JIT_FUNCTION, &place->seen.function);
}

static void keep(sn_native_names *names, uint64_t pc, const sn_native_place *place) {
    if (names->count == SN_MOST_PLACES) return;
    if (names->count == names->room) {
        uint32_t room = names->room ? 2 * names->room : 256;
        sn_native_place *grown = realloc(names->places, room * sizeof *grown);
        if (!grown) return;
        names->places = grown;
        names->room = room;
    }
    if (!sn_word_set(&names->by_address, pc, names->count + 1)) return;
    names->places[names->count++] = *place;
}

sn_native_place sn_native_names_find(sn_native_names *names, const sn_unwound *frame) {
    uint64_t pc = frame->pc;
    uint32_t known = sn_word_get(&names->by_address, pc);
    if (known) return names->places[known - 1];
    sn_native_place place = {.at = SN_CODE_AT_NONE};
    if (sn_code_ranges_have(&names->made, pc)) {
        if (!place_in_made_code(names, pc, &place)) place.at = SN_CODE_AT_NONE;
        return place;
    }
    names->has_missed = true;
    Dwfl_Module *module = sn_unwinder_module(names->unwinder, pc);
    if (module && place_in_module(names, module, pc, &place)) keep(names, pc, &place);
    else place.at = SN_CODE_AT_NONE;
    return place;
}
