/* Stacks of a made-up CPython, which changes while it is read. */
#include "check.h"
#include "fake_python.h"

#include "../core/stacks/debug_offsets.h"

#include <math.h>

typedef struct {
    fake_python fake;
    uint64_t main, work, leaf, other; /* code objects */
    uint64_t first, second, third;    /* frames */
    sn_stack_thread thread;
    sn_code_table table;
    sn_code_functions functions;
    sn_known_calls known;
    sn_stack_reader *reader;
    sn_stack_hint hint;
    const sn_stack_frame *frames;
    uint32_t count;
} looked_at;

static looked_at *begin(bool has_holder, uint64_t distance) {
    looked_at *s = calloc(1, sizeof *s);
    CHECK(s);
    fake_begin(&s->fake, has_holder);
    s->fake.about = s;
    s->main = fake_code(&s->fake, "<module>", "app.py", 1, 9);
    s->work = fake_code(&s->fake, "work", "app.py", 10, 9);
    s->leaf = fake_code(&s->fake, "Leaf.run", "leaf.py", 20, 9);
    s->other = fake_code(&s->fake, "other", "leaf.py", 30, 9);
    s->first = fake_push(&s->fake, s->main, 5, s->fake.root, distance);
    s->second = fake_push(&s->fake, s->work, 2, s->first, distance);
    s->third = fake_push(&s->fake, s->leaf, 4, s->second, distance);
    s->thread.state = fake_thread(&s->fake, s->third, 4711, 0);
    sn_code_table_init(&s->table, &s->fake.python.layout, s->fake.python.code_type);
    s->reader = sn_stack_reader_create();
    CHECK(s->reader);
    return s;
}

static sn_stack_result look(looked_at *s) {
    sn_memory_reader memory = fake_reader(&s->fake);
    sn_stack_result result =
        sn_stack_read(s->reader, &memory, &s->table, &s->functions, &s->known, &s->thread, &s->hint, &s->frames, &s->count);
    bool is_certain = (result == SN_STACK_READ || result == SN_STACK_CUT) && sn_stack_certain(s->reader) >= s->count;
    if (is_certain) sn_known_calls_add(&s->known, &s->table, s->frames, s->count);
    return result;
}

static void end(looked_at *s) {
    sn_code_table_free(&s->table);
    sn_code_functions_free(&s->functions);
    sn_known_calls_free(&s->known);
    sn_stack_reader_destroy(s->reader);
    free(s);
}

static bool is_frame(const looked_at *s, uint32_t at, const char *name, uint32_t line) {
    if (at >= s->count || s->frames[at].line != line) return false;
    const sn_code_function *f = &s->functions.functions[s->table.codes[s->frames[at].code].function];
    return f->name_bytes == strlen(name) && !memcmp(f->name, name, f->name_bytes);
}

static void check_whole(looked_at *s) {
    CHECK_EQUAL(look(s), SN_STACK_READ);
    CHECK_EQUAL(s->count, 3);
    CHECK(is_frame(s, 0, "<module>", 6) && is_frame(s, 1, "work", 12) && is_frame(s, 2, "Leaf.run", 24));
}

static void a_stack_is_read_with_the_line_of_each_frame(void) {
    for (int has_holder = 0; has_holder < 2; has_holder++)
        for (uint64_t distance = 80; distance <= 8000; distance *= 10) { /* in one page, and over many */
            looked_at *s = begin(has_holder, distance);
            check_whole(s);
            unsigned calls = s->fake.calls;
            check_whole(s);
            CHECK(s->fake.calls - calls <= 6); /* what is known is not read again */
            end(s);
        }
}

static void frames_of_c_functions_and_of_the_interpreter_are_left_out(void) {
    looked_at *s = begin(true, 80);
    fake_at(&s->fake, s->second + s->fake.python.layout.frame_owner)[0] = (uint8_t)s->fake.python.layout.owner_c;
    fake_put(&s->fake, s->second + s->fake.python.layout.frame_code, 1);
    CHECK_EQUAL(look(s), SN_STACK_READ);
    CHECK_EQUAL(s->count, 2);
    CHECK(is_frame(s, 0, "<module>", 6) && is_frame(s, 1, "Leaf.run", 24));
    fake_put(&s->fake, s->leaf + s->fake.python.layout.code_name,
             fake_get(&s->fake, s->leaf + s->fake.python.layout.code_file)); /* a bridge is named as its file is */
    s->hint = (sn_stack_hint){0};
    look(s); /* which sees that it has changed */
    CHECK_EQUAL(look(s), SN_STACK_READ);
    CHECK_EQUAL(s->count, 1);
    end(s);
}

