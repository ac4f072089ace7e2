/* What tasks of a made-up CPython wait for, which changes while it is read; and what is made of many looks. */
#include "check.h"
#include "fake_tasks.h"

#include "../core/stacks/task_sampler.h"

#include <unistd.h>

#define MS UINT64_C(1000000)

typedef struct {
    fake_python fake;
    fake_tasks tasks;
    uint64_t main, work, leaf; /* code objects */
    sn_code_table table;
    sn_code_functions functions;
    sn_stack_reader *reader;
    sn_waiting_tasks *waiting;
    const sn_seen_task *seen;
    uint32_t count;
} looked_at;

static looked_at *begin(void) {
    looked_at *s = calloc(1, sizeof *s);
    CHECK(s);
    fake_begin(&s->fake, true);
    s->fake.about = s;
    s->main = fake_code(&s->fake, "main", "app.py", 1, 9);
    s->work = fake_code(&s->fake, "work", "app.py", 10, 9);
    s->leaf = fake_code(&s->fake, "leaf", "app.py", 20, 9);
    fake_tasks_begin(&s->tasks, &s->fake);
    sn_code_table_init(&s->table, &s->fake.python.layout, s->fake.python.code_type);
    s->reader = sn_stack_reader_create();
    s->waiting = sn_waiting_create();
    CHECK(s->reader && s->waiting);
    return s;
}

static void end(looked_at *s) {
    sn_waiting_destroy(s->waiting);
    sn_stack_reader_destroy(s->reader);
    sn_code_table_free(&s->table);
    sn_code_functions_free(&s->functions);
    free(s);
}

static sn_waiting_result look(looked_at *s) {
    sn_memory_reader memory = fake_reader(&s->fake);
    sn_waiting_result result = sn_waiting_look(s->waiting, &memory, &s->fake.python, &s->table, &s->functions, s->reader);
    s->seen = sn_waiting_seen(s->waiting, &s->count);
    return result;
}

/* A coroutine that awaits the future in another one. */
static uint64_t chain(looked_at *s, uint64_t future) {
    uint64_t inner = fake_coroutine(&s->tasks, s->tasks.generator, s->leaf, 4, FAKE_SUSPENDED, fake_iterator(&s->tasks, future));
    return fake_coroutine(&s->tasks, s->tasks.coroutine, s->work, 2, FAKE_SUSPENDED, inner);
}

/* A task whose coroutine awaits another task itself. */
static uint64_t awaits(looked_at *s, const char *name, uint64_t other) {
    uint64_t coroutine = fake_coroutine(&s->tasks, s->tasks.coroutine, s->main, 3, FAKE_SUSPENDED, fake_iterator(&s->tasks, other));
    uint64_t task = fake_waiting(&s->tasks, s->tasks.task, name, coroutine, other);
    fake_woken(&s->tasks, other, task);
    return task;
}

static uint32_t index_of(const looked_at *s, uint64_t task) {
    for (uint32_t i = 0; i < s->count; i++)
        if (s->seen[i].address == task) return i;
    fprintf(stderr, "a task was not seen\n");
    exit(1);
}

static bool is_frame(const looked_at *s, const sn_seen_task *task, uint32_t at, const char *name, uint32_t line) {
    if (at >= task->count) return false;
    const sn_chain_frame *frame = &sn_waiting_frames(s->waiting)[task->first + at];
    const sn_code_function *f = &s->functions.functions[frame->function];
    return frame->line == line && f->name_bytes == strlen(name) && !memcmp(f->name, name, f->name_bytes);
}

static void check_chain(const looked_at *s, const sn_seen_task *task) {
    CHECK_EQUAL(task->count, 2);
    CHECK(is_frame(s, task, 0, "work", 12) && is_frame(s, task, 1, "leaf", 24));
}

static void a_task_that_waits_has_its_chain(void) {
    looked_at *s = begin();
    uint64_t future = fake_future(&s->tasks, s->tasks.future, 0);
    fake_waiting(&s->tasks, s->tasks.subclass, "a name", chain(s, future), future);
    CHECK_EQUAL(look(s), SN_WAITING_READ);
    CHECK_EQUAL(s->count, 1);
    CHECK_EQUAL(s->seen[0].state, SN_TASK_WAITS);
    check_chain(s, &s->seen[0]);
    CHECK(!strcmp(s->seen[0].awaited, "_asyncio.Future"));
    char name[16];
    sn_memory_reader memory = fake_reader(&s->fake);
    CHECK_EQUAL(sn_waiting_name(s->waiting, &memory, &s->table, s->seen[0].name, name, sizeof name), 6);
    CHECK(!memcmp(name, "a name", 6));
    end(s);
}

