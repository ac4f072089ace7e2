#define _GNU_SOURCE
#include "counting.h"

#include "../core/base/burst_page.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

sn_counting counting;

/* A child of a fork would go on writing into the file of its parent. */
static void stop_in_child(void) { counting.open = false; }

static const uint32_t always = 1;

static int begin_bursts(const char *path) {
    sn_bursts_page *page = sn_burst_page_reserve();
    int file = page ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (page && file >= 0) errno = sn_burst_page_begin(page, file);
    bool failed = !page || file < 0 || errno;
    if (failed) PyErr_SetFromErrnoWithFilename(PyExc_OSError, path);
    else counting.burst = &page->bursts.number;
    if (file >= 0) close(file);
    return failed ? -1 : 0;
}

int sn_counting_begin(const char *path, const char *bursts, uint32_t k, uint64_t most) {
    counting.burst = &always;
    if (*bursts && begin_bursts(bursts)) return -1;
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) {
        PyErr_SetFromErrnoWithFilename(PyExc_OSError, path);
        return -1;
    }
    sn_status status = sn_slab_create(&counting.forest, file, k, most);
    if (status == SN_BAD_INPUT) {
        PyErr_SetString(PyExc_ValueError, "k is 1 or more");
        return -1;
    }
    if (status != SN_OK) {
        errno = status == SN_NO_SPACE ? ENOSPC : ENOMEM;
        PyErr_SetFromErrnoWithFilename(PyExc_OSError, path);
        return -1;
    }
    if (!sn_cells_release_file(&counting.forest.cells, path) || pthread_atfork(NULL, NULL, stop_in_child)) {
        PyErr_NoMemory();
        return -1;
    }
    counting.forest.prunes = true;
    counting.open = true;
    return 0;
}
