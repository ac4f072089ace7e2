/* Numbers of functions and of places of calls, in one process and in several. */
#define _GNU_SOURCE
#include "../probes/linked_code.c"

#include "check.h"

#include <stdlib.h>

#define OBJECTS 64
#define FUNCTIONS 3 /* of each, plus its index modulo 4 */

static sn_probes_object objects[OBJECTS];
static char folder[] = "/tmp/sonde-linked-XXXXXX";

static uint32_t functions_of(unsigned object) { return FUNCTIONS + object % 4; }

static void set_up(void) {
    CHECK(mkdtemp(folder) != NULL);
    for (unsigned each = 0; each < OBJECTS; each++)
        objects[each] = (sn_probes_object){SN_PROBES_NO_NUMBERS, functions_of(each), each + 1,
                                           "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnop"};
}

static void begin(void) {
    set_up();
    CHECK_EQUAL(sn_linked_begin(folder, 0, 0), 0);
}

static void tear_down(void) {
    unlink(file_path);
    CHECK_EQUAL(rmdir(folder), 0);
}

/* No two objects have a number together, and none is left out: they are as many as all functions. */
static void check_numbers(void) {
    uint8_t taken[OBJECTS * (FUNCTIONS + 4)] = {0};
    uint32_t all = 0;
    for (unsigned each = 0; each < OBJECTS; each++) all += functions_of(each);
    for (unsigned each = 0; each < OBJECTS; each++) {
        CHECK(objects[each].first + functions_of(each) <= all);
        for (uint32_t number = objects[each].first; number < objects[each].first + functions_of(each); number++)
            CHECK_EQUAL(taken[number]++, 0);
    }
}

static void an_object_gets_its_numbers_once(void) {
    begin();
    CHECK_EQUAL(sn_linked_first(&objects[1]), 0);
    CHECK_EQUAL(sn_linked_first(&objects[0]), functions_of(1));
    CHECK_EQUAL(sn_linked_first(&objects[1]), 0);
    CHECK_EQUAL(objects[0].first, functions_of(1));
    tear_down();
}

static void without_a_folder_there_are_none(void) {
    set_up();
    CHECK_EQUAL(sn_linked_first(&objects[0]), SN_PROBES_NO_NUMBERS);
    CHECK_EQUAL(sn_linked_function(objects), SN_PROBES_NO_NUMBERS);
    CHECK_EQUAL(sn_linked_line((const void *)(uintptr_t)without_a_folder_there_are_none), 0);
    tear_down();
}

static void *number_all(void *from) {
    for (unsigned each = 0; each < OBJECTS; each++) sn_linked_first(&objects[(each + (uintptr_t)from) % OBJECTS]);
    return NULL;
}

static void threads_agree(void) {
    pthread_t threads[4];
    begin();
    for (uintptr_t each = 0; each < 4; each++) pthread_create(&threads[each], NULL, number_all, (void *)(each * 16));
    for (unsigned each = 0; each < 4; each++) pthread_join(threads[each], NULL);
    check_numbers();
    tear_down();
}

/* What a process numbers, those that were forked from it find, and the other way round. */
static void processes_agree(void) {
    begin();
    for (unsigned each = 0; each < OBJECTS; each += 3) sn_linked_first(&objects[each]);
    int children[4], status;
    for (unsigned child = 0; child < 4; child++) {
        if ((children[child] = fork())) continue;
        number_all((void *)(uintptr_t)(child * 16));
        check_numbers();
        _exit(0);
    }
    for (unsigned child = 0; child < 4; child++) {
        CHECK_EQUAL(waitpid(children[child], &status, 0), children[child]);
        CHECK_EQUAL(status, 0);
    }
    struct stat before, after;
    CHECK_EQUAL(stat(file_path, &before), 0);
    number_all(NULL);
    check_numbers();
    CHECK_EQUAL(stat(file_path, &after), 0);
    CHECK_EQUAL(after.st_size, before.st_size); /* all are known by then */
    tear_down();
}

static void what_a_killed_writer_left_is_written_over(void) {
    for (off_t lost = 1; lost < 40; lost += 7) {
        strcpy(folder, "/tmp/sonde-linked-XXXXXX");
        begin();
        sn_linked_first(&objects[0]);
        struct stat about;
        CHECK_EQUAL(stat(file_path, &about), 0);
        sn_linked_first(&objects[1]);
        CHECK_EQUAL(truncate(file_path, about.st_size + lost), 0);
        objects[1].first = SN_PROBES_NO_NUMBERS;
        number_all(NULL);
        check_numbers();
        records all;
        CHECK(open_records(&all));
        while (next_record(&all)) {}
        CHECK_EQUAL(all.used, all.mapped);
        close_records(&all);
        tear_down();
    }
}

static void a_full_disk_leaves_an_object_without_numbers(void) {
    begin();
    CHECK_EQUAL(sn_linked_first(&objects[0]), 0);
    struct rlimit before, small = {.rlim_cur = 64};
    getrlimit(RLIMIT_FSIZE, &before);
    small.rlim_max = before.rlim_max;
    setrlimit(RLIMIT_FSIZE, &small);
    CHECK_EQUAL(sn_linked_first(&objects[1]), SN_PROBES_NO_NUMBERS);
    setrlimit(RLIMIT_FSIZE, &before);
    CHECK_EQUAL(sn_linked_first(&objects[1]), functions_of(0));
    tear_down();
}

static void places_of_calls_are_as_far_apart_as_in_the_code(void) {
    begin();
    const char *here = (const char *)(uintptr_t)threads_agree;
    CHECK_EQUAL(sn_linked_line(here), 0); /* nothing of this program has numbers */
    sn_linked_first(&objects[0]);
    CHECK(sn_linked_line(here) > 0);
    CHECK_EQUAL(sn_linked_line(here + 5), sn_linked_line(here) + 5);
    CHECK_EQUAL(sn_linked_line(folder), 0);
    CHECK_EQUAL(sn_linked_line(&here), 0);
    tear_down();
}

static void functions_are_known_by_their_addresses(void) {
    begin();
    uint32_t first = sn_linked_function((const void *)(uintptr_t)threads_agree);
    CHECK_EQUAL(sn_linked_first(&objects[0]), first + 1);
    CHECK_EQUAL(sn_linked_function((const void *)(uintptr_t)begin), first + 1 + functions_of(0));
    CHECK_EQUAL(sn_linked_function((const void *)(uintptr_t)threads_agree), first);
    tear_down();
}

CHECK_MAIN(TEST(an_object_gets_its_numbers_once), TEST(without_a_folder_there_are_none), TEST(threads_agree),
           TEST(processes_agree), TEST(what_a_killed_writer_left_is_written_over),
           TEST(a_full_disk_leaves_an_object_without_numbers), TEST(places_of_calls_are_as_far_apart_as_in_the_code),
           TEST(functions_are_known_by_their_addresses))
