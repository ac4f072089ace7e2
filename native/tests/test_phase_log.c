/* The log of a thread: events in a mapped file, read back from it. */
#define _GNU_SOURCE
#include "../core/phases/phase_log.h"
#include "check.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

static char path[64];

static const char *new_path(void) {
    snprintf(path, sizeof path, "/tmp/sonde-phase-log-%d", (int)getpid());
    unlink(path);
    return path;
}

static uint64_t add(sn_phase_log *log, uint64_t number, uint64_t most) {
    if (!sn_phase_log_has_room(log) && !sn_phase_log_grow(log, most)) return 0;
    uint64_t *event = sn_phase_log_next(log);
    for (uint32_t i = 0; i < log->header->event_words; i++) event[i] = number + i;
    sn_phase_log_publish(log);
    return 1;
}

static void what_is_written_is_in_the_file_however_it_grows(void) {
    sn_phase_log log;
    CHECK(sn_phase_log_begin(&log, new_path(), 4));
    enum { EVENTS = 50000 };
    for (uint64_t i = 0; i < EVENTS; i++) CHECK(add(&log, 10 * i, UINT64_MAX));
    int file = open(path, O_RDONLY); /* nothing was flushed or closed */
    sn_phase_header header;
    CHECK_EQUAL(pread(file, &header, sizeof header, 0), sizeof header);
    CHECK(!memcmp(header.magic, SN_PHASE_MAGIC, sizeof header.magic));
    CHECK_EQUAL(header.event_words, SN_EVENT_FIXED_WORDS + 4);
    CHECK_EQUAL(header.used, EVENTS * header.event_words * sizeof(uint64_t));
    for (uint64_t i = 0; i < EVENTS; i += 997) {
        uint64_t event[SN_EVENT_FIXED_WORDS + 4];
        CHECK_EQUAL(pread(file, event, sizeof event, (off_t)(SN_PHASE_HEADER_BYTES + i * sizeof event)), sizeof event);
        CHECK_EQUAL(event[0], 10 * i);
        CHECK_EQUAL(event[6], 10 * i + 6);
    }
    sn_phase_log_end(&log);
    close(file);
    unlink(path);
}

static void there_is_a_most_and_what_was_written_stays(void) {
    sn_phase_log log;
    CHECK(sn_phase_log_begin(&log, new_path(), 0));
    uint64_t written = 0;
    while (add(&log, written, 1 << 18)) written++;
    struct stat about;
    CHECK(!stat(path, &about));
    CHECK(about.st_size <= 1 << 18);
    CHECK_EQUAL(log.header->used, written * SN_EVENT_FIXED_WORDS * sizeof(uint64_t));
    sn_phase_log_end(&log);
    unlink(path);
}

static void a_limit_on_files_is_no_signal(void) {
    sn_phase_log log;
    struct rlimit limit = {100 << 10, 100 << 10};
    CHECK(sn_phase_log_begin(&log, new_path(), 0));
    CHECK(!setrlimit(RLIMIT_FSIZE, &limit));
    uint64_t written = 0;
    while (add(&log, written, UINT64_MAX)) written++;
    CHECK(written > 1000);
    sn_phase_log_end(&log);
    unlink(path);
}

static void a_file_that_is_there_is_left_alone(void) {
    sn_phase_log log;
    int file = open(new_path(), O_CREAT | O_WRONLY, 0600);
    CHECK_EQUAL(write(file, "mine", 4), 4);
    close(file);
    CHECK(!sn_phase_log_begin(&log, path, 1));
    struct stat about;
    CHECK(!stat(path, &about));
    CHECK_EQUAL(about.st_size, 4);
    unlink(path);
}

CHECK_MAIN(TEST(what_is_written_is_in_the_file_however_it_grows),
           TEST(there_is_a_most_and_what_was_written_stays),
           TEST(a_limit_on_files_is_no_signal),
           TEST(a_file_that_is_there_is_left_alone))
