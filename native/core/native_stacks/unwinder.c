#define _GNU_SOURCE
#include "unwinder.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct sn_unwinder {
    const sn_libdw *library;
    Dwfl *dwfl;
    Dwfl_Callbacks files;
    Dwfl_Thread_Callbacks threads;
    pid_t process;
    const sn_jit_objects *objects;
    uint32_t generation; /* of modules of a JIT: one of the same name would keep its old file */
    /* Of the stack that is being unwound. */
    const sn_stack_copy *copy;
    uint64_t until;
    sn_judge_code *judge;
    void *of;
    sn_unwound *frames;
    uint32_t count;
    uint32_t guessed; /* number of the first frame that was found by a frame pointer; 0: none was */
    bool is_guess;    /* the next one is */
    bool is_done, is_beyond, has_jit; /* is_beyond: a word was asked for that was not copied */
    sn_unwound_result result;
};

static const char jit_module[] = "[jit:%u:%llx]";

static Elf *open_jit_module(const sn_unwinder *u, const char *name) {
    unsigned generation;
    unsigned long long begin;
    if (!u->objects || sscanf(name, jit_module, &generation, &begin) != 2) return NULL;
    const sn_jit_section *section = sn_jit_objects_at(u->objects, begin);
    return section && section->image ? u->library->elf_memory((char *)section->image, section->size) : NULL;
}

/* The file of a module as the process sees it, which may have another root than we do. Devices are not opened. */
static int find_file(Dwfl_Module *module, void **data, const char *name, uint64_t base, char **file, Elf **elf) {
    const sn_unwinder *unwinder = *data;
    char path[4096 + 64];
    struct stat about;
    if (unwinder && (*elf = open_jit_module(unwinder, name))) return -1;
    if (*name != '/') return unwinder ? unwinder->library->linux_proc_find_elf(module, data, name, base, file, elf) : -1;
    if (!unwinder) return -1;
    int length = snprintf(path, sizeof path, "/proc/%ld/root%s", (long)unwinder->process, name);
    if (length < 0 || length >= (int)sizeof path || stat(path, &about) || !S_ISREG(about.st_mode)) return -1;
    int opened = open(path, O_RDONLY | O_CLOEXEC);
    *file = opened >= 0 ? strdup(name) : NULL;
    if (*file) return opened;
    if (opened >= 0) close(opened);
    return -1;
}

static int give_data(Dwfl_Module *module, void **data, const char *name, uint64_t base, void *unwinder) {
    (void)module, (void)name, (void)base;
    *data = unwinder;
    return DWARF_CB_OK;
}

typedef struct {
    sn_module_gone *tell;
    void *of;
} who_is_told;

static int tell_gone(Dwfl_Module *module, void *data, const char *name, uint64_t base, void *to) {
    const who_is_told *told = to;
    (void)data, (void)name, (void)base;
    if (told->tell) told->tell(told->of, module);
    return DWARF_CB_OK;
}

void sn_unwinder_look_again(sn_unwinder *u, const sn_jit_objects *objects, sn_module_gone *gone, void *of) {
    who_is_told told = {gone, of};
    u->objects = objects;
    u->generation++;
    u->library->report_begin(u->dwfl);
    u->library->linux_proc_report(u->dwfl, u->process);
    for (uint32_t i = 0; objects && i < objects->count; i++) {
        const sn_jit_section *section = &objects->sections[i];
        char name[64];
        snprintf(name, sizeof name, jit_module, u->generation, (unsigned long long)section->begin);
        if (section->image) u->library->report_module(u->dwfl, name, section->begin, section->end);
    }
    u->library->report_end(u->dwfl, tell_gone, &told);
    u->library->getmodules(u->dwfl, give_data, u, 0);
}

Dwfl_Module *sn_unwinder_module(const sn_unwinder *u, uint64_t address) {
    uint64_t begin = 0, end = 0;
    Dwfl_Module *module = u->library->addrmodule(u->dwfl, address); /* of what is in none it gives the one before */
    if (module) u->library->module_info(module, NULL, &begin, &end, NULL, NULL, NULL, NULL);
    return address >= begin && address < end ? module : NULL;
}

static bool has_frame(const sn_libdw *library, Dwarf_CFI *cfi, uint64_t address) {
    void *frame = NULL;
    bool is_there = cfi && !library->cfi_addrframe(cfi, address, &frame);
    free(frame);
    return is_there;
}

bool sn_unwinder_has_frames(const sn_unwinder *u, Dwfl_Module *module, uint64_t address) {
    uint64_t bias = 0;
    Dwarf_CFI *cfi = u->library->module_eh_cfi(module, &bias);
    if (has_frame(u->library, cfi, address - bias)) return true;
    cfi = u->library->module_dwarf_cfi(module, &bias);
    return has_frame(u->library, cfi, address - bias);
}

static pid_t no_thread(Dwfl *dwfl, void *of, void **of_thread) {
    (void)dwfl, (void)of, (void)of_thread;
    return 0;
}

