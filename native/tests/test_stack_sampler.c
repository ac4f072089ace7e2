/* Sampling of a made-up CPython whose threads are this process's own: times, threads that come and go, other programs. */
#define _GNU_SOURCE
#include "check.h"
#include "fake_python.h"

#include "../core/stacks/stack_sampler.h"
#include "../core/stacks/thread_list.h"
#include "../core/stacks/watched.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum { MS = 1000000 };

typedef struct {
    fake_python fake;
    uint64_t main, work, leaf;
    uint64_t first, second, third;
    uint64_t state;
    sn_stack_sampler *sampler;
    uint64_t now;
} sampled;

static sampled *begin_with(sn_sampled_kind kind, sn_apart apart, bool clears_frames) {
    sampled *s = calloc(1, sizeof *s);
    CHECK(s);
    fake_begin(&s->fake, false);
    s->fake.python.layout.clears_frames = clears_frames;
    s->main = fake_code(&s->fake, "<module>", "app.py", 1, 9);
    s->work = fake_code(&s->fake, "work", "app.py", 10, 9);
    s->leaf = fake_code(&s->fake, "leaf", "app.py", 20, 9);
    s->first = fake_push(&s->fake, s->main, 5, s->fake.root, 80);
    s->second = fake_push(&s->fake, s->work, 2, s->first, 80);
    s->third = fake_push(&s->fake, s->leaf, 4, s->second, 80);
    s->state = fake_thread(&s->fake, s->second, (uint64_t)syscall(SYS_gettid), 0);
    fake_set_threads(&s->fake, s->state);
    s->sampler = sn_stack_sampler_create(MS, kind, apart);
    CHECK(s->sampler);
    sn_memory_reader memory = fake_reader(&s->fake);
    CHECK_EQUAL(sn_stack_sampler_add_python(s->sampler, getpid(), &s->fake.python, &memory), SN_OK);
    s->now = 1000 * (uint64_t)MS;
    return s;
}

static sampled *begin(sn_sampled_kind kind, bool apart) {
    return begin_with(kind, apart ? SN_APART_THREADS : SN_APART_NOTHING, false);
}

static void end(sampled *s) {
    sn_stack_sampler_destroy(s->sampler);
    free(s);
}

static void look(sampled *s, uint64_t later_ms) {
    s->now += later_ms * MS;
    sn_stack_sampler_look(s->sampler, s->now);
}

/* Own milliseconds of a function, in all contexts; its squares likewise. */
static double own_ms(const sampled *s, const char *name, double *squares) {
    const sn_stack_tree *tree = sn_stack_sampler_tree(s->sampler);
    const sn_code_functions *functions = sn_stack_sampler_functions(s->sampler);
    int64_t parent[64], function[64], line[64], self[64];
    double square[64], sum = 0;
    CHECK(tree->tree.nodes <= 64);
    const sn_stack_columns columns = {parent, function, line, self, square};
    uint64_t rows = sn_stack_tree_columns(tree, &columns);
    *squares = 0;
    for (uint64_t i = 0; i < rows; i++) {
        CHECK(parent[i] < (int64_t)i);
        if (function[i] < 0) continue;
        const sn_code_function *f = &functions->functions[function[i]];
        if (strlen(name) != f->name_bytes || memcmp(f->name, name, f->name_bytes)) continue;
        sum += (double)self[i] / MS;
        *squares += square[i] / MS / MS;
    }
    return sum;
}

static void time_goes_by_halves_to_what_ran_before_and_after(void) {
    sampled *s = begin(SN_SAMPLE_PROCESSOR, false);
    double squares;
    look(s, 0);
    look(s, 2); /* two milliseconds in `work` */
    look(s, 2);
    fake_set_top(&s->fake, s->state, s->third);
    look(s, 4); /* the change: two each */
    look(s, 1);
    CHECK_EQUAL(own_ms(s, "work", &squares), 6);
    CHECK(squares > 1.33 && squares < 1.34); /* a twelfth of the square of four */
    CHECK_EQUAL(own_ms(s, "leaf", &squares), 3);
    CHECK(squares > 1.33 && squares < 1.34);
    CHECK_EQUAL(own_ms(s, "<module>", &squares), 0);
    CHECK_EQUAL(sn_stack_sampler_sums(s->sampler).stacks, 5);
    end(s);
}

