/* The slab forest as an automaton, against the forest with two cursors and against counting by looking everywhere; what
 * compiled code does is done here in C. */
#include "check.h"
#include "grams_model.h"

#include "../core/paths/slab_states.h"

enum { MOST_K = 12, IDS = 300, ROUTINES = 3, ROOM = 1 << 18 };

static const uint32_t rows[ROUTINES] = {1, 5, SN_SLAB_ROW};

typedef struct {
    grams_item items[IDS];
    bool begins[IDS];
    size_t count;
} stream;

/* Many different ids in the first routine; in the others, one for each word of a row. */
static void make_stream(stream *s, uint64_t *random) {
    uint64_t often = 1 + check_random(random) % 40, different = UINT64_C(1) << check_random(random) % 7;
    uint32_t routine = 0, piece = 0;
    s->count = check_random(random) % IDS;
    for (size_t i = 0; i < s->count; i++) {
        s->begins[i] = !i || check_random(random) % often == 0;
        if (s->begins[i]) {
            routine = (uint32_t)(check_random(random) % ROUTINES);
            piece++;
        }
        uint64_t id = check_random(random) % different;
        s->items[i] = (grams_item){routine ? id % rows[routine] : id * UINT64_C(0x123456789ab), piece, routine};
    }
}

/* A path, as compiled code counts it where it can; `slow` counts the calls. */
static uint32_t count_path(sn_slab_states *states, uint32_t state, const grams_item *item, size_t *slow) {
    sn_slab_node *nodes = states->forest.nodes;
    uint32_t *word = (uint32_t *)(nodes + state + 1) + (item->routine ? item->id : 0);
    if (*word && nodes[*word].id == item->id) {
        nodes[*word].count++;
        return *word;
    }
    CHECK(!item->routine || !*word);
    ++*slow;
    uint32_t next = sn_slab_follow(states, state, item->id, item->routine, rows[item->routine]);
    if (state != SN_SLAB_LIMBO && next != SN_SLAB_LIMBO) *word = next;
    return next;
}

static size_t count_stream(sn_slab_states *states, const stream *s) {
    uint32_t state = 0;
    size_t slow = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (s->begins[i]) {
            state = states->roots[s->items[i].routine];
            states->forest.nodes[state].count++;
        }
        state = count_path(states, state, &s->items[i], &slow);
    }
    return slow;
}

static void check_rows(const sn_slab_forest *forest, const grams_item *items, size_t count) {
    uint64_t path[MOST_K];
    sn_path_rows made;
    CHECK_EQUAL(sn_path_rows_make(forest, 1, ROOM, &made), SN_OK);
    CHECK(grams_agree(&made, items, count, forest->k, 1, path));
    sn_path_rows_free(&made);
}

static void counts_are_those_of_looking_everywhere(void) {
    static stream s;
    uint64_t random = 521288629;
    for (int round = 0; round < 200; round++) {
        make_stream(&s, &random);
        sn_slab_states states;
        CHECK_EQUAL(sn_slab_states_create(&states, -1, 1 + round % MOST_K, ROOM, ROUTINES, rows), SN_OK);
        count_stream(&states, &s);
        CHECK_EQUAL(sn_slab_dropped(&states.forest), 0);
        check_rows(&states.forest, s.items, s.count);
        sn_slab_states_destroy(&states);
    }
}

static void nodes_and_counts_are_those_of_two_cursors(void) {
    static stream s;
    uint64_t random = 88172645;
    for (int round = 0; round < 100; round++) {
        make_stream(&s, &random);
        uint32_t k = 1 + (uint32_t)round % MOST_K;
        sn_slab_states states;
        sn_slab_forest twin;
        sn_slab_activation a = {0};
        sn_path_rows made[2];
        CHECK_EQUAL(sn_slab_states_create(&states, -1, k, ROOM, ROUTINES, rows), SN_OK);
        CHECK_EQUAL(sn_slab_create(&twin, -1, k, ROOM), SN_OK);
        count_stream(&states, &s);
        for (size_t i = 0; i < s.count; i++) {
            if (s.begins[i]) sn_slab_begin(&twin, s.items[i].routine, &a);
            sn_slab_next(&twin, &a, s.items[i].id);
        }
        CHECK_EQUAL(sn_path_rows_make(&states.forest, 1, ROOM, &made[0]), SN_OK);
        CHECK_EQUAL(sn_path_rows_make(&twin, 1, ROOM, &made[1]), SN_OK);
        CHECK_EQUAL(made[0].rows, made[1].rows);
        for (size_t row = 0; row < made[0].rows; row++) { /* routines have their activations */
            CHECK_EQUAL(made[0].parent[row], made[1].parent[row]);
            CHECK_EQUAL(made[0].id[row], made[1].id[row]);
            CHECK_EQUAL(made[0].count[row], made[1].count[row]);
        }
        for (int i = 0; i < 2; i++) sn_path_rows_free(&made[i]);
        sn_slab_states_destroy(&states);
        sn_slab_destroy(&twin);
    }
}

