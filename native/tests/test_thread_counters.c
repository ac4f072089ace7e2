/* Counters of the calling thread. */
#define _GNU_SOURCE
#include "../core/phases/thread_counters.h"
#include "check.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>

static const char *const names[] = {"task-clock", "page-faults", "context-switches", "migrations", "instructions"};
enum { COUNTERS = 5, PAGES = 500 };

static sn_counter_set all(void) {
    sn_counter_set set = {0};
    for (int i = 0; i < COUNTERS; i++) CHECK(sn_counter_set_add(&set, names[i]));
    return set;
}

static void touch_pages(void) {
    size_t size = PAGES * 4096;
    char *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED);
    madvise(pages, size, MADV_NOHUGEPAGE);
    for (size_t at = 0; at < size; at += 4096) ((volatile char *)pages)[at] = 1;
    munmap(pages, size);
}

static void names_are_known_or_refused_and_only_so_many_fit(void) {
    sn_counter_set set = {0};
    CHECK(!sn_counter_set_add(&set, "page-fault"));
    CHECK(sn_counter_set_add(&set, "collections"));
    CHECK(sn_counter_set_has(&set, "collections"));
    CHECK(!sn_counter_set_has(&set, "page-faults"));
    while (set.count < SN_MOST_COUNTERS) CHECK(sn_counter_set_add(&set, "page-faults"));
    CHECK(!sn_counter_set_add(&set, "page-faults"));
}

static void page_faults_of_a_thread_are_counted_exactly_or_a_few_more(void) {
    sn_counter_set set = all();
    sn_thread_counters own;
    uint8_t source[SN_MOST_COUNTERS] = {0}, is_multiplexed[SN_MOST_COUNTERS] = {0};
    uint64_t before[SN_MOST_COUNTERS], after[SN_MOST_COUNTERS];
    sn_counters_begin(&own, &set, source);
    CHECK_EQUAL(source[0], SN_FROM_THREAD_CLOCK);
    CHECK_EQUAL(source[1], SN_FROM_RUSAGE);
    sn_counters_read(&own, &set, before, is_multiplexed);
    touch_pages();
    sn_counters_read(&own, &set, after, is_multiplexed);
    CHECK(after[1] - before[1] >= PAGES);
    CHECK(after[1] - before[1] < 2 * PAGES); /* sanitizers have pages of their own */
    CHECK(after[0] > before[0]);
    sn_counters_end(&own);
}

static void *touch(void *unused) {
    touch_pages();
    return unused;
}

static void what_another_thread_does_is_not_counted(void) {
    sn_counter_set set = all();
    sn_thread_counters own;
    uint8_t source[SN_MOST_COUNTERS] = {0}, is_multiplexed[SN_MOST_COUNTERS] = {0};
    uint64_t before[SN_MOST_COUNTERS], after[SN_MOST_COUNTERS];
    sn_counters_begin(&own, &set, source);
    sn_counters_read(&own, &set, before, is_multiplexed);
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, touch, NULL));
    pthread_join(thread, NULL);
    sn_counters_read(&own, &set, after, is_multiplexed);
    CHECK(after[1] - before[1] < PAGES);
    sn_counters_end(&own);
}

/* Programs close all files that they do not know, and open their own at the same numbers. */
static void a_file_of_the_program_at_the_number_of_ours_is_left_alone(void) {
    sn_counter_set set = {0};
    sn_thread_counters own;
    uint8_t source[SN_MOST_COUNTERS] = {0}, is_multiplexed[SN_MOST_COUNTERS] = {0};
    uint64_t before[SN_MOST_COUNTERS], after[SN_MOST_COUNTERS];
    CHECK(sn_counter_set_add(&set, "migrations"));
    sn_counters_begin(&own, &set, source);
    if (source[0] == SN_FROM_NOWHERE) SKIP("perf_event_open is not allowed");
    CHECK(own.software.leader >= 512);
    sn_counters_read(&own, &set, before, is_multiplexed);
    int theirs = open("/proc/self/maps", O_RDONLY);
    CHECK_EQUAL(dup2(theirs, own.software.leader), own.software.leader);
    sn_counters_read(&own, &set, after, is_multiplexed);
    CHECK_EQUAL(after[0], before[0]);
    CHECK_EQUAL(lseek(own.software.leader, 0, SEEK_CUR), 0);
    sn_counters_end(&own);
    CHECK(fcntl(theirs, F_GETFD) >= 0);
}

CHECK_MAIN(TEST(names_are_known_or_refused_and_only_so_many_fit),
           TEST(page_faults_of_a_thread_are_counted_exactly_or_a_few_more),
           TEST(what_another_thread_does_is_not_counted),
           TEST(a_file_of_the_program_at_the_number_of_ours_is_left_alone))
