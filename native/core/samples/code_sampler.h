/* Where threads of another process are in its code, sampled by the kernel.
 *
 * The kernel's clock of what a thread runs (perf_event_open, PERF_COUNT_SW_TASK_CLOCK) interrupts the thread every so often
 * and writes down where it is; nothing of ours runs in the process, which gets no signal, thread or descriptor. We read that
 * from memory shared with the kernel, one ring for each processor, and count it in a spool.
 *
 *   kernel -> ring of each processor -> counts: one for each byte of the code's addresses, in a record of the spool
 *
 * Moments: SN_SAMPLE_CLOCKS clocks run side by side, with periods drawn at random when sampling begins. What repeats in the
 * program can keep step with one of them only by chance, and not with all. The kernel starts the clock of a thread where it had
 * stopped, so that what is short between two waits is seen as often as it runs.
 *
 * Guarantee: each sample stands for `ns_per_sample` of processor time, on average: a stretch of code that ran for t is
 *     expected to have t / ns_per_sample of them, as far as its moments do not keep step with the clocks.
 * Cost: in the program, an interrupt for each sample: some 20 us on virtual machines, where a timer is set by the host; here,
 *     0.1 us for each.
 */
#ifndef SONDE_CODE_SAMPLER_H
#define SONDE_CODE_SAMPLER_H

#include "../base/cells.h"

#include <sys/types.h>

#define SN_SAMPLE_CLOCKS 3u
#define SN_SHORTEST_SAMPLE_NS 20000u /* an interrupt takes that on virtual machines: there is nothing left of the program */

/* The payload of SN_RECORD_SAMPLES. */
typedef struct {
    uint64_t start, bytes;    /* addresses of the code */
    double ns_per_sample;     /* of processor time */
    uint64_t inside;          /* samples in the code: the sum of `counts` */
    uint64_t elsewhere;       /* in libraries, or other code of the process */
    uint64_t in_kernel;       /* while the system did something for the thread */
    uint64_t lost;            /* for which there was no room, as we were kept from reading */
    uint64_t throttled;       /* times that the kernel stopped a clock for a while, as it took too much */
    uint64_t of_children;     /* samples of forked processes that were not asked for */
    uint64_t sees_kernel;     /* whether we are told of `in_kernel` */
    uint32_t counts[];        /* (bytes,) samples at each address */
} sn_code_samples;

/* What is sampled. */
typedef struct {
    pid_t process;
    bool follow; /* its forked children, too */
    uint64_t start, bytes; /* addresses of its code */
    double ns_per_sample;
    const char *command;   /* what the profile calls the process */
    const char *mechanism; /* likewise how it is sampled */
} sn_code_sampler_plan;

/* A reader of what the kernel has written; see `sn_code_samples_take`. */
typedef struct {
    sn_code_samples *samples;
    uint32_t process;
    bool follow;
    uint32_t threads; /* that the process has begun, besides its first */
} sn_code_samples_reader;

/* Count what stands in `bytes` bytes of a ring of `size`, a power of two, from the offset `from`, which may be beyond `size`. Returns
 * where it stopped: at the end, or before what cannot be understood. */
uint64_t sn_code_samples_take(sn_code_samples_reader *reader, const uint8_t *ring, uint64_t size, uint64_t from,
                              uint64_t to);

typedef struct sn_code_sampler sn_code_sampler;

/* 0 if a process of ours may be sampled here, else what errno says. */
int sn_code_sampler_refused(void);

/* Sample a process from now on, into a spool in the empty file at `path`. NULL: errno says why. */
sn_code_sampler *sn_code_sampler_create(const sn_code_sampler_plan *plan, const char *path);

/* Read what has come. Not by two threads at a time. */
void sn_code_sampler_read(sn_code_sampler *sampler);

/* Read what is left, and let go. */
void sn_code_sampler_destroy(sn_code_sampler *sampler);

const sn_code_samples *sn_code_sampler_samples(const sn_code_sampler *sampler);

#endif
