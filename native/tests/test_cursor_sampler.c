/* Sampling of contexts: of a process that is ourselves, or a child with our memory, at moments that we say. */
#include "check.h"
#include "example_spool.h"

#include "../core/base/ticks.h"
#include "../core/contexts/cursor_sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>

enum { BEGIN = 1000 }; /* when spools begin */

/* A thread with probes, as others see it. */
typedef struct {
    char path[64];
    sn_cells cells;
    sn_hot_tree hot;
    sn_cursor *cursor;
    const sn_context *word; /* what it runs */
} probed;

static const sn_context outside = {.key = SN_TAG_ROOT};

static void take_over(probed *p, uint64_t thread) {
    p->hot.header->threads++;
    p->cursor->owner[1] = thread;
    p->cursor->owner[0] = (uint64_t)(uintptr_t)&p->word;
}

/* The tree points to the cells, so they stay where they are. */
static probed *begin_with(const sn_hot_plan *plan, const char *python) {
    probed *p = calloc(1, sizeof *p);
    CHECK(p);
    strcpy(p->path, "/tmp/sonde-times-XXXXXX");
    int file = mkstemp(p->path);
    CHECK(file >= 0);
    CHECK_EQUAL(sn_cells_create(&p->cells, file, 1 << 20), SN_OK);
    CHECK_EQUAL(sn_hot_create(&p->hot, &p->cells, plan, false), SN_OK);
    p->cursor = sn_hot_cursor(&p->hot, 0);
    const char *const text[4] = {"prog", python, "probes", ""};
    const uint32_t number[4] = {0}, length[4] = {4, (uint32_t)strlen(python), 6, 0};
    CHECK(sn_cells_record(&p->cells, SN_RECORD_PROCESS, number, text, length));
    p->word = &outside;
    p->hot.header->clock = SN_CLOCK_MONOTONIC;
    p->hot.header->start_ns = BEGIN;
    take_over(p, (uint64_t)getpid());
    p->hot.header->pid = (uint32_t)getpid();
    return p;
}

static probed *begin(void) {
    const sn_hot_plan exact = {0};
    return begin_with(&exact, "");
}

static void end(probed *p) {
    sn_hot_free(&p->hot);
    sn_cells_destroy(&p->cells);
    CHECK_EQUAL(unlink(p->path), 0);
    free(p);
}

static sn_context *call(probed *p, sn_context *parent, uint32_t function) {
    sn_context *child = sn_tree_add(&p->hot.tree, parent, (uint64_t)(function + 1) << 32, 0, function);
    CHECK(child);
    return child;
}

static sn_cursor_sampler *sampler_of(const probed *p, bool is_processor) {
    sn_cursor_sampler *sampler = sn_cursor_sampler_create(1000000, is_processor);
    CHECK(sampler);
    CHECK_EQUAL(sn_cursor_sampler_add(sampler, p->path), SN_OK);
    return sampler;
}

static void a_context_gets_what_passed_since_the_last_look(void) {
    probed *p = begin();
    sn_context *main = call(p, p->hot.root, 0), *work = call(p, main, 1);
    sn_cursor_sampler *sampler = sampler_of(p, false);
    sn_cursor_sampler_look(sampler, BEGIN + 30); /* the first */
    p->word = main;
    sn_cursor_sampler_look(sampler, BEGIN + 35);
    p->word = work;
    sn_cursor_sampler_look(sampler, BEGIN + 42);
    sn_cursor_sampler_look(sampler, BEGIN + 42);
    p->word = &outside;
    sn_cursor_sampler_look(sampler, BEGIN + 142);
    p->word = work;
    sn_cursor_sampler_look(sampler, BEGIN + 143);
    CHECK_EQUAL(main->ticks, 5);
    CHECK_EQUAL(work->ticks, 8);
    sn_sampled_times sums = sn_cursor_sampler_sums(sampler);
    CHECK_EQUAL(sums.looks, 5);
    CHECK_EQUAL(sums.missed, 0);
    CHECK_EQUAL(sums.placed_ns, 13);
    CHECK_EQUAL(sums.outside_ns, 100);
    CHECK_EQUAL(sums.lost_ns, 30);
    CHECK_EQUAL(sums.forbidden, 0);
    sn_cursor_sampler_destroy(sampler);
    end(p);
}

