/* Which paths follow one another, counted where the program runs by code that sonde.passes.path_probes puts into it.
 *
 * Each thread has a forest of its own (../core/paths/slab_states.h), in a file NAME.paths; of a thread that has ended, the
 * next one that begins takes the forest over. A word of the thread's says where its nodes are. What an activation has come
 * by is a value of its own: so recursion, threads and switched stacks each have theirs.
 *
 * A state is the distance of its node from the first one in words of 32 bits, SN_PATHS_STEP for each node. The code knows which
 * paths can be next. If these are few, a node has a row with a word for each, which is the state that the path leads to, or
 * 0. The distance of such a node is given to where its row would have the word for path 0. Else there are SN_PATHS_WORDS words;
 * that at sn_paths_word(path) is the node that the last such path led to, as words from the first node, and its id tells
 * whether it is this one. In the first node there is no id of a path, but SN_MAGIC. If no path can be next there is no row.
 * An activation begins in the state of its function's node, which the code counts up, and after `setjmp` has returned once more
 * in that of SN_SLAB_LIMBO. What is not in a row the code asks `sn_paths_follow` about.
 *
 * The word is NULL until the thread comes by a function that may be the first of a thread; such call `sn_paths_thread_forest`.
 * It is read once in each activation: what goes on in another thread than it began in counts in the forest of the first one
 * what that has seen, without harm but not exactly, and all else is dropped.
 *
 * Nothing here prints, allocates from the program's heap, or changes errno. What a signal handler does that is not in the
 * forest, while its thread is in here, is counted as dropped. Forked children count nothing: their forests are blank.
 */
#ifndef SONDE_PATH_FORESTS_H
#define SONDE_PATH_FORESTS_H

#include "../core/base/burst_page.h"
#include "../core/paths/slab_states.h"

#include <stddef.h>

#define SN_PATHS_API __attribute__((visibility("default")))

/* Words of 32 bits in a node. */
#define SN_PATHS_STEP ((int64_t)(sizeof(sn_slab_node) / sizeof(uint32_t)))

/* The row of a node that many different paths may follow, and the word in it for one of them. */
#define SN_PATHS_WORDS_POWER 3u
#define SN_PATHS_WORDS (1u << SN_PATHS_WORDS_POWER)

static inline uint32_t sn_paths_word(uint64_t id) { return id & (SN_PATHS_WORDS - 1); }

/* In `routine`: the word that it is about is one of SN_PATHS_WORDS. In `row`: so are those of the node that it leads to. */
#define SN_PATHS_MANY (UINT32_C(1) << 31)

/* Begin, before any code with such probes runs; `most` sequences for each thread. `rows`: of each routine, how many words
 * the row of its node has. 0, or what errno says. */
SN_PATHS_API int sn_path_forests_begin(const char *folder, uint32_t k, uint64_t most, uint32_t routines, const uint32_t *rows);

/* Where code that counts in bursts finds whether one goes on, below 2 GiB, in this process and its forks; NULL: there is no room.
 * While the word is 0, such code counts nothing, and where a path ends its activation begins again. */
SN_PATHS_API uint32_t *sn_paths_switch(void);

/* Let an open file, an sn_bursts, be the switch, and begin the first burst. 0, or what errno says. */
SN_PATHS_API int sn_paths_begin_bursts(int file);

/* Distance of the word from the thread pointer, the same in all threads. */
SN_PATHS_API ptrdiff_t sn_path_forests_offset(void);

/* Let the calling thread have a forest. Preserves all general registers but r11, as LLVM's convention `preserve_most` has
 * it. */
SN_PATHS_API void sn_paths_thread_forest(void);

/* A routine has taken a path. Count it, and return the state that it leads to, whose node has a row of `row` words, for paths from
 * `first` on if they are few. `at`: the word for the path. Preserves all general registers but r11 and the result. */
SN_PATHS_API int64_t sn_paths_follow(uint32_t *at, uint64_t id, uint32_t routine, uint32_t row, uint32_t first);

#endif
