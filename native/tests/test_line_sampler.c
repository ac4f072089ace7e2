/* Sampling of lines: of a process that is ourselves, with an interpreter of a few words. */
#include "check.h"
#include "example_spool.h"

#include "../core/lines/frame_layout.h"
#include "../core/lines/line_sampler.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>

enum { PLAIN = 7, WATCHED = 200, UNITS = 4 };

typedef struct {
    uint64_t length;
    uint8_t data[16];
} fake_bytes;

typedef struct {
    uint64_t units;
    uint32_t first_line;
    const fake_bytes *lines;
    uint8_t instructions[2 * UNITS];
} fake_code;

typedef struct {
    const fake_code *code;
    const uint8_t *instruction;
} fake_frame;

typedef struct {
    fake_frame *frame;
} fake_held;

typedef struct {
    fake_frame *frame;
    fake_held *held;
} fake_state;

/* Two instructions in line 5, two in line 7. */
static const fake_bytes lines = {5, {0x80 | 0 << 3 | 1, 0, 0x80 | 12 << 3 | 1, 0, 0}};
static fake_code code = {UNITS, 5, &lines, {PLAIN, 0, PLAIN, 0, PLAIN, 0, WATCHED, 0}};
static fake_frame frame = {&code, code.instructions};
static fake_held held = {&frame};
static fake_state state = {&frame, &held};

static sn_frame_layout layout(void) {
    sn_frame_layout l = {.cursor_state = offsetof(sn_cursor, owner) + 8,
                         .cursor_ended = offsetof(sn_cursor, owner) + 20,
                         .cursor_clock = SN_CELL_BYTES,
                         .state_frame = offsetof(fake_state, frame),
                         .held_frame = SN_DIRECT,
                         .frame_code = offsetof(fake_frame, code),
                         .frame_instruction = offsetof(fake_frame, instruction),
                         .code_units = offsetof(fake_code, units),
                         .code_first_line = offsetof(fake_code, first_line),
                         .code_line_table = offsetof(fake_code, lines),
                         .code_instructions = offsetof(fake_code, instructions),
                         .bytes_length = offsetof(fake_bytes, length),
                         .bytes_data = offsetof(fake_bytes, data),
                         .pointer_mask = ~UINT64_C(3)};
    l.watched[WATCHED / 8] |= 1u << WATCHED % 8;
    return l;
}

typedef struct {
    char path[64];
    sn_cells cells;
    sn_hot_tree hot;
    sn_cursor *cursor;
    sn_context *context;
    sn_line_sampler *sampler;
} sampled;

static void set_state(sn_cursor *cursor, const void *to) { cursor->owner[1] = (uint64_t)(uintptr_t)to; }

static void put_layout(sn_cells *cells, const sn_frame_layout *l) {
    const char *text[4] = {(const char *)l};
    const uint32_t number[4] = {0}, length[4] = {sizeof *l};
    CHECK(sn_cells_record(cells, SN_RECORD_LAYOUT, number, text, length));
}

/* The tree points to the cells, so they stay where they are. */
static sampled *begin(const sn_frame_layout *l) {
    sampled *s = calloc(1, sizeof *s);
    CHECK(s);
    strcpy(s->path, "/tmp/sonde-lines-XXXXXX");
    int file = mkstemp(s->path);
    CHECK(file >= 0);
    CHECK_EQUAL(sn_cells_create(&s->cells, file, 1 << 16), SN_OK);
    const sn_hot_plan exact = {0};
    CHECK_EQUAL(sn_hot_create(&s->hot, &s->cells, &exact, false), SN_OK);
    if (l) put_layout(&s->cells, l);
    CHECK(example_function(&s->cells, "main", 5));
    s->cursor = sn_hot_cursor(&s->hot, 1);
    s->context = sn_tree_add(&s->hot.tree, s->hot.root, (uint64_t)(uintptr_t)&code, 0, 3);
    s->cursor->current = s->context;
    set_state(s->cursor, &state);
    sn_cells_publish(&s->cells);
    s->hot.header->pid = (uint32_t)getpid();
    s->sampler = sn_line_sampler_create(1000000);
    CHECK(s->sampler);
    return s;
}

static void end(sampled *s) {
    sn_line_sampler_destroy(s->sampler);
    sn_hot_free(&s->hot);
    sn_cells_destroy(&s->cells);
    CHECK_EQUAL(unlink(s->path), 0);
    free(s);
}

static sampled *begun(void) {
    sn_frame_layout l = layout();
    sampled *s = begin(&l);
    CHECK_EQUAL(sn_line_sampler_add(s->sampler, s->path), SN_OK);
    return s;
}

static void look(sampled *s, unsigned times) {
    for (unsigned i = 0; i < times; i++) sn_line_sampler_look(s->sampler);
}

static uint32_t samples_of(const sampled *s, uint32_t line) {
    sn_sampled_line found[8];
    size_t count = sn_line_sampler_lines(s->sampler, found, 8);
    for (size_t i = 0; i < count; i++) {
        CHECK_EQUAL(found[i].process, 0);
        CHECK_EQUAL(found[i].function, 3);
        if (found[i].line == line) return found[i].samples;
    }
    return 0;
}