static void time_in_which_threads_begin_or_end_is_lost(void) {
    probed *p = begin();
    sn_context *main = call(p, p->hot.root, 0);
    p->word = main;
    sn_cursor_sampler *sampler = sampler_of(p, false);
    sn_cursor_sampler_look(sampler, BEGIN + 1);
    sn_cursor_sampler_look(sampler, BEGIN + 3);
    CHECK_EQUAL(main->ticks, 2);
    p->cursor->owner[0] = 0;
    sn_cursor_sampler_look(sampler, BEGIN + 10); /* 7 */
    sn_cursor_sampler_look(sampler, BEGIN + 1000); /* nobody */
    take_over(p, 5);
    sn_cursor_sampler_look(sampler, BEGIN + 1020); /* 20 */
    sn_cursor_sampler_look(sampler, BEGIN + 1021);
    CHECK_EQUAL(main->ticks, 3);
    take_over(p, 5); /* the same memory, even the same number: another thread */
    sn_cursor_sampler_look(sampler, BEGIN + 1321); /* 300 */
    p->cursor->owner[0] = 0;
    sn_cursor_sampler_look(sampler, BEGIN + 1321);
    take_over(p, 6); /* one that we do not see at all */
    p->cursor->owner[0] = 0;
    sn_cursor_sampler_look(sampler, BEGIN + 5321); /* 4000 */
    CHECK_EQUAL(main->ticks, 3);
    CHECK_EQUAL(sn_cursor_sampler_sums(sampler).lost_ns, 1 + 7 + 20 + 300 + 4000);
    CHECK_EQUAL(sn_cursor_sampler_sums(sampler).looks, 2);
    sn_cursor_sampler_destroy(sampler);
    end(p);
}

enum { THREADS = 3, CONTEXTS = 40, STEPS = 20000 };

/* What a thread should have, told without cells. */
typedef struct {
    sn_context *contexts[CONTEXTS];
    uint64_t ticks[CONTEXTS];
    int runs, count;     /* which context; -1: none with probes */
    unsigned lives, life_seen, life; /* 0: has ended */
} model;

static void any_number_of_threads_are_told_apart(void) {
    probed *threads[THREADS];
    model models[THREADS] = {0};
    uint64_t random = 12345, now = BEGIN, outside_ns = 0, lost_ns = 0, placed_ns = 0, looks = 0;
    sn_cursor_sampler *sampler = sn_cursor_sampler_create(1, false);
    CHECK(sampler);
    for (int i = 0; i < THREADS; i++) {
        threads[i] = begin();
        CHECK_EQUAL(sn_cursor_sampler_add(sampler, threads[i]->path), SN_OK);
        models[i] = (model){.runs = -1, .lives = 1, .life = 1, .life_seen = UINT32_MAX};
    }
    for (int step = 0; step < STEPS; step++) {
        int i = (int)(check_random(&random) % THREADS);
        probed *p = threads[i];
        model *m = &models[i];
        switch (check_random(&random) % 8) {
        case 0:
            if (m->count < CONTEXTS) {
                sn_context *parent = m->count ? m->contexts[check_random(&random) % (uint64_t)m->count] : p->hot.root;
                m->contexts[m->count] = call(p, parent, (uint32_t)m->count);
                m->count++;
            }
            break;
        case 1: m->runs = -1; p->word = &outside; break;
        case 2: case 3: case 4:
            if (!m->count) break;
            m->runs = (int)(check_random(&random) % (uint64_t)m->count);
            p->word = m->contexts[m->runs];
            break;
        case 5:
            if (check_random(&random) % 8) break;
            if (m->life) p->cursor->owner[0] = m->life = 0;
            else m->life = ++m->lives, take_over(p, m->lives);
            break;
        default: {
            uint64_t passed = check_random(&random) % 1000;
            now += passed;
            sn_cursor_sampler_look(sampler, now);
            for (int each = 0; each < THREADS; each++) {
                m = &models[each];
                bool is_same = m->life_seen == m->life;
                m->life_seen = m->life;
                if (!is_same) lost_ns += passed;
                else if (m->life) {
                    looks++;
                    *(m->runs < 0 ? &outside_ns : &m->ticks[m->runs]) += passed;
                    placed_ns += m->runs < 0 ? 0 : passed;
                }
            }
        }
        }
    }
    for (int i = 0; i < THREADS; i++)
        for (int c = 0; c < models[i].count; c++) CHECK_EQUAL(models[i].contexts[c]->ticks, models[i].ticks[c]);
    sn_sampled_times sums = sn_cursor_sampler_sums(sampler);
    CHECK_EQUAL(sums.outside_ns, outside_ns);
    CHECK_EQUAL(sums.placed_ns, placed_ns);
    CHECK_EQUAL(sums.looks, looks);
    CHECK(placed_ns > outside_ns && looks > STEPS / 8);
    /* A life that came and went between two looks is lost time as well, which the model does not tell. */
    CHECK(sums.lost_ns >= lost_ns && sums.lost_ns < lost_ns + (now - BEGIN) / 10);
    sn_cursor_sampler_destroy(sampler);
    for (int i = 0; i < THREADS; i++) end(threads[i]);
}

