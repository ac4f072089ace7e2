/* What interpreters tell about their structures, and whether it is believed: as they tell it, as damage has it. */
#include "check.h"
#include "fake_python.h"

#include "../core/stacks/asyncio_offsets.h"
#include "../core/stacks/debug_offsets.h"
#include "../core/stacks/python_check.h"

#include <pthread.h>
#include <string.h>

enum { WORDS = SN_OFFSETS_BYTES / 8 };

/* What Debian's builds of 3.14.10 and 3.15.2 tell: numbers of words and their values, of those that are read. */
typedef struct {
    uint8_t word;
    uint16_t value;
} told_word;

static const told_word of_3_14[] = {
    {5, 808}, {8, 7272}, {9, 7344}, {11, 7408}, {12, 7688}, {15, 16}, {16, 7784}, {18, 7800}, {19, 7792}, {24, 8}, {25, 16},
    {26, 72}, {28, 160}, {32, 8}, {33, 0}, {34, 56}, {35, 80}, {36, 74}, {40, 112}, {42, 128}, {43, 136}, {44, 68}, {45, 52},
    {48, 208}, {51, 8}, {53, 24}, {67, 32}, {75, 16}, {76, 32}, {78, 32}, {79, 16}, {80, 40}, {82, 192}, {85, 72}, {0, 0},
};
static const told_word of_3_15[] = {
    {5, 936}, {8, 7264}, {9, 7336}, {11, 7400}, {12, 7592}, {15, 16}, {16, 7736}, {18, 7752}, {19, 7744}, {24, 8}, {25, 16},
    {26, 72}, {31, 184}, {40, 8}, {41, 0}, {42, 56}, {43, 80}, {44, 74}, {48, 112}, {50, 128}, {51, 136}, {52, 68}, {53, 52},
    {56, 208}, {59, 8}, {61, 24}, {79, 32}, {87, 16}, {88, 32}, {90, 32}, {91, 16}, {92, 40}, {95, 112}, {101, 72}, {0, 0},
};

static void tell(uint64_t *words, uint64_t version, const told_word *told) {
    memset(words, 0, SN_OFFSETS_BYTES);
    memcpy(words, "xdebugpy", 8);
    words[1] = version;
    for (; told->word; told++) words[told->word] = told->value;
}

static bool layout_of(const uint64_t *words, sn_python_layout *layout) {
    return sn_python_layout_told((const uint8_t *)words, layout);
}

static void what_interpreters_tell_is_taken_over(void) {
    uint64_t words[WORDS];
    sn_python_layout l;
    uint32_t version = 0;
    tell(words, 0x030E0AF0, of_3_14);
    CHECK(sn_python_version_told((const uint8_t *)words, &version) && version == 0x030E0AF0);
    CHECK(layout_of(words, &l));
    CHECK_EQUAL(l.runtime_interpreters, 808);
    CHECK_EQUAL(l.state_frame, 72);
    CHECK_EQUAL(l.state_native_id, 160);
    CHECK_EQUAL(l.interpreter_collecting, 7600);
    CHECK_EQUAL(l.lock_holder, 8);
    CHECK_EQUAL(l.lock_conditions, 32);
    CHECK_EQUAL(l.lock_bytes, 32 + 2 * (sizeof(pthread_cond_t) + sizeof(pthread_mutex_t)));
    CHECK_EQUAL(l.code_flags, 48);
    CHECK_EQUAL(l.frame_tags, 3);
    CHECK(l.clears_frames);
    CHECK(!l.frame_copy && !l.code_copies && !l.text_shift && !l.is_free_threaded && !l.task_coroutine);
    tell(words, 0x030F02F0, of_3_15);
    CHECK(layout_of(words, &l));
    CHECK_EQUAL(l.state_native_id, 184);
    CHECK_EQUAL(l.interpreter_collecting, 7512);
    CHECK_EQUAL(l.generator_frame, 72);
}

