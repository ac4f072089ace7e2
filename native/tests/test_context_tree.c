/* The tree of contexts: the ring of siblings, the index of wide parents, keys that change, removal. */
#include "check.h"

#include "../core/contexts/context_tree.h"

#define ROOM (UINT64_C(1) << 20)

typedef struct {
    sn_cells cells;
    sn_tree tree;
    sn_context *root;
} store;

static void create_either(store *s, uint64_t room, bool sided) {
    CHECK_EQUAL(sn_cells_create(&s->cells, -1, room), SN_OK);
    sn_tree_init(&s->tree, &s->cells, sided);
    s->root = sn_tree_root(&s->tree);
    CHECK(s->root);
}

static void create(store *s, uint64_t room) { create_either(s, room, false); }
static void create_sided(store *s, uint64_t room) { create_either(s, room, true); }

static void destroy(store *s) {
    sn_tree_free(&s->tree);
    sn_cells_destroy(&s->cells);
}

static uint64_t key(uint64_t i) { return 0x7f0000000000u + 0x40 * i; }

/* The ring holds every child once. */
static void check_ring(const sn_context *parent, uint64_t count) {
    const sn_context *at = parent->child;
    CHECK_EQUAL(at != NULL, count > 0);
    uint64_t seen = 0;
    if (at) do {
            CHECK(at->parent == parent);
            at = at->next;
            CHECK(++seen <= count);
        } while (at != parent->child);
    CHECK_EQUAL(seen, count);
}

/* The same in a tree with sides, both ways round. */
static void check_ring_of_sided(const sn_context *parent, uint64_t count) {
    check_ring(parent, count);
    const sn_context *at = parent->child;
    for (uint64_t i = 0; i < count; i++, at = at->next) {
        CHECK_EQUAL(sn_side_of(at)->tag, SN_TAG_SIDE);
        CHECK(sn_side_of(at->next)->previous == at);
    }
}

static void the_first_child_is_alone_in_its_ring(void) {
    store s;
    create(&s, ROOM);
    check_ring(s.root, 0);
    CHECK(!sn_tree_find(&s.tree, s.root, key(1), 3));
    CHECK(!sn_tree_front(s.root, key(1), 3));
    sn_context *child = sn_tree_add(&s.tree, s.root, key(1), 3, 8);
    CHECK(child && child->next == child && child->parent == s.root && child->function == 8 && !child->calls);
    CHECK(sn_tree_front(s.root, key(1), 3) == child);
    CHECK(sn_tree_find(&s.tree, s.root, key(1), 3) == child);
    CHECK(!sn_tree_find(&s.tree, s.root, key(1), 4));
    CHECK(!sn_tree_find(&s.tree, s.root, key(2), 3));
    CHECK_EQUAL(sn_cells_header(&s.cells)->used, s.cells.used);
    destroy(&s);
}

static void siblings_form_a_ring_for_any_number_and_order_of_use(void) {
    for (uint64_t count = 1; count < 3 * SN_SCAN; count++) {
        store s;
        create(&s, ROOM);
        uint64_t random = count;
        for (uint64_t i = 0; i < count; i++) {
            sn_context *before = s.root->child, *after = before ? before->next : NULL;
            sn_context *added = sn_tree_add(&s.tree, s.root, key(i), 1, (uint32_t)i);
            CHECK(added && (!before || (before->next == added && added->next == after)));
            check_ring(s.root, i + 1);
            uint64_t used = check_random(&random) % (i + 1);
            sn_context *found = sn_tree_find(&s.tree, s.root, key(used), 1);
            CHECK(found && found->function == used);
            CHECK(s.root->child == found); /* the one used last is where the next search begins */
            check_ring(s.root, i + 1);
        }
        destroy(&s);
    }
}

