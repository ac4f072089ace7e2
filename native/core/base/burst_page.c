#define _GNU_SOURCE
#include "burst_page.h"

#include "ticks.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

/* A private page below 2 GiB. */
#ifdef MAP_32BIT
static void *map_low(void) {
    return mmap(NULL, sizeof(sn_bursts_page), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
}
#else
/* Only x86-64 has the flag: elsewhere the first address that is free, of some. A kernel before 4.17 takes an address for
 * a hint, and may map another page. */
enum { FIRST_TRIED = 0x10000000, LAST_TRIED = 0x7f000000, BETWEEN_TRIED = 0x1000000 };

static void *map_low(void) {
    for (uintptr_t at = FIRST_TRIED; at <= LAST_TRIED; at += BETWEEN_TRIED) {
        void *page = mmap((void *)at, sizeof(sn_bursts_page), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
                          -1, 0);
        if (page == (void *)at) return page;
        if (page != MAP_FAILED) munmap(page, sizeof(sn_bursts_page));
    }
    return MAP_FAILED;
}
#endif

sn_bursts_page *sn_burst_page_reserve(void) {
    void *page = map_low();
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
