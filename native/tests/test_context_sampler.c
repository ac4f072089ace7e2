/* Sampling of contexts that an agent counts: of a process that is ourselves, with an interpreter of a few words. */
#include "check.h"
#include "example_spool.h"

#include "../core/base/ticks.h"
#include "../core/lines/frame_layout.h"
#include "../core/samples/context_sampler.h"
#include "../core/samples/current_context.h"
#include "../core/samples/shown_stack.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <time.h>

enum { BEGIN = 1000, MOST = 64 };

typedef struct fake_frame {
    const void *code;
    struct fake_frame *previous;
} fake_frame;

typedef struct {
    fake_frame *frame;
} fake_held;

typedef struct {
    fake_frame *frame;
    fake_held *held;
} fake_state;

/* How the agent of the process sees calls, and how its interpreter holds frames. */
typedef enum { ENDS, STARTS, STARTS_HELD } kind;

typedef struct {
    char path[64];
    sn_cells cells;
    sn_hot_tree hot;
    sn_frame_layout layout;
    sn_cursor *cursor;
    sn_shown_stack *stack;
    fake_state state;
    fake_held held;
    fake_frame frames[MOST];
    char codes[MOST][64];
    sn_context_sampler *sampler;
} agent;

static void put_layout(agent *a, kind k) {
    a->layout = (sn_frame_layout){.cursor_state = offsetof(sn_cursor, owner) + 8,
                                  .cursor_ended = offsetof(sn_cursor, owner) + 20,
                                  .cursor_stack = k == ENDS ? 0 : offsetof(sn_cursor, owner),
                                  .cursor_clock = SN_CELL_BYTES + 32,
                                  .state_frame = k == STARTS_HELD ? offsetof(fake_state, held) : offsetof(fake_state, frame),
                                  .held_frame = k == STARTS_HELD ? 0 : SN_DIRECT,
                                  .frame_code = offsetof(fake_frame, code),
                                  .frame_previous = offsetof(fake_frame, previous),
                                  .pointer_mask = ~UINT64_C(3)};
    const char *text[4] = {(const char *)&a->layout};
    const uint32_t number[4] = {0}, length[4] = {sizeof a->layout};
    CHECK(sn_cells_record(&a->cells, SN_RECORD_LAYOUT, number, text, length));
}

static sn_cursor *begin_thread(agent *a, clockid_t clock) {
    sn_cursor *cursor = sn_hot_cursor(&a->hot, 1);
    const uint32_t number[4] = {0}, length[4] = {sizeof(sn_shown_stack) + MOST * sizeof(sn_shown_frame)};
    const char *const text[4] = {0};
    sn_shown_stack *stack = sn_cells_add_record(&a->cells, SN_RECORD_FRAMES, number, text, length);
    CHECK(cursor && stack);
    stack->room = MOST;
    cursor->owner[0] = (uint64_t)(uintptr_t)stack;
    cursor->owner[1] = (uint64_t)(uintptr_t)&a->state;
    int64_t id = clock;
    memcpy((uint8_t *)(cursor + 1) + 32, &id, sizeof id);
    a->stack = stack;
    return cursor;
}

/* The tree points to the cells, so they stay where they are. */
static agent *begin_as(kind k, bool is_processor, clockid_t clock, sn_clock_kind kept) {
    agent *a = calloc(1, sizeof *a);
    CHECK(a);
    strcpy(a->path, "/tmp/sonde-contexts-XXXXXX");
    int file = mkstemp(a->path);
    CHECK(file >= 0);
    CHECK_EQUAL(sn_cells_create(&a->cells, file, 1 << 16), SN_OK);
    const sn_hot_plan exact = {0};
    CHECK_EQUAL(sn_hot_create(&a->hot, &a->cells, &exact, true), SN_OK);
    put_layout(a, k);
    a->state.held = &a->held;
    a->cursor = begin_thread(a, clock);
    a->hot.header->clock = kept;
    a->hot.header->start_ns = BEGIN;
    a->hot.header->pid = (uint32_t)getpid();
    a->sampler = sn_context_sampler_create(1000000, is_processor);
    CHECK(a->sampler);
    return a;
}