static void wide_parents_find_every_child_and_no_other(void) {
    store s;
    create(&s, ROOM);
    sn_context *parents[3] = {s.root};
    for (int p = 1; p < 3; p++) CHECK((parents[p] = sn_tree_add(&s.tree, s.root, key(0), 900 + (uint32_t)p, 0)));
    uint32_t line = parents[1]->call_line;
    for (uint64_t i = 0; i < 5000; i++)
        for (int p = 1; p < 3; p++) {
            CHECK(!sn_tree_find(&s.tree, parents[p], key(i), 7));
            CHECK(sn_tree_add(&s.tree, parents[p], key(i), 7, (uint32_t)i));
            CHECK_EQUAL((parents[p]->call_line & SN_WIDE) != 0, i > SN_SCAN + 1);
        }
    CHECK_EQUAL(sn_line_of(parents[1]), line); /* being wide is no part of the line */
    CHECK(sn_tree_find(&s.tree, s.root, key(0), 901) == parents[1]);
    for (uint64_t i = 0; i < 5000; i++)
        for (int p = 1; p < 3; p++) {
            sn_context *child = sn_tree_find(&s.tree, parents[p], key((i * 7) % 5000), 7);
            CHECK(child && child->parent == parents[p] && child->function == (i * 7) % 5000);
            CHECK(!sn_tree_find(&s.tree, parents[p], key(i), 8));
            CHECK(!sn_tree_find(&s.tree, parents[p], key(i) + 8, 7));
        }
    check_ring(parents[2], 5000);
    destroy(&s);
}

static void the_index_may_grow_while_a_parent_becomes_wide(void) {
    store s;
    create(&s, ROOM);
    enum { PARENTS = 300, CHILDREN = 2 * SN_SCAN };
    static sn_context *parents[PARENTS];
    for (int p = 0; p < PARENTS; p++) {
        CHECK((parents[p] = sn_tree_add(&s.tree, s.root, key(0), 900 + (uint32_t)p, 0)));
        for (uint64_t i = 0; i < CHILDREN; i++) CHECK(sn_tree_add(&s.tree, parents[p], key(i), 7, (uint32_t)i));
    }
    for (int p = 0; p < PARENTS; p++)
        for (uint64_t i = 0; i < CHILDREN; i++) /* in steps that take it past those that are looked at */
            CHECK(sn_tree_find(&s.tree, parents[p], key(i * 23 % CHILDREN), 7));
    destroy(&s);
}

static void the_same_key_from_another_line_is_another_child(void) {
    store s;
    create(&s, ROOM);
    sn_context *at[100];
    for (uint32_t line = 0; line < 100; line++) CHECK((at[line] = sn_tree_add(&s.tree, s.root, key(1), line, 0)));
    for (uint32_t line = 0; line < 100; line++) CHECK(sn_tree_find(&s.tree, s.root, key(1), line) == at[line]);
    sn_context *last = sn_tree_add(&s.tree, s.root, key(1), SN_LINE_MASK, 0);
    CHECK(last && sn_tree_find(&s.tree, s.root, key(1), SN_LINE_MASK) == last);
    destroy(&s);
}

static void a_freed_context_is_found_by_its_dead_key_until_it_comes_back(void) {
    for (uint64_t siblings = 1; siblings < 4 * SN_SCAN; siblings += SN_SCAN - 1) {
        store s;
        create(&s, ROOM);
        for (uint64_t i = 0; i < siblings; i++) CHECK(sn_tree_add(&s.tree, s.root, key(i), 1, (uint32_t)i));
        for (uint64_t i = 0; i < siblings; i++) {
            uint32_t function = (uint32_t)i;
            sn_context *context = sn_tree_find(&s.tree, s.root, key(i), 1);
            sn_tree_rekey(&s.tree, context, sn_dead_key(function));
            CHECK(!sn_tree_find(&s.tree, s.root, key(i), 1));
            CHECK(sn_tree_find(&s.tree, s.root, sn_dead_key(function), 1) == context);
            /* Its address is taken by other code, its function comes back elsewhere. */
            CHECK(sn_tree_add(&s.tree, s.root, key(i), 1, 10000 + function));
            sn_tree_rekey(&s.tree, context, key(20000 + i));
            CHECK(!sn_tree_find(&s.tree, s.root, sn_dead_key(function), 1));
            CHECK(sn_tree_find(&s.tree, s.root, key(20000 + i), 1) == context);
            CHECK_EQUAL(sn_tree_find(&s.tree, s.root, key(i), 1)->function, 10000 + function);
        }
        check_ring(s.root, 2 * siblings);
        destroy(&s);
    }
}