static void what_can_go_on_is_ready_and_what_has_ended_is_none(void) {
    looked_at *s = begin();
    uint64_t done = fake_future(&s->tasks, s->tasks.future, 2), code = s->work;
    uint64_t woken = fake_waiting(&s->tasks, s->tasks.task, "woken", chain(s, done), done);
    uint64_t created = fake_waiting(&s->tasks, s->tasks.task, "new",
                                    fake_coroutine(&s->tasks, s->tasks.coroutine, code, 0, FAKE_CREATED, 0), 0);
    /* Suspended, but it awaits nothing: it only yielded, as sleep(0) does. */
    uint64_t yields = fake_waiting(&s->tasks, s->tasks.task, "yields",
                                   fake_coroutine(&s->tasks, s->tasks.coroutine, s->main, 5, FAKE_SUSPENDED, 0), 0);
    uint64_t ended = fake_waiting(&s->tasks, s->tasks.task, "ended", chain(s, done), 0);
    fake_put(&s->fake, ended + 88, 2);
    CHECK_EQUAL(look(s), SN_WAITING_READ);
    CHECK_EQUAL(s->count, 3);
    CHECK_EQUAL(s->seen[index_of(s, woken)].state, SN_TASK_READY);
    CHECK_EQUAL(s->seen[index_of(s, created)].state, SN_TASK_READY);
    CHECK(is_frame(s, &s->seen[index_of(s, created)], 0, "work", 10));
    CHECK_EQUAL(s->seen[index_of(s, yields)].state, SN_TASK_READY);
    CHECK_EQUAL(s->seen[index_of(s, yields)].count, 1);
    end(s);
}

static void who_awaits_whom_is_seen_from_both_sides(void) {
    looked_at *s = begin();
    uint64_t future = fake_future(&s->tasks, s->tasks.future, 0), gathered = fake_future(&s->tasks, s->tasks.gathering, 0);
    uint64_t first = fake_waiting(&s->tasks, s->tasks.task, "first", chain(s, future), future);
    uint64_t second = fake_waiting(&s->tasks, s->tasks.task, "second", chain(s, future), future);
    uint64_t third = fake_waiting(&s->tasks, s->tasks.task, "third", chain(s, future), future);
    uint64_t direct = awaits(s, "direct", first);
    uint64_t gathers = awaits(s, "gathers", gathered);
    fake_closure(&s->tasks, second, gathered);
    /* It will wake a task that waits for something else. */
    fake_closure(&s->tasks, third, fake_future(&s->tasks, s->tasks.future, 0));
    CHECK_EQUAL(look(s), SN_WAITING_READ);
    const sn_seen_task *seen = s->seen;
    CHECK_EQUAL(seen[index_of(s, direct)].state, SN_TASK_WAITS_FOR_TASKS);
    CHECK_EQUAL(seen[index_of(s, gathers)].state, SN_TASK_WAITS_FOR_TASKS);
    CHECK_EQUAL(seen[index_of(s, first)].awaiter_count, 1);
    CHECK_EQUAL(seen[index_of(s, first)].awaiters[0], index_of(s, direct));
    CHECK_EQUAL(seen[index_of(s, second)].awaiter_count, 1);
    CHECK_EQUAL(seen[index_of(s, second)].awaiters[0], index_of(s, gathers));
    CHECK_EQUAL(seen[index_of(s, third)].awaiter_count, 0);
    /* The one side says so, the other one not any more. */
    fake_put(&s->fake, gathers + s->fake.python.layout.task_coroutine - 8, future);
    CHECK_EQUAL(look(s), SN_WAITING_READ);
    CHECK_EQUAL(s->seen[index_of(s, second)].awaiter_count, 0);
    end(s);
}

