/* The launcher: what it reads, what it writes down of all kinds of ends, and that nothing is left running. */
#define _GNU_SOURCE
#include "check.h"

#include "../launcher/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <time.h>

#define MOST_WORDS 24

static sn_launch_record record;
static char tail[SN_TAIL_BYTES + 1];

static sn_launch_options options_for(char **words) {
    sn_launch_options options = {.record = -1, .parent = -1, .keep = -1, .pin = -1, .randomise = true, .keep_tail = true,
                                 .timeout_ns = -1, .grace_ns = 100000000, .program = words[0], .words = words};
    return options;
}

/* Run a command, and read the record and the tail. */
static void run(sn_launch_options *options) {
    int ends[2];
    CHECK(!pipe(ends));
    fcntl(ends[1], F_SETPIPE_SZ, 65536);
    options->record = ends[1];
    CHECK_EQUAL(sn_launch(options), SN_LAUNCHER_OK);
    close(ends[1]);
    CHECK_EQUAL(read(ends[0], &record, sizeof record), sizeof record);
    CHECK(!memcmp(record.magic, "SNDL", 4));
    CHECK_EQUAL(record.version, SN_LAUNCHER_VERSION);
    ssize_t size = record.tail_bytes ? read(ends[0], tail, SN_TAIL_BYTES) : 0;
    CHECK_EQUAL(size, record.tail_bytes);
    tail[size] = 0;
    char more;
    CHECK_EQUAL(read(ends[0], &more, 1), 0);
    close(ends[0]);
}

static void run_script(const char *script) {
    char *words[] = {"/bin/sh", "-c", (char *)script, NULL};
    sn_launch_options options = options_for(words);
    run(&options);
}

/* Run one that says `ready` on standard error, with as much time as it takes until it has said that: a command that is
 * asked to end before it has begun tells nothing. `timeout_ns` is what is tried first. */
static void run_until_ready(sn_launch_options *options) {
    do run(options);
    while (!strstr(tail, "ready") && (options->timeout_ns *= 2) < 60000000000);
    CHECK(strstr(tail, "ready"));
}

static void check_exit(int code) {
    CHECK_EQUAL(record.failed_step, SN_STEP_NONE);
    CHECK_EQUAL(record.ending, SN_ENDED);
    CHECK(WIFEXITED(record.wait_status));
    CHECK_EQUAL(WEXITSTATUS(record.wait_status), code);
}

/* What reading these words gives. */
static bool reads(sn_launch_options *options, int count, const char **words) {
    static char *argv[MOST_WORDS]; /* what was read points into it */
    memset(argv, 0, sizeof argv);
    argv[0] = "launcher";
    for (int i = 0; i < count; i++) argv[i + 1] = (char *)words[i];
    return sn_read_options(options, count + 1, argv);
}
#define READS(options, ...)                                                                                           \
    reads(options, (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)), (const char *[]){__VA_ARGS__})

static void words_are_read(void) {
    sn_launch_options options;
    CHECK(READS(&options, "1", "record=3", "keep=4", "pin=2", "aslr=0", "count=1", "drain=1", "tail=1", "timeout=5",
                "grace=6", "folder=/tmp/a b", "program=/bin/x", "parent=77", "--", "x", "--", "pin=9"));
    CHECK_EQUAL(options.record, 3);
    CHECK_EQUAL(options.keep, 4);
    CHECK_EQUAL(options.pin, 2);
    CHECK_EQUAL(options.parent, 77);
    CHECK(!options.randomise && options.count && options.drain_output && options.keep_tail);
    CHECK_EQUAL(options.timeout_ns, 5);
    CHECK_EQUAL(options.grace_ns, 6);
    CHECK(!strcmp(options.folder, "/tmp/a b") && !strcmp(options.program, "/bin/x"));
    CHECK(!strcmp(options.words[0], "x") && !strcmp(options.words[2], "pin=9") && !options.words[3]);
}

static void wrong_words_are_refused(void) {
    sn_launch_options options;
    freopen("/dev/null", "w", stderr);
    CHECK(!READS(&options, "2", "record=3", "program=/bin/x", "--", "x"));
    CHECK(!READS(&options, "1", "program=/bin/x", "--", "x"));
    CHECK(!READS(&options, "1", "record=3", "--", "x"));
    CHECK(!READS(&options, "1", "record=3", "program=/bin/x", "--"));
    CHECK(!READS(&options, "1", "record=3", "program=/bin/x", "x"));
    CHECK(!READS(&options, "1", "record=-3", "program=/bin/x", "--", "x"));
    CHECK(!READS(&options, "1", "record=3x", "program=/bin/x", "--", "x"));
    CHECK(!READS(&options, "1", "record=3", "timeout=99999999999999999999", "program=/bin/x", "--", "x"));
    CHECK(!READS(&options, "1", "record=3", "aslr=2", "program=/bin/x", "--", "x"));
    CHECK(!READS(&options, "1", "record=3", "recording=3", "program=/bin/x", "--", "x"));
}