static void what_has_not_changed_is_certain(void) {
    sampled *s = begin(SN_SAMPLE_PROCESSOR, true);
    double squares;
    for (int i = 0; i < 100; i++) look(s, 1);
    CHECK_EQUAL(own_ms(s, "work", &squares), 99);
    CHECK_EQUAL(squares, 0);
    end(s);
}

static void threads_that_come_later_are_looked_at_and_those_that_go_are_not(void) {
    sampled *s = begin(SN_SAMPLE_PROCESSOR, true);
    look(s, 1);
    uint64_t second = fake_thread(&s->fake, s->third, (uint64_t)syscall(SYS_gettid), s->state);
    fake_set_threads(&s->fake, second);
    for (int i = 0; i < 4; i++) look(s, 1);
    CHECK_EQUAL(sn_stack_sampler_threads(s->sampler), 2);
    CHECK_EQUAL(sn_stack_sampler_target(s->sampler, 0).threads, 2);
    uint64_t looks = sn_stack_sampler_sums(s->sampler).looks;
    fake_set_threads(&s->fake, s->state);
    look(s, 1);
    look(s, 1);
    CHECK_EQUAL(sn_stack_sampler_sums(s->sampler).looks, looks + 2);
    end(s);
}

static void a_program_that_became_another_is_lost(void) {
    sampled *s = begin(SN_SAMPLE_PROCESSOR, false);
    look(s, 1);
    fake_put(&s->fake, s->fake.python.runtime + s->fake.python.layout.runtime_interpreters, 0);
    for (int i = 0; i < 30; i++) look(s, 1);
    CHECK_EQUAL(sn_stack_sampler_target(s->sampler, 0).state, SN_TARGET_LOST);
    end(s);
}

static void a_process_that_ended_is_looked_at_no_more(void) {
    sampled *s = begin(SN_SAMPLE_WALL, false);
    look(s, 1);
    s->fake.refusal = SN_READ_OVER;
    for (int i = 0; i < 30; i++) look(s, 1);
    CHECK(sn_stack_sampler_target(s->sampler, 0).state != SN_TARGET_LOOKED_AT);
    end(s);
}

/* Put a lock into the made-up interpreter; returns where it is. */
static uint64_t put_lock(sampled *s) {
    const sn_python_layout *l = &s->fake.python.layout;
    uint64_t lock = fake_take(&s->fake, l->lock_bytes);
    fake_put(&s->fake, fake_get(&s->fake, s->fake.python.runtime + l->runtime_interpreters) + l->interpreter_lock, lock);
    return lock;
}

static void set_lock(sampled *s, uint64_t lock, uint64_t holder, uint32_t locked, uint32_t collecting) {
    const sn_python_layout *l = &s->fake.python.layout;
    uint64_t interpreter = fake_get(&s->fake, s->fake.python.runtime + l->runtime_interpreters);
    fake_put(&s->fake, lock + l->lock_holder, holder);
    memcpy(fake_at(&s->fake, lock + l->lock_locked), &locked, sizeof locked);
    memcpy(fake_at(&s->fake, interpreter + l->interpreter_collecting), &collecting, sizeof collecting);
}

static double leaf_ms(const sampled *s, sn_stack_leaf leaf) {
    int64_t parent[64], function[64], line[64], self[64];
    double square[64], sum = 0;
    const sn_stack_columns columns = {parent, function, line, self, square};
    uint64_t rows = sn_stack_tree_columns(sn_stack_sampler_tree(s->sampler), &columns);
    for (uint64_t i = 0; i < rows; i++)
        if (function[i] == -(int64_t)leaf) sum += (double)self[i] / MS;
    return sum;
}

static void who_collects_garbage_has_the_lock(void) {
    sampled *s = begin(SN_SAMPLE_PROCESSOR, false);
    uint64_t lock = put_lock(s);
    double squares;
    set_lock(s, lock, s->state, 1, 1);
    look(s, 0);
    look(s, 2); /* two milliseconds of collecting */
    set_lock(s, lock, s->state, 1, 0);
    look(s, 2);
    set_lock(s, lock, s->state + 8, 1, 1); /* another one collects */
    look(s, 4);
    set_lock(s, lock, s->state, 0, 1); /* nobody has the lock */
    look(s, 4);
    CHECK_EQUAL(leaf_ms(s, SN_LEAF_COLLECTS), 3);
    CHECK_EQUAL(own_ms(s, "work", &squares), 9);
    end(s);
}