/* 3.15: the outermost frame is the thread's, on the heap. */
static void a_frame_of_c_that_holds_only_another_is_no_call_from_c(void) {
    looked_at *s = begin(true, 80);
    sn_python_layout *l = &s->fake.python.layout;
    uint32_t count;
    CHECK_EQUAL(look(s), SN_STACK_READ);
    CHECK(sn_stack_entries(s->reader, &count)[0] == s->fake.root && count == 1);
    uint64_t base = fake_take(&s->fake, l->frame_bytes);
    fake_at(&s->fake, base + l->frame_owner)[0] = (uint8_t)l->owner_c;
    fake_put(&s->fake, s->fake.root + l->frame_previous, base);
    s->hint = (sn_stack_hint){0};
    look(s); /* which sees that it has changed */
    check_whole(s);
    CHECK(sn_stack_entries(s->reader, &count)[0] == s->fake.root && count == 1);
    for (unsigned i = 0; i < s->count; i++) CHECK_EQUAL(s->frames[i].entry, 0);
    end(s);
}

static void a_thread_without_frames_runs_nothing(void) {
    for (int has_holder = 0; has_holder < 2; has_holder++) {
        looked_at *s = begin(has_holder, 80);
        fake_set_top(&s->fake, s->thread.state, 0);
        CHECK_EQUAL(look(s), SN_STACK_EMPTY);
        end(s);
    }
}

/* Before the stack is read for the second time, its third frame becomes another's. */
static void call_another(fake_python *fake, unsigned piece) {
    looked_at *s = fake->about;
    if (piece == 2) fake_set_frame(fake, s->third, s->other, 1, s->second);
}

static void a_call_that_comes_in_its_place_meanwhile_is_not_taken_for_it(void) {
    looked_at *s = begin(false, 80);
    check_whole(s);
    s->fake.before_piece = call_another;
    s->fake.pieces = 0;
    CHECK_EQUAL(look(s), SN_STACK_READ);
    CHECK_EQUAL(s->count, 3);
    CHECK(is_frame(s, 0, "<module>", 6) && is_frame(s, 1, "work", 12) && is_frame(s, 2, "Leaf.run", 24));
    end(s);
}

/* The pointer is read first, then the part of the stack, the pointer again, and the part again. Before the piece `when`, the third frame ends,
 * or begins. */
static unsigned when;

static void end_the_third(fake_python *fake, unsigned piece) {
    looked_at *s = fake->about;
    if (piece != when) return;
    if (fake->python.layout.clears_frames) fake_put(fake, s->third + fake->python.layout.frame_code, 0);
    fake_set_frame(fake, s->second, s->work, 3, s->first);
    fake_set_top(fake, s->thread.state, s->second);
}

static void call_the_third(fake_python *fake, unsigned piece) {
    looked_at *s = fake->about;
    if (piece != when) return;
    fake_set_frame(fake, s->third, s->other, 1, s->second);
    fake_set_top(fake, s->thread.state, s->third);
}

static void what_was_on_top_first_is_told_whatever_begins_or_ends_since(void) {
    for (int clears_frames = 0; clears_frames < 2; clears_frames++)
        for (when = 1; when <= 3; when++) {
            looked_at *s = begin(false, 80);
            s->fake.python.layout.clears_frames = s->table.layout.clears_frames = clears_frames;
            check_whole(s);
            s->fake.before_piece = end_the_third;
            s->fake.pieces = 0;
            CHECK_EQUAL(look(s), SN_STACK_READ);
            CHECK_EQUAL(s->count, 3);
            /* The line of the call is that of the one which is known, as its caller has gone on. */
            CHECK(is_frame(s, 0, "<module>", 6) && is_frame(s, 2, "Leaf.run", 24));
            CHECK_EQUAL(sn_known_calls_line(&s->known, &s->table, s->frames, 2), 12);
            CHECK(sn_stack_certain(s->reader) < 3 || (when == 3 && clears_frames));
            s->fake.before_piece = call_the_third;
            s->fake.pieces = 0;
            CHECK_EQUAL(look(s), SN_STACK_READ);
            CHECK_EQUAL(s->count, 2);
            CHECK(is_frame(s, 0, "<module>", 6) && is_frame(s, 1, "work", 13));
            end(s);
        }
}