static agent *begin(kind k) {
    agent *a = begin_as(k, false, 0, SN_CLOCK_SAMPLED);
    CHECK_EQUAL(sn_context_sampler_add(a->sampler, a->path), SN_OK);
    sn_context_sampler_look(a->sampler, BEGIN); /* so that no gap is the first */
    return a;
}

static void end(agent *a) {
    sn_context_sampler_destroy(a->sampler);
    sn_hot_free(&a->hot);
    sn_cells_destroy(&a->cells);
    CHECK_EQUAL(unlink(a->path), 0);
    free(a);
}

static uint64_t key_of(const agent *a, uint32_t function) { return (uint64_t)(uintptr_t)a->codes[function]; }

static sn_context *context(agent *a, sn_context *parent, uint32_t function) {
    sn_context *child = sn_tree_find(&a->hot.tree, parent, key_of(a, function), 0);
    if (!child) child = sn_tree_add(&a->hot.tree, parent, key_of(a, function), 0, function);
    CHECK(child);
    return child;
}

static void set_top(agent *a, fake_frame *top) { a->state.frame = a->held.frame = top; }

/* The interpreter lays a frame. */
static fake_frame *lay(agent *a, uint32_t place, uint32_t function, fake_frame *caller) {
    a->frames[place] = (fake_frame){a->codes[function], caller};
    set_top(a, &a->frames[place]);
    return &a->frames[place];
}

/* And the agent is told: what was called since the caller began has ended. */
static sn_context *tell(agent *a, fake_frame *frame, uint32_t function) {
    uint32_t depth = a->stack->depth;
    while (depth && a->stack->frames[depth - 1].frame != (uint64_t)(uintptr_t)frame->previous) depth--;
    sn_context *parent = depth ? (sn_context *)(uintptr_t)a->stack->frames[depth - 1].context : a->hot.root;
    sn_context *called = context(a, parent, function);
    a->stack->frames[depth] = (sn_shown_frame){(uint64_t)(uintptr_t)frame, (uint64_t)(uintptr_t)called};
    a->stack->depth = depth + 1;
    a->cursor->current = called;
    return called;
}

static sn_context *call(agent *a, uint32_t place, uint32_t function, fake_frame *caller) {
    return tell(a, lay(a, place, function, caller), function);
}

static void look(agent *a, uint64_t at) { sn_context_sampler_look(a->sampler, BEGIN + at); }

static void half_of_a_gap_goes_to_what_ran_before_it_and_half_to_what_ran_after(void) {
    agent *a = begin(ENDS);
    sn_context *main = context(a, a->hot.root, 0), *work = context(a, main, 1);
    a->cursor->current = main;
    look(a, 10); /* half: nothing ran at BEGIN */
    look(a, 30);
    a->cursor->current = work;
    look(a, 130);
    a->cursor->current = a->hot.root;
    look(a, 1130);
    CHECK_EQUAL(main->ticks, 5 + 20 + 50);
    CHECK_EQUAL(work->ticks, 50 + 500);
    CHECK_EQUAL((uint64_t)sn_side_of(main)->ticks_squares, (10 * 10 + 100 * 100) / 12); /* they stand alone */
    CHECK_EQUAL((uint64_t)(sn_side_of(work)->ticks_squares + 0.5), (100 * 100 + 1000 * 1000) / 2); /* they do not */
    sn_context_sums sums = sn_context_sampler_sums(a->sampler);
    CHECK_EQUAL(sums.looks, 3);
    CHECK_EQUAL(sums.placed_ns, main->ticks + work->ticks);
    CHECK_EQUAL(sums.lost_ns, 0);
    end(a);
}

