#define _GNU_SOURCE
#include "code_sampler.h"

#include "../base/ticks.h"
#include "../base/xorshift.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LARGEST_RING_PAGES 64u /* 256 KiB: a second of samples; Linux lets everybody lock twice that for each processor */
#define ROOM_CELLS 32768u /* of the spool, for the command and steps of the storage: 2 MiB, not touched */

/* What stands in a sample of the type that we ask for, behind its head. */
typedef struct {
    uint64_t address;
    uint32_t process, thread;
} sample;

/* And in PERF_RECORD_FORK, at its beginning. */
typedef struct {
    uint32_t process, parent, thread, parent_thread;
} fork_record;

typedef struct {
    int events[SN_SAMPLE_CLOCKS]; /* -1: none */
    struct perf_event_mmap_page *page;
    size_t bytes; /* of the mapping */
} ring;

struct sn_code_sampler {
    sn_cells cells;
    sn_code_samples_reader reader;
    bool sees_kernel;
    unsigned rings;
    ring ring[];
};

/* ---- What the kernel has written. ---- */

static void copy(void *to, const uint8_t *bytes, uint64_t size, uint64_t from, size_t count) {
    uint64_t at = from & (size - 1), first = size - at < count ? size - at : count;
    memcpy(to, bytes + at, first);
    memcpy((uint8_t *)to + first, bytes, count - first);
}

static void count(sn_code_samples_reader *reader, const sample *found, bool is_kernel) {
    sn_code_samples *samples = reader->samples;
    if (found->process != reader->process && !reader->follow) {
        samples->of_children++;
    } else if (is_kernel) {
        samples->in_kernel++;
    } else if (found->address - samples->start < samples->bytes) {
        samples->inside++;
        samples->counts[found->address - samples->start]++;
    } else {
        samples->elsewhere++;
    }
}

uint64_t sn_code_samples_take(sn_code_samples_reader *reader, const uint8_t *ring, uint64_t size, uint64_t from,
                              uint64_t to) {
    while (to - from >= sizeof(struct perf_event_header)) {
        struct perf_event_header head;
        copy(&head, ring, size, from, sizeof head);
        if (head.size < sizeof head || head.size > to - from) break;
        uint64_t body = from + sizeof head, length = head.size - sizeof head;
        if (head.type == PERF_RECORD_SAMPLE && length >= sizeof(sample)) {
            sample found;
            copy(&found, ring, size, body, sizeof found);
            count(reader, &found, (head.misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER);
        } else if (head.type == PERF_RECORD_LOST && length >= 2 * sizeof(uint64_t)) {
            uint64_t lost;
            copy(&lost, ring, size, body + sizeof lost, sizeof lost);
            reader->samples->lost += lost;
        } else if (head.type == PERF_RECORD_THROTTLE) {
            reader->samples->throttled++;
        } else if (head.type == PERF_RECORD_FORK && length >= sizeof(fork_record)) {
            fork_record made;
            copy(&made, ring, size, body, sizeof made);
            reader->threads += made.process == made.parent && (made.process == reader->process || reader->follow);
        }
        from += head.size;
    }
    return from;
}

/* ---- Asking for it. ---- */

static int open_event(pid_t process, int processor, uint64_t period_ns, bool user_only, bool tells_threads) {
    struct perf_event_attr asked;
    memset(&asked, 0, sizeof asked);
    asked.size = sizeof asked;
    asked.type = PERF_TYPE_SOFTWARE;
    asked.config = PERF_COUNT_SW_TASK_CLOCK;
    asked.sample_period = period_ns;
    asked.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
    asked.inherit = 1;
    asked.disabled = 1;
    asked.exclude_kernel = asked.exclude_hv = user_only;
    asked.task = tells_threads;
#ifdef PERF_ATTR_SIZE_VER7
    asked.remove_on_exec = 1; /* what comes instead has other code at these addresses */
    int event = (int)syscall(SYS_perf_event_open, &asked, process, processor, -1, PERF_FLAG_FD_CLOEXEC);
    if (event >= 0 || (errno != EINVAL && errno != E2BIG)) return event;
    asked.remove_on_exec = 0; /* before Linux 5.13 */
#endif
    return (int)syscall(SYS_perf_event_open, &asked, process, processor, -1, PERF_FLAG_FD_CLOEXEC);
}

static int open_any(pid_t process, int processor, uint64_t period_ns, bool tells_threads, bool *sees_kernel) {
    int event = *sees_kernel ? open_event(process, processor, period_ns, false, tells_threads) : -1;
    if (event >= 0) return event;
    if (*sees_kernel && errno != EACCES && errno != EPERM) return -1;
    *sees_kernel = false; /* as /proc/sys/kernel/perf_event_paranoid has it for everybody */
    return open_event(process, processor, period_ns, true, tells_threads);
}

int sn_code_sampler_refused(void) {
    bool sees_kernel = true;
    int event = open_any(0, -1, 1000000, false, &sees_kernel);
    if (event < 0) return errno;
    close(event);
    return 0;
}

static bool map_ring(ring *at) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t pages = LARGEST_RING_PAGES; pages; pages /= 2) { /* less where little may be locked */
        at->bytes = (1 + pages) * page;
        void *found = mmap(NULL, at->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, at->events[0], 0);
        if (found != MAP_FAILED) {
            at->page = found;
            return true;
        }
        if (errno != EPERM) return false;
    }
    return false;
}

