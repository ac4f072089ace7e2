/* All threads of a process, whether they run Python or not. */
#ifndef SONDE_SYSTEM_THREADS_H
#define SONDE_SYSTEM_THREADS_H

#include <stdint.h>
#include <sys/types.h>

/* Their numbers in the system: (room,). Returns how many there are, at most `room`; 0: the process is gone. */
uint32_t sn_system_threads(pid_t process, uint32_t *threads, uint32_t room);

#endif