static void a_version_to_come_is_taken_to_tell_the_same_as_the_last_one(void) {
    uint64_t words[WORDS];
    sn_python_layout l;
    tell(words, 0x031000F0, of_3_15);
    CHECK(layout_of(words, &l) && l.state_native_id == 184);
    tell(words, 0x031000F0, of_3_14); /* what is in between others makes no sense */
    CHECK(!layout_of(words, &l));
    tell(words, 0x030C00F0, of_3_15);
    CHECK(!layout_of(words, &l));
    tell(words, UINT64_C(0x01030E0AF0), of_3_14);
    CHECK(!layout_of(words, &l));
    tell(words, 0x040000F0, of_3_15);
    CHECK(!layout_of(words, &l));
}

static void a_build_without_a_global_lock_has_none_to_look_at(void) {
    uint64_t words[WORDS];
    sn_python_layout l;
    tell(words, 0x030E0AF0, of_3_14);
    words[2] = 1;
    words[36] = 78; /* the owner of a frame; before it the number of the copy that it runs */
    words[38] = 72;
    words[49] = 200;
    CHECK(layout_of(words, &l));
    CHECK(l.is_free_threaded && !l.interpreter_lock && l.frame_copy == 72 && l.code_copies == 200 && l.text_shift == 6);
    words[2] = 2;
    CHECK(!layout_of(words, &l));
}

/* Whatever one word is replaced by, what is read of structures lies within what is read of them. */
static void garbage_is_refused_or_harmless(void) {
    static const uint64_t garbage[] = {0, 1, 7, 8, 74, 248, 249, 255, 256, 4095, 1 << 20, UINT32_MAX, UINT64_C(1) << 32, UINT64_MAX};
    const told_word *const all[] = {of_3_14, of_3_15};
    unsigned refused = 0;
    for (unsigned which = 0; which < 2; which++)
        for (unsigned word = 1; word < WORDS; word++)
            for (unsigned i = 0; i < sizeof garbage / sizeof *garbage; i++) {
                uint64_t words[WORDS];
                sn_python_layout l;
                tell(words, which ? 0x030F02F0 : 0x030E0AF0, all[which]);
                words[word] = garbage[i];
                if (!layout_of(words, &l)) {
                    refused++;
                    continue;
                }
                CHECK(l.frame_code + 8 <= l.frame_bytes && l.frame_instruction + 8 <= l.frame_bytes);
                CHECK(l.frame_previous + 8 <= l.frame_bytes && l.frame_owner < l.frame_bytes && l.frame_bytes <= 256);
                CHECK(l.code_flags + 4 <= 256 && l.code_name + 8 <= 256 && l.code_line_table + 8 <= 256 && l.object_type + 8 <= 256);
                CHECK(l.text_length < l.text_state && l.text_state < l.text_ascii && l.text_compact - l.text_length <= 64);
                CHECK(l.lock_holder < l.lock_conditions && l.lock_locked < l.lock_conditions && l.lock_conditions < l.lock_bytes);
                CHECK(l.state_frame != l.state_next && l.frame_code != l.frame_previous && l.code_file != l.code_name);
            }
    CHECK(refused > 300);
    uint64_t nothing[WORDS] = {0};
    sn_python_layout l;
    uint32_t version;
    CHECK(!layout_of(nothing, &l) && !sn_python_version_told((const uint8_t *)nothing, &version));
    tell(nothing, 0x030E0AF0, of_3_14 + sizeof of_3_14 / sizeof *of_3_14 - 1);
    CHECK(!layout_of(nothing, &l)); /* only zeros */
}

typedef struct {
    fake_python fake;
    uint64_t state, type, name, frame;
} checked;

/* A Python as 3.14 has it, with one thread that runs two functions. */
static checked *begin(void) {
    checked *c = calloc(1, sizeof *c);
    CHECK(c);
    uint64_t words[WORDS];
    fake_begin(&c->fake, false);
    tell(words, 0x030E0AF0, of_3_14);
    sn_python_layout *l = &c->fake.python.layout;
    CHECK(layout_of(words, l));
    l->runtime_interpreters = 40; /* structures of an interpreter fit into what is faked */
    l->interpreter_next = 0;
    l->interpreter_threads = 72;
    c->type = fake_take(&c->fake, 64);
    c->name = fake_take(&c->fake, 16);
    memcpy(fake_at(&c->fake, c->name), "code", 5);
    fake_put(&c->fake, c->type + l->type_name, c->name);
    c->fake.python.code_type = c->type;
    uint64_t interpreter = fake_take(&c->fake, 1024);
    fake_put(&c->fake, c->fake.python.runtime + l->runtime_interpreters, interpreter);
    c->fake.root = fake_take(&c->fake, l->frame_bytes);
    fake_at(&c->fake, c->fake.root + l->frame_owner)[0] = 3;
    uint64_t code = fake_code(&c->fake, "work", "app.py", 1, 3);
    c->frame = fake_push(&c->fake, code, 0, c->fake.root, 96);
    fake_put(&c->fake, c->frame + l->frame_code, code | 1); /* a tagged reference: it is not counted */
    c->state = fake_thread(&c->fake, fake_push(&c->fake, code, 1, c->frame, 96), 7, 0);
    fake_put(&c->fake, c->state + l->state_interpreter, interpreter);
    fake_set_threads(&c->fake, c->state);
    return c;
}