static void close_ring(ring *at) {
    for (unsigned i = 0; i < SN_SAMPLE_CLOCKS; i++)
        if (at->events[i] >= 0) close(at->events[i]);
    if (at->page) munmap(at->page, at->bytes);
}

/* Of each clock, on the same processor. False: errno says why. */
static bool open_ring(sn_code_sampler *sampler, ring *at, const sn_code_sampler_plan *plan, int processor,
                     const uint64_t *periods) {
    for (unsigned i = 0; i < SN_SAMPLE_CLOCKS; i++) at->events[i] = -1;
    at->page = NULL;
    for (unsigned i = 0; i < SN_SAMPLE_CLOCKS; i++) {
        at->events[i] = open_any(plan->process, processor, periods[i], !i, &sampler->sees_kernel);
        bool is_done = at->events[i] >= 0 && (i ? !ioctl(at->events[i], PERF_EVENT_IOC_SET_OUTPUT, at->events[0])
                                                : map_ring(at));
        if (!is_done) {
            int error = errno;
            close_ring(at);
            errno = error;
            return false;
        }
    }
    return true;
}

/* Periods around three times what is asked for, which sum up to it: 1 / sum(1 / period). */
static double draw_periods(double ns_per_sample, uint64_t *periods) {
    uint64_t state = 0;
    double rate = 0;
    if (getrandom(&state, sizeof state, GRND_NONBLOCK) != sizeof state) state = sn_monotonic_ns();
    state |= 1;
    for (unsigned i = 0; i < SN_SAMPLE_CLOCKS; i++) {
        sn_xorshift64(&state);
        double part = 0.75 + 0.5 * (double)(sn_xorshift64(&state) >> 11) / 9007199254740992.0; /* 2^53 */
        periods[i] = (uint64_t)(ns_per_sample * SN_SAMPLE_CLOCKS * part);
        rate += 1 / (double)periods[i];
    }
    return 1 / rate;
}

static bool make_spool(sn_code_sampler *sampler, const sn_code_sampler_plan *plan, const char *path, double mean_ns) {
    static const char *const none[4];
    const uint64_t bytes = sizeof(sn_code_samples) + plan->bytes * sizeof(uint32_t);
    if (bytes > UINT32_MAX) {
        errno = EFBIG;
        return false;
    }
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return false;
    if (sn_cells_create(&sampler->cells, file, SN_HEADER_CELLS + sn_record_cells(bytes) + ROOM_CELLS) != SN_OK) {
        errno = ENOSPC;
        return false;
    }
    const uint32_t numbers[4] = {1}, length[4] = {(uint32_t)bytes};
    sn_code_samples *samples = sn_cells_add_record(&sampler->cells, SN_RECORD_SAMPLES, numbers, none, length);
    const uint32_t no_numbers[4] = {0}, lengths[4] = {(uint32_t)strlen(plan->command), 0, (uint32_t)strlen(plan->mechanism)};
    const char *const words[4] = {plan->command, "", plan->mechanism, ""};
    if (!samples || !sn_cells_record(&sampler->cells, SN_RECORD_PROCESS, no_numbers, words, lengths)) {
        errno = ENOSPC;
        return false;
    }
    *samples = (sn_code_samples){.start = plan->start, .bytes = plan->bytes, .ns_per_sample = mean_ns};
    sampler->reader =
        (sn_code_samples_reader){.samples = samples, .process = (uint32_t)plan->process, .follow = plan->follow};
    sn_header *header = sn_cells_header(&sampler->cells);
    header->clock = SN_CLOCK_MONOTONIC;
    header->threads = 1;
    return true;
}

