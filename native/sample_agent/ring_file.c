#define _GNU_SOURCE
#include "agent.h"

#include "../core/stacks/debug_offsets.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { PATH_ROOM = 4096, MOST_NUMBERS = 10 };

extern char _PyRuntime_begin[] __asm__("_PyRuntime");

/* "FOLDER/PID-N.samples": N is 0, or more for a process that has become another Python by exec. False: it is too long. No
 * printf: this runs after forks. */
static bool path_of_ring(char *path, unsigned number) {
    char digits[16];
    size_t used = strlen(sn_sampling_now.folder), count = 0;
    for (unsigned pid = (unsigned)getpid(); pid; pid /= 10) digits[count++] = (char)('0' + pid % 10);
    if (used + count + sizeof "/-0.samples" > PATH_ROOM) return false;
    memcpy(path, sn_sampling_now.folder, used);
    path[used++] = '/';
    while (count) path[used++] = digits[--count];
    path[used++] = '-';
    path[used++] = (char)('0' + number);
    memcpy(path + used, ".samples", sizeof ".samples");
    return true;
}

static uint64_t ran_ns(void) {
    struct timespec ran;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran);
    return (uint64_t)ran.tv_sec * 1000000000u + (uint64_t)ran.tv_nsec;
}

int sn_ring_open(void) {
    char path[PATH_ROOM];
    int file = -1;
    for (unsigned number = 0; file < 0 && number < MOST_NUMBERS; number++) {
        if (!path_of_ring(path, number)) return ENAMETOOLONG;
        file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (file < 0 && errno != EEXIST) break;
    }
    if (file < 0) return errno;
    sn_ring_header *ring = MAP_FAILED;
    size_t size = SN_RING_HEADER + sn_sampling_now.ring_bytes;
    int error = posix_fallocate(file, 0, (off_t)size);
    if (!error) {
        ring = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
        if (ring == MAP_FAILED) error = errno;
    }
    close(file);
    if (error) {
        unlink(path);
        return error;
    }
    ring->header_bytes = sizeof *ring;
    ring->pid = (uint32_t)getpid();
    ring->version = (uint32_t)Py_Version;
    ring->ring_bytes = sn_sampling_now.ring_bytes;
    ring->code_type = (uint64_t)(uintptr_t)&PyCode_Type;
    ring->signal = (uint32_t)sn_sampling_now.signal;
    ring->began_ns = ran_ns();
    ring->command_bytes = sn_sampling_now.command_bytes;
    memcpy(ring->command, sn_sampling_now.command, sn_sampling_now.command_bytes);
#if PY_VERSION_HEX >= 0x030D0000
    bool is_known = sn_python_layout_told((const uint8_t *)_PyRuntime_begin, &ring->layout);
#else
    bool is_known = sn_python_layout_of(PY_VERSION_HEX, &ring->layout);
#endif
    if (!is_known) {
        munmap(ring, size);
        unlink(path);
        return ENOTSUP;
    }
    __atomic_store_n(&ring->magic, SN_RING_MAGIC, __ATOMIC_RELEASE);
    sn_sampling_now.ring = ring;
    return 0;
}