/* Whether only the outermost frame is known when `change` happens meanwhile, as no call was seen before; it ends what `s` is. */
static void check_outermost(looked_at *s, void (*change)(fake_python *fake, unsigned piece)) {
    check_whole(s);
    sn_known_calls_free(&s->known);
    s->fake.before_piece = change;
    s->fake.pieces = 0;
    CHECK_EQUAL(look(s), SN_STACK_CUT);
    CHECK_EQUAL(s->count, 1);
    CHECK(is_frame(s, 0, "<module>", 6));
    end(s);
}

static void calls_that_were_not_seen_are_not_believed_where_the_caller_has_gone_on(void) {
    for (int clears_frames = 0; clears_frames < 2; clears_frames++) {
        looked_at *s = begin(false, 80);
        s->fake.python.layout.clears_frames = s->table.layout.clears_frames = clears_frames;
        when = 2;
        check_outermost(s, end_the_third);
    }
}

/* A task is found by the coroutines on the stack: one that has ended must not be among them. */
static void coroutines_are_those_of_frames_that_are_believed(void) {
    looked_at *s = begin(false, 80);
    fake_task(&s->fake, s->second, "outer");
    fake_task(&s->fake, s->third, "inner");
    check_whole(s);
    CHECK_EQUAL(s->thread.coroutine_count, 2);
    sn_known_calls_free(&s->known);
    s->fake.before_piece = end_the_third;
    s->fake.pieces = 0;
    when = 2;
    CHECK_EQUAL(look(s), SN_STACK_CUT);
    CHECK_EQUAL(s->count, 1);
    CHECK_EQUAL(s->thread.coroutine_count, 0);
    end(s);
}

/* After the first pointer was read, the third frame and its caller end; at its caller's place is another one, which calls nothing until the part
 * was read for the second time, or `when`. */
static void take_its_place(fake_python *fake, unsigned piece) {
    looked_at *s = fake->about;
    if (piece == 1) {
        fake_set_frame(fake, s->second, s->other, 3, s->first);
        fake_set_top(fake, s->thread.state, s->second);
    }
    if (piece == when) {
        fake_set_frame(fake, s->third, s->main, 1, s->second);
        fake_set_top(fake, s->thread.state, s->third);
    }
}

static void what_ended_is_no_call_of_what_came_to_its_callers_place(void) {
    for (int clears_frames = 0; clears_frames < 2; clears_frames++)
        for (when = 1; when < 12; when++) {
            looked_at *s = begin(false, 80);
            s->fake.python.layout.clears_frames = s->table.layout.clears_frames = clears_frames;
            check_whole(s);
            s->fake.before_piece = take_its_place;
            s->fake.pieces = 0;
            for (unsigned i = 0; i < 3; i++) {
                sn_stack_result result = look(s);
                CHECK(result == SN_STACK_READ || result == SN_STACK_CUT);
                CHECK(is_frame(s, 0, "<module>", 6));
                CHECK(s->count < 3 || !is_frame(s, 1, "other", 33) || is_frame(s, 2, "<module>", 2));
            }
            end(s);
        }
}

/* Each time that something is read, the third frame is another's. */
static uint64_t callees[8];

static void call_all_the_time(fake_python *fake, unsigned piece) {
    looked_at *s = fake->about;
    fake_set_frame(fake, s->third, callees[piece % 8], 1, s->second);
}

static void a_callee_that_changes_all_the_time_is_cut_off(void) {
    looked_at *s = begin(false, 80);
    check_whole(s);
    for (unsigned i = 0; i < 8; i++) callees[i] = fake_code(&s->fake, "callee", "app.py", 10 * i, 9);
    s->fake.before_piece = call_all_the_time;
    CHECK_EQUAL(look(s), SN_STACK_CUT);
    CHECK_EQUAL(s->count, 2);
    CHECK(is_frame(s, 0, "<module>", 6) && is_frame(s, 1, "work", 12));
    end(s);
}

