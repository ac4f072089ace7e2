/* The index of wide parents' children: against plain lists. */
#include "../core/contexts/child_index.h"
#include "check.h"

enum { PARENTS = 400, CHILDREN = 300 };

static uint32_t hash_of(uint32_t child) { return child % 7 ? child * 2654435761u : 5; } /* one in seven collides */

static bool has(const sn_child_index *index, uint64_t parent, uint32_t child) {
    const sn_child_table *table = sn_child_index_table(index, parent);
    uint32_t at = hash_of(child), found;
    while ((found = sn_child_table_next(table, hash_of(child), &at)))
        if (found == child) return true;
    return false;
}

static void check_same(const sn_child_index *index, uint64_t parent, const bool present[CHILDREN]) {
    uint32_t count = 0;
    for (uint32_t child = 1; child < CHILDREN; child++) {
        CHECK_EQUAL(has(index, parent, child), present[child]);
        count += present[child];
    }
    CHECK_EQUAL(sn_child_index_table(index, parent)->used, count);
    CHECK(2 * count <= sn_child_index_table(index, parent)->room);
}

static void children_are_found_while_tables_come_and_go_and_grow(void) {
    static bool present[PARENTS][CHILDREN], begun[PARENTS];
    sn_child_index index = {0};
    uint64_t random = 3;
    for (int step = 0; step < 400000; step++) {
        uint64_t dice = check_random(&random);
        uint32_t parent = (uint32_t)(dice % PARENTS), child = 1 + (uint32_t)(dice >> 20) % (CHILDREN - 1);
        if (!begun[parent]) {
            CHECK(sn_child_index_begin(&index, parent + 1));
            begun[parent] = true;
        } else if (dice >> 57 == 0) {
            sn_child_index_end(&index, parent + 1);
            begun[parent] = false;
            memset(present[parent], 0, sizeof present[parent]);
        } else if (present[parent][child]) {
            sn_child_index_remove(&index, parent + 1, hash_of(child), child);
            present[parent][child] = false;
        } else {
            CHECK(sn_child_index_add(&index, parent + 1, hash_of(child), child));
            present[parent][child] = true;
        }
    }
    uint64_t tables = 0;
    for (uint32_t parent = 0; parent < PARENTS; parent++) {
        tables += begun[parent];
        if (begun[parent]) check_same(&index, parent + 1, present[parent]);
    }
    CHECK_EQUAL(index.used, tables);
    CHECK(tables > PARENTS / 2 && tables < PARENTS);
    sn_child_index_free(&index);
}

static void what_is_removed_leaves_no_trace(void) {
    sn_child_index index = {0};
    CHECK(sn_child_index_begin(&index, 1));
    size_t bytes = sn_child_index_bytes(&index);
    for (uint32_t round = 1; round < 100000; round++) {
        CHECK(sn_child_index_add(&index, 1, hash_of(round), round));
        CHECK(has(&index, 1, round));
        sn_child_index_remove(&index, 1, hash_of(round), round);
        CHECK(!has(&index, 1, round));
    }
    CHECK_EQUAL(sn_child_index_bytes(&index), bytes);
    sn_child_index_end(&index, 1);
    CHECK_EQUAL(index.used, 0);
    sn_child_index_free(&index);
}

CHECK_MAIN(TEST(children_are_found_while_tables_come_and_go_and_grow), TEST(what_is_removed_leaves_no_trace))
