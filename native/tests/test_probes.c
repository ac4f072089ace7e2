/* What probes count, against call strings in a plain map; the probes here are twins in C of what the pass writes. */
#define _GNU_SOURCE
#include "calls_model.h"
#include "check.h"
#include "hot_invariants.h"

#include "../probes/thread_tree.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>

#define CODE UINT64_C(0x7f1234500000)
#define CODE_BYTES (UINT64_C(1) << 20)

enum { FUNCTIONS = 40, SITES = 300, DEPTH = 200, OF_HANDLER = 1000 };

static char folder[64];

static void remove_folder(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_EQUAL(system(command), 0);
}

static void begin(sn_hot_plan plan, bool follow) {
    snprintf(folder, sizeof folder, "%s/probes-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    CHECK(mkdtemp(folder));
    const sn_probes_plan all = {.folder = folder, .command = "it", .mechanism = "probes", .code = CODE,
                                .code_bytes = CODE_BYTES, .plan = plan, .follow = follow};
    CHECK_EQUAL(sn_probes_begin(&all), 0);
}

/* ---- The twin. ---- */

/* In one instruction, as in code for x86-64: a signal handler that comes in between would make us forget a call. */
static inline void count(sn_context *context) {
#if defined(__x86_64__)
    __asm__ volatile("incq %0" : "+m"(context->calls) : : "cc");
#else
    __atomic_fetch_add(&context->calls, 1, __ATOMIC_RELAXED);
#endif
}

/* The entry of a function; returns what its end writes back. */
static inline sn_context *enter(uint32_t function, const void *site) {
    sn_probes_thread volatile *here = &sn_probes_here;
    sn_context *caller = here->current;
    sn_context *child = here->near[sn_probes_place(caller, site)];
    if ((uint32_t)child->key != (uint32_t)(uintptr_t)site || child->key >> 32 != function + 1 || child->parent != caller)
        child = sn_probes_enter(caller, function, site);
    here->current = child;
    count(child);
    return caller;
}

static inline void leave(sn_context *caller) { *(sn_context *volatile *)&sn_probes_here.current = caller; }

/* ---- A program: a stack of frames. ---- */

typedef struct {
    sn_context *caller, *context; /* as the function has kept them */
    uint32_t string;
} frame;

typedef struct {
    calls_model model;
    frame frames[DEPTH];
    uint32_t depth, functions;
    uint64_t random;
} program;

static program *program_new(uint64_t seed, uint32_t functions) {
    program *p = calloc(1, sizeof *p);
    CHECK(p);
    p->model = model_new();
    p->functions = functions;
    p->random = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    return p;
}

static void program_free(program *p) {
    model_free(&p->model);
    free(p);
}

/* Now and then from code without probes. */
static const void *site_of(uint64_t choice) {
    if (choice % 16 == 0) return (const void *)(uintptr_t)(UINT64_C(0x400000000000) + 0x600000 + choice % 4 * 8);
    return (const void *)(uintptr_t)(CODE + 5 + choice % SITES * 7);
}

static void call(program *p, uint32_t function, const void *site) {
    if (p->depth == DEPTH) return;
    frame *new = &p->frames[p->depth++];
    new->caller = enter(function, site);
    new->context = sn_probes_here.current;
    new->string = model_longer(&p->model, p->depth > 1 ? new[-1].string : MODEL_ROOT, function, sn_thread_tree_line(site));
    p->model.strings[new->string].calls++;
}

static void end(program *p) {
    if (p->depth) leave(p->frames[--p->depth].caller);
}

/* An exception, or longjmp, to a frame that goes on. */
static void jump(program *p, uint32_t depth) {
    if (depth == 0 || depth >= p->depth) return;
    p->depth = depth;
    leave(p->frames[depth - 1].context);
}

/* Few callees of most functions, and many of some. */
static void step(program *p) {
    uint64_t choice = check_random(&p->random);
    uint32_t callers = p->depth ? p->frames[p->depth - 1].string : 0;
    uint32_t width = callers % 13 == 0 ? p->functions : 3;
    if (choice % 100 < 48) call(p, (uint32_t)(choice >> 8) % width, site_of((choice >> 20) % (width * 2)));
    else if (choice % 1000 == 999) jump(p, (uint32_t)(choice >> 10) % (p->depth + 1));
    else end(p);
}

static void run(program *p, uint64_t steps) {
    while (steps--) step(p);
}

static void end_all(program *p) {
    while (p->depth) end(p);
}

/* Everything was counted, and nothing else. */
static void check_exact(calls_model *model, spool_sums sums) {
    CHECK_EQUAL(sums.dropped, 0);
    for (uint32_t i = 1; i < model->count; i++) CHECK_EQUAL(model->strings[i].seen, model->strings[i].calls);
}

static const sn_hot_plan all = {0};

/* The tree of this thread, with sides; there is a record of the process besides. */
static void check_tree(void) {
    hot_problem problem = hot_check_beside_records(&sn_thread_tree_own->hot, sn_record_cells(strlen("it") + strlen("probes")));
    if (problem) fprintf(stderr, "%s\n", problem);
    CHECK(!problem);
}

static void streams_are_counted_exactly(void) {
    begin(all, false);
    program *p = program_new(1, FUNCTIONS);
    for (uint32_t functions = 1; functions <= FUNCTIONS; functions += 13) {
        p->functions = functions;
        run(p, 100000);
        end_all(p);
        CHECK(sn_probes_here.current == &sn_probes_outside);
    }
    check_exact(&p->model, model_read(&p->model, folder, (uint32_t)getpid()));
    program_free(p);
    remove_folder();
}

static void calls_from_one_place_and_from_many_are_told_apart(void) {
    begin(all, false);
    program *p = program_new(2, 1);
    call(p, 0, site_of(1));
    for (uint32_t round = 0; round < 3; round++)
        for (uint32_t site = 0; site < 5000; site++) { /* more than the cache has places, in both of its dimensions */
            call(p, site % 7, (const void *)(uintptr_t)(CODE + site * 2 + 1));
            call(p, 3, (const void *)(uintptr_t)(CODE + 1));
            end(p);
            end(p);
        }
    end_all(p);
    spool_sums sums = model_read(&p->model, folder, (uint32_t)getpid());
    CHECK_EQUAL(sums.calls, 1 + 3 * 5000 * 2);
    check_exact(&p->model, sums);
    program_free(p);
    remove_folder();
}

/* ---- An interpreter, which does not say that it calls. ---- */

enum { LEVELS = 60, CONTEXTS = 500 };

/* A frame of the interpreter, or of code with probes, whose string is that of its context. */
typedef struct {
    bool is_code;
    uint64_t number; /* of the interpreter: of its context; of code: of the one in which its thread's code was entered */
    sn_context *caller;
    uint32_t string;
} mixed_frame;

static mixed_frame mixed[LEVELS];
static uint32_t levels;

static uint64_t number_now(void) {
    uint32_t at = levels;
    while (at && mixed[at - 1].is_code) at--;
    return at ? mixed[at - 1].number : 0;
}

static uint64_t enter_outer(bool is_interpreter, uint32_t *line) {
    CHECK(!is_interpreter);
    *line = (uint32_t)number_now() % 7;
    return number_now();
}

static uint64_t leave_outer(void) { return 1; }

/* The string of what the interpreter's context calls. */
static uint32_t string_of_outer(calls_model *model, uint64_t number) {
    return model_longer(model, model_longer(model, MODEL_ROOT, SN_PROBES_OUTER, (uint32_t)number), SN_PROBES_OUTER_LINE,
                        (uint32_t)number % 7);
}

static void mixed_call(calls_model *model, uint64_t choice) {
    mixed_frame *above = levels ? &mixed[levels - 1] : NULL, *code = above;
    while (code && !code->is_code) code = code == mixed ? NULL : code - 1;
    bool is_inside = above && above->is_code && choice % 3;
    const void *site = is_inside ? (const void *)(uintptr_t)(CODE + 5 + choice % 9 * 7)
                                 : (const void *)(uintptr_t)(UINT64_C(0x400000600000) + choice % 4 * 8);
    uint64_t now = number_now(), entered = code ? code->number : 0;
    bool is_called_by_interpreter = !is_inside && now && now != entered;
    uint32_t function = SN_PROBES_OUTERS + (uint32_t)(choice >> 8) % 5;
    uint32_t before = is_called_by_interpreter ? string_of_outer(model, now) : code ? code->string : MODEL_ROOT;
    sn_context *caller = enter(function, site);
    mixed[levels++] = (mixed_frame){true, is_called_by_interpreter ? now : entered, caller,
                                    model_longer(model, before, function, sn_thread_tree_line(site))};
    model->strings[mixed[levels - 1].string].calls++;
}

static void calls_of_an_interpreter_are_below_its_contexts(void) {
    snprintf(folder, sizeof folder, "%s/probes-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    CHECK(mkdtemp(folder));
    const sn_probes_plan asking = {.folder = folder, .command = "it", .mechanism = "probes", .code = CODE, .code_bytes = CODE_BYTES,
                                   .outer = {enter_outer, leave_outer}, .later = true};
    CHECK_EQUAL(sn_probes_begin(&asking), 0);
    calls_model model = model_new();
    uint64_t random = 77;
    for (uint32_t round = 0; round < 300000; round++) {
        uint64_t choice = check_random(&random);
        if (levels && (levels == LEVELS || choice % 100 < 48)) {
            mixed_frame *last = &mixed[--levels];
            if (last->is_code) leave(last->caller);
        } else if (choice % 3) {
            mixed_call(&model, choice >> 7);
        } else { /* numbers are of contexts: no two frames of one stack have one */
            mixed[levels] = (mixed_frame){.number = 1 + (number_now() * 31 + (choice >> 7) % 3) % CONTEXTS + levels * CONTEXTS};
            levels++;
        }
    }
    check_exact(&model, model_read(&model, folder, (uint32_t)getpid()));
    model_free(&model);
    remove_folder();
}

/* ---- Threads. ---- */

enum { THREADS = 4 };

static void *run_in_thread(void *argument) {
    program *p = argument;
    run(p, 30000);
    if (p->random % 2) end_all(p); /* else as after pthread_exit */
    p->depth = 0;
    return NULL;
}

static void *run_and_return(void *argument) {
    run(argument, 1000);
    end_all(argument);
    return NULL;
}

static void threads_count_and_take_over_what_ended_ones_leave(void) {
    begin(all, false);
    calls_model everything = model_new();
    uint32_t rounds = 5;
    for (uint32_t round = 0; round < rounds; round++) {
        program *programs[THREADS];
        pthread_t threads[THREADS];
        for (uint32_t i = 0; i < THREADS; i++) {
            programs[i] = program_new(10 + round * THREADS + i, FUNCTIONS);
            CHECK_EQUAL(pthread_create(&threads[i], NULL, run_in_thread, programs[i]), 0);
        }
        for (uint32_t i = 0; i < THREADS; i++) {
            CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
            model_add(&everything, &programs[i]->model);
            program_free(programs[i]);
        }
    }
    spool_sums sums = model_read(&everything, folder, (uint32_t)getpid());
    check_exact(&everything, sums);
    CHECK(sums.files <= 1 + THREADS);
    CHECK_EQUAL(sums.threads, 1 + rounds * THREADS);
    model_free(&everything);
    remove_folder();
}

static calls_model in_destructors;

static void destroy(void *value) {
    program *p = value;
    run(p, 1000);
    end_all(p);
    model_add(&in_destructors, &p->model);
    program_free(p);
}

static pthread_key_t before_probes, after_probes;

static void *leave_for_destructors(void *further) {
    pthread_setspecific(before_probes, program_new(50, FUNCTIONS));
    pthread_setspecific(after_probes, program_new(51, FUNCTIONS));
    return further ? run_and_return(further) : NULL; /* else only destructors have probes */
}

static void destructors_of_a_thread_are_counted(void) {
    CHECK_EQUAL(pthread_key_create(&before_probes, destroy), 0);
    begin(all, false);
    CHECK_EQUAL(pthread_key_create(&after_probes, destroy), 0);
    in_destructors = model_new();
    for (uint32_t i = 0; i < 20; i++) {
        program *p = i % 2 ? program_new(60 + i, FUNCTIONS) : NULL;
        pthread_t thread;
        CHECK_EQUAL(pthread_create(&thread, NULL, leave_for_destructors, p), 0);
        CHECK_EQUAL(pthread_join(thread, NULL), 0);
        if (!p) continue;
        model_add(&in_destructors, &p->model);
        program_free(p);
    }
    spool_sums sums = model_read(&in_destructors, folder, (uint32_t)getpid());
    check_exact(&in_destructors, sums);
    CHECK(sums.files <= 2);
    model_free(&in_destructors);
    remove_folder();
}

/* ---- Forks. ---- */

static void wait_for(pid_t child) {
    int status;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
}

/* A forked child, whose parent goes on at once. */
static void check_fork_followed(sn_hot_plan plan) {
    begin(plan, true);
    program *p = program_new(3, FUNCTIONS);
    run(p, 50000);
    for (uint32_t i = 0; i < 30; i++) call(p, i % 3, site_of(i + 1));
    for (uint32_t round = 0; round < 20; round++) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            model_restart(&p->model);
            p->random += round + 1;
            run(p, 20000);
            end_all(p);
            if (plan.metric) check_tree();
            spool_sums sums = model_read(&p->model, folder, (uint32_t)getpid());
            CHECK_EQUAL(sums.files, 1);
            CHECK_EQUAL(sums.threads, 1);
            CHECK_EQUAL(sums.calls + sums.pruned + sums.dropped, model_total(&p->model));
            if (!plan.metric) check_exact(&p->model, sums);
            _exit(0);
        }
        run(p, 5000);
        wait_for(child);
    }
    end_all(p);
    spool_sums sums = model_read(&p->model, folder, (uint32_t)getpid());
    CHECK_EQUAL(sums.calls + sums.pruned + sums.dropped, model_total(&p->model));
    CHECK_EQUAL(sums.notes, 0);
    if (!plan.metric) check_exact(&p->model, sums);
    program_free(p);
    remove_folder();
}

