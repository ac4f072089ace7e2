/* The k-slab forest and what is made of it, against counting by looking everywhere. */
#define _GNU_SOURCE
#include "check.h"
#include "grams_model.h"

#include <sys/resource.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { ROOM = 1 << 20, MOST_K = 12 };

/* The running example of the source: Figure 3.5. */
static const uint64_t example[] = {6, 2, 0, 0, 2, 2, 0, 0, 2, 2, 0, 0, 2, 3};

static void create(sn_slab_forest *forest, uint32_t k, uint64_t most) {
    CHECK_EQUAL(sn_slab_create(forest, -1, k, most), SN_OK);
}

static void take(sn_slab_forest *forest, sn_slab_activation *activation, const uint64_t *ids, size_t count) {
    for (size_t i = 0; i < count; i++) sn_slab_next(forest, activation, ids[i]);
}

/* The node to which ids lead from a routine; 0: there is none. */
static uint32_t node_at(const sn_slab_forest *forest, uint32_t node, const uint64_t *ids, size_t count) {
    for (size_t i = 0; node && i < count; i++) {
        uint32_t first = forest->nodes[node].child, child = first, found = 0;
        while (child && !found) {
            if (forest->nodes[child].id == ids[i]) found = child;
            child = sn_slab_sibling(forest, child);
            if (child == first) break;
        }
        node = found;
    }
    return node;
}

static void agree(const sn_slab_forest *forest, const grams_item *items, size_t count, uint64_t least) {
    uint64_t path[64];
    sn_path_rows rows;
    CHECK_EQUAL(sn_path_rows_make(forest, least, ROOM, &rows), SN_OK);
    CHECK(grams_agree(&rows, items, count, forest->k, least, path));
    sn_path_rows_free(&rows);
}

static void the_running_example_has_the_4_slab_forest_of_figure_3_6(void) {
    /* Example 4: all prefixes of the first two chunks, those of at least 4 ids of each two chunks behind. */
    static const uint64_t chains[][6] = {
        {6, 2, 0, 0, 2, 2}, {0, 2, 2, 0, 0, 2}, {0, 0, 2, 2, 0, 0}, {2, 0, 0, 2, 3}};
    static const size_t lengths[] = {6, 6, 6, 5};
    static const uint64_t counts[][6] = {
        {1, 1, 1, 1, 1, 1}, {0, 0, 0, 1, 1, 1}, {0, 0, 0, 1, 1, 1}, {0, 0, 0, 1, 1}};
    sn_slab_forest forest;
    sn_slab_activation a;
    create(&forest, 4, ROOM);
    sn_slab_begin(&forest, 0, &a);
    take(&forest, &a, example, COUNT(example));
    for (size_t chain = 0; chain < COUNT(chains); chain++)
        for (size_t length = 1; length <= lengths[chain]; length++) {
            uint32_t node = node_at(&forest, a.routine, chains[chain], length);
            CHECK(node);
            CHECK_EQUAL(forest.nodes[node].count, counts[chain][length - 1]);
        }
    /* Two chains begin with the same 0. The last chunk is in the upper slab, too, without a count; and the routine. */
    CHECK_EQUAL(sn_slab_nodes(&forest), 6 + 6 + 5 + 5 + 1 + 1);
    sn_slab_destroy(&forest);
}

static void the_running_example_has_the_counts_of_figure_3_5(void) {
    static const struct {
        uint64_t ids[4];
        size_t length;
        uint64_t count;
    } known[] = {{{2, 0, 0, 2}, 4, 3}, {{0, 0}, 2, 3}, {{6}, 1, 1}, {{2}, 1, 6}, {{0}, 1, 6}, {{3}, 1, 1}};
    grams_item items[COUNT(example)];
    for (size_t i = 0; i < COUNT(example); i++) items[i] = (grams_item){example[i], 0, 0};
    for (size_t i = 0; i < COUNT(known); i++)
        CHECK_EQUAL(grams_count(items, COUNT(example), known[i].ids, known[i].length, 0), known[i].count);
    sn_slab_forest forest;
    sn_slab_activation a;
    create(&forest, 4, ROOM);
    sn_slab_begin(&forest, 0, &a);
    take(&forest, &a, example, COUNT(example));
    agree(&forest, items, COUNT(example), 1);
    sn_slab_destroy(&forest);
}