static void what_is_no_context_gets_nothing(void) {
    const sn_hot_plan by_time = {.metric = SN_METRIC_TIME, .counters = 3, .nodes_limit = 100};
    probed *p = begin_with(&by_time, "");
    sn_context *main = call(p, p->hot.root, 0), *gone = call(p, main, 1);
    sn_tree_remove(&p->hot.tree, gone);
    sn_cursor_sampler *sampler = sampler_of(p, false);
    sn_cursor_sampler_look(sampler, BEGIN);
    const void *const no_contexts[] = {NULL, (const char *)main + 8, (const char *)main + 1, p->hot.root, gone,
                                       sn_side_of(main), p->cursor, p->cursor + 1 /* a record */, p->cells.base,
                                       p->cells.base + 2 * SN_CELL_BYTES, p->cells.base + p->cells.used * SN_CELL_BYTES,
                                       p->cells.base - SN_CELL_BYTES, (const void *)UINTPTR_MAX, &outside};
    size_t size = p->cells.used * SN_CELL_BYTES, count = sizeof no_contexts / sizeof *no_contexts;
    uint8_t *before = malloc(size);
    CHECK(before);
    memcpy(before, p->cells.base, size);
    for (size_t i = 0; i < count; i++) {
        p->word = no_contexts[i];
        sn_cursor_sampler_look(sampler, BEGIN + 10 * (i + 1));
    }
    CHECK(!memcmp(before, p->cells.base, size));
    CHECK_EQUAL(sn_cursor_sampler_sums(sampler).outside_ns, 10 * count);
    CHECK_EQUAL(sn_cursor_sampler_sums(sampler).placed_ns, 0);
    free(before);
    sn_cursor_sampler_destroy(sampler);
    end(p);
}

static void contexts_for_which_the_file_grows_are_found(void) {
    probed *p = begin();
    sn_cursor_sampler *sampler = sampler_of(p, false);
    sn_cursor_sampler_look(sampler, BEGIN);
    sn_context *at = p->hot.root;
    for (uint32_t i = 0; i < 30000; i++) {
        at = call(p, at, i);
        if (i % 100) continue;
        p->word = at;
        sn_cursor_sampler_look(sampler, BEGIN + i + 100);
        CHECK_EQUAL(at->ticks, 100);
    }
    sn_cursor_sampler_destroy(sampler);
    end(p);
}

static void a_thread_whose_memory_is_not_there_is_given_up(void) {
    probed *p = begin(), *other = begin();
    sn_context *main = call(p, p->hot.root, 0);
    other->word = call(other, other->hot.root, 0);
    p->word = main;
    sn_cursor_sampler *sampler = sampler_of(p, false);
    CHECK_EQUAL(sn_cursor_sampler_add(sampler, other->path), SN_OK);
    p->cursor->owner[0] = 8; /* as if it had gone without a word */
    for (unsigned i = 0; i < 5; i++) sn_cursor_sampler_look(sampler, BEGIN + 10 * i);
    CHECK_EQUAL(sn_cursor_sampler_sums(sampler).missed, 1);
    CHECK_EQUAL(sn_cursor_sampler_sums(sampler).lost_ns, 10);
    CHECK_EQUAL(sn_cursor_sampler_sums(sampler).looks, 4);
    CHECK_EQUAL(other->word->ticks, 40);
    take_over(p, 7);
    sn_cursor_sampler_look(sampler, BEGIN + 50);
    sn_cursor_sampler_look(sampler, BEGIN + 55);
    CHECK_EQUAL(main->ticks, 5);
    sn_cursor_sampler_destroy(sampler);
    end(p);
    end(other);
}

