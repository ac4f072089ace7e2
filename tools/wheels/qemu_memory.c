/* What qemu's user mode does not have, and Linux has: memory of other processes, read by way of /proc. A library to be
 * loaded first into programs for aarch64 that are tried in qemu:
 *   zig cc -target aarch64-linux-gnu.2.28 -shared -o memory.so tools/wheels/qemu_memory.c
 *   qemu-aarch64 -E LD_PRELOAD=memory.so ...
 * Programs of 64 bits have the addresses there that they have on the machine itself. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

ssize_t process_vm_readv(pid_t process, const struct iovec *here, unsigned long here_count, const struct iovec *there,
                         unsigned long there_count, unsigned long flags) {
    (void)flags;
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/mem", (int)process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        errno = errno == ENOENT ? ESRCH : EPERM;
        return -1;
    }
    ssize_t total = 0;
    unsigned long into = 0;
    size_t filled = 0;
    for (unsigned long from = 0; from < there_count; from++)
        for (size_t at = 0; at < there[from].iov_len;) {
            while (into < here_count && filled == here[into].iov_len) into++, filled = 0;
            if (into == here_count) goto done;
            size_t room = here[into].iov_len - filled, wanted = there[from].iov_len - at;
            ssize_t got = pread64(file, (char *)here[into].iov_base + filled, room < wanted ? room : wanted,
                                  (off64_t)((uintptr_t)there[from].iov_base + at));
            if (got <= 0) {
                if (!total) total = -1, errno = EFAULT;
                goto done;
            }
            total += got, at += (size_t)got, filled += (size_t)got;
        }
done:;
    int error = errno;
    close(file);
    errno = error;
    return total;
}
