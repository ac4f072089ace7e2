#include "asyncio_offsets.h"

#include "elf_symbols.h"
#include "memory_reader.h"
#include "process_files.h"

#include <string.h>

/* Words, in their order; what is not used has no name. */
enum {
    TASK_BYTES = 0, TASK_NAME, TASK_COROUTINE = 5, TASK_NODE, INTERPRETER_BYTES, INTERPRETER_TASKS, THREAD_BYTES,
    THREAD_TASK = 11, THREAD_TASKS, WORDS = SN_ASYNCIO_BYTES / 8,
};
/* Structures are smaller; a state that has all that builds without a global lock keep in it has some 20 kB. */
#define MOST_OF_TASK UINT64_C(4096)
#define MOST_OF_THREAD (UINT64_C(1) << 20)

bool sn_asyncio_layout_told(const uint8_t *offsets, sn_python_layout *layout) {
    uint64_t word[WORDS];
    memcpy(word, offsets, sizeof word);
    /* Its name comes behind its coroutine: both are read at once. */
    if (word[TASK_BYTES] > MOST_OF_TASK || word[TASK_COROUTINE] < 2 * sizeof(uint64_t) || word[TASK_COROUTINE] > word[TASK_BYTES] ||
        word[TASK_BYTES] - word[TASK_COROUTINE] < 2 * sizeof(uint64_t) || word[TASK_NAME] != word[TASK_COROUTINE] + 8)
        return false;
    if (word[THREAD_BYTES] > MOST_OF_THREAD || !word[THREAD_TASK] || word[THREAD_TASK] >= word[THREAD_BYTES] || word[THREAD_TASK] % 8)
        return false;
    enum { LINKS = 2 * sizeof(uint64_t) };
    bool has_lists = word[TASK_NODE] && word[TASK_NODE] <= word[TASK_BYTES] - LINKS && word[INTERPRETER_BYTES] <= MOST_OF_THREAD * 2 &&
                     word[INTERPRETER_TASKS] < word[INTERPRETER_BYTES] && word[THREAD_TASKS] < word[THREAD_BYTES];
    layout->task_node = has_lists ? (uint32_t)word[TASK_NODE] : 0;
    layout->interpreter_tasks = has_lists ? (uint32_t)word[INTERPRETER_TASKS] : 0;
    layout->state_tasks = has_lists ? (uint32_t)word[THREAD_TASKS] : 0;
    layout->task_coroutine = (uint32_t)word[TASK_COROUTINE];
    layout->state_task = (uint32_t)word[THREAD_TASK];
    return true;
}

typedef struct {
    sn_python_layout *layout;
    bool is_found;
} search;

static bool look(void *at, const sn_process_file *file) {
    search *s = at;
    const char *name = strrchr(file->path, '/');
    size_t size;
    uint64_t first, address = 0;
    if (!file->is_executable && !strstr(name, "_asyncio") && !strstr(name, "python")) return true;
    const uint8_t *bytes = sn_process_file_map(file, false, &size);
    if (!bytes && !file->is_executable) bytes = sn_process_file_map(file, true, &size);
    if (!bytes) return true;
    address = sn_elf_section(bytes, size, ".AsyncioDebug", &first);
    sn_process_file_unmap(bytes, size);
    uint8_t told[SN_ASYNCIO_BYTES];
    const sn_piece piece = {address + file->start - first, told, sizeof told};
    s->is_found = address && sn_process_read(file->pid, &piece, 1) == SN_READ_ALL && sn_asyncio_layout_told(told, s->layout);
    return !s->is_found;
}

bool sn_asyncio_layout_find(pid_t pid, sn_python_layout *layout) {
    search s = {layout, false};
    return sn_process_files(pid, look, &s) == SN_FILES_SEEN && s.is_found;
}