static void a_child_that_is_followed_counts_from_zero(void) { check_fork_followed(all); }
static void a_hot_child_that_is_followed_counts_from_zero(void) { check_fork_followed(hot_plan(BY_CALLS, 200, 600)); }
static void a_space_saving_child_that_is_followed_counts_from_zero(void) { check_fork_followed(hot_plan(SAVING, 200, 600)); }

typedef struct {
    uint8_t *bytes;
    size_t size;
} contents;

static contents read_spool(void) {
    char path[128];
    struct stat about;
    snprintf(path, sizeof path, "%s/%ld-0.cells", folder, (long)getpid());
    int file = open(path, O_RDONLY);
    CHECK(file >= 0 && !fstat(file, &about));
    contents read_ = {malloc((size_t)about.st_size), (size_t)about.st_size};
    CHECK(read_.bytes && read(file, read_.bytes, read_.size) == (ssize_t)read_.size);
    close(file);
    return read_;
}

static void *run_once_more(void *argument) {
    run(argument, 100000);
    return NULL;
}

static void a_child_that_is_not_followed_counts_nothing(void) {
    begin(all, false);
    static program *p, *other; /* the child ends without a stack that leads to them */
    static contents before;
    p = program_new(4, FUNCTIONS);
    run(p, 20000);
    before = read_spool();
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        run(p, 200000); /* many contexts that its parent has not */
        other = program_new(5, FUNCTIONS);
        pthread_t thread;
        CHECK_EQUAL(pthread_create(&thread, NULL, run_once_more, other), 0);
        CHECK_EQUAL(pthread_join(thread, NULL), 0);
        pid_t grandchild = fork();
        if (grandchild == 0) {
            run(p, 20000);
            _exit(0);
        }
        wait_for(grandchild);
        pthread_exit(NULL); /* as threads end */
    }
    wait_for(child);
    contents after = read_spool();
    CHECK_EQUAL(after.size, before.size);
    /* A note came in: where nothing was. All else is the same. */
    size_t used = ((const sn_header *)(const void *)before.bytes)->used * SN_CELL_BYTES;
    CHECK(!memcmp(before.bytes + SN_HEADER_CELLS * SN_CELL_BYTES, after.bytes + SN_HEADER_CELLS * SN_CELL_BYTES,
                  used - SN_HEADER_CELLS * SN_CELL_BYTES));
    for (uint32_t round = 0; round < 20; round++) { /* and its parent may go on */
        child = fork();
        CHECK(child >= 0);
        run(p, 20000);
        if (child == 0) {
            end_all(p);
            _exit(0);
        }
        wait_for(child);
    }
    end_all(p);
    spool_sums sums = model_read(&p->model, folder, (uint32_t)getpid());
    CHECK_EQUAL(sums.notes, 1);
    CHECK_EQUAL(sums.noted, 21);
    check_exact(&p->model, sums);
    free(before.bytes);
    free(after.bytes);
    program_free(p);
    remove_folder();
}