static void an_exit_code_is_told(void) {
    run_script("exit 0");
    check_exit(0);
    CHECK(record.started_ns > 0 && record.ended_ns > record.started_ns);
    CHECK(record.peak_bytes > 0 && record.minor_faults > 0);
    CHECK_EQUAL(record.left_behind, 0);
    run_script("exit 7");
    check_exit(7);
}

static void a_signal_is_told(void) {
    run_script("kill -ABRT $$");
    CHECK(WIFSIGNALED(record.wait_status));
    CHECK_EQUAL(WTERMSIG(record.wait_status), SIGABRT);
}

static void what_cannot_be_executed_is_told(void) {
    char *words[] = {"/no/such/program", NULL};
    sn_launch_options options = options_for(words);
    run(&options);
    CHECK_EQUAL(record.failed_step, SN_STEP_EXEC);
    CHECK_EQUAL(record.failed_errno, ENOENT);
    CHECK_EQUAL(record.ending, SN_NOT_STARTED);
    options.program = "/dev/null";
    run(&options);
    CHECK_EQUAL(record.failed_errno, EACCES);
}

static void what_cannot_be_set_up_is_told(void) {
    char *words[] = {"/bin/true", NULL};
    sn_launch_options options = options_for(words);
    options.folder = "/no/such/folder";
    run(&options);
    CHECK_EQUAL(record.failed_step, SN_STEP_FOLDER);
    CHECK_EQUAL(record.failed_errno, ENOENT);
    options.folder = NULL;
    options.pin = 1000000;
    run(&options);
    CHECK_EQUAL(record.failed_step, SN_STEP_PIN);
    CHECK_EQUAL(record.failed_errno, EINVAL);
}

static void time_used_and_passed_are_told(void) {
    run_script("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; sleep 0.05");
    uint64_t wall_ns = record.ended_ns - record.started_ns;
    CHECK(wall_ns > 50000000);
    CHECK(record.user_us + record.system_us > 1000);
    CHECK((record.user_us + record.system_us) * 1000 < wall_ns);
}

static void a_command_out_of_time_is_asked_to_end(void) {
    char *words[] = {"/bin/sh", "-c", "trap 'echo asked >&2; exit 3' TERM; echo ready >&2; while :; do sleep 0.01; done",
                     NULL};
    sn_launch_options options = options_for(words);
    options.timeout_ns = 100000000;
    options.grace_ns = 60000000000;
    run_until_ready(&options);
    CHECK_EQUAL(record.ending, SN_TIMED_OUT);
    CHECK_EQUAL(WEXITSTATUS(record.wait_status), 3);
    CHECK(strstr(tail, "asked"));
}

static void a_command_that_does_not_end_is_killed(void) {
    char *words[] = {"/bin/sh", "-c", "trap '' TERM; sleep 100 & echo ready >&2; while :; do sleep 0.01; done", NULL};
    sn_launch_options options = options_for(words);
    options.timeout_ns = 50000000;
    options.grace_ns = 50000000;
    run_until_ready(&options);
    CHECK_EQUAL(record.ending, SN_TIMED_OUT);
    CHECK(WIFSIGNALED(record.wait_status));
    CHECK_EQUAL(WTERMSIG(record.wait_status), SIGKILL);
    CHECK_EQUAL(waitpid(-1, NULL, 0), -1);
}

static void what_outlives_the_command_is_killed_and_counted(void) {
    int alive[2]; /* its reading end sees the end of file when nobody is left */
    CHECK(!pipe(alive));
    CHECK_EQUAL(fcntl(alive[1], F_DUPFD, 9), 9);
    close(alive[1]);
    char *words[] = {"/bin/sh", "-c", "sleep 100 & { setsid sh -c 'sleep 100 & echo started; sleep 100' & } | read line; exit 5",
                     NULL};
    sn_launch_options options = options_for(words);
    options.keep = 9;
    run(&options);
    close(9);
    check_exit(5);
    CHECK(record.left_behind >= 2 && record.left_behind <= 4); /* as many as had been started */
    CHECK_EQUAL(waitpid(-1, NULL, 0), -1);
    CHECK_EQUAL(read(alive[0], tail, 1), 0);
}

static void the_end_of_standard_error_is_kept(void) {
    run_script("printf short >&2");
    CHECK(!strcmp(tail, "short"));
    run_script("i=0; while [ $i -lt 3000 ]; do echo line $i >&2; i=$((i+1)); done");
    CHECK_EQUAL(record.tail_bytes, SN_TAIL_BYTES);
    CHECK(!strcmp(tail + SN_TAIL_BYTES - 20, "line 2998\nline 2999\n"));
    run_script("head -c 3000000 /dev/zero >&2; printf end >&2");
    CHECK_EQUAL(record.tail_bytes, SN_TAIL_BYTES);
    CHECK(!memcmp(tail + SN_TAIL_BYTES - 4, "\0end", 4));
    run_script("exec 2>&-; sleep 0.05");
    check_exit(0);
    CHECK_EQUAL(record.tail_bytes, 0);
}