static void rekeying_without_end_does_not_fill_the_memory(void) {
    store s;
    create(&s, ROOM);
    for (uint64_t i = 0; i < 200; i++) CHECK(sn_tree_add(&s.tree, s.root, key(i), 1, (uint32_t)i));
    sn_context *context = sn_tree_find(&s.tree, s.root, key(77), 1);
    for (uint64_t round = 1; round <= 300 * 1000; round++) {
        sn_tree_rekey(&s.tree, context, sn_dead_key(77));
        sn_tree_rekey(&s.tree, context, key(1000 + round % 5000));
    }
    CHECK(sn_child_index_bytes(&s.tree.index) <= 32768);
    CHECK(sn_tree_find(&s.tree, s.root, key(1000), 1) == context);
    for (uint64_t i = 0; i < 200; i++) CHECK_EQUAL(sn_tree_find(&s.tree, s.root, key(i), 1) != NULL, i != 77);
    destroy(&s);
}

static void a_removed_context_is_gone_and_its_cells_are_used_again(void) {
    store s;
    create_sided(&s, ROOM);
    sn_context *first = sn_tree_add(&s.tree, s.root, key(1), 1, 1);
    sn_context *second = sn_tree_add(&s.tree, s.root, key(2), 1, 2);
    CHECK_EQUAL(s.tree.nodes, 2);
    first->calls = first->error = sn_side_of(first)->pruned_calls = 9;
    sn_side_of(first)->ticks_squares = 9;
    uint64_t used = s.cells.used;
    sn_tree_remove(&s.tree, first);
    CHECK_EQUAL(s.tree.nodes, 1);
    CHECK_EQUAL(first->key, SN_TAG_FREE);
    CHECK(!sn_tree_find(&s.tree, s.root, key(1), 1));
    check_ring_of_sided(s.root, 1);
    sn_context *third = sn_tree_add(&s.tree, second, key(3), 1, 3);
    CHECK(third == first && third->function == 3 && third->parent == second);
    CHECK(!third->calls && !third->error && !third->child);
    CHECK(!sn_side_of(third)->pruned_calls && !(sn_side_of(third)->ticks_squares > 0));
    check_ring_of_sided(second, 1);
    CHECK_EQUAL(s.cells.used, used);
    sn_tree_remove(&s.tree, third);
    sn_tree_remove(&s.tree, second);
    check_ring_of_sided(s.root, 0);
    CHECK_EQUAL(s.tree.nodes, 0);
    destroy(&s);
}

static const sn_context *told;

static void note_removal(sn_context *context) {
    CHECK(context->key != SN_TAG_FREE && context->parent);
    told = context;
}

static void whoever_asked_is_told_before_a_removal(void) {
    store s;
    create_sided(&s, ROOM);
    s.tree.on_removal = note_removal;
    sn_context *only = sn_tree_add(&s.tree, s.root, key(1), 1, 1);
    sn_tree_remove(&s.tree, only);
    CHECK(told == only);
    destroy(&s);
}

static void siblings_may_be_removed_in_any_order(void) {
    uint64_t random = 7;
    for (uint64_t count = 1; count < 4 * SN_SCAN; count++) {
        store s;
        create_sided(&s, ROOM);
        sn_context *left[4 * SN_SCAN];
        for (uint64_t i = 0; i < count; i++) CHECK((left[i] = sn_tree_add(&s.tree, s.root, key(i), 1, (uint32_t)i)));
        for (uint64_t rest = count; rest > 0; rest--) {
            uint64_t at = check_random(&random) % rest;
            uint64_t gone = left[at]->key;
            sn_tree_remove(&s.tree, left[at]);
            left[at] = left[rest - 1];
            check_ring_of_sided(s.root, rest - 1);
            CHECK(!sn_tree_find(&s.tree, s.root, gone, 1));
            for (uint64_t i = 0; i + 1 < rest; i++) CHECK(sn_tree_find(&s.tree, s.root, left[i]->key, 1) == left[i]);
        }
        CHECK(!(s.root->call_line & SN_WIDE)); /* it begins anew */
        for (uint64_t i = 0; i < count; i++) CHECK(sn_tree_add(&s.tree, s.root, key(i), 2, (uint32_t)i));
        for (uint64_t i = 0; i < count; i++) CHECK(sn_tree_find(&s.tree, s.root, key(i), 2));
        destroy(&s);
    }
}