/* ---- Signals. ---- */

static volatile sig_atomic_t handled;
static uint64_t by_handler;

/* A few calls, always in order and ended: what they are below is where the signal came. */
static void on_signal(int number) {
    (void)number;
    int error = errno;
    uint32_t first = OF_HANDLER + (uint32_t)handled++ % 50;
    sn_context *callers[3];
    for (uint32_t i = 0; i < 3; i++, by_handler++) callers[i] = enter(first + i, site_of(first + i));
    for (uint32_t i = 3; i-- > 0;) leave(callers[i]);
    errno = error;
}

static void every(long us) {
    const struct itimerval often = {{0, us}, {0, us}};
    CHECK_EQUAL(setitimer(ITIMER_REAL, &often, NULL), 0);
}

static void handle_signals(void) {
    struct sigaction action = {.sa_handler = on_signal};
    CHECK_EQUAL(sigaction(SIGALRM, &action, NULL), 0);
}

static bool is_of_handler(const calls_model *model, uint32_t string) {
    for (; string != MODEL_ROOT; string = model->strings[string].before)
        if (model->strings[string].function >= OF_HANDLER) return true;
    return false;
}

static void run_with_signals(program *p) {
    handle_signals();
    every(20);
    for (uint32_t round = 0; handled < (CHECK_SANITIZED ? 500 : 3000); round++) {
        p->functions = FUNCTIONS + round % 900; /* ever new contexts */
        if (p->model.count < MODEL_ROOM / 2) run(p, 300);
        else end_all(p);
    }
    every(0);
    end_all(p);
}