static void a_group_is_awaited_by_who_waits_for_its_end(void) {
    looked_at *s = begin();
    uint64_t future = fake_future(&s->tasks, s->tasks.future, 0), completed = fake_future(&s->tasks, s->tasks.future, 0);
    uint64_t member = fake_waiting(&s->tasks, s->tasks.task, "member", chain(s, future), future);
    uint64_t parent = awaits(s, "parent", completed), method = fake_object(&s->fake, s->tasks.method, 48);
    fake_put(&s->fake, method + 24, fake_instance(&s->tasks, s->tasks.group, (uint64_t[]){parent, completed}, 2));
    fake_put(&s->fake, member + 24, method);
    CHECK_EQUAL(look(s), SN_WAITING_READ);
    CHECK_EQUAL(s->seen[index_of(s, member)].awaiter_count, 1);
    CHECK_EQUAL(s->seen[index_of(s, member)].awaiters[0], index_of(s, parent));
    end(s);
}

static void tasks_in_python_are_counted_and_anything_else_is_not(void) {
    looked_at *s = begin();
    uint64_t future = fake_future(&s->tasks, s->tasks.future, 0);
    fake_waiting(&s->tasks, s->tasks.foreign, "of Python", chain(s, future), future);
    uint64_t other = fake_waiting(&s->tasks, s->tasks.task, "other", future, future); /* whose coroutine is none */
    CHECK_EQUAL(look(s), SN_WAITING_READ);
    CHECK_EQUAL(s->count, 1);
    CHECK_EQUAL(s->seen[0].address, other);
    CHECK_EQUAL(s->seen[0].count, 0);
    CHECK(!strcmp(s->seen[0].made_of, "_asyncio.Future"));
    CHECK_EQUAL(sn_waiting_sums(s->waiting).not_in_c, 1);
    end(s);
}

static void linked_tasks_are_listed_by_thread_and_of_threads_that_ended_by_the_interpreter(void) {
    looked_at *s = begin();
    sn_python_layout *l = &s->fake.python.layout;
    uint64_t future = fake_future(&s->tasks, s->tasks.future, 0), task[3];
    for (unsigned i = 0; i < 3; i++) task[i] = fake_waiting(&s->tasks, s->tasks.task, "a name", chain(s, future), future);
    l->task_node = 160; /* behind all that is read of a task */
    l->state_tasks = 200;
    l->interpreter_tasks = 960;
    uint64_t with = fake_thread(&s->fake, s->fake.root, 4711, 0), without = fake_thread(&s->fake, s->fake.root, 4712, with);
    fake_set_threads(&s->fake, without); /* which has no list */
    uint64_t interpreter = fake_get(&s->fake, s->fake.python.runtime + l->runtime_interpreters);
    fake_link(&s->tasks, with + l->state_tasks, task, 2);
    fake_link(&s->tasks, interpreter + l->interpreter_tasks, task + 2, 1);
    CHECK_EQUAL(look(s), SN_WAITING_READ);
    CHECK_EQUAL(s->count, 3);
    for (unsigned i = 0; i < 3; i++) check_chain(s, &s->seen[index_of(s, task[i])]);
    CHECK_EQUAL(sn_waiting_sums(s->waiting).changed, 0);
    /* A link that leads elsewhere: what is known is told, each once, and that there was more is counted. */
    fake_put(&s->fake, task[1] + l->task_node + 8, with);
    CHECK_EQUAL(look(s), SN_WAITING_READ);
    CHECK_EQUAL(s->count, 3);
    CHECK_EQUAL(sn_waiting_sums(s->waiting).changed, 1);
    end(s);
}

/* What is put where before a piece, each time it is read or once. */
static uint64_t changed_at;
static unsigned change_before;
static bool is_once;

static void change(fake_python *fake, unsigned piece) {
    if (!changed_at || piece < change_before || (is_once && piece > change_before)) return;
    fake_put(fake, changed_at, fake_get(fake, changed_at) ^ 8);
}

/* Let a word change before each piece that is read, one after the other: a chain is as it was before or after, or dropped. */
static void what_changes_meanwhile_is_read_anew(void) {
    looked_at *s = begin();
    uint64_t one = fake_future(&s->tasks, s->tasks.future, 0), other = fake_future(&s->tasks, s->tasks.gathering, 0);
    uint64_t coroutine = chain(s, one);
    fake_waiting(&s->tasks, s->tasks.task, "a name", coroutine, one);
    CHECK_EQUAL(look(s), SN_WAITING_READ);
    unsigned pieces = s->fake.pieces;
    (void)other;
    s->fake.before_piece = change;
    is_once = true;
    uint64_t instruction = coroutine + s->fake.python.layout.generator_frame + s->fake.python.layout.frame_instruction;
    changed_at = instruction; /* four instructions further, and back */
    for (unsigned at = 0; at <= pieces; at++) {
        s->fake.pieces = 0;
        change_before = at;
        CHECK_EQUAL(look(s), SN_WAITING_READ);
        CHECK_EQUAL(s->count, 1);
        bool is_further = is_frame(s, &s->seen[0], 0, "work", 16); /* where it awaits nothing */
        CHECK(is_further || is_frame(s, &s->seen[0], 0, "work", 12));
        CHECK_EQUAL(s->seen[0].count, is_further ? 1 : 2);
    }
    CHECK_EQUAL(sn_waiting_sums(s->waiting).changed, 0);
    /* It changes all the time: it is dropped, and counted. */
    is_once = false;
    s->fake.pieces = change_before = 0;
    CHECK_EQUAL(look(s), SN_WAITING_READ);
    CHECK_EQUAL(s->count + sn_waiting_sums(s->waiting).changed, 1);
    changed_at = 0;
    end(s);
}

