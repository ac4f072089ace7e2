/* Samples that processes take of themselves, read from their rings, as a calling context tree with times.
 *
 * See sample_ring.h for how they come, and stack_tree.h for how times are found: of processor time, which each sample brings
 * with it. Half of what a thread ran before its first sample goes to that.
 */
#ifndef SONDE_RING_SAMPLER_H
#define SONDE_RING_SAMPLER_H

#include "sample_ring.h"
#include "stack_tree.h"

typedef struct sn_ring_sampler sn_ring_sampler;

/* Sums over all rings. */
typedef struct {
    uint64_t samples;       /* that were read */
    uint64_t stacks;        /* of these, Python functions ran */
    uint64_t outside;       /* of these, none ran */
    uint64_t unknown;       /* stacks whose code objects were not told, or found no room */
    uint64_t replaced;      /* code objects that were freed, and others came to their place */
    uint64_t damaged;       /* rings that were not read to their end */
    uint64_t covered_ns;    /* processor time from the first sample of threads to their last */
    uint64_t counts[SN_RING_COUNTS];
} sn_ring_sums;

typedef struct {
    uint32_t pid, version, threads; /* that were ever seen */
    sn_ring_state state;
    uint64_t stacks;
    const char *command;
    uint32_t command_bytes;
} sn_ring_process;

typedef struct {
    uint32_t process, native_id;
    uint64_t first_ns, last_ns; /* its processor time at the first sample and at the last */
} sn_ring_thread;

typedef enum { SN_RING_ADDED = 0, SN_RING_NOT_READY, SN_RING_NONE, SN_RING_NO_MEMORY } sn_ring_result;

/* NULL when memory is short. `apart`: each thread has a tree of its own. */
sn_ring_sampler *sn_ring_sampler_create(bool apart);
void sn_ring_sampler_destroy(sn_ring_sampler *sampler);

/* Read a ring, too. NOT_READY: it is not yet written; NONE: it is no ring of this build, or cannot be mapped (errno). */
sn_ring_result sn_ring_sampler_add(sn_ring_sampler *sampler, const char *path);

/* Read what was committed; whether there was anything. */
bool sn_ring_sampler_drain(sn_ring_sampler *sampler);

/* Let go of the ring of a process that has ended, once it was drained: what was read stays. */
void sn_ring_sampler_release(sn_ring_sampler *sampler, uint32_t process);

/* Ask all processes to sample no more. */
void sn_ring_sampler_stop(sn_ring_sampler *sampler);

sn_ring_sums sn_ring_sampler_sums(const sn_ring_sampler *sampler);
const sn_stack_tree *sn_ring_sampler_tree(const sn_ring_sampler *sampler);
const sn_code_functions *sn_ring_sampler_functions(const sn_ring_sampler *sampler);
uint32_t sn_ring_sampler_processes(const sn_ring_sampler *sampler);
sn_ring_process sn_ring_sampler_process(const sn_ring_sampler *sampler, uint32_t number);
uint32_t sn_ring_sampler_threads(const sn_ring_sampler *sampler);
sn_ring_thread sn_ring_sampler_thread(const sn_ring_sampler *sampler, uint32_t number);

#endif
