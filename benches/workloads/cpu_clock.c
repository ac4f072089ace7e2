/* Linked to a program: the CPU time between its first constructor and its end goes to its standard error. */
#include <stdio.h>
#include <time.h>

static clock_t began;

__attribute__((constructor(101))) static void begin(void) { began = clock(); }

__attribute__((destructor(101))) static void end(void) {
  dprintf(2, "%.6f s of CPU time\n", (double)(clock() - began) / CLOCKS_PER_SEC);
}