static void only_who_has_the_lock_counts_where_that_is_asked_for(void) {
    sampled *s = begin(SN_SAMPLE_LOCK, false);
    uint64_t lock = put_lock(s);
    double squares;
    set_lock(s, lock, s->state, 1, 0);
    look(s, 0);
    look(s, 2);
    set_lock(s, lock, s->state, 0, 0); /* it had it last */
    look(s, 2);
    look(s, 8);
    set_lock(s, lock, s->state + 8, 1, 0);
    look(s, 8);
    set_lock(s, lock, s->state, 1, 1);
    look(s, 2);
    look(s, 2);
    CHECK_EQUAL(own_ms(s, "work", &squares), 3);
    CHECK_EQUAL(leaf_ms(s, SN_LEAF_COLLECTS), 3);
    CHECK_EQUAL(leaf_ms(s, SN_LEAF_WAITS), 0);
    end(s);
}

enum { SLEEPERS = 60 };

typedef struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    pid_t ids[SLEEPERS];
    int begun;
    bool is_over;
} sleepers;

static void *sleep_until_it_is_over(void *given) {
    sleepers *all = given;
    pthread_mutex_lock(&all->mutex);
    all->ids[all->begun++] = (pid_t)syscall(SYS_gettid);
    pthread_cond_broadcast(&all->changed);
    while (!all->is_over) pthread_cond_wait(&all->changed, &all->mutex);
    pthread_mutex_unlock(&all->mutex);
    return NULL;
}

static void threads_that_wait_are_looked_at_in_turns_and_keep_all_their_time(void) {
    sampled *s = begin(SN_SAMPLE_WALL, false);
    static sleepers all = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, {0}, 0, false};
    pthread_t threads[SLEEPERS];
    pthread_mutex_lock(&all.mutex);
    for (int i = 0; i < SLEEPERS; i++) CHECK(!pthread_create(&threads[i], NULL, sleep_until_it_is_over, &all));
    while (all.begun < SLEEPERS) pthread_cond_wait(&all.changed, &all.mutex);
    pthread_mutex_unlock(&all.mutex);
    uint64_t state = 0;
    for (int i = 0; i < SLEEPERS; i++) state = fake_thread(&s->fake, s->second, (uint64_t)all.ids[i], state);
    fake_set_threads(&s->fake, state);
    /* They may still be on their way to sleep. */
    for (int i = 0; i < 1000 && sn_stack_sampler_sums(s->sampler).waiting < 20 * SLEEPERS; i++) {
        usleep(1000);
        look(s, 1);
    }
    uint64_t before = sn_stack_sampler_sums(s->sampler).looks;
    double waited = leaf_ms(s, SN_LEAF_WAITS);
    for (int i = 0; i < 400; i++) look(s, 1);
    CHECK(sn_stack_sampler_sums(s->sampler).looks - before <= 400 * 16);
    /* Each may lack what has passed since it was looked at, four looks at most; and then and now differ by as much. */
    double more = leaf_ms(s, SN_LEAF_WAITS) - waited;
    CHECK(more >= (400 - 4) * SLEEPERS && more <= (400 + 4) * SLEEPERS);
    pthread_mutex_lock(&all.mutex);
    all.is_over = true;
    pthread_cond_broadcast(&all.changed);
    pthread_mutex_unlock(&all.mutex);
    for (int i = 0; i < SLEEPERS; i++) pthread_join(threads[i], NULL);
    end(s);
}

static void what_was_seen_late_has_all_the_time_before(void) {
    sn_stack_tree tree;
    CHECK_EQUAL(sn_stack_tree_init(&tree), SN_OK);
    sn_context *one = sn_stack_tree_base(&tree, 0), *other = sn_stack_tree_base(&tree, 1);
    sn_stack_tree_credit_after(&tree, one, other, 8);
    sn_stack_tree_credit_after(&tree, other, other, 4);
    sn_stack_tree_credit_after(&tree, NULL, one, 3);
    sn_stack_tree_credit_after(&tree, one, NULL, 100);
    CHECK_EQUAL(one->ticks, 3);
    CHECK_EQUAL(other->ticks, 12);
    CHECK_EQUAL(sn_side_of(other)->ticks_squares, 64); /* what stays is certain */
    CHECK_EQUAL(sn_side_of(one)->ticks_squares, 64 + 9 + 10000);
    sn_stack_tree_free(&tree);
}

