/* Whether a layout is that of an interpreter that runs: its threads point back to it, and have numbers; its code objects are of
 * the type of code objects. So a version that is newer than sonde can be tried, and a build that moved what we rely on is found
 * out. */
#ifndef SONDE_PYTHON_CHECK_H
#define SONDE_PYTHON_CHECK_H

#include "memory_reader.h"
#include "python_process.h"

/* Check `python->layout`, and find `python->code_type` where that is 0, as no symbol told it. FOUND: all is right. UNKNOWN: the
 * layout is another one. NOT_READY: it cannot be told now; NO_SYMBOLS: nor later.
 * Cost: some ten pieces of memory; without a symbol up to MOST_FRAMES of each thread. */
sn_python_result sn_python_check(const sn_memory_reader *memory, sn_python *python);

#endif
