#include "asyncio_tasks.h"

#include "python_dict.h"
#include "raw_frame.h"

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

/* What a task holds. */
typedef struct {
    uint64_t coroutine, name;
} held;

static bool read_held(const sn_memory_reader *memory, const sn_python_layout *l, uint64_t task, held *found) {
    return task && sn_read_one(memory, task + l->task_coroutine, found, sizeof *found) && found->coroutine;
}

/* What a coroutine runs: another one may come to its place, and a task to the place of its task. 0: nothing any more. */
static uint64_t code_of(const sn_memory_reader *memory, const sn_python_layout *l, uint64_t coroutine) {
    uint8_t bytes[SN_CODE_HEAD];
    uint64_t frame = coroutine + l->generator_frame;
    return sn_read_one(memory, frame, bytes, l->frame_bytes) ? sn_raw_frame_in(l, bytes, frame).code : 0;
}

static sn_known_task *place_of(sn_known_task *known, uint64_t coroutine) {
    return &known[coroutine * UINT64_C(0x9E3779B97F4A7C15) >> 52];
}
_Static_assert(SN_KNOWN_TASKS == UINT64_MAX / (UINT64_C(1) << 52) + 1, "the hash has as many bits");

/* The tasks that run now, that of the thread or of each loop, as far as they have a coroutine; they are remembered: (MOST_LOOPS,). */
static uint32_t find_running(const sn_memory_reader *memory, sn_code_table *table, uint64_t running, uint64_t state,
                             sn_known_task *known, sn_known_task *found, held *holds) {
    const sn_python_layout *l = &table->layout;
    sn_dict_entry loops[MOST_LOOPS];
    uint32_t count = 1, kept = 0;
    if (l->state_task) loops[0].value = sn_read_word(memory, state + l->state_task);
    else count = sn_dict_entries(memory, l, running, loops, MOST_LOOPS);
    for (uint32_t i = 0; i < count; i++) {
        if (!read_held(memory, l, loops[i].value, &holds[kept])) continue;
        uint64_t coroutine = holds[kept].coroutine, code = code_of(memory, l, coroutine);
        if (!code) continue;
        uint32_t index = sn_word_get(&table->by_address, code);
        if (index) table->codes[index - 1].runs_tasks = true;
        found[kept] = (sn_known_task){coroutine, code, loops[i].value};
        *place_of(known, coroutine) = found[kept++];
    }
    return kept;
}

void sn_task_remember(const sn_memory_reader *memory, sn_code_table *table, uint64_t running, uint64_t state,
                      sn_known_task *known) {
    sn_known_task found[MOST_LOOPS];
    held holds[MOST_LOOPS];
    find_running(memory, table, running, state, known, found, holds);
}

/* Whether the innermost coroutine is still on the stack. If one within that of the task is not, it may have been of another task,
 * which ran within the step of this one. */
static bool is_on_stack(const sn_memory_reader *memory, const sn_python_layout *l, const sn_stack_thread *thread,
                        uint32_t which) {
    uint32_t last = thread->coroutine_count - 1;
    uint64_t frame = thread->coroutines[last].address + l->generator_frame;
    return which == last || sn_read_word(memory, frame + l->frame_previous) == thread->coroutines[last].caller;
}

/* Whether this coroutine of the stack is that of the task. */
static bool is_of(const sn_known_task *task, const sn_code_table *table, const sn_stack_thread *thread, uint32_t which) {
    return task->coroutine == thread->coroutines[which].address && task->code == table->codes[thread->coroutines[which].code].address;
}

/* Which coroutine of the stack is that of a task that runs now; their number: of none. */
static uint32_t find_now(const sn_memory_reader *memory, sn_code_table *table, uint64_t running, sn_known_task *known,
                         const sn_stack_thread *thread, held *holds) {
    sn_known_task found[MOST_LOOPS];
    held all[MOST_LOOPS];
    uint32_t count = find_running(memory, table, running, thread->state, known, found, all);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t which = 0; which < thread->coroutine_count; which++) {
            if (!is_of(&found[i], table, thread, which)) continue;
            *holds = all[i];
            return is_on_stack(memory, &table->layout, thread, which) ? which : thread->coroutine_count;
        }
    return thread->coroutine_count;
}

/* The same of a task that ran before, and holds it still. */
static uint32_t find_known(const sn_memory_reader *memory, const sn_code_table *table, sn_known_task *known,
                           const sn_stack_thread *thread, held *holds) {
    for (uint32_t which = thread->coroutine_count; which-- > 0;) {
        uint64_t coroutine = thread->coroutines[which].address;
        const sn_known_task *task = place_of(known, coroutine);
        bool is_its = is_of(task, table, thread, which) && read_held(memory, &table->layout, task->task, holds);
        if (is_its && holds->coroutine == coroutine) return which;
        if (table->codes[thread->coroutines[which].code].runs_tasks) break; /* perhaps of one that we have not seen */
    }
    return thread->coroutine_count;
}

sn_task_result sn_task_of(const sn_memory_reader *memory, sn_code_table *table, uint64_t running, sn_known_task *known,
                          const sn_stack_thread *thread, uint32_t *code, char *name, uint32_t *bytes) {
    held holds;
    uint32_t which = find_now(memory, table, running, known, thread, &holds);
    if (which == thread->coroutine_count) which = find_known(memory, table, known, thread, &holds);
    if (which == thread->coroutine_count) return SN_TASK_NONE;
    *code = thread->coroutines[which].code;
    *bytes = sn_code_text(table, memory, holds.name, name, SN_TASK_NAME);
    return !*bytes || sn_task_is_numbered(name, *bytes) ? SN_TASK_NUMBERED : SN_TASK_NAMED;
}