static void what_is_no_spool_of_probes_is_left_alone(void) {
    probed *p = begin();
    sn_cursor_sampler *sampler = sn_cursor_sampler_create(1000000, false);
    CHECK(sampler);
    CHECK_EQUAL(sn_cursor_sampler_add(sampler, "/dev/null"), SN_BAD_INPUT);
    CHECK_EQUAL(sn_cursor_sampler_add(sampler, "/nowhere/at.all"), SN_SYSTEM);
    p->hot.header->clock = SN_CLOCK_NONE; /* counts calls only */
    CHECK_EQUAL(sn_cursor_sampler_add(sampler, p->path), SN_BAD_INPUT);
    p->hot.header->clock = SN_CLOCK_MONOTONIC;
    p->hot.header->pid = 0; /* being made */
    CHECK_EQUAL(sn_cursor_sampler_add(sampler, p->path), SN_BAD_INPUT);
    p->hot.header->pid = (uint32_t)getpid();
    p->hot.header->used = SN_HEADER_CELLS; /* no cursor */
    CHECK_EQUAL(sn_cursor_sampler_add(sampler, p->path), SN_BAD_INPUT);
    p->hot.header->used = p->cells.used;
    CHECK_EQUAL(sn_cursor_sampler_add(sampler, p->path), SN_OK);
    CHECK_EQUAL(truncate(p->path, SN_CELL_BYTES), 0);
    CHECK_EQUAL(sn_cursor_sampler_add(sampler, p->path), SN_BAD_INPUT);
    sn_cursor_sampler_destroy(sampler);
    end(p);
    const sn_hot_plan exact = {0};
    p = begin_with(&exact, "3.12.1"); /* an interpreter's: its own agent counts time */
    sampler = sn_cursor_sampler_create(1000000, false);
    CHECK(sampler);
    CHECK_EQUAL(sn_cursor_sampler_add(sampler, p->path), SN_BAD_INPUT);
    sn_cursor_sampler_destroy(sampler);
    end(p);
}

static void cells_that_the_file_does_not_have_are_not_touched(void) {
    probed *p = begin();
    p->word = call(p, p->hot.root, 0);
    p->hot.header->used = UINT64_MAX / SN_CELL_BYTES;
    sn_cursor_sampler *sampler = sampler_of(p, false);
    sn_cursor_sampler_look(sampler, BEGIN);
    p->word = (const sn_context *)(const void *)(p->cells.base + (UINT64_C(1) << 30));
    sn_cursor_sampler_look(sampler, BEGIN + 1);
    p->hot.header->base = 0; /* every address is a cell's */
    sn_cursor_sampler_look(sampler, BEGIN + 2);
    CHECK_EQUAL(sn_cursor_sampler_sums(sampler).outside_ns, 2);
    sn_cursor_sampler_destroy(sampler);
    end(p);
}

/* A child with our memory, whose thread has the spool. */
static pid_t fork_into(probed *p, void (*run)(probed *p)) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (!child) {
        run(p);
        _exit(0);
    }
    p->hot.header->pid = (uint32_t)child;
    p->cursor->owner[1] = (uint64_t)child;
    return child;
}

static void wait_for_ever(probed *p) {
    (void)p;
    for (;;) pause();
}