static void coming_and_going_without_end_does_not_fill_the_memory(void) {
    store s;
    create_sided(&s, ROOM);
    enum { STAY = 40, PARENTS = 3 };
    sn_context *parents[PARENTS], *guest[PARENTS] = {NULL};
    for (uint32_t p = 0; p < PARENTS; p++) {
        CHECK((parents[p] = sn_tree_add(&s.tree, s.root, key(0), p, 0)));
        for (uint64_t i = 0; i < STAY; i++) CHECK(sn_tree_add(&s.tree, parents[p], key(i), 1, (uint32_t)i));
    }
    uint64_t random = 11, used = s.cells.used;
    for (uint64_t round = 0; round < 300 * 1000; round++) {
        uint64_t p = check_random(&random) % PARENTS;
        if (guest[p]) sn_tree_remove(&s.tree, guest[p]);
        CHECK((guest[p] = sn_tree_add(&s.tree, parents[p], key(1000 + round % 5000), 1, 0)));
        CHECK(sn_tree_find(&s.tree, parents[p], guest[p]->key, 1) == guest[p]);
    }
    CHECK(s.cells.used <= used + 2 * SN_CHUNK);
    CHECK(sn_child_index_bytes(&s.tree.index) <= 32768);
    for (uint32_t p = 0; p < PARENTS; p++) {
        check_ring_of_sided(parents[p], STAY + (guest[p] != NULL));
        for (uint64_t i = 0; i < STAY; i++) CHECK(sn_tree_find(&s.tree, parents[p], key(i), 1));
    }
    destroy(&s);
}

/* The slow twin: every context in a list, looked through from the beginning. */
static sn_context *search(sn_context **all, size_t count, const sn_context *parent, uint64_t wanted, uint32_t line) {
    for (size_t i = 0; i < count; i++)
        if (all[i]->parent == parent && all[i]->key == wanted && sn_line_of(all[i]) == line) return all[i];
    return NULL;
}

static void random_use_agrees_with_a_list_of_all_contexts(void) {
    store s;
    create(&s, ROOM);
    static sn_context *all[3000];
    size_t count = 1;
    all[0] = s.root;
    uint64_t random = 2003;
    for (int step = 0; step < 30 * 1000; step++) {
        uint64_t dice = check_random(&random);
        sn_context *parent = all[dice % (count < 40 ? count : 40)]; /* few parents: many are wide */
        uint64_t wanted = key(dice >> 20 & 63);
        uint32_t line = (uint32_t)(dice >> 40 & 1);
        sn_context *found = sn_tree_find(&s.tree, parent, wanted, line);
        CHECK(found == search(all, count, parent, wanted, line));
        if (found && dice >> 50 & 1) {
            uint64_t other = sn_dead_key((uint32_t)(dice >> 52 & 31));
            if (!search(all, count, parent, other, line)) sn_tree_rekey(&s.tree, found, other);
        }
        if (!found && count < 3000) CHECK((all[count++] = sn_tree_add(&s.tree, parent, wanted, line, 0)));
    }
    CHECK(count > 1000);
    for (size_t i = 0; i < 40; i++) {
        uint64_t children = 0;
        for (size_t j = 0; j < count; j++) children += all[j]->parent == all[i];
        check_ring(all[i], children);
    }
    destroy(&s);
}