static sn_python_result check_now(checked *c) {
    const sn_memory_reader memory = fake_reader(&c->fake);
    return sn_python_check(&memory, &c->fake.python);
}

static void a_layout_is_right_if_its_thread_points_back_and_code_is_code(void) {
    checked *c = begin();
    const sn_python_layout *l = &c->fake.python.layout;
    CHECK_EQUAL(check_now(c), SN_PYTHON_FOUND);
    fake_at(&c->fake, c->name)[3] = 'a';
    CHECK_EQUAL(check_now(c), SN_PYTHON_UNKNOWN);
    fake_at(&c->fake, c->name)[3] = 'e';
    fake_put(&c->fake, c->state + l->state_interpreter, c->state);
    CHECK_EQUAL(check_now(c), SN_PYTHON_UNKNOWN);
    fake_put(&c->fake, c->state + l->state_interpreter, fake_get(&c->fake, c->fake.python.runtime + l->runtime_interpreters));
    CHECK_EQUAL(check_now(c), SN_PYTHON_FOUND);
    fake_put(&c->fake, c->state + l->state_native_id, FAKE_BASE); /* a pointer is no thread's number */
    CHECK_EQUAL(check_now(c), SN_PYTHON_UNKNOWN);
    fake_set_threads(&c->fake, 0);
    CHECK_EQUAL(check_now(c), SN_PYTHON_NOT_READY);
    c->fake.refusal = SN_READ_OVER;
    CHECK_EQUAL(check_now(c), SN_PYTHON_NOT_READY);
    free(c);
}

static void the_type_of_code_objects_is_found_on_a_stack(void) {
    checked *c = begin();
    const sn_python_layout *l = &c->fake.python.layout;
    c->fake.python.code_type = 0;
    CHECK_EQUAL(check_now(c), SN_PYTHON_FOUND);
    CHECK_EQUAL(c->fake.python.code_type, c->type);
    c->fake.python.code_type = 0;
    fake_set_top(&c->fake, c->state, c->frame); /* whose reference has a tag */
    CHECK_EQUAL(check_now(c), SN_PYTHON_FOUND);
    c->fake.python.code_type = 0;
    fake_set_top(&c->fake, c->state, c->fake.root); /* only the frame of a C function */
    CHECK_EQUAL(check_now(c), SN_PYTHON_NOT_READY);
    c->fake.python.layout.type_name = 0;
    CHECK_EQUAL(check_now(c), SN_PYTHON_NO_SYMBOLS);
    CHECK_EQUAL(l->type_name, 0);
    free(c);
}

/* Look at the thread once: the lines of its two frames, of one code object. */
static void look(checked *c, uint32_t lines[2]) {
    sn_code_table table;
    sn_code_functions functions = {0};
    sn_code_table_init(&table, &c->fake.python.layout, c->type);
    sn_stack_reader *reader = sn_stack_reader_create();
    CHECK(reader);
    const sn_memory_reader memory = fake_reader(&c->fake);
    sn_stack_thread thread = {.state = c->state};
    sn_stack_hint hint = {0};
    const sn_stack_frame *frames;
    uint32_t count = 0;
    CHECK_EQUAL(sn_stack_read(reader, &memory, &table, &functions, NULL, &thread, &hint, &frames, &count), SN_STACK_READ);
    CHECK_EQUAL(count, 2);
    CHECK_EQUAL(frames[0].code, frames[1].code); /* whatever its references are */
    for (unsigned i = 0; i < 2; i++) lines[i] = frames[i].line;
    sn_stack_reader_destroy(reader);
    sn_code_table_free(&table);
    sn_code_functions_free(&functions);
}

