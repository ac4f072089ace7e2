/* From the launcher to the command's first instruction. */
#define _GNU_SOURCE
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Runs in the child of vfork, in the launcher's memory: system calls only, and what it leaves in the record is there
 * for the launcher to see, which goes on when this has exec'ed or ended. */
static void become_command(const sn_launch_options *options, pid_t launcher, int output, int error,
                           const sigset_t *mask, sn_launch_record *record) {
    setpgid(0, 0); /* a group of its own, to be ended as one */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != launcher) return; /* which was killed before we could ask to be told */
    if (output >= 0) dup2(output, STDOUT_FILENO);
    if (error >= 0) dup2(error, STDERR_FILENO);
    if (options->keep >= 0) fcntl(options->keep, F_SETFD, 0);
    record->failed_step = SN_STEP_FOLDER;
    if (options->folder && chdir(options->folder) < 0) return;
    record->failed_step = SN_STEP_PIN;
    if (options->pin >= 0) {
        cpu_set_t one;
        CPU_ZERO(&one);
        if (options->pin >= CPU_SETSIZE) {
            errno = EINVAL;
            return;
        }
        CPU_SET(options->pin, &one);
        if (sched_setaffinity(0, sizeof one, &one) < 0) return;
    }
    record->failed_step = SN_STEP_LAYOUT;
    if (!options->randomise) {
        int now = personality(0xffffffff);
        if (now < 0 || personality((unsigned long)now | ADDR_NO_RANDOMIZE) < 0) return;
    }
    sigprocmask(SIG_SETMASK, mask, NULL);
    record->failed_step = SN_STEP_EXEC;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    record->started_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    execve(options->program, options->words, environ);
}

pid_t sn_start_command(const sn_launch_options *options, int output, int error, const sigset_t *mask,
                       sn_launch_record *record) {
    pid_t launcher = getpid();
    volatile pid_t child = vfork();
    if (child == 0) {
        become_command(options, launcher, output, error, mask, record);
        record->failed_errno = errno;
        _exit(127);
    }
    if (child < 0) {
        record->failed_step = SN_STEP_FORK;
        record->failed_errno = errno;
    } else if (!record->failed_errno) {
        record->failed_step = SN_STEP_NONE;
    }
    return child;
}
