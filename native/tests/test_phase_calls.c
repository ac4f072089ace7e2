/* Calls of phases as compiled code tells them: whatever leaves a call, its end is in the log. */
#include "../probes/phase_calls.h"
#include "../core/phases/phase_log.h"
#include "check.h"

#include <fcntl.h>
#include <sys/stat.h>

enum { EVENTS = 4096, WORDS = SN_EVENT_FIXED_WORDS + 2 };

#define CHECK_TEXT(wanted)                                                                                            \
    do {                                                                                                              \
        const char *got_ = told();                                                                                    \
        if (strcmp(got_, wanted)) fprintf(stderr, "told: %s\n", got_);                                                \
        CHECK(!strcmp(got_, wanted));                                                                                 \
    } while (0)

static char folder[64];

static void begin(bool switches_stacks) {
    snprintf(folder, sizeof folder, "/tmp/sonde-phase-calls-%d", (int)getpid());
    CHECK(!mkdir(folder, 0700));
    sn_phases_plan plan = {folder, "task-clock,page-faults", 1 << 20, switches_stacks};
    CHECK(!sn_phases_begin(&plan));
    sn_phases_start(0, NULL, NULL);
}

/* The events of the first thread as "1+ 2+ 2! 1-": entered, left by a jump or an exception, returned. */
static const char *told(void) {
    static char text[8 * EVENTS], path[128];
    static uint64_t words[EVENTS * WORDS];
    sn_phase_header header;
    text[0] = 0;
    snprintf(path, sizeof path, "%s/%d-0.phases", folder, (int)getpid());
    int file = open(path, O_RDONLY);
    CHECK_EQUAL(pread(file, &header, sizeof header, 0), sizeof header);
    CHECK(header.used <= sizeof words);
    CHECK_EQUAL(pread(file, words, header.used, SN_PHASE_HEADER_BYTES), header.used);
    close(file);
    unlink(path);
    rmdir(folder);
    for (uint64_t at = 0; at < header.used / sizeof(uint64_t); at += WORDS) {
        unsigned kind = words[at] & 0xFF;
        const char *sign = kind == SN_PHASE_START ? "+" : kind == SN_PHASE_RETURN ? "-" : kind == SN_PHASE_UNWIND ? "!" : "";
        CHECK(!at || words[at + 1] >= words[at + 1 - WORDS]);
        if (*sign) sprintf(text + strlen(text), "%s%u%s", *text ? " " : "", (unsigned)(words[at] >> 8), sign);
        else if (kind == SN_PHASE_THREAD_END) strcat(text, " end");
    }
    return text;
}

static void calls_end_as_they_are_left(void) {
    begin(false);
    sn_phases_enter(1, 900);
    sn_phases_enter(2, 800);
    sn_phases_leave(2, 800);
    sn_phases_enter(3, 800);
    sn_phases_unwind(3, 800);
    sn_phases_leave(1, 900);
    sn_phases_stop();
    sn_phases_enter(4, 700); /* too late */
    CHECK_TEXT("1+ 2+ 2- 3+ 3! 1- end");
}

static void a_jump_ends_what_it_leaves_when_it_arrives_or_at_the_next_event(void) {
    begin(false);
    sn_phases_enter(1, 900);
    sn_phases_enter(2, 800);
    sn_phases_enter(1, 700);
    sn_phases_back(0, 650); /* nothing is above */
    sn_phases_back(0, 750); /* a function between arrives */
    sn_phases_back(0, 800); /* a phase arrives, and goes on */
    sn_phases_enter(4, 760);
    sn_phases_enter(5, 850); /* where 4 and 2 were, another one is now */
    sn_phases_leave(1, 900);
    sn_phases_leave(1, 900); /* not told to have begun */
    CHECK_TEXT("1+ 2+ 1+ 1! 4+ 4! 2! 5+ 5! 1-");
}

static void on_other_stacks_no_frame_says_that_a_call_is_over(void) {
    begin(true);
    sn_phases_enter(1, 900);
    sn_phases_enter(2, 100);
    sn_phases_enter(3, 500);
    sn_phases_back(0, 950);
    sn_phases_leave(2, 100); /* of 3 it is not known */
    sn_phases_leave(1, 900);
    CHECK_TEXT("1+ 2+ 3+ 2- 1-");
}

static void a_fork_tells_nothing(void) {
    begin(false);
    sn_phases_enter(1, 900);
    pid_t child = fork();
    if (!child) {
        sn_phases_enter(2, 800);
        sn_phases_leave(1, 900);
        sn_phases_last();
        _exit(0);
    }
    int status;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
    sn_phases_leave(1, 900);
    CHECK_TEXT("1+ 1-");
}

CHECK_MAIN(TEST(calls_end_as_they_are_left),
           TEST(a_jump_ends_what_it_leaves_when_it_arrives_or_at_the_next_event),
           TEST(on_other_stacks_no_frame_says_that_a_call_is_over),
           TEST(a_fork_tells_nothing))