static void a_process_that_has_ended_is_let_go(void) {
    probed *p = begin();
    sn_context *main = call(p, p->hot.root, 0);
    p->word = main;
    pid_t child = fork_into(p, wait_for_ever);
    sn_cursor_sampler *sampler = sampler_of(p, false);
    p->word = &outside; /* ours only */
    sn_cursor_sampler_look(sampler, BEGIN);
    sn_cursor_sampler_look(sampler, BEGIN + 4);
    CHECK_EQUAL(main->ticks, 4);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    sn_cursor_sampler_look(sampler, BEGIN + 10);
    sn_cursor_sampler_look(sampler, BEGIN + 100);
    CHECK_EQUAL(main->ticks, 4);
    CHECK_EQUAL(sn_cursor_sampler_sums(sampler).lost_ns, 6);
    CHECK_EQUAL(sn_cursor_sampler_sums(sampler).missed, 0);
    sn_cursor_sampler_destroy(sampler);
    end(p);
}

static void forbid_to_look(probed *p) {
    prctl(PR_SET_DUMPABLE, 0);
    ((volatile sn_cursor *)p->cursor)->owner[2] = 1; /* said */
    wait_for_ever(p);
}

static void a_process_that_may_not_be_read_is_told_once(void) {
    probed *p = begin(), *second = begin();
    pid_t child = fork_into(p, forbid_to_look);
    second->hot.header->pid = (uint32_t)child;
    sn_cursor_sampler *sampler = sampler_of(p, false);
    CHECK_EQUAL(sn_cursor_sampler_add(sampler, second->path), SN_OK);
    while (!((volatile sn_cursor *)p->cursor)->owner[2]) sched_yield();
    pid_t looker = fork(); /* without the rights that we may have */
    if (!looker) {
        CHECK(geteuid() || !setuid(65534));
        for (unsigned i = 0; i < 3; i++) sn_cursor_sampler_look(sampler, BEGIN + i);
        CHECK_EQUAL(sn_cursor_sampler_sums(sampler).forbidden, 1);
        CHECK_EQUAL(sn_cursor_sampler_sums(sampler).looks, 0);
        _exit(0);
    }
    int status = 1;
    CHECK_EQUAL(waitpid(looker, &status, 0), looker);
    CHECK_EQUAL(status, 0);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    sn_cursor_sampler_destroy(sampler);
    end(p);
    end(second);
}

/* Nanoseconds that a process of one thread has run, as the system says; -1 when it does not. */
static int64_t ran_ns(pid_t pid) {
    char path[64];
    long long ran = -1, waited, turns = 0;
    snprintf(path, sizeof path, "/proc/%d/schedstat", (int)pid);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%lld %lld %lld", &ran, &waited, &turns) != 3) turns = 0;
    if (file) fclose(file);
    return turns ? ran : -1;
}

static char state_of(pid_t pid) {
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int file = open(path, O_RDONLY);
    ssize_t bytes = read(file, text, sizeof text - 1);
    text[bytes > 0 ? bytes : 0] = 0;
    close(file);
    const char *name_end = strrchr(text, ')');
    return name_end && name_end[1] ? name_end[2] : '?';
}

/* Run while owner[2] says so, and wait otherwise. */
static void run_when_told(probed *p) {
    volatile sn_cursor *cursor = p->cursor;
    signal(SIGUSR1, SIG_IGN);
    sigset_t wake;
    sigemptyset(&wake);
    sigaddset(&wake, SIGUSR1);
    sigprocmask(SIG_BLOCK, &wake, NULL);
    signal(SIGUSR1, SIG_DFL);
    for (;;) {
        int number;
        while (cursor->owner[2]) {}
        sigwait(&wake, &number);
    }
}

static void tell(probed *p, pid_t child, bool to_run) {
    ((volatile sn_cursor *)p->cursor)->owner[2] = to_run;
    if (to_run) kill(child, SIGUSR1);
    else
        while (state_of(child) != 'S') sched_yield();
}

/* Until the system says that it has run for longer. */
static void let_run(pid_t child) {
    for (int64_t before = ran_ns(child); ran_ns(child) < before + 1000000;) sched_yield();
}