/* Streams of two routines, in which activations begin now and then; few different ids, or many. */
typedef struct {
    grams_item items[300];
    uint64_t ids[300], begins[300];
    uint32_t routines[300];
    size_t count, activations;
} stream;

static void make_stream(stream *s, uint64_t *random) {
    uint64_t different = UINT64_C(1) << check_random(random) % 7, often = 1 + check_random(random) % 40;
    s->count = check_random(random) % 300;
    s->activations = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (!i || check_random(random) % often == 0) {
            s->routines[s->activations] = check_random(random) & 1;
            s->begins[s->activations++] = i;
        }
        s->ids[i] = check_random(random) % different * UINT64_C(0x123456789abcdef1);
        s->items[i] = (grams_item){s->ids[i], (uint32_t)s->activations, s->routines[s->activations - 1]};
    }
}

static void counts_are_those_of_looking_everywhere(void) {
    static stream s;
    uint64_t random = 2463534242;
    for (int round = 0; round < 150; round++) {
        make_stream(&s, &random);
        sn_slab_forest forest;
        sn_slab_activation a = {0};
        create(&forest, 1 + round % MOST_K, ROOM);
        sn_path_stream whole = {s.ids, s.count, s.begins, s.routines, s.activations};
        CHECK_EQUAL(sn_slab_stream(&forest, &a, &whole), SN_OK);
        CHECK_EQUAL(sn_slab_dropped(&forest), 0);
        agree(&forest, s.items, s.count, 1);
        agree(&forest, s.items, s.count, 2 + round % 3);
        uint64_t sum = 0;
        for (uint64_t i = SN_SLAB_TOP + 1; i < forest.used; i++) sum += forest.nodes[i].count;
        CHECK_EQUAL(sum, s.count + s.activations); /* each id in one counter */
        sn_slab_destroy(&forest);
    }
}

static void a_stream_may_be_fed_in_any_parts(void) {
    static stream s;
    uint64_t random = 88675123;
    for (int round = 0; round < 60; round++) {
        make_stream(&s, &random);
        sn_slab_forest forest;
        sn_slab_activation a = {0};
        create(&forest, 1 + round % MOST_K, ROOM);
        for (size_t from = 0, marks = 0; from < s.count || marks < s.activations;) {
            size_t count = check_random(&random) % 20, end = from + count < s.count ? from + count : s.count, next = marks;
            uint64_t begins[300];
            for (; next < s.activations && s.begins[next] <= end; next++) begins[next - marks] = s.begins[next] - from;
            sn_path_stream part = {s.ids + from, end - from, begins, s.routines + marks, next - marks};
            CHECK_EQUAL(sn_slab_stream(&forest, &a, &part), SN_OK);
            from = end;
            marks = next;
        }
        agree(&forest, s.items, s.count, 1);
        sn_slab_destroy(&forest);
    }
}

static void activations_may_be_within_one_another(void) {
    /* A recursion: the outer activation goes on where it was. */
    static const uint64_t outer[] = {1, 2, 3, 4, 5, 1, 2, 3, 4, 5}, inner[] = {1, 2, 1, 2, 1};
    grams_item items[COUNT(outer) + COUNT(inner)];
    sn_slab_forest forest;
    sn_slab_activation a, b;
    create(&forest, 3, ROOM);
    sn_slab_begin(&forest, 7, &a);
    take(&forest, &a, outer, 4);
    sn_slab_begin(&forest, 7, &b);
    take(&forest, &b, inner, 3);
    take(&forest, &a, outer + 4, 6);
    take(&forest, &b, inner + 3, 2);
    for (size_t i = 0; i < COUNT(outer); i++) items[i] = (grams_item){outer[i], 0, 7};
    for (size_t i = 0; i < COUNT(inner); i++) items[COUNT(outer) + i] = (grams_item){inner[i], 1, 7};
    agree(&forest, items, COUNT(items), 1);
    sn_slab_destroy(&forest);
}

