#include "native_stacks.h"

#include <stdlib.h>
#include <string.h>

/* What is copied of a stack beyond the outermost entry of Python: enough for the frame that this is in. */
#define BEYOND_ENTRY UINT64_C(4096)
/* And of one where it is not known where that is. */
#define WITHOUT_ENTRY (UINT64_C(256) << 10)

struct sn_native_stacks {
    sn_libdw library;
    sn_native_libraries libraries;
    sn_stack_copy copy;
    sn_native_sums sums;
    bool is_stopped, is_copied;
    uint64_t entries[SN_MOST_FRAMES];
    uint32_t entry_count;
    sn_unwound unwound[SN_MOST_C_FRAMES];
    sn_c_frame c[SN_MOST_C_FRAMES];
    sn_python_frame python[SN_MOST_FRAMES];
    sn_seen_frame merged[SN_MOST_C_FRAMES + SN_MOST_FRAMES];
};

struct sn_native_process {
    sn_native_stacks *stacks;
    sn_memory_reader memory;
    sn_unwinder *unwinder;
    sn_native_names *names;
    uint32_t held_previous; /* in what holds a frame: the one before it; 0: entries tell their addresses themselves */
};

sn_native_stacks *sn_native_stacks_create(sn_libdw_result *result) {
    sn_native_stacks *stacks = calloc(1, sizeof *stacks);
    *result = SN_LIBDW_FOUND;
    if (!stacks) return NULL;
    *result = sn_libdw_load(&stacks->library);
    if (*result == SN_LIBDW_FOUND && sn_stack_copy_create(&stacks->copy)) {
        sn_pause_make_quiet();
        return stacks;
    }
    free(stacks);
    return NULL;
}

void sn_native_stacks_destroy(sn_native_stacks *stacks) {
    if (!stacks) return;
    sn_stack_copy_free(&stacks->copy);
    sn_native_libraries_free(&stacks->libraries);
    free(stacks);
}

sn_native_process *sn_native_process_create(sn_native_stacks *stacks, pid_t pid, const sn_python *python,
                                            const sn_memory_reader *memory, sn_code_functions *functions) {
    sn_native_process *process = calloc(1, sizeof *process);
    if (!process) return NULL;
    process->stacks = stacks;
    process->memory = *memory;
    /* 3.11 marks entries only, but has a chain of what holds their frames: the pointer to the next one comes after that. */
    if (python->layout.frame_entry && python->layout.held_frame != SN_NO_HOLDER)
        process->held_previous = python->layout.held_frame + (uint32_t)sizeof(uint64_t);
    process->unwinder = sn_unwinder_create(&stacks->library, pid);
    if (process->unwinder)
        process->names = sn_native_names_create(&stacks->library, process->unwinder, pid, python->runtime, &process->memory,
                                                functions,
                                                &stacks->libraries);
    if (process->names) return process;
    sn_native_process_destroy(process);
    return NULL;
}

void sn_native_process_destroy(sn_native_process *process) {
    if (!process) return;
    sn_unwinder_destroy(process->unwinder); /* it uses what the names have of a JIT's code */
    sn_native_names_destroy(process->names);
    free(process);
}

static bool where_it_waits(sn_thread_schedule *schedule, sn_registers *registers) {
    *registers = (sn_registers){0};
    return sn_thread_schedule_registers(schedule, &registers->values[SN_REGISTER_STACK], &registers->values[SN_REGISTER_PC]);
}

sn_native_result sn_native_begin(sn_native_stacks *stacks, sn_pause *pause, sn_thread_schedule *schedule, bool waits) {
    stacks->is_copied = false;
    stacks->is_stopped = !waits;
    if (waits) {
        bool is_told = SN_HAS_REGISTERS && where_it_waits(schedule, &stacks->copy.registers);
        return is_told ? SN_NATIVE_READY : SN_NATIVE_WITHOUT;
    }
    sn_pause_result result = sn_pause_begin(pause, &stacks->copy.registers);
    stacks->sums.late += result == SN_PAUSE_LATE;
    stacks->sums.refused += result == SN_PAUSE_REFUSED || result == SN_PAUSE_UNKNOWN;
    if (result == SN_PAUSE_BEGUN) return SN_NATIVE_READY;
    return result == SN_PAUSE_LATE ? SN_NATIVE_LATE : SN_NATIVE_WITHOUT;
}

