/* Children of the process: one that is followed samples itself into a ring of its own; another one does nothing.
 *
 * Runs in the child, where only one thread is: what is called is safe in signal handlers. */
#include "agent.h"

#include <pthread.h>
#include <sys/mman.h>

static void in_child(void) {
    sn_ring_header *parents = sn_sampling_now.ring;
    sn_triggers_after_fork();
    sn_polling_after_fork();
    sn_samples_after_fork();
    if (!parents) return;
    sn_sampling_now.ring = NULL;
    munmap(parents, SN_RING_HEADER + sn_sampling_now.ring_bytes);
    if (!sn_sampling_now.follows) return;
    sn_known_code_forget_all();
    if (!sn_ring_open() && sn_triggers_begin()) sn_sampling_end(SN_RING_STOPPED);
}

int sn_forks_begin(void) { return pthread_atfork(NULL, NULL, in_child); }