/* A word of the process, and what becomes of it at a moment. */
typedef struct {
    uint64_t at, before, after;
} changed_word;

static changed_word first_words[1], then_words[5];
static unsigned first_piece, then_piece;

static void put_all(fake_python *fake, const changed_word *words, unsigned count, bool is_after) {
    for (unsigned i = 0; i < count; i++) fake_put(fake, words[i].at, is_after ? words[i].after : words[i].before);
}

static void change_twice(fake_python *fake, unsigned piece) {
    if (piece == first_piece) put_all(fake, first_words, 1, true);
    if (piece == then_piece) put_all(fake, then_words, 5, true);
}

/* A gathered task ends while it is found out who awaits it; what was the future of that becomes another one at once, which a
 * stranger awaits, that was changing and is read anew. Whenever that is, nobody says that the stranger awaits the task. */
static void who_awaits_a_task_is_found_while_it_is_pending(void) {
    looked_at *s = begin();
    const uint64_t waits_for = s->fake.python.layout.task_coroutine - 8, state = 88, callback = 24;
    uint64_t future = fake_future(&s->tasks, s->tasks.future, 0), gathered = fake_future(&s->tasks, s->tasks.future, 0);
    uint64_t member = fake_waiting(&s->tasks, s->tasks.task, "member", chain(s, future), future);
    uint64_t parent = awaits(s, "parent", gathered), elsewhere = fake_future(&s->tasks, s->tasks.future, 0);
    uint64_t stranger = awaits(s, "stranger", elsewhere);
    fake_closure(&s->tasks, member, gathered);
    first_words[0] = (changed_word){stranger + waits_for, elsewhere, 0};
    const changed_word then[5] = {
        {stranger + waits_for, elsewhere, gathered},
        {gathered + callback, fake_get(&s->fake, gathered + callback), fake_get(&s->fake, elsewhere + callback)},
        {member + callback, fake_get(&s->fake, member + callback), 0},
        {member + state, fake_get(&s->fake, member + state), 2},
        {parent + waits_for, gathered, 0},
    };
    memcpy(then_words, then, sizeof then);
    CHECK_EQUAL(look(s), SN_WAITING_READ);
    CHECK_EQUAL(s->seen[index_of(s, member)].awaiters[0], index_of(s, parent));
    unsigned pieces = s->fake.pieces;
    s->fake.before_piece = change_twice;
    for (first_piece = 1; first_piece <= pieces; first_piece++)
        for (then_piece = first_piece + 1; then_piece <= 2 * pieces; then_piece++) {
            put_all(&s->fake, then_words, 5, false);
            s->fake.pieces = 0;
            CHECK_EQUAL(look(s), SN_WAITING_READ);
            for (uint32_t i = 0; i < s->count; i++)
                for (uint32_t k = 0; s->seen[i].address == member && k < s->seen[i].awaiter_count; k++)
                    CHECK_EQUAL(s->seen[s->seen[i].awaiters[k]].address, parent);
        }
    end(s);
}

static void a_circle_of_coroutines_is_cut(void) {
    looked_at *s = begin();
    uint64_t coroutine = fake_coroutine(&s->tasks, s->tasks.coroutine, s->work, 2, FAKE_SUSPENDED, 1);
    uint64_t top = coroutine + s->fake.python.layout.generator_frame + s->fake.python.layout.frame_bytes + 8;
    fake_put(&s->fake, top, coroutine);
    fake_waiting(&s->tasks, s->tasks.task, "odd", coroutine, 0);
    CHECK_EQUAL(look(s), SN_WAITING_READ);
    CHECK_EQUAL(s->count, 1);
    CHECK_EQUAL(s->seen[0].count, SN_LONGEST_CHAIN);
    CHECK_EQUAL(sn_waiting_sums(s->waiting).cut, 1);
    end(s);
}

