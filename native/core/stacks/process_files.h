/* Files that a process has mapped from their beginning: its executable, its libraries and modules. */
#ifndef SONDE_PROCESS_FILES_H
#define SONDE_PROCESS_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct {
    pid_t pid;
    const char *path; /* as the process has it: it may have another root, or the file may be gone */
    uint64_t start, end; /* of the first piece of it in memory */
    bool is_executable;  /* that of the process */
} sn_process_file;

/* Told of each; false: no more are asked for. */
typedef bool sn_process_file_visit(void *at, const sn_process_file *file);

typedef enum { SN_FILES_SEEN = 0, SN_FILES_NO_PROCESS, SN_FILES_FORBIDDEN } sn_files_result;

/* Visit the files of a process, in the order of their addresses. */
sn_files_result sn_process_files(pid_t pid, sn_process_file_visit *visit, void *at);

/* Its bytes, mapped: the file of that name, or if there is none any more, what the system has of it. NULL: neither. */
const uint8_t *sn_process_file_map(const sn_process_file *file, bool as_the_system_has_it, size_t *size);
void sn_process_file_unmap(const uint8_t *bytes, size_t size);

#endif
