/* A program with probes that sonde runs finds in its environment where its counts go: in SN_PROBES_VARIABLE, numbers with
 * commas between them, as sonde.instruments.contexts.sources.builds writes them, and behind a colon the folder. Without it,
 * nothing is counted, and nothing written. */
#define _GNU_SOURCE
#include "bursts.h"
#include "linked_code.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define VARIABLE "SONDE_PROBES"
#define MECHANISM "llvm-late-probes"
#define COMMAND_ROOM 4096
#define PATH_ROOM 4096

/* By which sonde knows a program that was linked with this. */
__attribute__((used, section("sonde_probes"))) static const char mark[8] = "probes";

static bool has_begun;
static char bursts_path[PATH_ROOM];

static void read_command(char command[COMMAND_ROOM]) {
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? 0 : read(file, command, COMMAND_ROOM - 1);
    if (file >= 0) close(file);
    if (length <= 0) length = 1;
    command[length - 1] = command[length] = 0;
    for (ssize_t at = 0; at < length - 1; at++)
        if (!command[at]) command[at] = '\n';
}

__attribute__((constructor(101))) static void begin(void) {
    const char *asked = secure_getenv(VARIABLE);
    const char *folder = asked ? strchr(asked, ':') : NULL;
    long sonde;
    unsigned metric, space_saving, counters, timed, follow;
    unsigned long long nodes;
    if (!folder || sscanf(asked, "%ld,%u,%u,%u,%llu,%u,%u", &sonde, &metric, &space_saving, &counters, &nodes, &timed,
                          &follow) != 7)
        return;
    bool is_first = sonde == getppid();
    if (!follow && !is_first) return; /* what the program starts is another one */
    if (is_first) prctl(PR_SET_PDEATHSIG, SIGKILL); /* as all programs that are counted: it ends with sonde */
    static char command[COMMAND_ROOM];
    read_command(command);
    const sn_probes_plan plan = {.folder = folder + 1,
                                 .command = command,
                                 .mechanism = MECHANISM,
                                 .plan = {.metric = (sn_metric)metric,
                                          .space_saving = space_saving != 0,
                                          .counters = counters,
                                          .nodes_limit = nodes},
                                 .timed = timed != 0,
                                 .follow = follow != 0};
    if (sn_linked_begin(folder + 1, 0, 0) || sn_probes_begin(&plan)) return;
    if (snprintf(bursts_path, PATH_ROOM, "%s/" SN_BURSTS_FILE, folder + 1) >= PATH_ROOM) bursts_path[0] = 0;
    has_begun = true;
}

/* Later, as static programs cannot look at their stacks before. Without bursts, code for them counts all the time. */
__attribute__((constructor)) static void begin_bursts(void) {
    if (!has_begun) return;
    int file = open(bursts_path, O_RDWR | O_CLOEXEC);
    sn_probes_begin_bursts(file);
    if (file >= 0) close(file);
}