/* Rings for all processors; those that are switched off have none. */
static bool open_rings(sn_code_sampler *sampler, const sn_code_sampler_plan *plan, long processors,
                       const uint64_t *periods) {
    for (int processor = 0; processor < processors; processor++) {
        if (open_ring(sampler, &sampler->ring[sampler->rings], plan, processor, periods)) sampler->rings++;
        else if (errno != ENODEV) return false;
    }
    return sampler->rings;
}

static void begin(sn_code_sampler *sampler, const sn_code_sampler_plan *plan) {
    sampler->reader.samples->sees_kernel = sampler->sees_kernel;
    sn_header *header = sn_cells_header(&sampler->cells);
    header->parent_pid = (uint32_t)getpid();
    header->start_ns = header->start_ticks = sn_monotonic_ns();
    for (unsigned i = 0; i < sampler->rings; i++)
        for (unsigned each = 0; each < SN_SAMPLE_CLOCKS; each++)
            ioctl(sampler->ring[i].events[each], PERF_EVENT_IOC_ENABLE, 0);
    __atomic_store_n(&header->pid, (uint32_t)plan->process, __ATOMIC_RELEASE);
}

static void let_go(sn_code_sampler *sampler) {
    for (unsigned i = 0; i < sampler->rings; i++) close_ring(&sampler->ring[i]);
    if (sampler->cells.base) sn_cells_destroy(&sampler->cells);
    free(sampler);
}

sn_code_sampler *sn_code_sampler_create(const sn_code_sampler_plan *plan, const char *path) {
    uint64_t periods[SN_SAMPLE_CLOCKS];
    double mean_ns =
        draw_periods(plan->ns_per_sample < SN_SHORTEST_SAMPLE_NS ? SN_SHORTEST_SAMPLE_NS : plan->ns_per_sample, periods);
    long processors = sysconf(_SC_NPROCESSORS_CONF);
    if (processors < 1) processors = 1;
    sn_code_sampler *sampler = calloc(1, sizeof *sampler + (size_t)processors * sizeof(ring));
    if (!sampler) return NULL;
    sampler->sees_kernel = true;
    if (make_spool(sampler, plan, path, mean_ns) && open_rings(sampler, plan, processors, periods)) {
        begin(sampler, plan);
        return sampler;
    }
    int error = errno;
    let_go(sampler);
    errno = error;
    return NULL;
}

void sn_code_sampler_read(sn_code_sampler *sampler) {
    for (unsigned i = 0; i < sampler->rings; i++) {
        struct perf_event_mmap_page *page = sampler->ring[i].page;
        const uint64_t size = sampler->ring[i].bytes - (size_t)sysconf(_SC_PAGESIZE);
        uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), tail = page->data_tail;
        const uint8_t *bytes = (const uint8_t *)page + (size_t)sysconf(_SC_PAGESIZE);
        tail = sn_code_samples_take(&sampler->reader, bytes, size, tail, head);
        __atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
    }
    sn_cells_header(&sampler->cells)->threads = 1 + sampler->reader.threads;
}

void sn_code_sampler_destroy(sn_code_sampler *sampler) {
    if (!sampler) return;
    for (unsigned i = 0; i < sampler->rings; i++)
        for (unsigned each = 0; each < SN_SAMPLE_CLOCKS; each++)
            ioctl(sampler->ring[i].events[each], PERF_EVENT_IOC_DISABLE, 0);
    sn_code_sampler_read(sampler);
    sn_cells_header(&sampler->cells)->end_ticks = sn_monotonic_ns();
    let_go(sampler);
}

const sn_code_samples *sn_code_sampler_samples(const sn_code_sampler *sampler) { return sampler->reader.samples; }
