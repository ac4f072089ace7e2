#define _GNU_SOURCE
#include "process_memory.h"

#include <errno.h>
#include <sys/uio.h>

sn_read_result sn_process_read(pid_t pid, const sn_piece *pieces, unsigned count) {
    struct iovec to[SN_MOST_PIECES], from[SN_MOST_PIECES];
    ssize_t bytes = 0;
    for (unsigned i = 0; i < count; i++) {
        to[i] = (struct iovec){pieces[i].to, pieces[i].bytes};
        from[i] = (struct iovec){(void *)(uintptr_t)pieces[i].from, pieces[i].bytes};
        bytes += (ssize_t)pieces[i].bytes;
    }
    ssize_t done = process_vm_readv(pid, to, count, from, count, 0);
    if (done == bytes) return SN_READ_ALL;
    if (done < 0 && errno == ESRCH) return SN_READ_OVER;
    return done < 0 && (errno == EPERM || errno == ENOSYS) ? SN_READ_FORBIDDEN : SN_READ_ABSENT;
}