static void tagged_references_to_code_are_followed(void) {
    checked *c = begin();
    uint32_t lines[2];
    look(c, lines);
    CHECK(lines[0] == 1 && lines[1] == 2);
    free(c);
}

/* The caller runs the second copy, the callee the third; the first are the instructions themselves. */
static void lines_are_those_of_copies_of_instructions(void) {
    checked *c = begin();
    sn_python_layout *l = &c->fake.python.layout;
    uint64_t top = fake_get(&c->fake, c->state + l->state_frame), code = fake_get(&c->fake, top + l->frame_code);
    uint64_t list = fake_take(&c->fake, 32), copies[] = {code + l->code_instructions, fake_take(&c->fake, 16), fake_take(&c->fake, 16)};
    uint32_t lines[2];
    l->frame_copy = 76;
    l->code_copies = 200;
    fake_put(&c->fake, list, 3);
    for (unsigned i = 0; i < 3; i++) fake_put(&c->fake, list + 8 + 8 * i, copies[i]);
    fake_put(&c->fake, code + l->code_copies, list);
    fake_at(&c->fake, c->frame + l->frame_copy)[0] = 1;
    fake_put(&c->fake, c->frame + l->frame_instruction, copies[1] + 2);
    fake_at(&c->fake, top + l->frame_copy)[0] = 2;
    fake_put(&c->fake, top + l->frame_instruction, copies[2] + 4);
    look(c, lines);
    CHECK(lines[0] == 2 && lines[1] == 3);
    fake_at(&c->fake, top + l->frame_copy)[0] = 3; /* there is none of this number */
    look(c, lines);
    CHECK(lines[0] == 2 && lines[1] == 0);
    fake_put(&c->fake, code + l->code_copies, UINT64_C(0x10)); /* nor a list */
    look(c, lines);
    CHECK(lines[0] == 0 && lines[1] == 0);
    fake_at(&c->fake, top + l->frame_copy)[0] = 0;
    fake_put(&c->fake, top + l->frame_instruction, copies[0] + 2);
    look(c, lines);
    CHECK(lines[0] == 0 && lines[1] == 2);
    free(c);
}

static void what_asyncio_tells_is_taken_over_or_refused(void) {
    const uint64_t of_3_14_asyncio[] = {168, 136, 96, 108, 109, 128, 152, 225864, 10880, 936, 864, 872, 880};
    uint64_t words[SN_ASYNCIO_BYTES / 8];
    sn_python_layout l = {0};
    memcpy(words, of_3_14_asyncio, sizeof words);
    CHECK(sn_asyncio_layout_told((const uint8_t *)words, &l) && l.task_coroutine == 128 && l.state_task == 872);
    static const struct {
        unsigned word;
        uint64_t value;
    } damages[] = {{0, 1 << 20}, {0, 136}, {5, 0}, {5, 160}, {5, UINT64_MAX - 7}, {1, 128}, {9, UINT64_MAX}, {11, 0}, {11, 936}, {11, 873}};
    for (unsigned i = 0; i < sizeof damages / sizeof *damages; i++) {
        sn_python_layout kept = {0};
        memcpy(words, of_3_14_asyncio, sizeof words);
        words[damages[i].word] = damages[i].value;
        CHECK(!sn_asyncio_layout_told((const uint8_t *)words, &kept) && !kept.task_coroutine && !kept.state_task);
    }
}

CHECK_MAIN(TEST(what_interpreters_tell_is_taken_over), TEST(a_version_to_come_is_taken_to_tell_the_same_as_the_last_one),
           TEST(a_build_without_a_global_lock_has_none_to_look_at), TEST(garbage_is_refused_or_harmless),
           TEST(a_layout_is_right_if_its_thread_points_back_and_code_is_code), TEST(the_type_of_code_objects_is_found_on_a_stack),
           TEST(tagged_references_to_code_are_followed), TEST(lines_are_those_of_copies_of_instructions), TEST(what_asyncio_tells_is_taken_over_or_refused))
