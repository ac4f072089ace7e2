/* What outlives the command: it would run beside the next measurement, so it is killed, and counted. */
#define _GNU_SOURCE
#include "launch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAUSE_NS 500000 /* between two looks for what has not died yet */

void sn_adopt_orphans(void) { prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

/* The fourth field of /proc/PID/stat, after a name in parentheses that may hold anything; 0 if it is not to be had. */
static pid_t parent_of(const char *process) {
    char path[300], text[512];
    snprintf(path, sizeof path, "/proc/%s/stat", process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    if (size <= 0) return 0;
    text[size] = 0;
    const char *after = strrchr(text, ')');
    int parent = 0;
    char state;
    if (!after || sscanf(after + 1, " %c %d", &state, &parent) != 2) return 0;
    return parent;
}

/* Children that are left. What those leave becomes ours when they have died. */
static void kill_children(void) {
    DIR *processes = opendir("/proc");
    if (!processes) return;
    pid_t self = getpid();
    for (struct dirent *entry; (entry = readdir(processes));) {
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
        if (parent_of(entry->d_name) == self) kill(atoi(entry->d_name), SIGKILL);
    }
    closedir(processes);
}

uint32_t sn_end_descendants(int64_t patience_ns) {
    uint32_t killed = 0;
    for (int64_t left_ns = patience_ns; left_ns > 0;) {
        int status;
        pid_t child = waitpid(-1, &status, WNOHANG | __WALL);
        if (child < 0 && errno != EINTR) break; /* none is left */
        if (child > 0) {
            killed += WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
        } else if (child == 0) {
            kill_children();
            struct timespec pause = {.tv_nsec = PAUSE_NS};
            nanosleep(&pause, NULL);
            left_ns -= PAUSE_NS;
        }
    }
    return killed;
}
