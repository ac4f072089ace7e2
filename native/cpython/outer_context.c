/* Where Python is when code that was compiled in its process begins to run.
 *
 * Contexts from which such code is called get numbers, since the cells of a hot tree are used again: when one is
 * pruned, its number goes over to its caller. Code may run without the GIL, so that numbers have a lock of their own;
 * who holds it waits for nothing.
 */
#include "outer_context.h"

#include "cursor.h"
#include "starts.h"
#include "threads.h"

#include "../core/contexts/outer_record.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#define MOST_RECORDS 16384u /* 67 million contexts, as many as there are cells */
#define FEW (SN_OUTER_WORDS / 2)

bool sn_outer_is_short;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t *words[MOST_RECORDS];
static uint32_t records, count; /* numbers are from 1 to `count` */
static uint32_t *number_of;     /* by cell; NULL: nobody has asked yet */

static uint64_t *word_of(uint32_t number) { return &words[(number - 1) / SN_OUTER_WORDS][(number - 1) % SN_OUTER_WORDS]; }

static uint32_t cell_of(const sn_context *context) {
    return context == agent.hot.root ? 0 : (uint32_t)(((const uint8_t *)context - agent.cells.base) / SN_CELL_BYTES);
}

void sn_outer_make_room(void) {
    static const uint64_t zeros[SN_OUTER_WORDS];
    sn_outer_is_short = false;
    size_t bytes = agent.cells.limit * sizeof *number_of;
    if (!number_of) {
        void *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (mapped == MAP_FAILED) return;
        number_of = mapped;
    }
    if (records == MOST_RECORDS || records * SN_OUTER_WORDS - count >= FEW) return;
    const uint32_t numbers[4] = {records * SN_OUTER_WORDS + 1}, length[4] = {sizeof zeros};
    const char *const text[4] = {(const char *)zeros};
    uint64_t *added = sn_cells_add_record(&agent.cells, SN_RECORD_OUTER, numbers, text, length);
    if (!added) return;
    pthread_mutex_lock(&lock);
    words[records++] = added;
    pthread_mutex_unlock(&lock);
}

static uint32_t number_for(const sn_context *context) {
    uint32_t cell = cell_of(context), number = 0;
    if (!cell || !number_of) return 0;
    pthread_mutex_lock(&lock);
    number = number_of[cell];
    if (!number && count < records * SN_OUTER_WORDS) {
        number = number_of[cell] = ++count;
        *word_of(number) = cell;
    }
    if (records * SN_OUTER_WORDS - count < FEW) sn_outer_is_short = true;
    pthread_mutex_unlock(&lock);
    return number;
}

void sn_outer_abandon(const sn_context *context) {
    uint32_t cell = cell_of(context), parent = cell_of(context->parent);
    if (likely(!number_of || !number_of[cell])) return;
    pthread_mutex_lock(&lock);
    uint32_t number = number_of[cell];
    number_of[cell] = 0;
    bool has_number = parent && number_of[parent];
    *word_of(number) = SN_OUTER_MOVED | (has_number ? SN_OUTER_IS_NUMBER | number_of[parent] : parent);
    if (parent && !has_number) number_of[parent] = number;
    pthread_mutex_unlock(&lock);
}

void sn_outer_after_fork(void) { pthread_mutex_init(&lock, NULL); }

static const sn_context *set_right(sn_thread *thread, uint32_t *line) {
    PyThreadState *state = sn_thread_state();
    sn_frame *frame = state ? sn_frame_python(sn_frame_top(state)) : NULL;
#if PY_VERSION_HEX >= 0x030C0000
    if (agent.starts_only && !sn_starts_unwind(thread, frame) && !sn_cursor_resync(thread, frame)) return NULL;
#endif
    return sn_cursor_parent(thread, frame, line);
}

/* Of what is the thread's own: others may change the tree meanwhile, but not the way to a context that runs. */
static const sn_context *as_it_is(const sn_thread *thread) {
    const sn_context *at = thread->cursor.current;
    if (!agent.starts_only) return at;
    const sn_shown_stack *stack = thread->stack;
    if (!thread->state || !stack) return NULL;
    uint64_t frame = (uint64_t)(uintptr_t)sn_frame_python(sn_frame_top(thread->state));
    uint32_t depth = stack->depth;
    for (; depth > 0 && stack->frames[depth - 1].frame != frame; depth--) at = at->parent;
    return depth > 0 ? at : NULL;
}

uint64_t sn_outer_enter(bool is_interpreter, uint32_t *line) {
    sn_thread *thread = sn_thread_here;
    *line = 0;
    if (!thread || !agent.active) return 0;
    bool has_gil = is_interpreter || sn_thread_has_gil();
    if (!has_gil) {
        const sn_context *at = as_it_is(thread);
        return at ? number_for(at) : 0;
    }
    if (unlikely(!number_of || sn_outer_is_short)) sn_outer_make_room();
    const sn_context *at = set_right(thread, line);
    sn_cursor_credit(thread, 0, sn_chosen_how());
    return at ? number_for(at) : 0;
}

uint64_t sn_outer_leave(void) {
    sn_thread *thread = sn_thread_here;
    if (!thread || !agent.active || !(sn_chosen_how() & SN_TIMED)) return 0;
    if (!sn_thread_has_gil()) return 0; /* so it was when that was entered */
    uint64_t before = thread->cursor.now;
    thread->cursor.now = sn_now_on(thread, 0);
    return thread->cursor.now - before;
}