static void end_and_call_what_is_known(fake_python *fake, unsigned piece) {
    looked_at *s = fake->about;
    if (piece == 0) fake_set_frame(fake, s->third, s->other, 1, s->second);
    if (piece == 2) fake_set_frame(fake, s->third, s->leaf, 4, s->second);
}

/* Functions that are called by turns have their frames at the same place: those that are read whole more easily would have the time of others. */
static void a_later_call_in_its_place_does_not_stand_for_what_was_on_top_first(void) {
    looked_at *s = begin(false, 80);
    check_whole(s);
    s->fake.before_piece = end_and_call_what_is_known;
    s->fake.pieces = 0;
    CHECK_EQUAL(look(s), SN_STACK_CUT);
    CHECK_EQUAL(s->count, 2);
    CHECK(is_frame(s, 0, "<module>", 6) && is_frame(s, 1, "work", 12));
    check_whole(s);
    end(s);
}

/* The second frame is of a coroutine, and lies alone; the third, which it calls, is on top. It was looked at before, so that the pieces are: the
 * pointer, the part, the second frame, the one that C has called it from, the pointer, the part; then those of further callers. */
enum { AFTER_COROUTINE = 3, AFTER_PARTS = 6 };

static looked_at *begin_in_coroutine(bool clears_frames) {
    looked_at *s = begin(false, 8000);
    s->fake.python.layout.clears_frames = s->table.layout.clears_frames = clears_frames;
    fake_task(&s->fake, s->second, "task");
    unsigned first = s->fake.calls;
    check_whole(s);
    first = s->fake.calls - first;
    check_whole(s);
    unsigned before = s->fake.calls;
    check_whole(s);
    CHECK(s->hint.lone[0] == s->second && s->hint.lone[1] == s->fake.root && !s->hint.lone[2]);
    CHECK(s->fake.calls - before + 2 < first);
    CHECK_EQUAL(sn_stack_certain(s->reader), 3);
    s->fake.pieces = 0;
    return s;
}

static void suspend_the_second(fake_python *fake, unsigned piece) {
    looked_at *s = fake->about;
    if (piece != when) return;
    if (fake->python.layout.clears_frames) fake_put(fake, s->third + fake->python.layout.frame_code, 0);
    fake_put(fake, s->second + fake->python.layout.frame_previous, 0);
    fake_set_top(fake, s->thread.state, s->first);
}

static void a_coroutine_that_is_suspended_meanwhile_is_told_with_its_callers(void) {
    for (int clears_frames = 0; clears_frames < 2; clears_frames++)
        for (when = AFTER_COROUTINE; when < AFTER_PARTS; when++) {
            looked_at *s = begin_in_coroutine(clears_frames);
            s->fake.before_piece = suspend_the_second;
            check_whole(s);
            CHECK(sn_stack_certain(s->reader) < 3);
            CHECK_EQUAL(s->thread.coroutine_count, 1);
            end(s);
        }
}

static void end_the_third_of_a_coroutine(fake_python *fake, unsigned piece) {
    looked_at *s = fake->about;
    if (piece != when) return;
    fake_put(fake, s->second + fake->python.layout.frame_instruction, s->work + fake->python.layout.code_instructions + 2 * 3);
    fake_set_top(fake, s->thread.state, s->second);
}

/* Whether a coroutine has gone on to another line is not known if it was read once: so the line is no certain one. */
static void a_coroutine_that_goes_on_meanwhile_has_no_certain_line(void) {
    looked_at *s = begin_in_coroutine(false);
    when = AFTER_COROUTINE - 1;
    s->fake.before_piece = end_the_third_of_a_coroutine;
    CHECK_EQUAL(look(s), SN_STACK_READ);
    CHECK(is_frame(s, 0, "<module>", 6) && is_frame(s, 2, "Leaf.run", 24));
    CHECK_EQUAL(sn_stack_certain(s->reader), 1);
    CHECK_EQUAL(sn_known_calls_line(&s->known, &s->table, s->frames, 2), 12);
    sn_known_calls_free(&s->known);
    fake_set_top(&s->fake, s->thread.state, s->third);
    s->fake.pieces = 0;
    CHECK_EQUAL(look(s), SN_STACK_CUT);
    CHECK_EQUAL(s->count, 1);
    end(s);
}

