/* What is at the addresses of a process: functions of its executables and libraries, by their symbols and debug information, and
 * code that was made at run time, by its map.
 *
 * Functions are numbered with those of Python. Their flags have SN_NATIVE_FUNCTION, and the number of their library, or
 * SN_JIT_FUNCTION; their names are symbols, as the linker knows them, empty where there is none.
 */
#ifndef SONDE_NATIVE_NAMES_H
#define SONDE_NATIVE_NAMES_H

#include "../stacks/code_table.h"
#include "merged_stack.h"
#include "unwinder.h"

/* Flags of functions; Python has none of these bits. */
#define SN_NATIVE_FUNCTION (UINT32_C(1) << 31)
#define SN_JIT_FUNCTION (UINT32_C(1) << 30)
#define SN_LIBRARY_MASK (SN_JIT_FUNCTION - 1)
/* Different addresses whose places are kept. */
#define SN_MOST_PLACES (1u << 20)

/* Paths of executables and libraries of all processes, by their numbers. */
typedef struct {
    char **paths;
    uint32_t count, room;
} sn_native_libraries;

void sn_native_libraries_free(sn_native_libraries *libraries);

typedef struct {
    sn_seen_frame seen;
    sn_frame_role role;
    sn_code_at at;
    bool is_after_call;
    bool has_frames; /* call-frame information */
} sn_native_place;

typedef struct sn_native_names sn_native_names;

/* `runtime`: an address in the interpreter's library, whose functions may be loop or glue. NULL: memory is short. */
sn_native_names *sn_native_names_create(const sn_libdw *library, sn_unwinder *unwinder, pid_t process, uint64_t runtime,
                                        const sn_memory_reader *memory, sn_code_functions *functions,
                                        sn_native_libraries *libraries);
void sn_native_names_destroy(sn_native_names *names);

/* What a frame is at; its `at` is NONE if there is no code, as far as is known. */
sn_native_place sn_native_names_find(sn_native_names *names, const sn_unwound *frame);

/* Libraries are loaded and unloaded, and code is made, while the process runs. If there were addresses that were not known before, and
 * it is some time since, look what there is by now. Whether that has changed: stacks have to be unwound again. Not to be called while
 * one is being unwound. */
bool sn_native_names_refresh(sn_native_names *names);

#endif
