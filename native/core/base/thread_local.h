/* Thread-local variables of a library that is loaded while the program runs, and may be used in signal handlers. */
#ifndef SONDE_THREAD_LOCAL_H
#define SONDE_THREAD_LOCAL_H

#include <features.h>

/* At a fixed distance from the thread's pointer: one instruction, and nothing is allocated where one is used first. glibc
 * has some room for libraries that come later. musl has none, but allocates all when a library is loaded. */
#ifdef __GLIBC__
#define SN_STATIC_TLS __attribute__((tls_model("initial-exec")))
#else
#define SN_STATIC_TLS
#endif

#endif