static void tasks_are_told_apart_by_their_names_and_others_by_their_coroutines(void) {
    sampled *s = begin_with(SN_SAMPLE_PROCESSOR, SN_APART_TASKS, false);
    double squares;
    look(s, 0);
    look(s, 1); /* no task yet */
    uint64_t task = fake_task(&s->fake, s->second, "fetches");
    look(s, 1000); /* it is looked for now and then */
    look(s, 1);
    CHECK_EQUAL(sn_stack_sampler_task_groups(s->sampler), 1);
    const sn_task_group *group = sn_stack_sampler_task_group(s->sampler, 0);
    CHECK(group->is_named && group->bytes == 7 && !memcmp(group->name, "fetches", 7));
    CHECK_EQUAL(sn_stack_sampler_thread(s->sampler, group->thread).native_id, 0);
    const sn_python_layout *l = &s->fake.python.layout;
    fake_put(&s->fake, task + l->task_coroutine + 8, fake_text(&s->fake, "Task-17"));
    look(s, 1);
    CHECK_EQUAL(sn_stack_sampler_task_groups(s->sampler), 2);
    group = sn_stack_sampler_task_group(s->sampler, 1);
    CHECK(!group->is_named && group->bytes == 4 && !memcmp(group->name, "work", 4));
    fake_put(&s->fake, task + l->task_coroutine, s->third); /* it runs another coroutine by now */
    look(s, 1);
    CHECK_EQUAL(sn_stack_sampler_task_groups(s->sampler), 2);
    CHECK_EQUAL(own_ms(s, "work", &squares), 1004);
    end(s);
}

/* Let another task run: where one stands, put the other. */
static void run_instead(sampled *s, uint64_t task, uint64_t other) {
    for (uint64_t at = FAKE_BASE; at < FAKE_BASE + sizeof s->fake.bytes - 8; at += 8)
        if (fake_get(&s->fake, at) == task) fake_put(&s->fake, at, other);
}

static uint64_t last_seen(const sampled *s) {
    return sn_stack_sampler_thread(s->sampler, sn_stack_sampler_task_group(s->sampler, 0)->thread).last_ns;
}

static void a_step_that_is_over_by_now_was_that_of_its_task(void) {
    sampled *s = begin_with(SN_SAMPLE_PROCESSOR, SN_APART_TASKS, false);
    const sn_python_layout *l = &s->fake.python.layout;
    uint64_t task = fake_task(&s->fake, s->second, "fetches"), other = fake_take(&s->fake, 176);
    look(s, 0);
    CHECK_EQUAL(sn_stack_sampler_task_groups(s->sampler), 1);
    uint64_t seen = last_seen(s);
    run_instead(s, task, other);
    look(s, 1);
    CHECK_EQUAL(last_seen(s), seen + MS);
    fake_put(&s->fake, task + l->task_coroutine, 0); /* it has ended, and another coroutine may be where its was */
    look(s, 1);
    CHECK_EQUAL(last_seen(s), seen + MS);
    CHECK_EQUAL(sn_stack_sampler_task_groups(s->sampler), 1);
    end(s);
}

static void processes_that_cannot_be_looked_at_are_told(void) {
    sn_python python;
    CHECK_EQUAL(sn_python_find(getpid(), &python), SN_PYTHON_NONE); /* this program */
    pid_t child = fork();
    if (!child) _exit(0);
    int status;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(sn_python_find(child, &python), SN_PYTHON_NO_PROCESS);
}

/* `work` calls `leaf` on one line and `other` on the next, without end. Reading its frames takes them from its processor, so that the
 * next call waits. All in nanoseconds. */
static struct {
    sampled *of;
    uint64_t other, at, between, call;
    unsigned waits;
    bool is_taken;
} goes;

static void go_on(void) {
    uint64_t turn = goes.between + goes.call, was = goes.at % turn;
    bool is_put_off = goes.is_taken && was < goes.between && was + 10 >= goes.between;
    if (is_put_off && goes.waits) {
        goes.waits--;
        return;
    }
    if (is_put_off) goes.is_taken = false;
    goes.at += 10;
}

