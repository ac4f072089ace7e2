/* What the module `_asyncio` tells about its own structures, from 3.14 on: in the section .AsyncioDebug of its file, or of the
 * interpreter that it is built into. The task that a thread runs is then in the state of the thread. */
#ifndef SONDE_ASYNCIO_OFFSETS_H
#define SONDE_ASYNCIO_OFFSETS_H

#include "python_layout.h"

#include <sys/types.h>

enum { SN_ASYNCIO_BYTES = 8 * 13 };

/* Take over what it tells: (SN_ASYNCIO_BYTES,). False, and nothing is changed, when it makes no sense. */
bool sn_asyncio_layout_told(const uint8_t *offsets, sn_python_layout *layout);

/* Find it in a process that has loaded the module. False: it has not, or its version tells nothing. Cost: all mapped files are
 * looked at, few of them inside. */
bool sn_asyncio_layout_find(pid_t pid, sn_python_layout *layout);

#endif