static void signal_handlers_lose_nothing(void) {
    begin(all, false);
    program *p = program_new(6, FUNCTIONS);
    run_with_signals(p);
    spool_sums sums = model_read(&p->model, folder, (uint32_t)getpid());
    uint64_t seen = 0;
    for (uint32_t i = 1; i < p->model.count; i++) {
        if (is_of_handler(&p->model, i)) seen += p->model.strings[i].seen;
        else CHECK_EQUAL(p->model.strings[i].seen, p->model.strings[i].calls);
    }
    CHECK_EQUAL(seen + sums.dropped, by_handler);
    CHECK(sums.dropped < by_handler); /* most come while their thread is elsewhere */
    program_free(p);
    remove_folder();
}

static void handle_in_hot_tree(hot_way way) {
    begin(hot_plan(way, 50, 150), false);
    program *p = program_new(7, FUNCTIONS);
    run_with_signals(p);
    check_tree();
    spool_sums sums = model_read(&p->model, folder, (uint32_t)getpid());
    /* What a function has found in the cache may be pruned by what a handler calls before the function has entered it. */
    uint64_t total = model_total(&p->model) + by_handler, found = sums.calls + sums.pruned + sums.dropped;
    CHECK(found <= total && found + (uint64_t)handled >= total);
    program_free(p);
    remove_folder();
}

