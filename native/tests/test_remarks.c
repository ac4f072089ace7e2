/* Remarks: what is read, skipped and refused. That YAML is read by its rules, and that the twin agrees, is for the
 * tests in Python. */
#include "check.h"

#include "example_remarks.h"

static bool read_text(sn_remarks *r, const char *text) {
    bool unended;
    CHECK_EQUAL(sn_remarks_read_yaml(r, text, strlen(text), NULL, 0, &unended), SN_OK);
    CHECK(example_is_whole(r));
    return unended;
}

static bool is_string(const sn_remarks *r, uint32_t number, const char *text) {
    const uint64_t *at = r->strings.offsets + number;
    return at[1] - at[0] == strlen(text) && !memcmp(r->strings.bytes + at[0], text, strlen(text));
}

static sn_remarks created(void) {
    sn_remarks r;
    CHECK_EQUAL(sn_remarks_create(&r), SN_OK);
    return r;
}

static void a_text_is_read_into_columns(void) {
    sn_remarks r = created();
    CHECK(!read_text(&r, example_text));
    CHECK_EQUAL(r.count, 2);
    CHECK_EQUAL(r.skipped, 0);
    CHECK_EQUAL(r.kinds[0], SN_REMARK_MISSED);
    CHECK(is_string(&r, r.passes[0], "inline") && is_string(&r, r.names[0], "NoDefinition"));
    CHECK(is_string(&r, r.functions[1], "f") && r.has_hotness[0] && !r.has_hotness[1]);
    CHECK_EQUAL(r.hotness[0], 300);
    CHECK_EQUAL(r.first_arguments[1], 5);
    CHECK_EQUAL(r.first_arguments[2], 7);
    CHECK(is_string(&r, r.values[3], "\n\x01it''s") && is_string(&r, r.values[4], "two\nlines\n"));
    CHECK(is_string(&r, r.values[5], "' inlined '"));
    CHECK(is_string(&r, r.files[r.places[1]], "a b.c"));
    CHECK_EQUAL(r.lines[r.places[1]], 7);
    CHECK_EQUAL(r.columns[r.argument_places[6]], 2);
    CHECK_EQUAL(r.argument_places[5], SN_REMARK_NONE);
    sn_remarks_destroy(&r);
}

static void a_damaged_remark_is_told_and_leaves_nothing(void) {
    sn_remarks r = created(), well = created();
    char text[4 * sizeof example_text];
    snprintf(text, sizeof text, "%s%s%s", "--- !Missed\nPass: other\nName: 'not closed\n...\n", example_text,
             "--- !Passed\nPass: lost");
    read_text(&r, text);
    read_text(&well, example_text);
    CHECK_EQUAL(r.count, 2);
    CHECK_EQUAL(r.skipped, 2);
    CHECK_EQUAL(r.problem_count, 2);
    CHECK(!strcmp(r.problems[0].what, "a quote is not closed"));
    CHECK(!strcmp(r.problems[1].what, "the text ends within it"));
    CHECK_EQUAL(r.problems[1].where, 33);
    CHECK_EQUAL(r.strings.count, well.strings.count);
    CHECK(!memcmp(r.strings.bytes, well.strings.bytes, well.strings.used));
    sn_remarks_destroy(&r);
    sn_remarks_destroy(&well);
}

static void all_that_is_skipped_is_counted_and_some_of_it_told(void) {
    sn_remarks r = created();
    for (int i = 0; i < 100; i++) read_text(&r, "--- !Missed\nPass: x\n...\n");
    CHECK_EQUAL(r.skipped, 100);
    CHECK_EQUAL(r.problem_count, SN_REMARK_PROBLEMS);
    sn_remarks_destroy(&r);
}

static void a_line_means_the_same_in_another_place_only_if_it_does(void) {
    /* An argument's line that would be a key of the remark; a line that goes on the second time. */
    sn_remarks r = created();
    read_text(&r, "--- !Missed\nPass: p\nName: n\nFunction: f\nArgs:\n- Pass: q\n...\n"
                  "--- !Missed\nPass: p\nName: n\nFunction: f\nArgs: []\n- Pass: q\n...\n"
                  "--- !Missed\nPass: p\n  q\nName: n\nFunction: f\n");
    CHECK_EQUAL(r.count, 2);
    CHECK_EQUAL(r.skipped, 1);
    CHECK(is_string(&r, r.passes[1], "p q"));
    sn_remarks_destroy(&r);
}