static void the_line_of_each_instruction_is_counted(void) {
    sampled *s = begun();
    const uint8_t *const at[] = {code.instructions, code.instructions + 2, code.instructions + 4};
    for (int i = 0; i < 3; i++) {
        frame.instruction = at[i];
        look(s, 2);
    }
    CHECK_EQUAL(samples_of(s, 5), 4);
    CHECK_EQUAL(samples_of(s, 7), 2);
    CHECK_EQUAL(sn_line_sampler_sums(s->sampler).samples, 6);
    CHECK_EQUAL(sn_line_sampler_sums(s->sampler).dropped, 0);
    end(s);
}

static void a_frame_that_something_holds_is_found(void) {
    sn_frame_layout l = layout();
    l.state_frame = offsetof(fake_state, held);
    l.held_frame = offsetof(fake_held, frame);
    sampled *s = begin(&l);
    CHECK_EQUAL(sn_line_sampler_add(s->sampler, s->path), SN_OK);
    look(s, 1);
    CHECK_EQUAL(samples_of(s, 5), 1);
    end(s);
}

static void flags_in_a_pointer_to_code_do_not_matter(void) {
    sampled *s = begun();
    fake_frame flagged = {(const fake_code *)(const void *)((const char *)&code + 1), code.instructions};
    fake_state other = {&flagged, NULL};
    set_state(s->cursor, &other);
    look(s, 1);
    CHECK_EQUAL(samples_of(s, 5), 1);
    end(s);
}

static void what_does_not_agree_is_dropped(void) {
    sampled *s = begun();
    static fake_code callee;
    fake_frame other = {&callee, callee.instructions};
    state.frame = &other; /* a call that has begun and is not yet counted */
    look(s, 1);
    state.frame = &frame;
    frame.instruction = code.instructions + 2 * UNITS; /* beyond its end */
    look(s, 1);
    frame.instruction = code.instructions - 2;
    look(s, 1);
    frame.instruction = code.instructions + 6; /* where calls are watched */
    look(s, 1);
    frame.instruction = (const uint8_t *)8;
    look(s, 1);
    state.frame = NULL;
    look(s, 1);
    state.frame = (fake_frame *)8; /* no memory */
    look(s, 1);
    CHECK_EQUAL(sn_line_sampler_sums(s->sampler).dropped, 7);
    CHECK_EQUAL(sn_line_sampler_lines(s->sampler, NULL, 0), 0);
    end(s);
}

static void a_thread_that_runs_nothing_of_python_is_no_sample(void) {
    sampled *s = begun();
    s->cursor->current = s->hot.root;
    look(s, 1);
    s->cursor->current = s->context;
    set_state(s->cursor, NULL); /* its interpreter's side is gone */
    look(s, 1);
    set_state(s->cursor, &state);
    ((uint32_t *)(void *)s->cursor->owner)[5] = 1; /* it has ended */
    look(s, 1);
    s->cursor->owner[2] = 0;
    sn_tree_rekey(&s->hot.tree, s->context, sn_dead_key(3)); /* its code was freed */
    look(s, 1);
    s->cursor->current = (sn_context *)(void *)(s->cells.base + 8); /* nonsense */
    look(s, 1);
    CHECK_EQUAL(sn_line_sampler_sums(s->sampler).samples, 0);
    CHECK_EQUAL(sn_line_sampler_sums(s->sampler).dropped, 0);
    end(s);
}

static void threads_that_begin_later_are_found(void) {
    sampled *s = begun();
    look(s, 1);
    sn_cursor *further = sn_hot_cursor(&s->hot, 1);
    further->current = s->context;
    set_state(further, &state);
    sn_cells_publish(&s->cells);
    look(s, 1);
    CHECK_EQUAL(samples_of(s, 5), 3);
    end(s);
}

static void a_table_of_lines_that_is_longer_than_what_is_read_does_no_harm(void) {
    sampled *s = begun();
    size_t bytes = 3u << 20;
    fake_bytes *longest = calloc(1, sizeof *longest + bytes);
    CHECK(longest);
    longest->length = bytes;
    fake_code long_code = code;
    long_code.lines = longest;
    fake_frame other = {&long_code, long_code.instructions};
    fake_state its = {&other, NULL};
    set_state(s->cursor, &its);
    sn_tree_rekey(&s->hot.tree, s->context, (uint64_t)(uintptr_t)&long_code);
    look(s, 1);
    CHECK_EQUAL(samples_of(s, 0), 1); /* its line is not known */
    free(longest);
    end(s);
}

static void lines_beyond_the_most_are_counted_as_such(void) {
    sampled *s = begun();
    for (uint32_t i = 0; i < SN_MOST_SAMPLED_LINES + 3; i++) {
        code.first_line = 10 + i;
        look(s, 1);
    }
    code.first_line = 10;
    look(s, 2); /* one that is there */
    CHECK_EQUAL(sn_line_sampler_sums(s->sampler).without_room, 3);
    CHECK_EQUAL(sn_line_sampler_sums(s->sampler).samples, SN_MOST_SAMPLED_LINES + 2);
    CHECK_EQUAL(sn_line_sampler_lines(s->sampler, NULL, 0), SN_MOST_SAMPLED_LINES);
    end(s);
}