static void changes_between_contexts_of_a_function_are_no_variance_of_it(void) {
    agent *a = begin(ENDS);
    sn_context *main = context(a, a->hot.root, 0), *one = context(a, main, 1), *two = context(a, context(a, main, 2), 1);
    a->cursor->current = one;
    look(a, 0);
    a->cursor->current = two;
    look(a, 100);
    a->cursor->current = main;
    look(a, 300);
    uint32_t count;
    const double *squares = sn_context_sampler_squares(a->sampler, 0, &count);
    CHECK(count > 1);
    CHECK_EQUAL((uint64_t)squares[1], 200 * 200 / 12);
    CHECK_EQUAL((uint64_t)(sn_side_of(two)->ticks_squares + 0.5), (100 * 100 + 200 * 200) / 2);
    CHECK(!sn_context_sampler_squares(a->sampler, 1, &count) && !count);
    end(a);
}

static void the_time_before_the_first_look_at_a_process_is_its_own(void) {
    agent *a = begin_as(ENDS, false, 0, SN_CLOCK_SAMPLED);
    CHECK_EQUAL(sn_context_sampler_add(a->sampler, a->path), SN_OK);
    sn_context *main = context(a, a->hot.root, 0);
    a->cursor->current = main;
    look(a, 40);
    CHECK_EQUAL(main->ticks, 40);
    CHECK_EQUAL((uint64_t)sn_side_of(main)->ticks_squares, 0);
    end(a);
}

static void but_not_if_that_was_long_ago(void) {
    agent *a = begin_as(ENDS, false, 0, SN_CLOCK_SAMPLED);
    CHECK_EQUAL(sn_context_sampler_add(a->sampler, a->path), SN_OK);
    sn_context *main = context(a, a->hot.root, 0);
    a->cursor->current = main;
    look(a, 5000000);
    CHECK_EQUAL(main->ticks, 2000000);
    CHECK_EQUAL(sn_context_sampler_sums(a->sampler).lost_ns, 3000000);
    end(a);
}

static void a_thread_that_has_ended_runs_nothing(void) {
    agent *a = begin(ENDS);
    sn_context *main = context(a, a->hot.root, 0);
    a->cursor->current = main;
    look(a, 10);
    uint32_t ended = 1;
    memcpy((uint8_t *)a->cursor + a->layout.cursor_ended, &ended, sizeof ended);
    look(a, 20);
    look(a, 30);
    CHECK_EQUAL(main->ticks, 5 + 5);
    a->cursor = begin_thread(a, 0);
    a->cursor->current = main;
    look(a, 50);
    CHECK_EQUAL(main->ticks, 20);
    end(a);
}

static void what_was_taken_out_meanwhile_gets_nothing(void) {
    agent *a = begin(ENDS);
    sn_context *main = context(a, a->hot.root, 0), *leaf = context(a, main, 1);
    a->cursor->current = leaf;
    look(a, 0);
    a->cursor->current = main;
    sn_hot_take_out(&a->hot, leaf);
    look(a, 10);
    CHECK_EQUAL(leaf->ticks, 0);
    sn_context *other = context(a, main, 2); /* in the same cells */
    CHECK(other == leaf);
    look(a, 20);
    CHECK_EQUAL(other->ticks, 0);
    CHECK_EQUAL(sn_context_sampler_sums(a->sampler).lost_ns, 5);
    end(a);
}

/* Where ends are not seen: `of` gets the next 10 nanoseconds, if it is anything. */
static void expect(agent *a, sn_context *of, uint64_t *now) {
    *now += 10;
    look(a, *now); /* what ran before has its half */
    uint64_t before = of ? of->ticks : 0, placed = sn_context_sampler_sums(a->sampler).placed_ns;
    *now += 10;
    look(a, *now);
    if (of) CHECK_EQUAL(of->ticks - before, 10);
    CHECK_EQUAL(sn_context_sampler_sums(a->sampler).placed_ns - placed, of ? 10 : 0);
}