static void coroutines_whose_memory_was_given_back_do_no_harm(void) {
    looked_at *s = begin_in_coroutine(false);
    s->hint.lone[1] = FAKE_BASE + FAKE_BYTES + 64;
    check_whole(s);
    check_whole(s);
    CHECK(s->hint.lone[0] == s->second && s->hint.lone[1] == s->fake.root && !s->hint.lone[2]);
    end(s);
}

/* What runs without end: `work` calls one function on one line, and another on the next. All in nanoseconds. */
static struct {
    uint64_t now, piece; /* each piece takes so long */
    uint64_t between, call;
} goes;

static void call_in_turn(fake_python *fake, unsigned piece) {
    looked_at *s = fake->about;
    (void)piece;
    goes.now += goes.piece;
    uint64_t turn = goes.between + goes.call, at = goes.now % (2 * turn);
    bool is_second = at >= turn, is_called = at % turn >= goes.between;
    fake_set_frame(fake, s->second, s->work, is_second ? 3 : 2, s->first);
    if (is_called) fake_set_frame(fake, s->third, is_second ? s->other : s->leaf, 1, s->second);
    else if (fake->python.layout.clears_frames) fake_put(fake, s->third + fake->python.layout.frame_code, 0);
    fake_set_top(fake, s->thread.state, is_called ? s->third : s->second);
}

/* Looks at all moments of the turn: each stack that is whole stands for its moment. */
static void short_calls_are_not_given_to_their_caller(void) {
    enum { LOOKS = 400 };
    for (int clears_frames = 0; clears_frames < 2; clears_frames++) {
        looked_at *s = begin(false, 80);
        s->fake.python.layout.clears_frames = s->table.layout.clears_frames = clears_frames;
        check_whole(s);
        fake_set_frame(&s->fake, s->second, s->work, 3, s->first);
        fake_set_frame(&s->fake, s->third, s->other, 1, s->second);
        CHECK_EQUAL(look(s), SN_STACK_READ); /* both calls are known now */
        s->fake.before_piece = call_in_turn;
        goes.piece = 100;
        goes.between = 40;
        for (goes.call = 120; goes.call < 500; goes.call += 20) {
            double alone = 0, first = 0, second = 0, turn = (double)(goes.between + goes.call);
            for (unsigned i = 0; i < LOOKS; i++) {
                goes.now = i * 2 * (goes.between + goes.call) / LOOKS;
                CHECK_EQUAL(look(s), SN_STACK_READ);
                CHECK(is_frame(s, 0, "<module>", 6));
                uint32_t line = s->count == 3 ? s->frames[1].line : 0;
                if (line && sn_stack_certain(s->reader) < 3) line = sn_known_calls_line(&s->known, &s->table, s->frames, 2);
                bool is_first = line == 12 && is_frame(s, 2, "Leaf.run", 21), is_second = line == 13 && is_frame(s, 2, "other", 31);
                CHECK(is_first || is_second || s->count == 2); /* or it is a stack that never was */
                first += is_first;
                second += is_second;
                alone += s->count == 2;
            }
            CHECK(fabs(alone / LOOKS - (double)goes.between / turn) < 0.02);
            CHECK(fabs(first / LOOKS - (double)goes.call / turn / 2) < 0.02 && fabs(second / LOOKS - (double)goes.call / turn / 2) < 0.02);
        }
        end(s);
    }
}

static void go_on(fake_python *fake, unsigned piece) {
    looked_at *s = fake->about;
    fake_set_frame(fake, s->second, s->work, piece % 8, s->first);
}

static void a_caller_that_went_on_has_no_callees_that_are_believed(void) {
    check_outermost(begin(false, 80), go_on);
}

static void change_far_callers(fake_python *fake, unsigned piece) {
    looked_at *s = fake->about;
    if (piece == 7) fake_set_frame(fake, s->first, s->other, 1, fake->root); /* after the callers were read for the first time */
}

static void a_stack_whose_outermost_frame_changes_is_the_one_or_the_other(void) {
    looked_at *s = begin(false, 8000);
    check_whole(s);
    s->fake.before_piece = change_far_callers;
    s->fake.pieces = 0;
    check_whole(s); /* none of it is said to have been called by what was read later */
    CHECK_EQUAL(sn_stack_certain(s->reader), 0);
    fake_set_frame(&s->fake, s->first, s->main, 5, s->fake.root);
    sn_known_calls_free(&s->known);
    s->fake.pieces = 0;
    CHECK_EQUAL(look(s), SN_STACK_READ); /* once more */
    CHECK(is_frame(s, 0, "other", 31) && is_frame(s, 1, "work", 12) && is_frame(s, 2, "Leaf.run", 24));
    end(s);
}

