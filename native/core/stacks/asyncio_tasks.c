#include "asyncio_tasks.h"

#include "python_dict.h"

#include <string.h>

/* Of a module: its dictionary. The same from 3.11 to 3.13. */
enum { MODULE_DICT = 16 };
enum { MOST_MODULES = 1 << 14, MOST_NAMES = 512, MOST_LOOPS = 64 };

uint64_t sn_task_find_kept(const sn_memory_reader *memory, const sn_python *python, uint64_t interpreter, const char *name) {
    const sn_python_layout *l = &python->layout;
    uint64_t modules = sn_read_word(memory, interpreter + l->interpreter_modules);
    uint64_t module = sn_dict_value(memory, l, modules, "_asyncio", MOST_MODULES);
    return module ? sn_dict_value(memory, l, sn_read_word(memory, module + MODULE_DICT), name, MOST_NAMES) : 0;
}

uint64_t sn_task_find_running(const sn_memory_reader *memory, const sn_python *python, uint64_t interpreter) {
    const sn_python_layout *l = &python->layout;
    if (l->state_task || !l->task_coroutine) return l->state_task ? interpreter : 0;
    uint64_t modules = sn_read_word(memory, interpreter + l->interpreter_modules);
    uint64_t running = sn_task_find_kept(memory, python, interpreter, "_current_tasks");
    bool is_dict = running && sn_read_word(memory, running + l->object_type) == sn_read_word(memory, modules + l->object_type);
    return is_dict ? running : 0;
}

bool sn_task_is_numbered(const char *name, uint32_t bytes) {
    static const char begin[] = "Task-";
    uint32_t at = sizeof begin - 1;
    if (bytes <= at || memcmp(name, begin, at)) return false;
    while (at < bytes && name[at] >= '0' && name[at] <= '9') at++;
    return at == bytes;
}

/* The tasks that may run one of the coroutines of a thread's stack: that of the thread, or of each loop. */
static uint32_t find_tasks(const sn_memory_reader *memory, const sn_python_layout *l, uint64_t running,
                           const sn_stack_thread *thread, sn_dict_entry *tasks) {
    if (!l->state_task) return sn_dict_entries(memory, l, running, tasks, MOST_LOOPS);
    tasks[0] = (sn_dict_entry){0, sn_read_word(memory, thread->state + l->state_task)};
    return tasks[0].value != 0;
}

/* Whether the innermost coroutine is still on the stack. If one within that of the task is not, it may have been of another task,
 * which ran within the step of this one. */
static bool is_on_stack(const sn_memory_reader *memory, const sn_python_layout *l, const sn_stack_thread *thread,
                        uint32_t which) {
    uint32_t last = thread->coroutine_count - 1;
    uint64_t frame = thread->coroutines[last].address + l->generator_frame;
    return which == last || sn_read_word(memory, frame + l->frame_previous) == thread->coroutines[last].caller;
}

sn_task_result sn_task_of(const sn_memory_reader *memory, sn_code_table *table, uint64_t running,
                          const sn_stack_thread *thread, uint32_t *code, char *name, uint32_t *bytes) {
    const sn_python_layout *l = &table->layout;
    sn_dict_entry loops[MOST_LOOPS];
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
        return !*bytes || sn_task_is_numbered(name, *bytes) ? SN_TASK_NUMBERED : SN_TASK_NAMED;
    }
    return SN_TASK_NONE;
}