static void check_starts(kind k) {
    agent *a = begin(k);
    uint64_t now = 0;
    expect(a, NULL, &now); /* nothing has been called */
    sn_context *main = call(a, 0, 0, NULL), *loop = call(a, 1, 1, &a->frames[0]);
    expect(a, loop, &now);
    sn_context *tiny = call(a, 2, 2, &a->frames[1]);
    expect(a, tiny, &now);
    set_top(a, &a->frames[1]); /* it has returned, which nobody was told */
    expect(a, loop, &now);
    lay(a, 2, 2, &a->frames[1]); /* called again: the same context */
    expect(a, tiny, &now);
    lay(a, 2, 3, &a->frames[1]); /* other code where it was, which takes long to be shown: its caller */
    expect(a, loop, &now);
    sn_context *other = tell(a, &a->frames[2], 3);
    expect(a, other, &now);
    lay(a, 3, 4, &a->frames[2]); /* a bridge of the interpreter's */
    lay(a, 4, 5, &a->frames[3]);
    expect(a, other, &now);
    set_top(a, &a->frames[0]);
    expect(a, main, &now);
    lay(a, 40, 6, NULL); /* a greenlet */
    expect(a, NULL, &now);
    CHECK(sn_context_sampler_sums(a->sampler).unknown_ns >= 10);
    set_top(a, NULL);
    expect(a, NULL, &now);
    end(a);
}

static void the_innermost_frame_that_is_still_on_the_stack_has_it(void) { check_starts(STARTS); }
static void likewise_where_something_holds_the_frame(void) { check_starts(STARTS_HELD); }

static void of_recursion_each_level_is_found(void) {
    agent *a = begin(STARTS);
    sn_context *contexts[MOST];
    uint64_t now = 0;
    for (uint32_t i = 0; i < MOST; i++) contexts[i] = call(a, i, 7, i ? &a->frames[i - 1] : NULL);
    for (uint32_t i = MOST; i-- > 0;) {
        set_top(a, &a->frames[i]);
        expect(a, contexts[i], &now);
    }
    end(a);
}

static void nonsense_is_no_context(void) {
    agent *a = begin(STARTS);
    uint64_t now = 0;
    sn_context *main = call(a, 0, 0, NULL);
    expect(a, main, &now);
    a->stack->depth = UINT32_MAX;
    expect(a, main, &now);
    a->stack->room = UINT32_MAX;
    lay(a, 9, 9, NULL);
    expect(a, NULL, &now);
    a->stack->depth = 1;
    a->stack->frames[0] = (sn_shown_frame){(uint64_t)(uintptr_t)&a->frames[9], 12345};
    expect(a, NULL, &now);
    a->cursor->owner[0] = 64; /* no cell */
    expect(a, NULL, &now);
    a->frames[9].previous = &a->frames[9]; /* a circle */
    expect(a, NULL, &now);
    set_top(a, (fake_frame *)16); /* no memory */
    expect(a, NULL, &now);
    a->cursor->owner[1] = 16;
    expect(a, NULL, &now);
    a->cursor->owner[1] = 0;
    expect(a, NULL, &now);
    end(a);
}

static void other_spools_are_left_alone(void) {
    agent *a = begin_as(ENDS, false, 0, SN_CLOCK_MONOTONIC);
    CHECK_EQUAL(sn_context_sampler_add(a->sampler, a->path), SN_BAD_INPUT);
    CHECK_EQUAL(sn_context_sampler_add(a->sampler, "/nowhere"), SN_SYSTEM);
    a->hot.header->clock = SN_CLOCK_SAMPLED;
    CHECK_EQUAL(sn_context_sampler_add(a->sampler, a->path), SN_OK);
    end(a);
}