/* Milliseconds of all contexts of a function, or of a leaf. */
static double own_ms(const sn_task_sampler *sampler, int64_t wanted) {
    const sn_stack_tree *tree = sn_task_sampler_tree(sampler);
    int64_t parent[64], function[64], line[64], self[64];
    double square[64], sum = 0;
    CHECK(tree->tree.nodes <= 64);
    const sn_stack_columns columns = {parent, function, line, self, square};
    uint64_t rows = sn_stack_tree_columns(tree, &columns);
    for (uint64_t i = 0; i < rows; i++) sum += function[i] == wanted ? (double)self[i] / MS : 0;
    return sum;
}

static void time_goes_by_halves_to_what_was_awaited(void) {
    looked_at *s = begin();
    sn_memory_reader memory = fake_reader(&s->fake);
    sn_task_sampler *sampler = sn_task_sampler_create(MS);
    CHECK(sampler);
    CHECK_EQUAL(sn_task_sampler_add_python(sampler, getpid(), &s->fake.python, &memory), SN_OK);
    uint64_t future = fake_future(&s->tasks, s->tasks.future, 0);
    uint64_t stays = fake_waiting(&s->tasks, s->tasks.task, "stays", chain(s, future), future);
    awaits(s, "Task-7", stays);
    sn_task_sampler_look(sampler, 100 * MS);
    uint64_t late = fake_waiting(&s->tasks, s->tasks.task, "late", chain(s, future), future);
    sn_task_sampler_look(sampler, 110 * MS);
    fake_put(&s->fake, future + 88, 2); /* it is there: both are ready */
    sn_task_sampler_look(sampler, 120 * MS);
    fake_put(&s->fake, late + 88, 2); /* one has ended */
    sn_task_sampler_look(sampler, 130 * MS);
    CHECK_EQUAL(own_ms(sampler, -SN_TASK_LEAF_WAITS_FOR_TASKS), 30);
    CHECK_EQUAL(own_ms(sampler, -SN_TASK_LEAF_WAITS), 15 + 10);       /* stays 10 + 5, late 5 + 5 */
    CHECK_EQUAL(own_ms(sampler, -SN_TASK_LEAF_READY), 15 + 10);       /* stays 5 + 10, late 5 + 5 */
    CHECK_EQUAL(sn_task_sampler_groups(sampler), 3);
    CHECK_EQUAL(sn_task_sampler_target(sampler, 0).stacks, 2 + 3 + 3 + 2);
    sn_task_sampler_destroy(sampler);
    end(s);
}

static void tasks_that_change_together_are_no_independent_ones(void) {
    sn_stack_tree tree;
    CHECK_EQUAL(sn_stack_tree_init(&tree), SN_OK);
    sn_context *context = sn_stack_tree_below(&tree, tree.root, 3, 0);
    CHECK(context);
    sn_stack_tree_present(context, 10, 0, MS);
    CHECK_EQUAL(context->ticks, 5 * MS);
    CHECK(sn_side_of(context)->ticks_squares == 100.0 * MS * MS / 2);
    sn_stack_tree_present(context, 4, 4, MS);
    CHECK_EQUAL(context->ticks, 9 * MS);
    CHECK(sn_side_of(context)->ticks_squares == 100.0 * MS * MS / 2);
    sn_stack_tree_free(&tree);
}

CHECK_MAIN(TEST(a_task_that_waits_has_its_chain),
           TEST(what_can_go_on_is_ready_and_what_has_ended_is_none),
           TEST(who_awaits_whom_is_seen_from_both_sides),
           TEST(a_group_is_awaited_by_who_waits_for_its_end),
           TEST(tasks_in_python_are_counted_and_anything_else_is_not),
           TEST(linked_tasks_are_listed_by_thread_and_of_threads_that_ended_by_the_interpreter),
           TEST(what_changes_meanwhile_is_read_anew),
           TEST(who_awaits_a_task_is_found_while_it_is_pending),
           TEST(a_circle_of_coroutines_is_cut),
           TEST(time_goes_by_halves_to_what_was_awaited),
           TEST(tasks_that_change_together_are_no_independent_ones))
