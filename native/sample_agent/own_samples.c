#define _GNU_SOURCE
#include "agent.h"

#include "../core/base/thread_local.h"
#include "../core/stacks/own_frames.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(sn_frame_part) == offsetof(_PyStackChunk, data), "parts of the stack of frames are laid out so");
_Static_assert(offsetof(sn_frame_part, bytes) == offsetof(_PyStackChunk, size), "and their sizes lie there");

/* Threads that take a sample at the same time: one that has the GIL, and some of native code. */
enum { WALKERS = 4 };
static sn_own_walker walkers[WALKERS];
static bool is_taken[WALKERS];

/* The state of the calling thread: of the interpreter that it runs, else of the one that it began in. */
static PyThreadState *own_state(void) {
#if PY_VERSION_HEX >= 0x030C0000
    PyThreadState *state = sn_thread_state();
    if (state) return state;
#endif
    return PyGILState_GetThisThreadState();
}

/* The number of the calling thread, asked for once. */
static _Thread_local uint32_t own_id SN_STATIC_TLS;

static uint32_t thread_id(void) {
    if (!own_id) own_id = (uint32_t)syscall(SYS_gettid);
    return own_id;
}

void sn_samples_after_fork(void) { own_id = 0; }

static uint64_t ran_ns(void) {
    struct timespec ran;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran);
    return (uint64_t)ran.tv_sec * 1000000000u + (uint64_t)ran.tv_nsec;
}

static sn_own_walker *take_walker(void) {
    for (unsigned i = 0; i < WALKERS; i++)
        if (!__atomic_exchange_n(&is_taken[i], true, __ATOMIC_ACQUIRE)) return &walkers[i];
    return NULL;
}

static void give_back(sn_own_walker *walker) { __atomic_store_n(&is_taken[walker - walkers], false, __ATOMIC_RELEASE); }

static void write_sample(sn_ring_header *ring, const sn_ring_frame *frames, uint32_t count) {
    uint32_t bytes = (uint32_t)(sizeof(sn_record_sample) + count * sizeof *frames);
    sn_record_sample *sample = sn_ring_reserve(ring, bytes);
    if (!sample) return;
    sample->thread = thread_id();
    sample->frames = count;
    sample->ran_ns = ran_ns();
    memcpy(sample + 1, frames, count * sizeof *frames);
    sn_ring_commit(sample, SN_RECORD_SAMPLE, bytes);
}

static bool are_all_code(const sn_own_walker *walker, uint32_t count, bool *is_code) {
    for (uint32_t i = count; i-- > 0;)
        if (!sn_known_code(walker->frames[i].code, is_code)) return false;
    return true;
}

/* Up to 3.12 each entry of the interpreter from C holds a pointer to the frame on top, which it has made known before it is
 * written. Then what the entry before holds is right: what has called this one still runs. 0: there is none. */
static uint64_t top_before(const PyThreadState *state) {
    uint64_t top = 0;
#if PY_VERSION_HEX < 0x030D0000
    uint64_t before, entry = (uint64_t)(uintptr_t)state->cframe;
    if (!sn_read_one(&sn_own_memory, entry + offsetof(_PyCFrame, previous), &before, sizeof before) ||
        !sn_read_one(&sn_own_memory, before + offsetof(_PyCFrame, current_frame), &top, sizeof top))
        return 0;
#else
    (void)state;
#endif
    return top;
}

static sn_stack_result walk(sn_own_walker *walker, const sn_python_layout *layout, const PyThreadState *state, uint64_t top,
                            uint32_t *count) {
    const sn_own_stack stack = {top, (const sn_frame_part *)state->datastack_chunk,
                                (uint64_t)(uintptr_t)state->datastack_top};
    return sn_own_frames(walker, &sn_own_memory, layout, &stack, count);
}

static void take_of(sn_ring_header *ring, sn_own_walker *walker, PyThreadState *state) {
    uint32_t count;
    uint64_t before;
    bool is_code = true;
    sn_stack_result result = walk(walker, &ring->layout, state, (uint64_t)(uintptr_t)sn_frame_top(state), &count);
    if (result == SN_STACK_TORN && (before = top_before(state)))
        result = walk(walker, &ring->layout, state, before, &count);
    switch (result) {
    case SN_STACK_READ:
        if (are_all_code(walker, count, &is_code)) write_sample(ring, walker->frames, count);
        else if (!is_code) sn_ring_note(ring, SN_RING_TORN);
        break;
    case SN_STACK_EMPTY:
        write_sample(ring, NULL, 0);
        break;
    case SN_STACK_TOO_DEEP:
        sn_ring_note(ring, SN_RING_TOO_DEEP);
        break;
    default:
        sn_ring_note(ring, SN_RING_TORN);
        break;
    }
}

void sn_take_sample(void) {
    sn_ring_header *ring = sn_sampling_now.ring;
    PyThreadState *state = own_state();
    if (!ring) return;
    if (!state) {
        write_sample(ring, NULL, 0);
        return;
    }
    sn_own_walker *walker = take_walker();
    if (!walker) {
        sn_ring_note(ring, SN_RING_BUSY);
        return;
    }
    take_of(ring, walker, state);
    give_back(walker);
}

void sn_take_end(sn_ring_header *ring) { write_sample(ring, NULL, 0); }
