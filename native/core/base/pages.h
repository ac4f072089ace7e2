/* Memory for code that runs where there is no C library: in a Valgrind tool. */
#ifndef SONDE_PAGES_H
#define SONDE_PAGES_H

#include <stddef.h>

/* `bytes` of zeroed memory at a page boundary, which is never given back; NULL when there is none left.
 * Physical memory is used for what is touched only, so ask for address space generously.
 * Given by the platform: pages.c, or native/valgrind/pages.c. */
void *sn_pages(size_t bytes);

#endif
