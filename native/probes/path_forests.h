/* Which paths follow one another, counted where the program runs by code that sonde.passes.path_probes puts into it.
 *
 * Each thread has a forest of its own (../core/paths/slab_forest.h), in a file NAME.paths; of a thread that has ended, the
 * next one that begins takes the forest over. What an activation has come by is in its frame, so that recursion, threads
 * and switched stacks each have their own.
 *
 * Nothing here prints, allocates from the program's heap, or changes errno. What a signal handler does while its thread is
 * in here is counted as dropped. Forked children count nothing.
 */
#ifndef SONDE_PATH_FORESTS_H
#define SONDE_PATH_FORESTS_H

#include "../core/paths/slab_forest.h"

#define SN_PATHS_API __attribute__((visibility("default")))

/* In `position` of an activation: it has not begun. */
#define SN_PATHS_FRESH UINT32_MAX

/* Begin, before any code with such probes runs; `most` sequences for each thread. 0, or what errno says. */
SN_PATHS_API int sn_path_forests_begin(const char *folder, uint32_t k, uint64_t most);

/* An activation of a routine begins; called of those that may be left midway, to know how many were. Both preserve all
 * general registers but r11, as LLVM's convention `preserve_most` has it. */
SN_PATHS_API void sn_paths_enter(sn_slab_activation *activation, uint32_t routine);

/* It has taken a path. Begins it, if it is fresh. */
SN_PATHS_API void sn_paths_next(sn_slab_activation *activation, uint64_t id, uint32_t routine);

#endif