static void what_is_no_spool_or_has_no_layout_cannot_be_sampled(void) {
    sampled *s = begin(NULL);
    CHECK_EQUAL(sn_line_sampler_add(s->sampler, s->path), SN_BAD_INPUT);
    sn_frame_layout l = layout();
    put_layout(&s->cells, &l);
    s->hot.header->pid = 0; /* made ready for a fork */
    CHECK_EQUAL(sn_line_sampler_add(s->sampler, s->path), SN_BAD_INPUT);
    s->hot.header->pid = (uint32_t)getpid();
    CHECK_EQUAL(sn_line_sampler_add(s->sampler, s->path), SN_OK);
    CHECK_EQUAL(sn_line_sampler_add(s->sampler, "/dev/null"), SN_BAD_INPUT);
    CHECK_EQUAL(sn_line_sampler_add(s->sampler, "/nowhere/at.all"), SN_SYSTEM);
    end(s);
    l.cursor_state = SN_CELL_BYTES; /* not in the cell */
    s = begin(&l);
    CHECK_EQUAL(sn_line_sampler_add(s->sampler, s->path), SN_BAD_INPUT);
    end(s);
}

static void cells_that_the_file_does_not_have_are_not_read(void) {
    sampled *s = begun();
    s->hot.header->used = UINT64_C(1) << 26;
    look(s, 1);
    s->cursor->current = (sn_context *)(void *)(s->cells.base + (UINT64_C(64) << 20));
    look(s, 1);
    CHECK_EQUAL(sn_line_sampler_sums(s->sampler).samples, 1);
    CHECK_EQUAL(sn_line_sampler_sums(s->sampler).dropped, 0);
    end(s);
}

static void of_processor_time_a_thread_that_waits_is_no_sample(void) {
    sampled *s = begun();
    s->hot.header->unseen_ticks = 1;
    /* As the system numbers the clock of a thread. */
    *(int64_t *)(void *)(s->cursor + 1) = ~(int64_t)getpid() * 8 | 6;
    look(s, 1); /* ourselves: running */
    CHECK_EQUAL(samples_of(s, 5), 1);
    pid_t sleeper = fork();
    CHECK(sleeper >= 0);
    if (!sleeper) {
        pause();
        _exit(0);
    }
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)sleeper);
    do { /* until it sleeps */
        int file = open(path, O_RDONLY);
        ssize_t bytes = read(file, text, sizeof text - 1);
        text[bytes > 0 ? bytes : 0] = 0;
        close(file);
    } while (!strstr(text, ") S"));
    *(int64_t *)(void *)(s->cursor + 1) = ~(int64_t)sleeper * 8 | 6;
    sn_line_sampler_destroy(s->sampler);
    s->sampler = sn_line_sampler_create(1000000);
    s->hot.header->pid = (uint32_t)sleeper; /* our memory is the same */
    CHECK_EQUAL(sn_line_sampler_add(s->sampler, s->path), SN_OK);
    look(s, 1);
    CHECK_EQUAL(sn_line_sampler_sums(s->sampler).samples + sn_line_sampler_sums(s->sampler).dropped, 0);
    s->hot.header->unseen_ticks = 0; /* of elapsed time it is one */
    look(s, 1);
    CHECK_EQUAL(samples_of(s, 5), 1);
    kill(sleeper, SIGKILL);
    waitpid(sleeper, NULL, 0);
    look(s, 3); /* it is over, which is no drop worth counting thrice */
    CHECK_EQUAL(samples_of(s, 5), 1);
    CHECK(sn_line_sampler_sums(s->sampler).dropped <= 1);
    end(s);
}

static void looking_goes_on_for_as_long_as_asked(void) {
    sampled *s = begun();
    sn_line_sampler_run(s->sampler, 20 * 1000000);
    CHECK(samples_of(s, 5) >= 1);
    CHECK(samples_of(s, 5) <= 40); /* half a period is the least */
    uint32_t before = samples_of(s, 5);
    sn_line_sampler_stop(s->sampler);
    sn_line_sampler_run(s->sampler, UINT64_MAX / 2);
    CHECK_EQUAL(samples_of(s, 5), before);
    end(s);
}

CHECK_MAIN(TEST(the_line_of_each_instruction_is_counted), TEST(a_frame_that_something_holds_is_found),
           TEST(flags_in_a_pointer_to_code_do_not_matter), TEST(what_does_not_agree_is_dropped),
           TEST(a_thread_that_runs_nothing_of_python_is_no_sample), TEST(threads_that_begin_later_are_found),
           TEST(a_table_of_lines_that_is_longer_than_what_is_read_does_no_harm),
           TEST(lines_beyond_the_most_are_counted_as_such), TEST(what_is_no_spool_or_has_no_layout_cannot_be_sampled),
           TEST(cells_that_the_file_does_not_have_are_not_read),
           TEST(of_processor_time_a_thread_that_waits_is_no_sample), TEST(looking_goes_on_for_as_long_as_asked))
