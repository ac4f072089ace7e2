#define _GNU_SOURCE
#include "spool_folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

/* A folder that was changed longer ago than that shows by its time whether it has been since: twice the tick of the slowest
 * kernel, by which such times are told. */
#define SETTLED_NS 20000000u
#define ENDING ".cells"

static uint64_t ns_of(struct timespec time) { return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec; }

bool sn_spool_folder_init(sn_spool_folder *folder, const char *path) {
    *folder = (sn_spool_folder){.path = strdup(path)};
    return folder->path != NULL;
}

void sn_spool_folder_free(sn_spool_folder *folder) {
    if (folder->taken.entries) munmap(folder->taken.entries, (folder->taken.mask + 1) * sizeof *folder->taken.entries);
    free(folder->path);
    *folder = (sn_spool_folder){0};
}

static bool is_spool(const char *name) {
    size_t length = strlen(name);
    return length > strlen(ENDING) && !strcmp(name + length - strlen(ENDING), ENDING);
}

/* Tell of what is new; false when some of it was not taken. */
static bool tell(sn_spool_folder *folder, DIR *files, sn_spool_taker *take, void *at) {
    bool is_all = true;
    for (const struct dirent *file; (file = readdir(files));) {
        if (!is_spool(file->d_name) || sn_word_get(&folder->taken, file->d_ino)) continue;
        char path[4096];
        int length = snprintf(path, sizeof path, "%s/%s", folder->path, file->d_name);
        bool is_taken = length > 0 && (size_t)length < sizeof path && take(at, path);
        if (!is_taken || !sn_word_set(&folder->taken, file->d_ino, 1)) is_all = false;
    }
    return is_all;
}

void sn_spool_folder_look(sn_spool_folder *folder, sn_spool_taker *take, void *at) {
    struct stat about;
    struct timespec now;
    if (stat(folder->path, &about) || ns_of(about.st_mtim) == folder->changed_ns) return;
    DIR *files = opendir(folder->path);
    if (!files) return;
    bool is_all = tell(folder, files, take, at);
    closedir(files);
    clock_gettime(CLOCK_REALTIME, &now);
    bool is_settled = is_all && ns_of(now) > ns_of(about.st_mtim) + SETTLED_NS;
    folder->changed_ns = is_settled ? ns_of(about.st_mtim) : 0;
}
