#define _GNU_SOURCE
#include "process_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST_PATH = 4096, PATH_ROOM = LONGEST_PATH + 64 };

static sn_files_result why_not_open(void) {
    return errno == EACCES || errno == EPERM ? SN_FILES_FORBIDDEN : SN_FILES_NO_PROCESS;
}

sn_files_result sn_process_files(pid_t pid, sn_process_file_visit *visit, void *at) {
    char path[PATH_ROOM], executable[PATH_ROOM], *line = NULL;
    size_t room = 0;
    snprintf(path, sizeof path, "/proc/%ld/exe", (long)pid);
    ssize_t length = readlink(path, executable, sizeof executable - 1);
    if (length < 0) return why_not_open();
    executable[length] = 0;
    snprintf(path, sizeof path, "/proc/%ld/maps", (long)pid);
    FILE *maps = fopen(path, "re");
    if (!maps) return why_not_open();
    sn_files_result result = SN_FILES_SEEN;
    bool is_first = true, goes_on = true;
    errno = 0;
    while (goes_on && getline(&line, &room, maps) > 0) {
        unsigned long start, end, offset;
        int name = 0;
        is_first = false;
        if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %n", &start, &end, &offset, &name) < 3 || !name) continue;
        line[strcspn(line, "\n")] = 0;
        if (offset || line[name] != '/' || strlen(line + name) > LONGEST_PATH) continue;
        const sn_process_file file = {pid, line + name, start, end, !strcmp(line + name, executable)};
        goes_on = visit(at, &file);
    }
    if (is_first && errno) result = why_not_open();
    free(line);
    fclose(maps);
    return result;
}

const uint8_t *sn_process_file_map(const sn_process_file *file, bool as_the_system_has_it, size_t *size) {
    char path[PATH_ROOM];
    long pid = file->pid;
    if (as_the_system_has_it)
        snprintf(path, sizeof path, "/proc/%ld/map_files/%lx-%lx", pid, (unsigned long)file->start, (unsigned long)file->end);
    else if (file->is_executable) snprintf(path, sizeof path, "/proc/%ld/exe", pid);
    else snprintf(path, sizeof path, "/proc/%ld/root%s", pid, file->path);
    int opened = open(path, O_RDONLY | O_CLOEXEC);
    if (opened < 0) return NULL;
    struct stat about;
    void *bytes = MAP_FAILED;
    if (!fstat(opened, &about) && S_ISREG(about.st_mode) && about.st_size > 0)
        bytes = mmap(NULL, *size = (size_t)about.st_size, PROT_READ, MAP_PRIVATE, opened, 0);
    close(opened);
    return bytes == MAP_FAILED ? NULL : bytes;
}

void sn_process_file_unmap(const uint8_t *bytes, size_t size) { munmap((void *)(uintptr_t)bytes, size); }
