/* Parts of a process's memory that hold code which is in no file: made at run time. And whether that, or the files, have changed. */
#ifndef SONDE_CODE_RANGES_H
#define SONDE_CODE_RANGES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct {
    uint64_t begin, end;
} sn_code_range;

typedef struct {
    sn_code_range *ranges; /* in order */
    uint32_t count, room;
    uint64_t files, code; /* hashes of where which files are mapped as code; and of all code */
} sn_code_ranges;

/* Read them anew, from /proc; what cannot be read leaves none. */
void sn_code_ranges_read(sn_code_ranges *ranges, pid_t process);
void sn_code_ranges_free(sn_code_ranges *ranges);
bool sn_code_ranges_have(const sn_code_ranges *ranges, uint64_t address);

#endif