static void drained_output_never_blocks(void) {
    char *words[] = {"/bin/sh", "-c", "head -c 3000000 /dev/zero; [ -p /dev/stdout ]", NULL};
    sn_launch_options options = options_for(words);
    options.drain_output = true;
    run(&options);
    check_exit(0);
}

static void only_what_is_meant_to_is_inherited(void) {
    CHECK_EQUAL(dup2(1, 20), 20);
    CHECK_EQUAL(dup2(1, 21), 21);
    char *words[] = {"/bin/sh", "-c", "for fd in 3 4 5 6 7 8 9 10 20; do [ -e /proc/$$/fd/$fd ] && exit $fd; done; "
                                      "[ -e /proc/$$/fd/21 ]", NULL};
    sn_launch_options options = options_for(words);
    options.keep = 21;
    options.count = true;
    run(&options);
    check_exit(0);
}

static void memory_can_be_laid_out_the_same(void) {
    char *words[] = {"/bin/sh", "-c", "read p </proc/self/personality; [ $(( 0x$p & 0x0040000 )) -ne 0 ]", NULL};
    sn_launch_options options = options_for(words);
    run(&options);
    check_exit(1);
    options.randomise = false;
    run(&options);
    if (record.failed_step == SN_STEP_LAYOUT) SKIP("the layout of memory may not be changed here");
    check_exit(0);
}

static void counters_count_the_command_and_its_children(void) {
    char *words[] = {"/bin/sh", "-c", "(i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done)", NULL};
    sn_launch_options options = options_for(words);
    options.count = true;
    run(&options);
    check_exit(0);
    for (uint32_t i = 0; i < record.counters; i++) {
        if (record.counter[i].kind != SN_TASK_CLOCK) continue;
        double used_ns = (double)(record.user_us + record.system_us) * 1e3;
        CHECK(record.counter[i].value > 0.5 * used_ns && record.counter[i].value < 1.5 * used_ns + 1e7);
        return;
    }
    SKIP("the kernel gives no counters here");
}

/* A launcher in a process of its own, and the pipe it writes to, once its script has said `echo >&9`. */
static pid_t launch_beside(const char *script, int *reading) {
    int ends[2], ready[2];
    CHECK(!pipe(ends) && !pipe(ready));
    pid_t launcher = fork();
    if (launcher == 0) {
        char *words[] = {"/bin/sh", "-c", (char *)script, NULL};
        sn_launch_options options = options_for(words);
        options.record = ends[1];
        options.keep = dup2(ready[1], 9);
        _exit(sn_launch(&options));
    }
    close(ends[1]);
    close(ready[1]);
    CHECK_EQUAL(read(ready[0], tail, 1), 1);
    close(ready[0]);
    *reading = ends[0];
    return launcher;
}

static void asked_to_stop_it_ends_the_command_and_says_so(void) {
    int reading;
    pid_t launcher = launch_beside("trap '' TERM; echo >&9; while :; do sleep 0.01; done", &reading);
    kill(launcher, SIGTERM);
    CHECK_EQUAL(read(reading, &record, sizeof record), sizeof record);
    CHECK_EQUAL(record.ending, SN_STOPPED);
    CHECK_EQUAL(WTERMSIG(record.wait_status), SIGKILL);
}

static void killed_it_takes_the_command_with_it(void) {
    int reading;
    pid_t launcher = launch_beside("echo >&9; exec sleep 100", &reading);
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", launcher, launcher);
    FILE *children = fopen(path, "r");
    int child = 0;
    if (!children || fscanf(children, "%d", &child) != 1) SKIP("the kernel does not list children");
    CHECK(!kill(child, 0));
    CHECK(!kill(launcher, SIGKILL));
    for (int tries = 0; tries < 6000; tries++) {
        snprintf(path, sizeof path, "/proc/%d/stat", child);
        FILE *stat = fopen(path, "r");
        char state = 'Z';
        if (stat) {
            CHECK_EQUAL(fscanf(stat, "%*d (%*[^)]) %c", &state), 1);
            fclose(stat);
        }
        if (state == 'Z' || state == 'X') return;
        usleep(10000);
    }
    CHECK(!"it still runs");
}

CHECK_MAIN(TEST(words_are_read), TEST(wrong_words_are_refused), TEST(an_exit_code_is_told), TEST(a_signal_is_told),
           TEST(what_cannot_be_executed_is_told), TEST(what_cannot_be_set_up_is_told),
           TEST(time_used_and_passed_are_told), TEST(a_command_out_of_time_is_asked_to_end),
           TEST(a_command_that_does_not_end_is_killed), TEST(what_outlives_the_command_is_killed_and_counted),
           TEST(the_end_of_standard_error_is_kept), TEST(drained_output_never_blocks),
           TEST(only_what_is_meant_to_is_inherited), TEST(memory_can_be_laid_out_the_same),
           TEST(counters_count_the_command_and_its_children), TEST(asked_to_stop_it_ends_the_command_and_says_so),
           TEST(killed_it_takes_the_command_with_it))
