// In place of the processor's counter: a clock for each thread that the program moves on itself. Included before all else.
#include "../../native/core/base/ticks.h"

extern _Thread_local uint64_t told_clock __attribute__((tls_model("initial-exec")));
#define sn_ticks() told_clock