static void go_on_while_it_is_read(fake_python *fake, unsigned piece) {
    (void)piece;
    for (unsigned i = 0; i < 10; i++) go_on();
    uint64_t turn = goes.between + goes.call, at = goes.at % (2 * turn);
    bool is_second = at >= turn, is_called = at % turn >= goes.between;
    sampled *s = goes.of;
    fake_set_frame(fake, s->second, s->work, is_second ? 3 : 2, s->first);
    if (is_called) fake_set_frame(fake, s->third, is_second ? goes.other : s->leaf, 1, s->second);
    else if (fake->python.layout.clears_frames) fake_put(fake, s->third + fake->python.layout.frame_code, 0);
    fake_set_top(fake, s->state, is_called ? s->third : s->second);
    if (fake->piece_bytes >= 1024 && !goes.is_taken) {
        goes.is_taken = true;
        goes.waits = 15;
    }
}

static void where_reading_makes_calls_wait_their_caller_has_what_it_runs(void) {
    enum { LOOKS = 8000 };
    uint64_t state = 815;
    for (int clears_frames = 0; clears_frames < 2; clears_frames++) {
        sampled *s = begin_with(SN_SAMPLE_PROCESSOR, SN_APART_NOTHING, clears_frames);
        look(s, 0); /* so that code and frames are known */
        goes.of = s;
        goes.other = fake_code(&s->fake, "other", "app.py", 40, 9);
        for (unsigned is_second = 0; is_second < 2; is_second++) { /* so that both calls are known */
            fake_set_frame(&s->fake, s->second, s->work, is_second ? 3 : 2, s->first);
            fake_set_frame(&s->fake, s->third, is_second ? goes.other : s->leaf, 1, s->second);
            fake_set_top(&s->fake, s->state, s->third);
            look(s, 0);
        }
        goes.between = 120;
        goes.call = 250;
        s->fake.before_piece = go_on_while_it_is_read;
        for (unsigned i = 0; i < LOOKS; i++) {
            goes.at = check_random(&state) % (2 * (goes.between + goes.call));
            goes.is_taken = false;
            look(s, 1);
        }
        double squares, work = own_ms(s, "work", &squares), leaf = own_ms(s, "leaf", &squares), other = own_ms(s, "other", &squares);
        double of_all = work + leaf + other, exact = (double)goes.between / (double)(goes.between + goes.call);
        CHECK(fabs(of_all - LOOKS) < LOOKS / 50);
        CHECK(fabs(work / of_all - exact) < 0.025);
        CHECK(fabs(leaf / of_all - (1 - exact) / 2) < 0.05 && fabs(other / of_all - (1 - exact) / 2) < 0.05);
        end(s);
    }
}

static uint64_t callees[8];

static void change_all_the_time(fake_python *fake, unsigned piece) {
    sampled *s = fake->about;
    fake_set_frame(fake, s->third, callees[piece % 8], 1, s->second);
}

/* A sampler of a thread whose stacks are never whole. */
static sampled *begin_fast(pid_t thread) {
    sampled *s = begin(SN_SAMPLE_PROCESSOR, false);
    s->fake.about = s;
    s->state = fake_thread(&s->fake, s->third, (uint64_t)thread, 0);
    fake_set_threads(&s->fake, s->state);
    for (unsigned i = 0; i < 8; i++) callees[i] = fake_code(&s->fake, "callee", "app.py", 100 * (i + 1), 9);
    s->fake.before_piece = change_all_the_time;
    return s;
}

static int allowed(cpu_set_t *set) {
    CHECK(!sched_getaffinity(0, sizeof *set, set));
    return CPU_COUNT(set);
}

static void who_changes_too_fast_is_looked_at_from_its_processor(void) {
    cpu_set_t before, now;
    int count = allowed(&before);
    sampled *s = begin_fast((pid_t)syscall(SYS_gettid));
    for (unsigned i = 0; i < 64; i++) look(s, 1);
    CHECK(sn_stack_sampler_sums(s->sampler).torn + sn_stack_sampler_sums(s->sampler).cut > 8);
    CHECK_EQUAL(sn_stack_sampler_sums(s->sampler).still, 0);
    CHECK_EQUAL(allowed(&now), count);
    look(s, 1);
    CHECK_EQUAL(sn_stack_sampler_sums(s->sampler).still, 1);
    CHECK_EQUAL(allowed(&now), 1);
    CHECK(CPU_ISSET(sched_getcpu(), &now));
    sn_stack_sampler_run(s->sampler, 0);
    CHECK_EQUAL(allowed(&now), count);
    CHECK(CPU_EQUAL(&before, &now));
    end(s);
}