/* What repeats itself is in the states once it has been seen, wherever chunks begin. */
static void what_repeats_itself_needs_no_call(void) {
    for (uint32_t k = 1; k < MOST_K; k++)
        for (uint32_t routine = 0; routine < ROUTINES; routine++) {
            sn_slab_states states;
            CHECK_EQUAL(sn_slab_states_create(&states, -1, k, ROOM, ROUTINES, rows), SN_OK);
            uint32_t state = states.roots[routine];
            size_t slow = 0, before = 0;
            for (uint64_t i = 0; i < 3000; i++) {
                if (i == 1000) before = slow;
                state = count_path(&states, state, &(grams_item){i % 3, 0, routine}, &slow);
            }
            CHECK(before > 0);
            CHECK_EQUAL(slow, before);
            sn_slab_states_destroy(&states);
        }
}

/* Where there is no room, the forest is that of the stream with a mark instead. */
static void a_full_forest_is_right_for_what_it_kept(void) {
    static stream s;
    static grams_item kept[IDS];
    uint64_t random = 362436069;
    size_t full = 0;
    for (int round = 0; round < 150; round++) {
        make_stream(&s, &random);
        sn_slab_states states;
        uint64_t most = check_random(&random) % 120, dropped = 0;
        CHECK_EQUAL(sn_slab_states_create(&states, -1, 1 + round % MOST_K, most, ROUTINES, rows), SN_OK);
        uint64_t own = states.forest.used;
        uint32_t state = 0, piece = 0;
        size_t count = 0, slow = 0;
        for (size_t i = 0; i < s.count; i++) {
            if (s.begins[i]) {
                state = states.roots[s.items[i].routine];
                states.forest.nodes[state].count++;
                piece++;
            }
            state = count_path(&states, state, &s.items[i], &slow);
            if (sn_slab_dropped(&states.forest) > dropped) {
                dropped = sn_slab_dropped(&states.forest);
                CHECK_EQUAL(state, SN_SLAB_LIMBO);
                piece++;
            } else {
                kept[count++] = (grams_item){s.items[i].id, piece, s.items[i].routine};
            }
        }
        CHECK_EQUAL(count + dropped, s.count);
        CHECK(states.forest.used - own <= most);
        check_rows(&states.forest, kept, count);
        full += dropped > 0;
        sn_slab_states_destroy(&states);
    }
    CHECK(full > 10);
}

static void nodes_in_rows_know_whose_they_are(void) {
    sn_slab_states states;
    CHECK_EQUAL(sn_slab_states_create(&states, -1, 3, ROOM, ROUTINES, rows), SN_OK);
    CHECK_EQUAL(states.roots[0], SN_SLAB_FIRST);
    CHECK_EQUAL(states.roots[1], SN_SLAB_FIRST + 2);
    CHECK_EQUAL(states.roots[2], SN_SLAB_FIRST + 2 + 2);
    CHECK_EQUAL(states.forest.used, SN_SLAB_FIRST + 2 + 2 + 4);
    for (uint32_t node = SN_SLAB_LIMBO; node < states.forest.used; node++) {
        uint32_t wanted = SN_SLAB_LIMBO;
        for (int i = 0; i < ROUTINES; i++)
            if (node >= states.roots[i]) wanted = states.roots[i];
        CHECK_EQUAL(sn_slab_row_of(&states, node), wanted);
    }
    uint32_t next = sn_slab_follow(&states, SN_SLAB_LIMBO, 1, 2, SN_SLAB_ROW);
    for (uint32_t i = 0; i < SN_SLAB_PLACES(SN_SLAB_ROW); i++) CHECK_EQUAL(sn_slab_row_of(&states, next + i), next);
    for (uint32_t i = 0; i < SN_SLAB_PLACES(SN_SLAB_ROW); i++)
        CHECK_EQUAL(states.forest.nodes[SN_SLAB_LIMBO + i].child, 0);
    sn_slab_states_destroy(&states);
}

static void bad_input_is_refused(void) {
    sn_slab_states states;
    CHECK_EQUAL(sn_slab_states_create(&states, -1, 0, ROOM, ROUTINES, rows), SN_BAD_INPUT);
}

int main(void) {
    const check_test tests[] = {
        TEST(counts_are_those_of_looking_everywhere),
        TEST(nodes_and_counts_are_those_of_two_cursors),
        TEST(what_repeats_itself_needs_no_call),
        TEST(a_full_forest_is_right_for_what_it_kept),
        TEST(nodes_in_rows_know_whose_they_are),
        TEST(bad_input_is_refused),
    };
    return check_all(tests, sizeof tests / sizeof *tests);
}
