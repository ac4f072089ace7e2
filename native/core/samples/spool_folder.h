/* The spools in a folder, as they come: asked so often that asking must cost next to nothing. */
#ifndef SONDE_SPOOL_FOLDER_H
#define SONDE_SPOOL_FOLDER_H

#include "../base/word_map.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    char *path;
    struct sn_word_map taken; /* by the file's number in its file system */
    uint64_t changed_ns; /* when the folder was changed last, if all that came until then is taken; else 0 */
} sn_spool_folder;

/* Whether the file is done with: else it is told again. */
typedef bool sn_spool_taker(void *at, const char *path);

/* False: memory is short. */
bool sn_spool_folder_init(sn_spool_folder *folder, const char *path);
void sn_spool_folder_free(sn_spool_folder *folder);

/* Tell of the files in it whose names end with `.cells`, and that were not taken yet.
 * Cost: 1 us while none comes; O(files) else. */
void sn_spool_folder_look(sn_spool_folder *folder, sn_spool_taker *take, void *at);

#endif