static void an_open_end_is_told(void) {
    sn_remarks r = created();
    CHECK(read_text(&r, "--- !Missed\nPass: p\nName: n\nFunction: f\n"));
    CHECK(!read_text(&r, "--- !Missed\nPass: p\nName: n\nFunction: f\n..."));
    CHECK_EQUAL(r.count, 2);
    sn_remarks_destroy(&r);
}

static void numbers_stand_for_strings_of_a_table(void) {
    sn_remarks r = created();
    bool unended;
    const char text[] = "--- !Missed\nPass: 0\nName: 1\nFunction: 2\n...\n"
                        "--- !Missed\nPass: 0\nName: 1\nFunction: 3\n...\n";
    const char table[] = "p\0n\0f"; /* the last without its own zero would do, too */
    CHECK_EQUAL(sn_remarks_read_yaml(&r, text, sizeof text - 1, table, sizeof table, &unended), SN_OK);
    CHECK_EQUAL(r.count, 1);
    CHECK_EQUAL(r.skipped, 1);
    CHECK(is_string(&r, r.functions[0], "f"));
    sn_remarks_destroy(&r);
}

static void a_container_is_read_into_columns(void) {
    static example_bits bits;
    for (uint64_t version = 0; version <= 1; version++) {
        sn_remarks r = created();
        sn_remark_container about;
        size_t size = example_container(&bits, version, true);
        CHECK_EQUAL(sn_remarks_read_bitstream(&r, bits.bytes, size, NULL, 0, &about), SN_OK);
        CHECK(example_is_whole(&r));
        CHECK_EQUAL(about.version, version);
        CHECK_EQUAL(r.count, 2);
        CHECK_EQUAL(r.unknown_counts[0], 2);
        CHECK(is_string(&r, r.names[1], "NoDefinition") && is_string(&r, r.functions[1], "f"));
        CHECK_EQUAL(r.kinds[0], SN_REMARK_MISSED);
        CHECK(r.hotness[0] == UINT64_MAX && r.has_hotness[0]);
        CHECK_EQUAL(r.lines[r.places[1]], 2);
        CHECK_EQUAL(r.lines[r.argument_places[0]], 8);
        CHECK_EQUAL(r.argument_places[1], SN_REMARK_NONE);
        CHECK(is_string(&r, r.values[1], "g"));
        sn_remarks_destroy(&r);
    }
}

static void a_container_without_strings_takes_those_given(void) {
    static example_bits bits;
    sn_remarks r = created();
    sn_remark_container about;
    size_t size = example_container(&bits, 0, false);
    CHECK_EQUAL(sn_remarks_read_bitstream(&r, bits.bytes, size, NULL, 0, &about), SN_BAD_INPUT);
    CHECK(about.needs_table && !r.count && !r.strings.count);
    const size_t whole = sizeof EXAMPLE_STRINGS;
    CHECK_EQUAL(sn_remarks_read_bitstream(&r, bits.bytes, size, EXAMPLE_STRINGS, whole, &about), SN_OK);
    CHECK_EQUAL(r.count, 2);
    /* too few of them: both remarks have an argument that names the last one */
    CHECK_EQUAL(sn_remarks_read_bitstream(&r, bits.bytes, size, EXAMPLE_STRINGS, whole - 2, &about), SN_OK);
    CHECK_EQUAL(r.count, 2);
    CHECK_EQUAL(r.skipped, 2);
    CHECK(example_is_whole(&r));
    sn_remarks_destroy(&r);
}

static void check_every_cut(bool has_strings, size_t most_kept, size_t between_blocks) {
    static example_bits bits;
    size_t size = example_container(&bits, 1, has_strings), whole = 0, kept = 0;
    for (size_t cut = 0; cut < size; cut++) {
        sn_remarks r = created();
        sn_remark_container about;
        uint8_t *bytes = malloc(cut + !cut); /* of its own, so that a sanitizer sees what is beyond */
        memcpy(bytes, bits.bytes, cut);
        if (sn_remarks_read_bitstream(&r, bytes, cut, NULL, 0, &about) != SN_OK) {
            CHECK(about.what && about.bit <= 8 * cut && !r.count && !r.arguments && !r.located && !r.strings.count);
            CHECK_EQUAL(kept, 0);
        } else if (about.what) {
            CHECK(about.bit <= 8 * cut && r.count >= kept && r.first_arguments[r.count] == r.arguments);
            kept = r.count;
        } else {
            whole++;
        }
        free(bytes);
        sn_remarks_destroy(&r);
    }
    CHECK_EQUAL(kept, most_kept);
    CHECK_EQUAL(whole, between_blocks);
}

static void every_cut_of_a_container_is_seen_or_between_blocks(void) {
    check_every_cut(true, 1, 2); /* behind the strings, and behind the first remark */
    check_every_cut(false, 0, 1);
}