static void code_that_was_freed_is_not_taken_for_what_it_was(void) {
    looked_at *s = begin(true, 80);
    check_whole(s);
    fake_code_at(&s->fake, s->leaf, "newcomer", "leaf.py", 20, 9);
    CHECK_EQUAL(look(s), SN_STACK_READ);
    CHECK_EQUAL(s->table.replaced, 1);
    CHECK(is_frame(s, 2, "newcomer", 24));
    end(s);
}

static void names_that_were_written_over_in_place_are_noticed(void) {
    looked_at *s = begin(true, 80);
    check_whole(s);
    const sn_python_layout *l = &s->fake.python.layout;
    fake_at(&s->fake, fake_get(&s->fake, s->leaf + l->code_name) + l->text_ascii)[0] = 'B';
    CHECK_EQUAL(look(s), SN_STACK_READ);
    CHECK(is_frame(s, 2, "Beaf.run", 24));
    CHECK_EQUAL(s->table.replaced, 1);
    end(s);
}

static void what_is_no_code_object_is_no_frame(void) {
    looked_at *s = begin(true, 80);
    fake_put(&s->fake, s->leaf + s->fake.python.layout.object_type, FAKE_BASE + 16);
    CHECK_EQUAL(look(s), SN_STACK_CUT);
    CHECK_EQUAL(s->count, 2);
    fake_put(&s->fake, s->main + s->fake.python.layout.object_type, FAKE_BASE + 16);
    s->hint = (sn_stack_hint){0};
    sn_code_forget(&s->table, 0);
    CHECK_EQUAL(look(s), SN_STACK_TORN);
    end(s);
}

/* Look at a process whose third function has a name of so many characters, in these bytes; whether that was told. */
static bool is_name_told(uint32_t kind, bool is_ascii, uint64_t length, const void *characters, uint64_t bytes) {
    looked_at *s = begin(true, 80);
    const sn_python_layout *l = &s->fake.python.layout;
    uint64_t name = fake_take(&s->fake, l->text_compact + bytes);
    uint32_t state = kind << 2 | 1u << 5 | (uint32_t)is_ascii << 6;
    fake_put(&s->fake, name + l->text_length, length);
    memcpy(fake_at(&s->fake, name + l->text_state), &state, sizeof state);
    memcpy(fake_at(&s->fake, name + (is_ascii ? l->text_ascii : l->text_compact)), characters, bytes);
    fake_put(&s->fake, s->leaf + l->code_name, name);
    sn_stack_result result = look(s);
    CHECK_EQUAL(s->count, result == SN_STACK_READ ? 3 : 2);
    end(s);
    return result == SN_STACK_READ;
}

static void what_is_no_name_is_no_function(void) {
    CHECK(is_name_told(1, true, 3, "run", 4));
    CHECK(is_name_told(1, true, 0, "", 1));
    CHECK(is_name_told(1, false, 3, "r\xfcn", 4));
    CHECK(is_name_told(2, false, 2, u"r\u03bb", 6));
    CHECK(is_name_told(4, false, 2, U"r\U0001d6cc", 12));
    CHECK(!is_name_told(1, true, 3, "r\0n", 4));              /* a zero within */
    CHECK(!is_name_told(1, true, 3, "runs", 5));              /* and none behind it */
    CHECK(!is_name_told(1, true, 3, "r\xfcn", 4));            /* not ASCII */
    CHECK(!is_name_told(1, false, 3, "run", 4));              /* all of it is */
    CHECK(!is_name_told(2, false, 2, u"r\u00fc", 6));         /* a byte would do for each character */
    CHECK(!is_name_told(4, false, 2, U"r\u03bb", 12));        /* two would */
    CHECK(!is_name_told(4, false, 1, "\xff\xff\xff\xff\0\0\0", 8)); /* no character */
}