static void spools_that_come_into_a_folder_are_found(void) {
    char folder[] = "/tmp/sonde-folder-XXXXXX", place[3][96];
    CHECK(mkdtemp(folder));
    for (int i = 0; i < 3; i++) snprintf(place[i], sizeof place[i], "%s/%d.%s", folder, i, i < 2 ? "cells" : "other");
    agent *ours = begin_as(ENDS, false, 0, SN_CLOCK_SAMPLED), *other = begin_as(ENDS, false, 0, SN_CLOCK_TSC);
    CHECK_EQUAL(sn_context_sampler_watch(ours->sampler, folder), SN_OK);
    look(ours, 0);
    CHECK(!sn_context_sampler_path(ours->sampler, 0));
    ours->hot.header->pid = 0; /* nobody's yet */
    CHECK_EQUAL(link(ours->path, place[1]), 0);
    CHECK_EQUAL(link(other->path, place[0]), 0);
    CHECK_EQUAL(link(other->path, place[2]), 0);
    look(ours, 1);
    CHECK(!sn_context_sampler_path(ours->sampler, 0));
    ours->hot.header->pid = (uint32_t)getpid();
    usleep(30000); /* the folder's time is told by ticks */
    for (uint64_t at = 2; at < 6; at++) look(ours, at);
    CHECK(!strcmp(sn_context_sampler_path(ours->sampler, 0), place[1]));
    CHECK(!sn_context_sampler_path(ours->sampler, 1));
    CHECK_EQUAL(sn_context_sampler_sums(ours->sampler).unmapped, 0);
    for (int i = 0; i < 3; i++) CHECK_EQUAL(unlink(place[i]), 0);
    CHECK_EQUAL(rmdir(folder), 0);
    end(ours);
    end(other);
}

/* A child that has our memory, and is killed. */
static void check_end(uint64_t end_ticks, uint64_t expected) {
    agent *a = begin_as(ENDS, false, 0, SN_CLOCK_SAMPLED);
    sn_context *main = context(a, a->hot.root, 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (!child) for (;;) pause();
    a->hot.header->pid = (uint32_t)child;
    CHECK_EQUAL(sn_context_sampler_add(a->sampler, a->path), SN_OK);
    look(a, 0);
    a->cursor->current = main;
    look(a, 10);
    look(a, 20);
    a->hot.header->end_ticks = end_ticks;
    CHECK_EQUAL(kill(child, SIGKILL), 0);
    int status;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    look(a, 40);
    look(a, 50);
    CHECK_EQUAL(main->ticks, 5 + 10 + expected);
    end(a);
}

static void a_process_that_was_killed_has_half_of_the_last_gap(void) { check_end(0, 10); }
static void one_that_said_when_it_ended_has_what_passed_until_then(void) { check_end(BEGIN + 33, 13); }

/* ---- Processor time, of threads of ours. ---- */

static pthread_mutex_t held_back = PTHREAD_MUTEX_INITIALIZER;
static clockid_t clock_of_other;
static int other_is_ready;

static void *wait_there(void *unused) {
    CHECK_EQUAL(pthread_getcpuclockid(pthread_self(), &clock_of_other), 0);
    __atomic_store_n(&other_is_ready, 1, __ATOMIC_RELEASE);
    pthread_mutex_lock(&held_back);
    pthread_mutex_unlock(&held_back);
    return unused;
}

static void of_processor_time_a_thread_that_waits_has_none(void) {
    clockid_t own;
    pthread_t other;
    CHECK_EQUAL(pthread_getcpuclockid(pthread_self(), &own), 0);
    pthread_mutex_lock(&held_back);
    CHECK_EQUAL(pthread_create(&other, NULL, wait_there, NULL), 0);
    while (!__atomic_load_n(&other_is_ready, __ATOMIC_ACQUIRE)) usleep(100);
    usleep(20000); /* until it waits */
    agent *a = begin_as(ENDS, true, own, SN_CLOCK_SAMPLED);
    sn_context *main = context(a, a->hot.root, 0), *waits = context(a, main, 1);
    a->cursor->current = main;
    a->cursor = begin_thread(a, clock_of_other);
    a->cursor->current = waits;
    CHECK_EQUAL(sn_context_sampler_add(a->sampler, a->path), SN_OK);
    uint64_t began = sn_clock_ns(CLOCK_PROCESS_CPUTIME_ID), now = BEGIN, ran;
    do {
        sn_context_sampler_look(a->sampler, now += 1000000);
        ran = sn_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - began;
    } while (ran < 20000000 || main->ticks < 3000000);
    CHECK_EQUAL(waits->ticks, 0);
    CHECK(main->ticks <= ran + 2000000);
    pthread_mutex_unlock(&held_back);
    CHECK_EQUAL(pthread_join(other, NULL), 0);
    end(a);
}

/* Threads that hand one lock to one another, so that most of what they run is seen by nobody. */
typedef struct {
    sn_context *context;
    sn_cursor *cursor;
    clockid_t clock;
    pthread_mutex_t *lock;
    uint64_t ran_ns; /* of its own clock, while it was looked at */
    int state;       /* 0: it begins, 1: it may run, 2: it is to end, 3: it has its time */
} contender;

static void *contend(void *given) {
    contender *own = given;
    CHECK_EQUAL(pthread_getcpuclockid(pthread_self(), &own->clock), 0);
    __atomic_store_n(&own->state, 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&own->state, __ATOMIC_ACQUIRE) != 2) {
        pthread_mutex_lock(own->lock);
        uint64_t until = sn_clock_ns(CLOCK_THREAD_CPUTIME_ID) + 300000;
        while (sn_clock_ns(CLOCK_THREAD_CPUTIME_ID) < until) {}
        pthread_mutex_unlock(own->lock);
        usleep(50);
    }
    own->ran_ns = sn_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    __atomic_store_n(&own->state, 3, __ATOMIC_RELEASE);
    return NULL;
}

