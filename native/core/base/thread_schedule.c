#define _GNU_SOURCE
#include "thread_schedule.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TEXT_ROOM = 512 };

void sn_thread_schedule_close(sn_thread_schedule *schedule) {
    if (schedule->time_file >= 0) close(schedule->time_file);
    if (schedule->state_file >= 0) close(schedule->state_file);
    if (schedule->call_file >= 0) close(schedule->call_file);
    schedule->time_file = schedule->state_file = schedule->call_file = -1;
}

static bool read_text(const sn_thread_schedule *schedule, const char *name, int *kept, char text[TEXT_ROOM]) {
    int file = *kept;
    if (file < 0) {
        char path[96];
        snprintf(path, sizeof path, "/proc/%ld/task/%ld/%s", (long)schedule->process, (long)schedule->thread, name);
        file = open(path, O_RDONLY | O_CLOEXEC);
        if (file < 0) return false;
    }
    ssize_t bytes = pread(file, text, TEXT_ROOM - 1, 0);
    text[bytes > 0 ? bytes : 0] = 0;
    if (schedule->keeps_files) *kept = file;
    else close(file);
    return bytes > 0;
}

bool sn_thread_schedule_time(sn_thread_schedule *schedule, uint64_t *ran_ns, uint64_t *turns) {
    char text[TEXT_ROOM], *at;
    if (!read_text(schedule, "schedstat", &schedule->time_file, text)) return false;
    *ran_ns = strtoull(text, &at, 10);
    strtoull(at, &at, 10); /* waited for a processor */
    *turns = strtoull(at, NULL, 10);
    return *turns != 0; /* all zero where the system was built without it */
}

bool sn_thread_schedule_delay(sn_thread_schedule *schedule, uint64_t *ran_ns, uint64_t *waited_ns) {
    char text[TEXT_ROOM], *at;
    if (!read_text(schedule, "schedstat", &schedule->time_file, text)) return false;
    *ran_ns = strtoull(text, &at, 10);
    *waited_ns = strtoull(at, NULL, 10);
    return *ran_ns != 0;
}

bool sn_thread_schedule_is_ready(sn_thread_schedule *schedule) {
    char text[TEXT_ROOM];
    if (!read_text(schedule, "stat", &schedule->state_file, text)) return false;
    const char *name_end = strrchr(text, ')');
    return name_end && name_end[1] == ' ' && name_end[2] == 'R';
}

int sn_thread_schedule_processor(sn_thread_schedule *schedule) {
    enum { FIELDS_AFTER_NAME = 37 };
    char text[TEXT_ROOM];
    if (!read_text(schedule, "stat", &schedule->state_file, text)) return -1;
    const char *at = strrchr(text, ')');
    for (int i = 0; at && i < FIELDS_AFTER_NAME; i++) at = strchr(at + 1, ' ');
    return at ? (int)strtol(at, NULL, 10) : -1;
}

sn_thread_wait sn_thread_schedule_wait(sn_thread_schedule *schedule, uint64_t *address) {
    char text[TEXT_ROOM], *at;
    if (schedule->thread == (pid_t)syscall(SYS_gettid)) return SN_WAIT_UNKNOWN; /* it would be told of this very call */
    if (!read_text(schedule, "syscall", &schedule->call_file, text)) return SN_WAIT_UNKNOWN;
    if (!strncmp(text, "running", 7)) return SN_WAIT_NONE;
    long number = strtol(text, &at, 10);
    if (at == text || *at != ' ' || number != SYS_futex) return SN_WAIT_OTHER;
    *address = strtoull(at, NULL, 16);
    return SN_WAIT_FUTEX;
}

bool sn_thread_schedule_registers(sn_thread_schedule *schedule, uint64_t *stack, uint64_t *instruction) {
    char text[TEXT_ROOM];
    if (!read_text(schedule, "syscall", &schedule->call_file, text) || !strncmp(text, "running", 7)) return false;
    const char *last = strrchr(text, ' ');
    if (!last || last == text) return false;
    const char *before = last - 1;
    while (before > text && *before != ' ') before--;
    *stack = strtoull(before, NULL, 16);
    *instruction = strtoull(last, NULL, 16);
    return *stack != 0;
}