static void signal_handlers_leave_hot_trees_valid(void) { handle_in_hot_tree(BY_CALLS); }
static void signal_handlers_leave_space_saving_trees_valid(void) { handle_in_hot_tree(SAVING); }

static _Thread_local bool interrupts_holders;

/* In place of the C library's: a signal comes while its thread has the lock. */
int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    static int (*real)(pthread_mutex_t *);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
    if (interrupts_holders) raise(SIGALRM);
    return real(mutex);
}

static void *be_interrupted(void *ends_only) {
    interrupts_holders = !ends_only;
    leave(enter(1, site_of(1)));
    interrupts_holders = true;
    return NULL;
}

static void *fork_interrupted(void *nothing) {
    interrupts_holders = true; /* of a thread that has no tree yet */
    pid_t child = fork();
    if (child == 0) _exit(0);
    interrupts_holders = false;
    wait_for(child);
    return nothing;
}

static void signal_handlers_do_not_wait_for_the_lock_of_their_thread(void) {
    begin(all, false);
    handle_signals();
    for (uintptr_t i = 0; i < 2; i++) {
        pthread_t thread;
        CHECK_EQUAL(pthread_create(&thread, NULL, be_interrupted, (void *)i), 0);
        CHECK_EQUAL(pthread_join(thread, NULL), 0);
    }
    pthread_t thread;
    CHECK_EQUAL(pthread_create(&thread, NULL, fork_interrupted, NULL), 0);
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
    CHECK(handled >= 4);
    remove_folder();
}