static void of_threads_that_contend_for_a_lock_all_processor_time_is_found(void) {
    enum { CONTENDERS = 3 };
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static contender all[CONTENDERS];
    pthread_t threads[CONTENDERS];
    agent *a = begin_as(ENDS, true, 0, SN_CLOCK_SAMPLED);
    sn_context *main = context(a, a->hot.root, 0);
    for (uint32_t i = 0; i < CONTENDERS; i++) {
        all[i] = (contender){.lock = &lock, .context = context(a, main, i + 1)};
        CHECK_EQUAL(pthread_create(&threads[i], NULL, contend, &all[i]), 0);
        while (__atomic_load_n(&all[i].state, __ATOMIC_ACQUIRE) != 1) usleep(100);
        all[i].cursor = begin_thread(a, all[i].clock);
        all[i].cursor->current = all[i].context;
    }
    a->hot.header->start_ns = sn_monotonic_ns(); /* what they ran before is little */
    CHECK_EQUAL(sn_context_sampler_add(a->sampler, a->path), SN_OK);
    uint64_t ran = 0;
    while (ran < 300000000) {
        usleep(700);
        sn_context_sampler_look(a->sampler, sn_monotonic_ns());
        ran = 0;
        for (uint32_t i = 0; i < CONTENDERS; i++) ran += sn_clock_ns(all[i].clock);
    }
    for (uint32_t i = 0; i < CONTENDERS; i++) __atomic_store_n(&all[i].state, 2, __ATOMIC_RELEASE);
    uint64_t found = 0;
    ran = 0;
    for (uint32_t i = 0; i < CONTENDERS; i++) {
        CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
        ran += all[i].ran_ns;
        found += all[i].context->ticks;
    }
    /* What the clocks were behind at the end is a tick or two for each. */
    CHECK(found <= ran + 10000000);
    CHECK(found + 40000000 >= ran);
    end(a);
}

CHECK_MAIN(TEST(half_of_a_gap_goes_to_what_ran_before_it_and_half_to_what_ran_after),
           TEST(changes_between_contexts_of_a_function_are_no_variance_of_it),
           TEST(the_time_before_the_first_look_at_a_process_is_its_own),
           TEST(but_not_if_that_was_long_ago), TEST(a_thread_that_has_ended_runs_nothing),
           TEST(what_was_taken_out_meanwhile_gets_nothing),
           TEST(the_innermost_frame_that_is_still_on_the_stack_has_it),
           TEST(likewise_where_something_holds_the_frame), TEST(of_recursion_each_level_is_found),
           TEST(nonsense_is_no_context), TEST(other_spools_are_left_alone),
           TEST(spools_that_come_into_a_folder_are_found),
           TEST(a_process_that_was_killed_has_half_of_the_last_gap),
           TEST(one_that_said_when_it_ended_has_what_passed_until_then),
           TEST(of_processor_time_a_thread_that_waits_has_none),
           TEST(of_threads_that_contend_for_a_lock_all_processor_time_is_found))
