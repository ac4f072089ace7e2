/* Counters of the kernel and of the processor, where they are to be had. */
#include "launch.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
    uint32_t type;
    uint64_t config;
    bool in_kernel_only; /* without the kernel's share there is nothing left of it */
} events[SN_COUNTERS] = {
    [SN_INSTRUCTIONS] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false},
    [SN_CYCLES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false},
    [SN_CACHE_MISSES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, false},
    [SN_BRANCH_MISSES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, false},
    [SN_TASK_CLOCK] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, false},
    [SN_MIGRATIONS] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, true},
};

static int open_event(uint32_t kind, bool user_only) {
    struct perf_event_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.size = sizeof attributes;
    attributes.type = events[kind].type;
    attributes.config = events[kind].config;
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    attributes.disabled = 1;
    attributes.inherit = 1; /* children have copies, which exec enables; ours never counts, as we never exec */
    attributes.enable_on_exec = 1;
    attributes.exclude_kernel = user_only;
    attributes.exclude_hv = user_only;
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

void sn_open_counters(sn_counter_set *set) {
    set->count = 0;
    for (uint32_t kind = 0; kind < SN_COUNTERS; kind++) {
        bool user_only = false;
        int descriptor = open_event(kind, false);
        if (descriptor < 0 && !events[kind].in_kernel_only) {
            user_only = true; /* as /proc/sys/kernel/perf_event_paranoid allows everybody up to 2 */
            descriptor = open_event(kind, true);
        }
        if (descriptor < 0) continue;
        set->descriptor[set->count] = descriptor;
        set->about[set->count++] = (sn_counter){.kind = kind, .user_only = user_only};
    }
}

void sn_read_counters(const sn_counter_set *set, sn_launch_record *record) {
    record->counters = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        uint64_t values[3]; /* value, enabled, running */
        if (read(set->descriptor[i], values, sizeof values) != sizeof values) continue;
        if (values[2] == 0) continue; /* it never had a register: nothing is known, which is not zero */
        sn_counter *counter = &record->counter[record->counters++];
        *counter = set->about[i];
        counter->value = values[0];
        counter->enabled_ns = values[1];
        counter->running_ns = values[2];
    }
}
