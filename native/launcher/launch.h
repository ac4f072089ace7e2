/* One command, started, waited for and measured by a process so small that it is in nobody's way.
 *
 * Why a process of its own: the peak memory that the kernel reports of a child starts at that of whoever forked it; the
 * clock should be read next to exec and next to the end; and what is to be set for the command alone (processor, layout
 * of memory, process group) must not be set in the process that asks. */
#ifndef SONDE_LAUNCH_H
#define SONDE_LAUNCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Both sides must be of one build: sonde gives it as the first word, the record repeats it. */
#define SN_LAUNCHER_VERSION 1
#define SN_COUNTERS 6
#define SN_TAIL_BYTES 4096

/* How the launcher itself ends; the command's own end is in the record. */
#define SN_LAUNCHER_OK 0
#define SN_LAUNCHER_USAGE 64
#define SN_LAUNCHER_SYSTEM 71

typedef enum { SN_DRAIN_NONE, SN_DRAIN_AND_FORGET, SN_DRAIN_AND_KEEP_TAIL } sn_drain;

/* What to do, from the words of the command line. Absent numbers are -1. */
typedef struct {
    int record;          /* descriptor to write the record to */
    int parent;          /* process that asked; its end is ours */
    int keep;            /* descriptor that the command inherits besides the standard ones */
    int pin;             /* processor */
    bool randomise;      /* the layout of memory, as the system does by itself */
    bool count;          /* open counters */
    bool drain_output;   /* standard output is a pipe, read and forgotten */
    bool keep_tail;      /* standard error is a pipe, of which the end is kept; else it is ours */
    int64_t timeout_ns;
    int64_t grace_ns;    /* from asking the command to end to ending it */
    const char *folder;  /* to start in; NULL: ours */
    const char *program; /* path */
    char **words;        /* its argv */
} sn_launch_options;

/* What could not be done on the way to the command's first instruction. */
typedef enum { SN_STEP_NONE, SN_STEP_FORK, SN_STEP_FOLDER, SN_STEP_PIN, SN_STEP_LAYOUT, SN_STEP_EXEC } sn_step;

typedef enum { SN_NOT_STARTED, SN_ENDED, SN_TIMED_OUT, SN_STOPPED } sn_ending;

typedef enum {
    SN_INSTRUCTIONS,
    SN_CYCLES,
    SN_CACHE_MISSES,
    SN_BRANCH_MISSES,
    SN_TASK_CLOCK,
    SN_MIGRATIONS,
} sn_counter_kind;

typedef struct {
    uint64_t value;
    uint64_t enabled_ns, running_ns; /* less running than enabled: it shared its register with others */
    uint32_t kind;
    uint32_t user_only; /* the kernel's share was not to be had */
} sn_counter;

/* Written as it lies in memory, followed by the tail; sonde.instruments.bench.invocations.launch_record reads it. */
typedef struct {
    char magic[4]; /* "SNDL" */
    uint32_t version;
    uint32_t ending; /* sn_ending */
    uint32_t failed_step;
    int32_t failed_errno;
    int32_t wait_status;
    uint64_t started_ns, ended_ns; /* CLOCK_MONOTONIC: before exec, and when its end was seen */
    uint64_t user_us, system_us;
    uint64_t peak_bytes; /* of the largest process among the command and those it waited for */
    uint64_t minor_faults, major_faults;
    uint64_t voluntary_switches, involuntary_switches;
    uint32_t left_behind; /* processes that outlived the command, and were killed */
    uint32_t counters;    /* of the following that are filled */
    sn_counter counter[SN_COUNTERS];
    uint32_t tail_bytes;
    uint32_t unused;
} sn_launch_record;

/* Read the words; false with a sentence on standard error. */
bool sn_read_options(sn_launch_options *options, int argc, char **argv);

/* Counters of this process' future children, which start to count when those exec. How many could be opened; they are
 * closed when children exec, and counted until the process ends. */
typedef struct {
    int descriptor[SN_COUNTERS];
    sn_counter about[SN_COUNTERS];
    uint32_t count;
} sn_counter_set;
void sn_open_counters(sn_counter_set *set);
void sn_read_counters(const sn_counter_set *set, sn_launch_record *record);

/* Start the command with these as standard output and error (-1: ours) and its signals as `mask` says; -1 with the step
 * and errno in the record. Fills started_ns. */
pid_t sn_start_command(const sn_launch_options *options, int output, int error, const sigset_t *mask,
                       sn_launch_record *record);

/* Make this process the one that orphans of its descendants fall to. */
void sn_adopt_orphans(void);
/* Kill every descendant that is left, and wait for them, at most this long; how many had to be killed. */
uint32_t sn_end_descendants(int64_t patience_ns);

/* All of it: run the command and write the record. What the launcher ends with. */
int sn_launch(const sn_launch_options *options);

#endif
