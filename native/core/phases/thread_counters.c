/* The kernel's figures about a thread come from two system calls that need no file: programs count their files, close
 * those that they do not know, and run out of them. Only what there is no other way to is from `perf_event_open`:
 * migrations, and what the hardware counts. Those files have high numbers, are few, and are known again before each use.
 */
#define _GNU_SOURCE
#include "thread_counters.h"

#include "../base/ticks.h"
#include "simulated_counts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LEAST_FILE = 512, MOST_FILES = 256 };

typedef enum { TASK_CLOCK, PAGE_FAULTS, MAJOR_FAULTS, SWITCHES, SOFTWARE, HARDWARE, ALLOCATIONS, BYTES, COLLECTIONS, SIMULATED } way;

#define CACHE(level, result) \
    ((uint64_t)(level) | (uint64_t)PERF_COUNT_HW_CACHE_OP_READ << 8 | (uint64_t)(result) << 16)
#define MISSES(level) CACHE(level, PERF_COUNT_HW_CACHE_RESULT_MISS)

static const struct {
    const char *name;
    way by;
    uint32_t type;
    uint64_t config;
} known[] = {
    {"task-clock", TASK_CLOCK, 0, 0},
    {"page-faults", PAGE_FAULTS, 0, 0},
    {"major-faults", MAJOR_FAULTS, 0, 0},
    {"context-switches", SWITCHES, 0, 0},
    {"migrations", SOFTWARE, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"instructions", HARDWARE, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cycles", HARDWARE, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"cache-references", HARDWARE, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache-misses", HARDWARE, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"branches", HARDWARE, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", HARDWARE, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"l1d-misses", HARDWARE, PERF_TYPE_HW_CACHE, MISSES(PERF_COUNT_HW_CACHE_L1D)},
    {"llc-misses", HARDWARE, PERF_TYPE_HW_CACHE, MISSES(PERF_COUNT_HW_CACHE_LL)},
    {"dtlb-misses", HARDWARE, PERF_TYPE_HW_CACHE, MISSES(PERF_COUNT_HW_CACHE_DTLB)},
    {"allocations", ALLOCATIONS, 0, 0},
    {"allocated-bytes", BYTES, 0, 0},
    {"collections", COLLECTIONS, 0, 0},
    {"simulated:instructions", SIMULATED, 0, SN_COUNT_INSTRUCTIONS},
    {"simulated:accesses", SIMULATED, 0, SN_COUNT_ACCESSES},
    {"simulated:l1d-misses", SIMULATED, 0, SN_COUNT_FIRST_MISSES},
    {"simulated:llc-misses", SIMULATED, 0, SN_COUNT_LAST_MISSES},
    {"simulated:branch-misses", SIMULATED, 0, SN_COUNT_BRANCH_MISSES},
};
enum { KNOWN = sizeof known / sizeof *known };

_Thread_local sn_interpreter_counts sn_interpreter_here SN_STATIC_TLS;
static int files_open; /* of all threads */

bool sn_counter_set_add(sn_counter_set *set, const char *name) {
    for (uint8_t row = 0; row < KNOWN; row++) {
        if (strcmp(known[row].name, name)) continue;
        if (set->count == SN_MOST_COUNTERS) return false;
        set->wanted[set->count++] = row;
        return true;
    }
    return false;
}

bool sn_counter_set_has(const sn_counter_set *set, const char *name) {
    for (uint32_t i = 0; i < set->count; i++)
        if (!strcmp(known[set->wanted[i]].name, name)) return true;
    return false;
}

bool sn_counter_set_is_simulated(const sn_counter_set *set) {
    for (uint32_t i = 0; i < set->count; i++)
        if (known[set->wanted[i]].by == SIMULATED) return true;
    return false;
}

static int open_counter(uint8_t row, int leader, bool only_user) {
    struct perf_event_attr attributes = {.size = sizeof attributes, .type = known[row].type, .config = known[row].config};
    attributes.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    attributes.exclude_kernel = only_user;
    attributes.exclude_hv = 1;
    int file = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
    if (file < 0) return file;
    int moved = fcntl(file, F_DUPFD_CLOEXEC, LEAST_FILE);
    int error = errno;
    close(file);
    errno = error;
    return moved;
}

static uint8_t join(sn_counter_group *group, uint8_t row, uint8_t place) {
    if (__atomic_fetch_add(&files_open, 1, __ATOMIC_RELAXED) >= MOST_FILES) {
        __atomic_fetch_sub(&files_open, 1, __ATOMIC_RELAXED);
        return SN_FROM_NOWHERE;
    }
    bool only_user = false;
    int file = open_counter(row, group->leader, false);
    if (file < 0 && (errno == EACCES || errno == EPERM)) {
        only_user = true;
        /* The kernel counts switches and migrations in its own part alone. */
        if (known[row].by == HARDWARE) file = open_counter(row, group->leader, true);
    }
    if (file < 0 || (group->leader < 0 && ioctl(file, PERF_EVENT_IOC_ID, &group->id))) {
        if (file >= 0) close(file);
        __atomic_fetch_sub(&files_open, 1, __ATOMIC_RELAXED);
        return SN_FROM_NOWHERE;
    }
    if (group->leader < 0) group->leader = file;
    group->files[group->count] = file;
    group->place[group->count++] = place;
    return only_user ? SN_FROM_PERF_USER : SN_FROM_PERF;
}

void sn_counters_begin(sn_thread_counters *own, const sn_counter_set *set, uint8_t *source) {
    *own = (sn_thread_counters){.software = {.leader = -1}, .hardware = {.leader = -1}};
    for (uint8_t i = 0; i < set->count; i++) {
        uint8_t row = set->wanted[i];
        switch (known[row].by) {
        case TASK_CLOCK: own->has_clock = true, source[i] = SN_FROM_THREAD_CLOCK; break;
        case PAGE_FAULTS:
        case MAJOR_FAULTS:
        case SWITCHES: own->has_rusage = true, source[i] = SN_FROM_RUSAGE; break;
        case SOFTWARE: source[i] = join(&own->software, row, i); break;
        case HARDWARE: source[i] = join(&own->hardware, row, i); break;
        case SIMULATED:
            own->has_simulated = sn_is_simulated();
            source[i] = own->has_simulated ? SN_FROM_SIMULATION : SN_FROM_NOWHERE;
            break;
        default: source[i] = SN_FROM_INTERPRETER;
        }
    }
}

static void read_group(sn_counter_group *group, uint64_t *values, uint8_t *is_multiplexed) {
    struct {
        uint64_t count, enabled_ns, running_ns, values[SN_MOST_COUNTERS];
    } told;
    uint64_t id = 0;
    if (group->leader < 0) return;
    bool is_ours = !ioctl(group->leader, PERF_EVENT_IOC_ID, &id) && id == group->id;
    if (is_ours && read(group->leader, &told, sizeof told) > 0)
        for (uint32_t i = 0; i < group->count && i < told.count; i++) {
            group->last[i] = told.values[i];
            if (told.running_ns < told.enabled_ns) is_multiplexed[group->place[i]] = 1;
        }
    for (uint32_t i = 0; i < group->count; i++) values[group->place[i]] = group->last[i];
}

void sn_counters_read(sn_thread_counters *own, const sn_counter_set *set, uint64_t *values, uint8_t *is_multiplexed) {
    struct rusage usage = {0};
    uint64_t simulated[SN_COUNTS] = {0};
    int error = errno;
    if (own->has_simulated) sn_simulated_counts(simulated);
    if (own->has_rusage) getrusage(RUSAGE_THREAD, &usage);
    for (uint32_t i = 0; i < set->count; i++) {
        switch (known[set->wanted[i]].by) {
        case TASK_CLOCK: values[i] = sn_clock_ns(CLOCK_THREAD_CPUTIME_ID); break;
        case PAGE_FAULTS: values[i] = (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt; break;
        case MAJOR_FAULTS: values[i] = (uint64_t)usage.ru_majflt; break;
        case SWITCHES: values[i] = (uint64_t)usage.ru_nvcsw + (uint64_t)usage.ru_nivcsw; break;
        case ALLOCATIONS: values[i] = sn_interpreter_here.allocations; break;
        case BYTES: values[i] = sn_interpreter_here.allocated_bytes; break;
        case COLLECTIONS: values[i] = sn_interpreter_here.collections; break;
        case SIMULATED: values[i] = simulated[known[set->wanted[i]].config]; break;
        default: values[i] = 0;
        }
    }
    read_group(&own->software, values, is_multiplexed);
    read_group(&own->hardware, values, is_multiplexed);
    errno = error;
}

static void close_group(sn_counter_group *group) {
    uint64_t id;
    if (group->leader < 0 || ioctl(group->leader, PERF_EVENT_IOC_ID, &id) || id != group->id) return;
    for (uint32_t i = group->count; i-- > 0;) close(group->files[i]);
    __atomic_fetch_sub(&files_open, (int)group->count, __ATOMIC_RELAXED);
    group->leader = -1;
}

void sn_counters_end(sn_thread_counters *own) {
    close_group(&own->software);
    close_group(&own->hardware);
}

void sn_counters_forget_files(void) { files_open = 0; }