/* Coming and going at random, of leaves of wide and narrow parents, with keys that change. */
static void random_removal_agrees_with_a_list_of_all_contexts(void) {
    store s;
    create_sided(&s, ROOM);
    static sn_context *all[600];
    size_t count = 1, most = 0, removals = 0;
    all[0] = s.root;
    uint64_t random = 2012;
    for (int step = 0; step < 60 * 1000; step++) {
        uint64_t dice = check_random(&random);
        bool shrinking = step / 3000 % 2; /* the tree breathes: rebuilds of the index see all of its sizes */
        sn_context *parent = all[dice % (count < 12 ? count : 12)];
        uint64_t wanted = key(dice >> 20 & 63);
        uint32_t line = (uint32_t)(dice >> 40 & 1);
        sn_context *found = sn_tree_find(&s.tree, parent, wanted, line);
        CHECK(found == search(all, count, parent, wanted, line));
        if (found && (dice >> 50 & 7) == 0) {
            uint64_t other = sn_dead_key((uint32_t)(dice >> 52 & 31));
            if (!search(all, count, parent, other, line)) sn_tree_rekey(&s.tree, found, other);
        }
        if (!found && count < 600 && !(shrinking && dice >> 50 & 3))
            CHECK((all[count++] = sn_tree_add(&s.tree, parent, wanted, line, 0)));
        size_t at = (dice >> 8) % count;
        if ((shrinking || !(dice >> 60)) && at && !all[at]->child) {
            sn_tree_remove(&s.tree, all[at]);
            all[at] = all[--count];
            removals++;
        }
        if (count > most) most = count;
        CHECK_EQUAL(s.tree.nodes, count - 1);
    }
    CHECK(removals > 1000 && most > 300);
    for (size_t i = 0; i < count; i++) {
        uint64_t children = 0;
        for (size_t j = 0; j < count; j++) children += j && all[j]->parent == all[i];
        check_ring_of_sided(all[i], children);
    }
    CHECK(s.cells.used <= SN_HEADER_CELLS + 2 * (most + SN_CHUNK));
    destroy(&s);
}

static void a_tree_without_room_keeps_what_it_has(void) {
    store s;
    create(&s, 16384);
    uint64_t count = 0;
    while (sn_tree_add(&s.tree, s.root, key(count), 1, 0)) count++;
    CHECK_EQUAL(count, 16384 - SN_HEADER_CELLS - 1);
    CHECK(!sn_tree_root(&s.tree));
    CHECK(!sn_tree_add(&s.tree, s.root->child, key(1), 1, 0));
    CHECK(!s.root->child->child);
    check_ring(s.root, count);
    for (uint64_t i = 0; i < count; i++) CHECK(sn_tree_find(&s.tree, s.root, key(i), 1));
    CHECK(!sn_tree_find(&s.tree, s.root, key(count), 1));
    destroy(&s);
}

static void a_tree_without_room_finds_it_in_removed_contexts(void) {
    store s;
    create_sided(&s, 16384);
    uint64_t count = 0;
    while (sn_tree_add(&s.tree, s.root, key(count), 1, 0)) count++;
    CHECK_EQUAL(count, (16384 - SN_HEADER_CELLS) / (2 * SN_CHUNK) * SN_CHUNK - 1);
    for (uint64_t i = 0; i < 3 * count; i++) {
        sn_tree_remove(&s.tree, sn_tree_find(&s.tree, s.root, key(i), 1));
        CHECK(sn_tree_add(&s.tree, s.root, key(count + i), 1, 0));
        CHECK(!sn_tree_add(&s.tree, s.root, key(0), 2, 0));
    }
    check_ring_of_sided(s.root, count);
    destroy(&s);
}

static void parents_lie_before_their_children(void) {
    store s;
    create(&s, ROOM);
    sn_context *at = s.root;
    for (uint64_t depth = 0; depth < 100 * 1000; depth++) {
        sn_context *child = sn_tree_add(&s.tree, at, key(depth % 3), 2, 0);
        CHECK(child > at);
        at = child;
    }
    destroy(&s);
}

CHECK_MAIN(TEST(the_first_child_is_alone_in_its_ring), TEST(siblings_form_a_ring_for_any_number_and_order_of_use),
           TEST(wide_parents_find_every_child_and_no_other),
           TEST(the_index_may_grow_while_a_parent_becomes_wide), TEST(the_same_key_from_another_line_is_another_child),
           TEST(a_freed_context_is_found_by_its_dead_key_until_it_comes_back),
           TEST(rekeying_without_end_does_not_fill_the_memory), TEST(random_use_agrees_with_a_list_of_all_contexts),
           TEST(a_removed_context_is_gone_and_its_cells_are_used_again), TEST(whoever_asked_is_told_before_a_removal),
           TEST(siblings_may_be_removed_in_any_order), TEST(coming_and_going_without_end_does_not_fill_the_memory),
           TEST(random_removal_agrees_with_a_list_of_all_contexts),
           TEST(a_tree_without_room_finds_it_in_removed_contexts),
           TEST(a_tree_without_room_keeps_what_it_has), TEST(parents_lie_before_their_children))
