#include "asyncio_tasks.h"

#include <stdlib.h>
#include <string.h>

/* Of a module: its dictionary. The same from 3.11 to 3.13. */
enum { MODULE_DICT = 16 };
/* Before the entries of a dictionary: sizes in bits, what keys are, and how many entries there are. */
enum { KEYS_INDEX_BITS = 9, KEYS_KIND = 10, KEYS_COUNT = 24, MOST_INDEX_BITS = 30 };
enum { OF_ANYTHING, OF_TEXTS }; /* kinds; others keep values elsewhere */
enum { MOST_MODULES = 1 << 14, MOST_NAMES = 512, MOST_LOOPS = 64, LONGEST_KEY = 24, PER_CALL = 256 };

typedef struct {
    uint64_t key, value;
} entry;

static uint64_t word_at(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

static uint64_t read_word(const sn_memory_reader *memory, uint64_t address) {
    uint64_t word = 0;
    return sn_read_one(memory, address, &word, sizeof word) ? word : 0;
}

/* Entries of a dictionary, at most `room`; returns how many. */
static uint32_t read_dict(const sn_memory_reader *memory, const sn_python_layout *l, uint64_t dict, entry *entries,
                          uint32_t room) {
    uint8_t head[32];
    uint64_t keys = dict ? read_word(memory, dict + l->dict_keys) : 0;
    if (!keys || l->keys_entries > sizeof head || !sn_read_one(memory, keys, head, l->keys_entries)) return 0;
    uint64_t count = word_at(head + KEYS_COUNT);
    if (head[KEYS_KIND] > OF_TEXTS || head[KEYS_INDEX_BITS] > MOST_INDEX_BITS || count > INT32_MAX) return 0;
    uint32_t taken = count < room ? (uint32_t)count : room, words = head[KEYS_KIND] == OF_TEXTS ? 2 : 3, found = 0;
    uint64_t *all = malloc(((size_t)taken * words + 1) * sizeof *all);
    if (!all) return 0;
    if (taken && sn_read_one(memory, keys + l->keys_entries + (UINT64_C(1) << head[KEYS_INDEX_BITS]), all,
                             (size_t)taken * words * sizeof *all))
        for (uint32_t i = 0; i < taken; i++) {
            const uint64_t *at = all + (size_t)i * words + (words - 2);
            if (at[0] && at[1]) entries[found++] = (entry){at[0], at[1]};
        }
    free(all);
    return found;
}

/* The value of a text in a dictionary; 0: it is not there. */
static uint64_t find_value(const sn_memory_reader *memory, const sn_python_layout *l, uint64_t dict, const char *wanted,
                           uint32_t room) {
    entry *entries = malloc(room * sizeof *entries);
    uint8_t texts[PER_CALL][128];
    sn_piece pieces[PER_CALL];
    uint64_t length = strlen(wanted), value = 0;
    uint32_t from = l->text_ascii - l->text_length;
    if (!entries || length > LONGEST_KEY || from + length > sizeof texts[0]) {
        free(entries);
        return 0;
    }
    uint32_t count = read_dict(memory, l, dict, entries, room);
    for (uint32_t at = 0; at < count && !value;) {
        uint32_t part = count - at < PER_CALL ? count - at : PER_CALL;
        sn_read_result result;
        for (uint32_t i = 0; i < part; i++)
            pieces[i] = (sn_piece){entries[at + i].key + l->text_length, texts[i], from + length};
        uint32_t done = memory->read(memory->at, pieces, part, &result);
        for (uint32_t i = 0; i < done && !value; i++)
            if (word_at(texts[i]) == length && !memcmp(texts[i] + from, wanted, length)) value = entries[at + i].value;
        at += done < part ? done + 1 : part;
    }
    free(entries);
    return value;
}

uint64_t sn_task_find_running(const sn_memory_reader *memory, const sn_python *python, uint64_t interpreter) {
    const sn_python_layout *l = &python->layout;
    if (l->state_task || !l->task_coroutine) return l->state_task ? interpreter : 0;
    uint64_t modules = read_word(memory, interpreter + l->interpreter_modules);
    uint64_t module = find_value(memory, l, modules, "_asyncio", MOST_MODULES);
    uint64_t running = module ? find_value(memory, l, read_word(memory, module + MODULE_DICT), "_current_tasks", MOST_NAMES) : 0;
    bool is_dict = running && read_word(memory, running + l->object_type) == read_word(memory, modules + l->object_type);
    return is_dict ? running : 0;
}

static bool is_numbered(const char *name, uint32_t bytes) {
    static const char begin[] = "Task-";
    uint32_t at = sizeof begin - 1;
    if (bytes <= at || memcmp(name, begin, at)) return false;
    while (at < bytes && name[at] >= '0' && name[at] <= '9') at++;
    return at == bytes;
}

/* The tasks that may run one of the coroutines of a thread's stack: that of the thread, or of each loop. */
static uint32_t find_tasks(const sn_memory_reader *memory, const sn_python_layout *l, uint64_t running,
                           const sn_stack_thread *thread, entry *tasks) {
    if (!l->state_task) return read_dict(memory, l, running, tasks, MOST_LOOPS);
    tasks[0] = (entry){0, read_word(memory, thread->state + l->state_task)};
    return tasks[0].value != 0;
}

/* Whether the innermost coroutine is still on the stack. If one within that of the task is not, it may have been of another task,
 * which ran within the step of this one. */
static bool is_on_stack(const sn_memory_reader *memory, const sn_python_layout *l, const sn_stack_thread *thread,
                        uint32_t which) {
    uint32_t last = thread->coroutine_count - 1;
    uint64_t frame = thread->coroutines[last].address + l->generator_frame;
    return which == last || read_word(memory, frame + l->frame_previous) == thread->coroutines[last].caller;
}

sn_task_result sn_task_of(const sn_memory_reader *memory, sn_code_table *table, uint64_t running,
                          const sn_stack_thread *thread, uint32_t *code, char *name, uint32_t *bytes) {
    const sn_python_layout *l = &table->layout;
    entry loops[MOST_LOOPS];
    uint32_t count = find_tasks(memory, l, running, thread, loops);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t parts[2]; /* the coroutine, the name */
        uint32_t which = 0;
        if (!sn_read_one(memory, loops[i].value + l->task_coroutine, parts, sizeof parts)) continue;
        while (which < thread->coroutine_count && thread->coroutines[which].address != parts[0]) which++;
        if (which == thread->coroutine_count) continue;
        if (!is_on_stack(memory, l, thread, which)) return SN_TASK_NONE;
        *code = thread->coroutines[which].code;
        *bytes = sn_code_text(table, memory, parts[1], name, SN_TASK_NAME);
        return !*bytes || is_numbered(name, *bytes) ? SN_TASK_NUMBERED : SN_TASK_NAMED;
    }
    return SN_TASK_NONE;
}