/* ---- Hot trees. ---- */

static void check_hot(sn_hot_plan plan, bool unlimited, uint64_t seed) {
    begin(plan, false);
    program *p = program_new(seed, FUNCTIONS);
    for (uint32_t round = 0; round < 10; round++) {
        run(p, 40000);
        check_tree();
    }
    end_all(p);
    spool_sums sums = model_read(&p->model, folder, (uint32_t)getpid());
    uint64_t total = model_total(&p->model);
    CHECK_EQUAL(sums.calls + sums.pruned + sums.dropped, total);
    for (uint32_t i = 1; i < p->model.count && plan.metric == SN_METRIC_CALLS; i++) {
        const model_string *each = &p->model.strings[i];
        CHECK(each->seen <= each->calls && each->error <= sums.floor);
        CHECK(each->calls <= (each->is_there ? each->seen + each->error : sums.floor) + sums.dropped);
    }
    if (unlimited) {
        CHECK(sums.floor <= total / plan.counters);
        CHECK_EQUAL(sums.dropped, 0);
    }
    program_free(p);
    remove_folder();
    _exit(0);
}

static void in_a_child(sn_hot_plan plan, bool unlimited, uint64_t seed) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) check_hot(plan, unlimited, seed);
    wait_for(child);
}

static void hot_trees_are_within_their_bounds(void) {
    in_a_child(hot_plan(BY_CALLS, 100, 1u << 18), true, 20);
    in_a_child(hot_plan(SAVING, 100, 1u << 18), true, 21);
    in_a_child(hot_plan(BY_CALLS, 100, 400), false, 22);
    in_a_child(hot_plan(SAVING, 100, 400), false, 23);
    in_a_child(hot_plan(BY_CALLS, 1000, DEPTH / 2), false, 24); /* deeper than the tree may have nodes */
    in_a_child(hot_plan(BY_TIME, 100, 400), false, 25);
}