static void newer_containers_are_refused(void) {
    static example_bits bits;
    sn_remarks r = created();
    sn_remark_container about;
    size_t size = example_container(&bits, 2, true);
    CHECK_EQUAL(sn_remarks_read_bitstream(&r, bits.bytes, size, NULL, 0, &about), SN_BAD_INPUT);
    CHECK(about.has_version && about.version == 2);
    sn_remarks_destroy(&r);
}

/* Words that differ in the highest bit, and words behind them that make up for it after one multiplication. */
static void strings_cannot_be_made_to_collide(void) {
    const uint64_t one[2] = {0x6161616161616161, 0x6262626262626262};
    const uint64_t other[2] = {one[0] ^ UINT64_C(1) << 63, one[1] ^ (UINT64_C(1) << 63 | UINT64_C(1) << 34)};
    for (uint64_t seed = 0; seed < 100; seed++)
        CHECK(sn_remark_hash((const char *)one, sizeof one, seed) !=
              sn_remark_hash((const char *)other, sizeof other, seed));
    sn_remark_strings first, second;
    CHECK(sn_remark_strings_create(&first) == SN_OK && sn_remark_strings_create(&second) == SN_OK);
    CHECK(first.seed != second.seed);
    sn_remark_strings_destroy(&first);
    sn_remark_strings_destroy(&second);
}

static void strings_are_forgotten_in_the_order_in_which_they_came(void) {
    sn_remark_strings s;
    uint32_t number;
    char text[24];
    CHECK_EQUAL(sn_remark_strings_create(&s), SN_OK);
    for (int round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < 5000; i++) {
            int size = snprintf(text, sizeof text, "%u", i * 7919u);
            CHECK_EQUAL(sn_remark_strings_add(&s, text, (size_t)size, &number), SN_OK);
            CHECK_EQUAL(number, i);
        }
        sn_remark_strings_forget(&s, 1000);
        CHECK_EQUAL(s.count, 1000);
        for (uint32_t i = 0; i < 1000; i++) {
            int size = snprintf(text, sizeof text, "%u", i * 7919u);
            CHECK_EQUAL(sn_remark_strings_add(&s, text, (size_t)size, &number), SN_OK);
            CHECK_EQUAL(number, i);
        }
    }
    CHECK_EQUAL(sn_remark_strings_add(&s, "", 0, &number), SN_OK);
    CHECK_EQUAL(number, 1000);
    sn_remark_strings_destroy(&s);
}

static void strings_without_bytes_are_one_string(void) {
    /* some of them have no address, for nothing was ever written down */
    sn_remarks r = created();
    read_text(&r, "--- !Missed\nPass: |\nName: \"\\\n  \"\nFunction: ''\nArgs:\n  - A: |\n  - B:\n...\n");
    CHECK_EQUAL(r.count, 1);
    CHECK(is_string(&r, r.passes[0], "") && r.names[0] == r.passes[0] && r.functions[0] == r.passes[0]);
    CHECK(r.values[0] == r.passes[0] && r.values[1] == r.passes[0]);
    sn_remarks_destroy(&r);
}

static void groups_keep_the_order_of_their_items(void) {
    const uint32_t of[] = {2, 0, 2, 1, 0}, wanted[] = {1, 4, 3, 0, 2}, bounds[] = {0, 2, 3, 5, 5};
    uint32_t starts[5], order[5];
    CHECK_EQUAL(sn_remark_groups(of, 5, 4, starts, order), SN_OK);
    CHECK(!memcmp(order, wanted, sizeof order) && !memcmp(starts, bounds, sizeof starts));
    CHECK_EQUAL(sn_remark_groups(of, 5, 2, starts, order), SN_BAD_INPUT);
}

CHECK_MAIN(TEST(a_text_is_read_into_columns), TEST(a_damaged_remark_is_told_and_leaves_nothing),
           TEST(all_that_is_skipped_is_counted_and_some_of_it_told),
           TEST(a_line_means_the_same_in_another_place_only_if_it_does), TEST(an_open_end_is_told),
           TEST(numbers_stand_for_strings_of_a_table), TEST(a_container_is_read_into_columns),
           TEST(a_container_without_strings_takes_those_given),
           TEST(every_cut_of_a_container_is_seen_or_between_blocks),
           TEST(newer_containers_are_refused), TEST(strings_cannot_be_made_to_collide),
           TEST(strings_are_forgotten_in_the_order_in_which_they_came),
           TEST(strings_without_bytes_are_one_string), TEST(groups_keep_the_order_of_their_items))
