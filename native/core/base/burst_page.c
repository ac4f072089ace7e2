#define _GNU_SOURCE
#include "burst_page.h"

#include "ticks.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

sn_bursts_page *sn_burst_page_reserve(void) {
    void *page = mmap(NULL, sizeof(sn_bursts_page), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    return page == MAP_FAILED ? NULL : page;
}

int sn_burst_page_begin(sn_bursts_page *page, int file) {
    int flags = MAP_SHARED | MAP_FIXED;
    if (file >= 0 && mmap(page, sizeof *page, PROT_READ | PROT_WRITE, flags, file, 0) == MAP_FAILED) return errno;
    sn_bursts *bursts = &page->bursts;
    if (!bursts->first_ns) {
        bursts->first_ns = bursts->start_ns = bursts->end_ns = sn_monotonic_ns();
        bursts->begun = 1;
        __atomic_store_n(&bursts->number, 1, __ATOMIC_RELEASE);
    }
    return mprotect(page, sizeof *page, PROT_READ) ? errno : 0;
}