/* Stacks are switched as by swapcontext, and nobody tells the probes: frames that sleep are in contexts that may have been
 * pruned, or whose cells others have. */
static void switched_stacks_leave_hot_trees_valid(void) {
    begin(hot_plan(BY_CALLS, 20, 60), false);
    program *stacks[5];
    uint64_t random = 99, total = 0;
    for (uint32_t i = 0; i < 5; i++) stacks[i] = program_new(30 + i, FUNCTIONS);
    for (uint32_t round = 0; round < 20000; round++) {
        run(stacks[check_random(&random) % 5], check_random(&random) % 20);
        if (round % 50) continue;
        check_tree();
    }
    calls_model read_ = model_new();
    spool_sums sums = model_read(&read_, folder, (uint32_t)getpid());
    for (uint32_t i = 0; i < 5; i++) {
        total += model_total(&stacks[i]->model);
        program_free(stacks[i]);
    }
    CHECK_EQUAL(sums.calls + sums.pruned + sums.dropped, total); /* wherever they hang */
    model_free(&read_);
    remove_folder();
}

/* ---- What the program must not notice. ---- */

static void a_full_disk_drops_new_contexts_only(void) {
    begin(all, false);
    signal(SIGXFSZ, SIG_DFL); /* as in most programs: to reach for more would end it */
    struct rlimit limit = {200000, RLIM_INFINITY};
    program *p = program_new(8, FUNCTIONS);
    run(p, 1000);
    CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
    run(p, 200000);
    end_all(p);
    spool_sums sums = model_read(&p->model, folder, (uint32_t)getpid());
    CHECK(sums.dropped > 0);
    CHECK_EQUAL(sums.calls + sums.dropped, model_total(&p->model));
    for (uint32_t i = 1; i < p->model.count; i++)
        if (p->model.strings[i].is_there) CHECK_EQUAL(p->model.strings[i].seen, p->model.strings[i].calls);
    limit.rlim_cur = RLIM_INFINITY; /* there is room again */
    CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
    uint64_t cells = sn_thread_tree_own->spool.cells.used;
    run(p, 200000);
    end_all(p);
    CHECK(sn_thread_tree_own->spool.cells.used > cells);
    program_free(p);
    remove_folder();
}