static bool take_thread(Dwfl *dwfl, pid_t thread, void *of, void **of_thread) {
    (void)dwfl, (void)thread;
    *of_thread = of;
    return true;
}

static bool read_word(Dwfl *dwfl, uint64_t address, uint64_t *word, void *of) {
    sn_unwinder *u = of;
    (void)dwfl;
    if (sn_stack_copy_word(u->copy, address, word)) return true;
    u->is_beyond |= address >= u->copy->low + u->copy->size;
    return false;
}

static bool set_registers(Dwfl_Thread *thread, void *of) {
    const sn_unwinder *u = of;
    const sn_registers *r = &u->copy->registers;
    unsigned count = SN_REGISTER_PC; /* DWARF has a number for the program counter, but here it is told apart */
    if (r->has_all) {
        if (!u->library->thread_state_registers(thread, 0, count, r->values)) return false;
    } else if (!u->library->thread_state_registers(thread, SN_REGISTER_STACK, 1, &r->values[SN_REGISTER_STACK])) {
        return false;
    }
    u->library->thread_state_registers(thread, SN_REGISTER_PC, 1, &r->values[SN_REGISTER_PC]);
    u->library->thread_state_register_pc(thread, r->values[SN_REGISTER_PC]);
    return true;
}

static int stop(sn_unwinder *u, sn_unwound_result result) {
    u->is_done = true;
    u->result = result;
    return DWARF_CB_ABORT;
}

static int take_frame(Dwfl_Frame *state, void *of) {
    sn_unwinder *u = of;
    uint64_t pc = 0, stack = 0;
    bool is_activation = false;
    bool has_all = u->library->frame_pc(state, &pc, &is_activation) && !u->library->frame_reg(state, SN_REGISTER_STACK, &stack);
    sn_unwound_result broken = u->has_jit ? SN_UNWOUND_JIT : SN_UNWOUND_BROKEN;
    if (!has_all || !pc || (u->count && stack <= u->frames[u->count - 1].stack)) return stop(u, broken);
    if (u->count == SN_MOST_C_FRAMES) return stop(u, SN_UNWOUND_TOO_DEEP);
    sn_unwound *frame = &u->frames[u->count];
    *frame = (sn_unwound){is_activation ? pc : pc - 1, stack, !is_activation};
    sn_judged judged = u->judge(u->of, frame);
    if (judged.at == SN_CODE_AT_NONE) return stop(u, broken);
    u->has_jit = judged.at == SN_CODE_AT_JIT;
    if (u->is_guess && !u->guessed) u->guessed = u->count;
    u->is_guess = !judged.has_frames;
    u->count++;
    return stack > u->until ? stop(u, SN_UNWOUND) : DWARF_CB_OK;
}

sn_unwinder *sn_unwinder_create(const sn_libdw *library, pid_t process) {
    sn_unwinder *u = calloc(1, sizeof *u);
    if (!u) return NULL;
    u->library = library;
    u->process = process;
    u->files = (Dwfl_Callbacks){.find_elf = find_file, .find_debuginfo = library->build_id_find_debuginfo};
    u->threads = (Dwfl_Thread_Callbacks){
        .next_thread = no_thread, .get_thread = take_thread, .memory_read = read_word, .set_initial_registers = set_registers};
    u->dwfl = library->begin(&u->files);
    if (!u->dwfl) {
        free(u);
        return NULL;
    }
    sn_unwinder_look_again(u, NULL, NULL, NULL);
    if (library->attach_state(u->dwfl, NULL, process, &u->threads, u)) return u;
    sn_unwinder_destroy(u);
    return NULL;
}

void sn_unwinder_destroy(sn_unwinder *u) {
    if (!u) return;
    u->library->end(u->dwfl);
    free(u);
}

sn_unwound_result sn_unwind(sn_unwinder *u, const sn_stack_copy *copy, uint64_t until, sn_judge_code *judge, void *of,
                            sn_unwound *frames, uint32_t *count) {
    u->copy = copy;
    u->until = until;
    u->judge = judge;
    u->of = of;
    u->frames = frames;
    u->count = 0;
    u->guessed = 0;
    u->is_guess = u->is_done = u->is_beyond = u->has_jit = false;
    int ended = u->library->getthread_frames(u->dwfl, u->process, take_frame, u);
    sn_unwound_result result = SN_UNWOUND;
    if (u->is_done) result = u->result;
    else if (u->has_jit && ended) result = SN_UNWOUND_JIT;
    else if (u->is_beyond) result = SN_UNWOUND_COPY; /* to libdw, what cannot be read is the stack's end */
    else if (ended) result = SN_UNWOUND_BROKEN;
    *count = u->guessed && result != SN_UNWOUND ? u->guessed : u->count;
    return u->guessed && result == SN_UNWOUND ? SN_UNWOUND_GUESSED : result;
}
