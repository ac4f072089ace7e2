// The clock of told_clock.h, and where a thread has it.
#include <stddef.h>
#include <stdint.h>

_Thread_local uint64_t told_clock __attribute__((tls_model("initial-exec"))) = 1;
ptrdiff_t told_clock_offset(void) { return (char *)&told_clock - (char *)__builtin_thread_pointer(); }