#if defined(__x86_64__)
/* rcx, rdx, rsi, rdi, r8, r9, r10, rbx, rbp, r12 to r15, before and after. */
static void enter_watched(sn_context *current, uint32_t function, const void *site, uint64_t after[13], sn_context **result) {
    struct {
        uint64_t current, function, site, result, after[13], stack;
    } in = {(uintptr_t)current, function, (uintptr_t)site, 0, {0}, 0};
    register void *at __asm__("r11") = &in;
    __asm__ volatile("mov %%rsp, 136(%%r11)\n lea -128(%%rsp), %%rsp\n and $-16, %%rsp\n"
                     "push %%rbp\n push %%rbx\n push %%r11\n sub $8, %%rsp\n"
                     "mov 0(%%r11), %%rdi\n mov 8(%%r11), %%rsi\n mov 16(%%r11), %%rdx\n"
                     "mov $0x1101, %%rcx\n mov $0x1105, %%r8\n mov $0x1106, %%r9\n mov $0x1107, %%r10\n"
                     "mov $0x1108, %%rbx\n mov $0x1109, %%rbp\n mov $0x110a, %%r12\n mov $0x110b, %%r13\n"
                     "mov $0x110c, %%r14\n mov $0x110d, %%r15\n"
                     "call sn_probes_enter\n"
                     "mov 8(%%rsp), %%r11\n"
                     "mov %%rax, 24(%%r11)\n mov %%rcx, 32(%%r11)\n mov %%rdx, 40(%%r11)\n mov %%rsi, 48(%%r11)\n"
                     "mov %%rdi, 56(%%r11)\n mov %%r8, 64(%%r11)\n mov %%r9, 72(%%r11)\n mov %%r10, 80(%%r11)\n"
                     "mov %%rbx, 88(%%r11)\n mov %%rbp, 96(%%r11)\n mov %%r12, 104(%%r11)\n mov %%r13, 112(%%r11)\n"
                     "mov %%r14, 120(%%r11)\n mov %%r15, 128(%%r11)\n"
                     "add $8, %%rsp\n pop %%r11\n pop %%rbx\n pop %%rbp\n mov 136(%%r11), %%rsp\n"
                     : "+r"(at)
                     :
                     : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r12", "r13", "r14", "r15", "memory", "cc");
    memcpy(after, in.after, sizeof in.after);
    *result = (sn_context *)in.result;
}

static void check_registers(uint32_t function, const void *site) {
    uint64_t after[13];
    sn_context *result, *current = sn_probes_here.current;
    const uint64_t wanted[13] = {0x1101, (uintptr_t)site, function, (uintptr_t)current, 0x1105, 0x1106, 0x1107,
                                 0x1108, 0x1109, 0x110a, 0x110b, 0x110c, 0x110d};
    errno = 1234;
    enter_watched(current, function, site, after, &result);
    CHECK_EQUAL(errno, 1234);
    for (uint32_t i = 0; i < 13; i++) CHECK_EQUAL(after[i], wanted[i]);
    CHECK(result);
    sn_probes_here.current = result;
}

static void *check_registers_in_thread(void *nothing) {
    check_registers(0, site_of(1)); /* a spool is made */
    return nothing;
}

static void registers_and_errno_are_kept(void) {
    begin(all, false);
    for (uint32_t i = 0; i < 5000; i++) {
        check_registers(i % 50, site_of(i));
        if (i % 40 == 39) sn_probes_here.current = &sn_probes_outside;
    }
    pthread_t thread;
    CHECK_EQUAL(pthread_create(&thread, NULL, check_registers_in_thread, NULL), 0);
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
    const struct rlimit none = {0, 0};
    signal(SIGXFSZ, SIG_IGN);
    CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &none), 0);
    for (uint32_t i = 0; i < 5000; i++) check_registers(50 + i, site_of(i)); /* no room */
    CHECK_EQUAL(pthread_create(&thread, NULL, check_registers_in_thread, NULL), 0);
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
    CHECK(sn_thread_tree_own->hot.header->dropped_calls > 0);
    remove_folder();
}
#else
static void registers_and_errno_are_kept(void) { SKIP("the compiler of the probes keeps them here"); }
#endif

CHECK_MAIN(TEST(streams_are_counted_exactly), TEST(calls_of_an_interpreter_are_below_its_contexts),
           TEST(calls_from_one_place_and_from_many_are_told_apart),
           TEST(threads_count_and_take_over_what_ended_ones_leave), TEST(destructors_of_a_thread_are_counted),
           TEST(a_child_that_is_followed_counts_from_zero), TEST(a_hot_child_that_is_followed_counts_from_zero),
           TEST(a_space_saving_child_that_is_followed_counts_from_zero),
           TEST(a_child_that_is_not_followed_counts_nothing), TEST(signal_handlers_lose_nothing),
           TEST(signal_handlers_leave_hot_trees_valid),
           TEST(signal_handlers_leave_space_saving_trees_valid), TEST(signal_handlers_do_not_wait_for_the_lock_of_their_thread),
           TEST(hot_trees_are_within_their_bounds), TEST(switched_stacks_leave_hot_trees_valid),
           TEST(a_full_disk_drops_new_contexts_only), TEST(registers_and_errno_are_kept))
