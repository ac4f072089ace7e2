#include "system_threads.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

uint32_t sn_system_threads(pid_t process, uint32_t *threads, uint32_t room) {
    char path[64];
    uint32_t count = 0;
    snprintf(path, sizeof path, "/proc/%ld/task", (long)process);
    DIR *folder = opendir(path);
    if (!folder) return 0;
    for (const struct dirent *each; count < room && (each = readdir(folder));) {
        long number = strtol(each->d_name, NULL, 10);
        if (number > 0) threads[count++] = (uint32_t)number;
    }
    closedir(folder);
    return count;
}