/* A word that we and the child have. */
static const sn_context **share_word(probed *p, const sn_context *first) {
    const sn_context **word = mmap(NULL, sizeof *word, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(word != MAP_FAILED);
    *word = first;
    p->cursor->owner[0] = (uint64_t)(uintptr_t)word;
    return word;
}

static void of_processor_time_contexts_get_what_the_clock_of_the_thread_advanced(void) {
    if (ran_ns(getpid()) < 0) SKIP("the system does not tell how long threads ran");
    probed *p = begin();
    sn_context *main = call(p, p->hot.root, 0), *work = call(p, main, 1);
    const sn_context **word = share_word(p, main);
    p->cursor->owner[2] = 1;
    pid_t child = fork_into(p, run_when_told);
    sn_cursor_sampler *sampler = sampler_of(p, true);
    let_run(child);
    int64_t earliest = ran_ns(child), before = 0;
    uint64_t now = BEGIN;
    sn_cursor_sampler_look(sampler, ++now);
    int64_t latest = ran_ns(child);
    for (int i = 0; i < 60; i++) { /* a minute in one, three in the other, as seen by us */
        if (i % 4 == 0) let_run(child);
        *word = i % 4 ? work : main;
        before = ran_ns(child);
        sn_cursor_sampler_look(sampler, now += UINT64_C(60000000000));
    }
    sn_cursor_sampler_finish(sampler, now);
    int64_t after = ran_ns(child), total = (int64_t)(main->ticks + work->ticks);
    CHECK(total >= before - latest);
    CHECK(total <= after - earliest);
    CHECK(llabs((int64_t)main->ticks * 3 - (int64_t)work->ticks) <= 240); /* each look may be rounded */
    CHECK_EQUAL(sn_cursor_sampler_sums(sampler).placed_ns, total);
    CHECK_EQUAL(sn_cursor_sampler_sums(sampler).lost_ns, 1);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    for (int i = 0; i < 2; i++) sn_cursor_sampler_finish(sampler, now);
    CHECK_EQUAL(main->ticks + work->ticks, total);
    CHECK_EQUAL(sn_cursor_sampler_sums(sampler).missed, 1);
    sn_cursor_sampler_destroy(sampler);
    end(p);
}

static void what_a_thread_ran_is_not_the_time_of_what_it_waits_in(void) {
    if (ran_ns(getpid()) < 0) SKIP("the system does not tell how long threads ran");
    probed *p = begin();
    sn_context *main = call(p, p->hot.root, 0), *wait = call(p, main, 1);
    const sn_context **word = share_word(p, wait);
    pid_t child = fork_into(p, run_when_told);
    sn_cursor_sampler *sampler = sampler_of(p, true);
    uint64_t now = BEGIN;
    tell(p, child, false);
    sn_cursor_sampler_look(sampler, now);
    int64_t first = ran_ns(child);
    for (int i = 0; i < 3; i++) {
        *word = main;
        tell(p, child, true);
        let_run(child);
        *word = wait;
        tell(p, child, false);
        for (int look = 0; look < 2; look++) sn_cursor_sampler_look(sampler, now += 10);
        sn_cursor_sampler_finish(sampler, now);
    }
    CHECK_EQUAL(sn_cursor_sampler_sums(sampler).placed_ns, 0); /* nobody knows of what */
    CHECK_EQUAL(sn_cursor_sampler_sums(sampler).lost_ns, ran_ns(child) - first);
    *word = main;
    tell(p, child, true);
    let_run(child);
    int64_t before = ran_ns(child) - first;
    sn_cursor_sampler_look(sampler, now += 10); /* it runs: that is where it all was, for all we know */
    sn_cursor_sampler_finish(sampler, now);
    CHECK((int64_t)main->ticks >= before);
    CHECK((int64_t)main->ticks <= ran_ns(child) - first);
    CHECK_EQUAL(wait->ticks, 0);
    CHECK_EQUAL(sn_cursor_sampler_sums(sampler).lost_ns, 0);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    sn_cursor_sampler_destroy(sampler);
    end(p);
}

/* Calls and returns at random, in a tree that is compacted again and again. */
static void churn(probed *p) {
    uint64_t random = 99;
    for (int step = 0; step < 400000; step++) {
        sn_context *at = p->cursor->current;
        uint32_t function = (uint32_t)(check_random(&random) % 30);
        if (at != p->hot.root && (check_random(&random) % 2 || step > 399900)) sn_hot_leave(&p->hot, p->cursor);
        else {
            uint64_t key = (uint64_t)(function + 1) << 32;
            sn_context *child = sn_tree_find(&p->hot.tree, at, key, 0);
            if (!child) child = sn_hot_add(&p->hot, at, key, 0, function, true);
            if (!child) continue;
            child->calls++;
            p->cursor->current = child;
        }
        __atomic_store_n(&p->word, p->cursor->current, __ATOMIC_RELAXED);
    }
}

static void looks_leave_a_tree_that_is_being_compacted_whole(void) {
    const sn_hot_plan by_time = {.metric = SN_METRIC_TIME, .counters = 20, .nodes_limit = 200};
    probed *p = begin_with(&by_time, "");
    pid_t child = fork_into(p, churn);
    sn_cursor_sampler *sampler = sampler_of(p, false);
    uint64_t now = BEGIN;
    while (waitpid(child, NULL, WNOHANG) != child) sn_cursor_sampler_look(sampler, now += 10);
    sn_sampled_times sums = sn_cursor_sampler_sums(sampler);
    sn_spool_file file;
    sn_spool_context context;
    sn_spool_record record;
    CHECK_EQUAL(sn_spool_file_open(&file, p->path), SN_OK);
    uint64_t ticks = 0, contexts = 0;
    for (uint64_t cell = SN_HEADER_CELLS; cell < file.cells;) {
        sn_cell_kind kind = sn_spool_file_next(&file, &cell, &context, &record);
        CHECK(kind != SN_CELL_DAMAGED);
        if (kind != SN_CELL_CONTEXT) continue;
        contexts += !context.root;
        ticks += context.ticks + context.pruned_ticks;
        CHECK(context.root || context.function < 30);
    }
    CHECK(contexts > 0 && contexts <= 200);
    CHECK_EQUAL(ticks % 10, 0); /* each look's are there, or not at all */
    CHECK(ticks > 0 && ticks <= sums.placed_ns);
    sn_spool_file_close(&file);
    sn_cursor_sampler_destroy(sampler);
    end(p);
}

static void looking_goes_on_for_as_long_as_asked(void) {
    probed *p = begin();
    sn_context *main = call(p, p->hot.root, 0);
    p->word = main;
    p->hot.header->start_ns = sn_monotonic_ns();
    sn_cursor_sampler *sampler = sampler_of(p, false);
    sn_cursor_sampler_run(sampler, 20 * 1000000);
    uint64_t passed = sn_monotonic_ns() - p->hot.header->start_ns;
    sn_sampled_times sums = sn_cursor_sampler_sums(sampler);
    CHECK(sums.rounds >= 1 && sums.rounds <= 40); /* half a period is the least */
    CHECK(sums.late <= sums.rounds);
    CHECK_EQUAL(sums.looks, sums.rounds - 1);
    CHECK(sums.placed_ns + sums.lost_ns <= passed);
    CHECK(sums.placed_ns + sums.lost_ns >= 20 * 1000000);
    CHECK_EQUAL(main->ticks, sums.placed_ns);
    sn_cursor_sampler_stop(sampler);
    sn_cursor_sampler_run(sampler, UINT64_MAX / 2);
    CHECK_EQUAL(sn_cursor_sampler_sums(sampler).looks, sums.looks);
    sn_cursor_sampler_destroy(sampler);
    end(p);
}

CHECK_MAIN(TEST(a_context_gets_what_passed_since_the_last_look), TEST(time_in_which_threads_begin_or_end_is_lost),
           TEST(any_number_of_threads_are_told_apart), TEST(what_is_no_context_gets_nothing),
           TEST(contexts_for_which_the_file_grows_are_found), TEST(a_thread_whose_memory_is_not_there_is_given_up),
           TEST(what_is_no_spool_of_probes_is_left_alone), TEST(cells_that_the_file_does_not_have_are_not_touched),
           TEST(a_process_that_has_ended_is_let_go), TEST(a_process_that_may_not_be_read_is_told_once),
           TEST(of_processor_time_contexts_get_what_the_clock_of_the_thread_advanced),
           TEST(what_a_thread_ran_is_not_the_time_of_what_it_waits_in),
           TEST(looks_leave_a_tree_that_is_being_compacted_whole), TEST(looking_goes_on_for_as_long_as_asked))
