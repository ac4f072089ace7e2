/* Names of code that was made at run time, as a process tells them to profilers: `/tmp/perf-PID.map`, a line for each piece of code
 * with its address and size, in hexadecimal digits, and its name. The file grows; where pieces overlap, the later line holds. */
#ifndef SONDE_JIT_MAP_H
#define SONDE_JIT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { SN_JIT_NAME = 512 };       /* bytes of a name that are kept, with the end */
#define SN_MOST_JIT_CODE (1u << 20)

typedef struct {
    uint64_t begin, end;
    char *name;
} sn_jit_code;

/* What of a piece of code no later one covers. */
typedef struct {
    uint64_t begin, end;
    uint32_t code;
} sn_jit_part;

typedef struct {
    sn_jit_code *codes; /* as they were added */
    uint32_t count, room;
    sn_jit_part *parts; /* in order of their addresses, of the first `sorted` codes */
    uint32_t part_count, sorted;
    int64_t read; /* bytes of the file */
} sn_jit_map;

void sn_jit_map_free(sn_jit_map *map);

/* Take lines; false: memory is short. Lines that are none are passed over. Returns the bytes of whole lines. */
size_t sn_jit_map_take(sn_jit_map *map, const char *text, size_t bytes);

/* A piece of code of which the name is known by other means. */
bool sn_jit_map_add(sn_jit_map *map, uint64_t begin, uint64_t size, const char *name, size_t bytes);

/* Read what the process has written since the last time. */
void sn_jit_map_read(sn_jit_map *map, pid_t process);

/* The code that an address is in, or NULL. Cost: O(log n); the first time after n were added, O(n log n). */
const sn_jit_code *sn_jit_map_find(sn_jit_map *map, uint64_t address);

#endif