static void the_child_used_last_is_first(void) {
    sn_slab_forest forest;
    sn_slab_activation a;
    uint64_t random = 521288629;
    create(&forest, 5, ROOM);
    sn_slab_begin(&forest, 0, &a);
    for (int i = 0; i < 5000; i++) {
        sn_slab_activation before = a;
        uint64_t id = check_random(&random) % 100;
        sn_slab_next(&forest, &a, id);
        uint32_t above = before.position ? before.top : before.routine, below = before.position ? before.bottom : before.top;
        CHECK_EQUAL(forest.nodes[above].child, a.top);
        CHECK_EQUAL(forest.nodes[a.top].id, id);
        if (below) CHECK_EQUAL(forest.nodes[below].child, a.bottom);
    }
    sn_slab_destroy(&forest);
}

/* Where there is no room, the forest is that of the stream with a mark instead. */
static void a_full_forest_is_right_for_what_it_kept(void) {
    static stream s;
    static grams_item kept[300];
    uint64_t random = 362436069;
    for (int round = 0; round < 100; round++) {
        make_stream(&s, &random);
        uint64_t most = check_random(&random) % 60, dropped = 0;
        uint32_t piece = 0;
        size_t count = 0, activation = 0;
        sn_slab_forest forest;
        sn_slab_activation a = {0};
        create(&forest, 1 + round % MOST_K, most);
        for (size_t i = 0; i < s.count; i++) {
            if (activation < s.activations && s.begins[activation] == i) {
                sn_slab_begin(&forest, s.routines[activation++], &a);
                piece++;
            }
            sn_slab_next(&forest, &a, s.ids[i]);
            if (sn_slab_dropped(&forest) > dropped) {
                dropped = sn_slab_dropped(&forest);
                piece++;
                continue;
            }
            kept[count++] = (grams_item){s.ids[i], piece, s.items[i].routine};
        }
        CHECK_EQUAL(count + dropped, s.count);
        CHECK(sn_slab_nodes(&forest) <= most);
        agree(&forest, kept, count, 1);
        sn_slab_destroy(&forest);
    }
}

static void it_lies_in_a_file_that_others_read(void) {
    char path[] = "/tmp/sonde-test-XXXXXX";
    int file = mkstemp(path);
    CHECK(file >= 0);
    sn_slab_forest forest;
    sn_slab_activation a;
    CHECK_EQUAL(sn_slab_create(&forest, file, 2, ROOM), SN_OK);
    sn_slab_begin(&forest, 3, &a);
    take(&forest, &a, example, COUNT(example));
    sn_slab_node found;
    FILE *other = fopen(path, "rb");
    CHECK(other && !fseek(other, (long)(a.routine * sizeof found), SEEK_SET));
    CHECK_EQUAL(fread(&found, sizeof found, 1, other), 1);
    CHECK(found.id == 3 && found.count == 1 && found.child == forest.nodes[a.routine].child);
    CHECK(!fseek(other, (long)(SN_SLAB_TOP * sizeof found), SEEK_SET) && fread(&found, sizeof found, 1, other) == 1);
    CHECK(found.id == 2 && found.count == 0 && found.child == a.routine);
    fclose(other);
    unlink(path);
    sn_slab_destroy(&forest);
}

static void full_storage_drops_ids(void) {
    char path[] = "/tmp/sonde-test-XXXXXX";
    int file = mkstemp(path);
    CHECK(file >= 0);
    unlink(path);
    struct rlimit limit = {1 << 17, RLIM_INFINITY};
    CHECK(!setrlimit(RLIMIT_FSIZE, &limit));
    sn_slab_forest forest;
    sn_slab_activation a;
    CHECK_EQUAL(sn_slab_create(&forest, file, 1, ROOM), SN_OK);
    sn_slab_begin(&forest, 0, &a);
    for (uint64_t id = 0; id < 20000; id++) sn_slab_next(&forest, &a, id);
    CHECK(sn_slab_dropped(&forest) > 0 && sn_slab_nodes(&forest) < (1 << 17) / sizeof(sn_slab_node));
    CHECK_EQUAL(sn_slab_dropped(&forest) + sn_slab_nodes(&forest) - 1, 20000);
    sn_slab_destroy(&forest);
}

/* The guarantee of SN_SLAB_NODE_BYTES, whatever the number of siblings. */
static void a_node_and_its_place_in_the_index_have_a_bound(void) {
    uint64_t random = 7;
    for (uint64_t different = 1; different <= 1 << 12; different *= 2) {
        sn_slab_forest forest;
        sn_slab_activation a;
        create(&forest, 4, ROOM);
        sn_slab_begin(&forest, 0, &a);
        for (int i = 0; i < 20000; i++) {
            sn_slab_next(&forest, &a, check_random(&random) % different);
            uint64_t bytes = forest.used * sizeof(sn_slab_node) + sn_sibling_index_bytes(&forest.index);
            CHECK(bytes <= 1024 + sn_slab_nodes(&forest) * SN_SLAB_NODE_BYTES);
        }
        CHECK(different <= 2 || forest.index.used > 0);
        sn_slab_destroy(&forest);
    }
}

