/* Samples at polling points: where the interpreter looks whether there is something to do, at the beginning of functions and
 * the end of loops. The handler has a call made there; only the first thread of a program makes such calls.
 *
 * The queue of calls has a lock. The thread that was interrupted may hold it itself: then the next signal tries again. */
#include "agent.h"

#include "internal/pycore_interp.h"
#include "internal/pycore_runtime.h"

#include <sys/syscall.h>
#include <unistd.h>

static bool is_waiting;

/* Whether it is known where the lock is. Before it in _PyRuntime is what Pythons have that can be told of to perf: with
 * glibc all can, with musl up to 3.13 none. */
#if defined(__GLIBC__) || PY_VERSION_HEX < 0x030E0000
const bool sn_polling_is_known = true;
#else
const bool sn_polling_is_known = false;
#endif

static bool is_queue_free(void) {
#if PY_VERSION_HEX >= 0x030D0000
    return !(__atomic_load_n(&_PyRuntime.ceval.pending_mainthread.mutex._bits, __ATOMIC_ACQUIRE) & 1);
#else
#if PY_VERSION_HEX >= 0x030C0000
    PyThread_type_lock lock = _PyRuntime.ceval.pending_mainthread.lock;
#else
    PyThread_type_lock lock = PyInterpreterState_Main()->ceval.pending.lock;
#endif
    if (!PyThread_acquire_lock(lock, NOWAIT_LOCK)) return false;
    PyThread_release_lock(lock);
    return true;
#endif
}

static int on_poll(void *unused) {
    (void)unused;
    __atomic_store_n(&is_waiting, false, __ATOMIC_RELEASE);
    sn_take_sample();
    return 0;
}

void sn_poll(void) {
    sn_ring_header *ring = sn_sampling_now.ring;
    if (syscall(SYS_gettid) != getpid()) {
        sn_ring_note(ring, SN_RING_ELSEWHERE);
        return;
    }
    if (__atomic_load_n(&is_waiting, __ATOMIC_ACQUIRE) || !is_queue_free()) return;
    __atomic_store_n(&is_waiting, true, __ATOMIC_RELEASE);
    if (Py_AddPendingCall(on_poll, NULL)) __atomic_store_n(&is_waiting, false, __ATOMIC_RELEASE);
}

void sn_polling_after_fork(void) { is_waiting = false; }
