#define _GNU_SOURCE
#include "process_memory.h"

#include <errno.h>
#include <sys/uio.h>

static sn_read_result why_not(ssize_t done) {
    if (done < 0 && errno == ESRCH) return SN_READ_OVER;
    return done < 0 && (errno == EPERM || errno == ENOSYS) ? SN_READ_FORBIDDEN : SN_READ_ABSENT;
}

sn_read_result sn_process_read(pid_t pid, const sn_piece *pieces, unsigned count) {
    struct iovec to[SN_MOST_PIECES], from[SN_MOST_PIECES];
    ssize_t bytes = 0;
    for (unsigned i = 0; i < count; i++) {
        to[i] = (struct iovec){pieces[i].to, pieces[i].bytes};
        from[i] = (struct iovec){(void *)(uintptr_t)pieces[i].from, pieces[i].bytes};
        bytes += (ssize_t)pieces[i].bytes;
    }
    ssize_t done = process_vm_readv(pid, to, count, from, count, 0);
    return done == bytes ? SN_READ_ALL : why_not(done);
}

unsigned sn_process_read_leading(pid_t pid, const sn_piece *pieces, unsigned count, sn_read_result *result) {
    struct iovec to[SN_MOST_LEADING], from[SN_MOST_LEADING];
    *result = SN_READ_ALL;
    if (!count) return 0;
    for (unsigned i = 0; i < count; i++) {
        to[i] = (struct iovec){pieces[i].to, pieces[i].bytes};
        from[i] = (struct iovec){(void *)(uintptr_t)pieces[i].from, pieces[i].bytes};
    }
    ssize_t done = process_vm_readv(pid, to, count, from, count, 0), left = done;
    unsigned whole = 0;
    while (whole < count && left >= (ssize_t)pieces[whole].bytes) left -= (ssize_t)pieces[whole++].bytes;
    if (whole < count) *result = why_not(done);
    return whole;
}