/* Where k is 1, roots are looked for in a small table at first, by routine and id. */
static void roots_with_one_place_in_the_table_are_told_apart(void) {
    enum { IDS = 4, ROUNDS = 3 };
    sn_slab_forest forest;
    sn_slab_activation one, other;
    create(&forest, 1, ROOM);
    sn_slab_begin(&forest, 0, &one);
    for (uint32_t routine = 1; routine <= SN_SLAB_ROOTS; routine++) sn_slab_begin(&forest, routine, &other);
    CHECK_EQUAL(other.routine, one.routine + SN_SLAB_ROOTS);
    for (int round = 0; round < ROUNDS; round++)
        for (uint64_t id = 0; id < IDS; id++) {
            sn_slab_next(&forest, &one, id * SN_SLAB_ROOTS);
            sn_slab_next(&forest, &other, id * SN_SLAB_ROOTS);
        }
    CHECK_EQUAL(sn_slab_nodes(&forest), 1 + SN_SLAB_ROOTS + 2 * IDS);
    for (uint64_t at = 0; at < IDS; at++) {
        uint64_t id = at * SN_SLAB_ROOTS;
        CHECK_EQUAL(forest.nodes[node_at(&forest, one.routine, &id, 1)].count, ROUNDS);
        CHECK_EQUAL(forest.nodes[node_at(&forest, other.routine, &id, 1)].count, ROUNDS);
    }
    sn_slab_destroy(&forest);
}

static void bad_input_is_refused(void) {
    sn_slab_forest forest;
    sn_slab_activation a = {0};
    const uint64_t ids[] = {1, 2}, beyond[] = {3}, falling[] = {2, 1};
    const uint32_t routines[] = {0, 0};
    CHECK_EQUAL(sn_slab_create(&forest, -1, 0, ROOM), SN_BAD_INPUT);
    create(&forest, 2, ROOM);
    CHECK_EQUAL(sn_slab_stream(&forest, &a, &(sn_path_stream){ids, 2, beyond, routines, 1}), SN_BAD_INPUT);
    CHECK_EQUAL(sn_slab_stream(&forest, &a, &(sn_path_stream){ids, 2, falling, routines, 2}), SN_BAD_INPUT);
    CHECK_EQUAL(sn_slab_nodes(&forest), 0);
    sn_slab_destroy(&forest);
}

static void too_many_rows_are_refused(void) {
    sn_slab_forest forest;
    sn_slab_activation a;
    sn_path_rows rows;
    create(&forest, 4, ROOM);
    sn_slab_begin(&forest, 0, &a);
    take(&forest, &a, example, COUNT(example));
    CHECK_EQUAL(sn_path_rows_make(&forest, 1, 10, &rows), SN_NO_SPACE);
    sn_path_rows_free(&rows);
    CHECK_EQUAL(sn_path_rows_make(&forest, 3, 9, &rows), SN_OK);
    CHECK_EQUAL(rows.rows, 1 + 8); /* 0, 00, 002, 02, 2, 20, 200, 2002: taken three times or more */
    sn_path_rows_free(&rows);
    sn_slab_destroy(&forest);
}

CHECK_MAIN(TEST(the_running_example_has_the_4_slab_forest_of_figure_3_6),
           TEST(the_running_example_has_the_counts_of_figure_3_5), TEST(counts_are_those_of_looking_everywhere),
           TEST(a_stream_may_be_fed_in_any_parts), TEST(activations_may_be_within_one_another),
           TEST(the_child_used_last_is_first), TEST(a_full_forest_is_right_for_what_it_kept),
           TEST(it_lies_in_a_file_that_others_read), TEST(full_storage_drops_ids),
           TEST(a_node_and_its_place_in_the_index_have_a_bound), TEST(roots_with_one_place_in_the_table_are_told_apart), TEST(bad_input_is_refused),
           TEST(too_many_rows_are_refused))