static void chains_that_do_not_end_are_torn(void) {
    looked_at *s = begin(true, 80);
    fake_set_frame(&s->fake, s->first, s->main, 5, s->third);
    CHECK_EQUAL(look(s), SN_STACK_TORN);
    fake_set_frame(&s->fake, s->first, s->main, 5, s->first);
    CHECK_EQUAL(look(s), SN_STACK_TORN);
    end(s);
}

static void a_frame_that_nobody_has_called_is_no_stack(void) {
    looked_at *s = begin(true, 80);
    sn_python_layout *l = &s->fake.python.layout;
    check_whole(s);
    fake_put(&s->fake, s->third + l->frame_previous, 0);
    CHECK_EQUAL(look(s), SN_STACK_TORN);
    /* 3.11 has a mark in its place. */
    s->table.layout.frame_entry = l->frame_owner - 1;
    CHECK_EQUAL(look(s), SN_STACK_TORN);
    fake_at(&s->fake, s->third + s->table.layout.frame_entry)[0] = 1;
    CHECK_EQUAL(look(s), SN_STACK_READ);
    CHECK_EQUAL(s->count, 1);
    end(s);
}

static void a_process_that_ended_or_cannot_be_read_is_told(void) {
    looked_at *s = begin(true, 80);
    s->fake.refusal = SN_READ_OVER;
    CHECK_EQUAL(look(s), SN_STACK_OVER);
    s->fake.refusal = SN_READ_FORBIDDEN;
    CHECK_EQUAL(look(s), SN_STACK_FORBIDDEN);
    s->fake.refusal = SN_READ_ABSENT;
    CHECK_EQUAL(look(s), SN_STACK_TORN);
    end(s);
}

static void layouts_are_known_for_some_versions_only(void) {
    sn_python_layout l;
    CHECK(sn_python_layout_of(0x030B07F0, &l) && l.owner_c == SN_NO_OWNER);
    CHECK(sn_python_layout_of(0x030C01F0, &l) && l.owner_c == 3);
    CHECK(!sn_python_layout_of(0x030A00F0, &l));
    CHECK(!sn_python_layout_of(0x030D00F0, &l)); /* it tells its own */
    uint8_t told[SN_OFFSETS_BYTES] = "xdebugpy";
    CHECK(!sn_python_layout_told(told, &l));
    uint64_t version = 0x030D00F0;
    memcpy(told + 8, &version, sizeof version);
    CHECK(!sn_python_layout_told(told, &l)); /* no frame holds what is read of it */
}

CHECK_MAIN(TEST(a_stack_is_read_with_the_line_of_each_frame), TEST(frames_of_c_functions_and_of_the_interpreter_are_left_out),
           TEST(a_frame_of_c_that_holds_only_another_is_no_call_from_c),
           TEST(a_thread_without_frames_runs_nothing), TEST(a_call_that_comes_in_its_place_meanwhile_is_not_taken_for_it),
           TEST(what_was_on_top_first_is_told_whatever_begins_or_ends_since),
           TEST(calls_that_were_not_seen_are_not_believed_where_the_caller_has_gone_on),
           TEST(coroutines_are_those_of_frames_that_are_believed),
           TEST(a_coroutine_that_is_suspended_meanwhile_is_told_with_its_callers),
           TEST(a_coroutine_that_goes_on_meanwhile_has_no_certain_line),
           TEST(coroutines_whose_memory_was_given_back_do_no_harm),
           TEST(what_ended_is_no_call_of_what_came_to_its_callers_place),
           TEST(a_callee_that_changes_all_the_time_is_cut_off),
           TEST(a_later_call_in_its_place_does_not_stand_for_what_was_on_top_first), TEST(short_calls_are_not_given_to_their_caller),
           TEST(a_caller_that_went_on_has_no_callees_that_are_believed),
           TEST(a_stack_whose_outermost_frame_changes_is_the_one_or_the_other), TEST(code_that_was_freed_is_not_taken_for_what_it_was),
           TEST(names_that_were_written_over_in_place_are_noticed), TEST(what_is_no_code_object_is_no_frame),
           TEST(what_is_no_name_is_no_function),
           TEST(chains_that_do_not_end_are_torn), TEST(a_frame_that_nobody_has_called_is_no_stack), TEST(a_process_that_ended_or_cannot_be_read_is_told),
           TEST(layouts_are_known_for_some_versions_only))