static void who_is_woken_too_late_there_goes_back(void) {
    cpu_set_t before, now;
    int count = allowed(&before);
    sampled *s = begin_fast((pid_t)syscall(SYS_gettid));
    for (unsigned i = 0; i < 65; i++) look(s, 1);
    CHECK_EQUAL(allowed(&now), 1);
    s->sampler->loop.rounds += 64;
    s->sampler->loop.late += 17;
    for (unsigned i = 0; i < 63; i++) look(s, 1);
    CHECK_EQUAL(allowed(&now), count);
    uint64_t still = sn_stack_sampler_sums(s->sampler).still;
    for (unsigned i = 0; i < 128; i++) look(s, 1);
    CHECK_EQUAL(sn_stack_sampler_sums(s->sampler).still, still);
    end(s);
}

static void who_may_not_be_on_a_processor_does_not_go_there(void) {
    cpu_set_t set, own, other;
    if (allowed(&set) < 2) SKIP("there is only one processor");
    int first = 0, second;
    while (!CPU_ISSET(first, &set)) first++;
    for (second = first + 1; !CPU_ISSET(second, &set);) second++;
    CPU_ZERO(&own);
    CPU_ZERO(&other);
    CPU_SET(first, &own);
    CPU_SET(second, &other);
    int to_child[2];
    CHECK(!pipe(to_child));
    pid_t child = fork();
    if (!child) { /* it has the other processor, and runs until we end */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        sched_setaffinity(0, sizeof other, &other);
        CHECK(write(to_child[1], "", 1) == 1);
        for (;;) sched_yield();
    }
    char begun;
    CHECK(read(to_child[0], &begun, 1) == 1);
    CHECK(!sched_setaffinity(0, sizeof own, &own));
    sampled *s = begin_fast(child);
    s->sampler->targets[0].pid = child;
    for (unsigned i = 0; i < 70; i++) look(s, 1);
    CHECK_EQUAL(s->sampler->targets[0].is_fast, true);
    CHECK_EQUAL(sn_stack_sampler_sums(s->sampler).still, 0);
    CHECK(allowed(&set) == 1 && CPU_ISSET(first, &set));
    sn_stack_sampler_run(s->sampler, 0);
    CHECK(allowed(&set) == 1 && CPU_ISSET(first, &set));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    end(s);
}

static void a_thread_that_has_just_ended_is_no_reason_to_stay_away_from_others(void) {
    cpu_set_t now;
    sampled *s = begin_fast((pid_t)syscall(SYS_gettid));
    for (unsigned i = 0; i < 64; i++) look(s, 1);
    sn_watched_process *t = &s->sampler->targets[0];
    sn_watched_thread ended = {.schedule = sn_thread_schedule_of(getpid(), INT32_MAX, false)};
    sn_watched_still(s->sampler, t, &ended);
    CHECK(t->is_fast && !s->sampler->still.is_over);
    CHECK_EQUAL(sn_stack_sampler_sums(s->sampler).still, 0);
    look(s, 1);
    CHECK_EQUAL(sn_stack_sampler_sums(s->sampler).still, 1);
    CHECK_EQUAL(allowed(&now), 1);
    end(s);
}

CHECK_MAIN(TEST(time_goes_by_halves_to_what_ran_before_and_after), TEST(what_has_not_changed_is_certain),
           TEST(where_reading_makes_calls_wait_their_caller_has_what_it_runs),
           TEST(threads_that_come_later_are_looked_at_and_those_that_go_are_not),
           TEST(a_program_that_became_another_is_lost), TEST(a_process_that_ended_is_looked_at_no_more),
           TEST(who_collects_garbage_has_the_lock),
           TEST(who_changes_too_fast_is_looked_at_from_its_processor), TEST(who_is_woken_too_late_there_goes_back),
           TEST(who_may_not_be_on_a_processor_does_not_go_there),
           TEST(a_thread_that_has_just_ended_is_no_reason_to_stay_away_from_others),
           TEST(threads_that_wait_are_looked_at_in_turns_and_keep_all_their_time),
           TEST(tasks_are_told_apart_by_their_names_and_others_by_their_coroutines),
           TEST(a_step_that_is_over_by_now_was_that_of_its_task),
           TEST(what_was_seen_late_has_all_the_time_before), TEST(only_who_has_the_lock_counts_where_that_is_asked_for),
           TEST(processes_that_cannot_be_looked_at_are_told))