/* Where entries do not tell their addresses, they are what the chain of holders tells, which is on the C stack itself: from the
 * innermost one on, as far as it was copied. The others are further out. */
static void follow_holders(sn_native_stacks *stacks, const sn_native_process *process, uint64_t holder) {
    uint32_t left = stacks->entry_count;
    while (left > 0) {
        uint64_t next;
        if (!sn_stack_copy_word(&stacks->copy, holder + process->held_previous, &next)) break;
        stacks->entries[--left] = holder;
        holder = next;
    }
    while (left > 0) {
        stacks->entries[left - 1] = UINT64_MAX - left;
        left--;
    }
}

bool sn_native_end(sn_native_stacks *stacks, const sn_native_process *process, sn_pause *pause, sn_thread_schedule *schedule,
                   const uint64_t *entries, uint32_t entry_count, uint64_t holder) {
    sn_stack_copy *copy = &stacks->copy;
    uint64_t low = sn_stack_pointer(&copy->registers), end = low + WITHOUT_ENTRY;
    if (!process->held_previous && entry_count && entries[0] > low) end = entries[0] + BEYOND_ENTRY;
    bool is_copied = sn_stack_copy_take(copy, &process->memory, end);
    if (stacks->is_stopped) {
        uint64_t ns = sn_pause_end(pause);
        stacks->sums.pauses++;
        stacks->sums.paused_ns += ns;
        if (ns > stacks->sums.longest_ns) stacks->sums.longest_ns = ns;
    } else {
        sn_registers after;
        is_copied = is_copied && where_it_waits(schedule, &after) && !memcmp(&after, &copy->registers, sizeof after);
    }
    memcpy(stacks->entries, entries, entry_count * sizeof *entries);
    stacks->entry_count = entry_count;
    if (process->held_previous && is_copied) follow_holders(stacks, process, holder);
    return stacks->is_copied = is_copied;
}

static sn_judged judge(void *of, const sn_unwound *frame) {
    sn_native_place place = sn_native_names_find(((sn_native_process *)of)->names, frame);
    return (sn_judged){frame->is_caller && !place.is_after_call ? SN_CODE_AT_NONE : place.at, place.has_frames};
}

const sn_seen_frame *sn_native_merge(sn_native_stacks *stacks, sn_native_process *process, const sn_code_table *codes,
                                     const sn_stack_frame *python, uint32_t python_count, uint32_t *count) {
    uint32_t c_count = 0;
    sn_unwound_result result = SN_UNWOUND_COPY;
    if (stacks->is_copied) {
        bool has_end = stacks->entry_count && python_count && stacks->entries[0];
        uint64_t until = has_end ? stacks->entries[0] : UINT64_MAX;
        do result = sn_unwind(process->unwinder, &stacks->copy, until, judge, process, stacks->unwound, &c_count);
        while (sn_native_names_refresh(process->names));
        bool is_whole = result == SN_UNWOUND || result == SN_UNWOUND_GUESSED;
        if (is_whole) stacks->sums.unwound++;
        else stacks->sums.cut[result]++;
        stacks->sums.guessed += result == SN_UNWOUND_GUESSED;
    }
    for (uint32_t i = 0; i < c_count; i++) {
        sn_native_place place = sn_native_names_find(process->names, &stacks->unwound[i]);
        stacks->c[i] = (sn_c_frame){stacks->unwound[i].stack, place.seen, place.role};
    }
    for (uint32_t i = 0; i < python_count; i++) {
        const sn_seen_frame seen = {codes->codes[python[i].code].function, python[i].line};
        stacks->python[i] = (sn_python_frame){seen, python[i].entry};
    }
    const sn_two_stacks both = {stacks->c, c_count, result > SN_UNWOUND_GUESSED, stacks->python, python_count, stacks->entries,
                                stacks->entry_count};
    *count = sn_merge_stacks(&both, stacks->merged);
    return stacks->merged;
}

sn_native_sums sn_native_stacks_sums(const sn_native_stacks *stacks) { return stacks->sums; }
const sn_native_libraries *sn_native_stacks_libraries(const sn_native_stacks *stacks) { return &stacks->libraries; }
