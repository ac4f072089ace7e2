/* Stacks of C, Python and JIT functions in one, of threads of other processes.
 *
 * A thread that runs is stopped (thread_pause.h) for as long as it takes to read its registers, its Python stack, and the part of
 * its C stack up to the outermost Python function: so all three are of one moment. It goes on; then the copy is unwound
 * (unwinder.h), named (native_names.h) and merged (merged_stack.h). A thread that waits is not stopped: the system tells where it
 * waits, and that it still waits there afterwards.
 */
#ifndef SONDE_NATIVE_STACKS_H
#define SONDE_NATIVE_STACKS_H

#include "../base/thread_schedule.h"
#include "../stacks/python_process.h"
#include "../stacks/python_stack.h"
#include "native_names.h"
#include "thread_pause.h"

typedef struct {
    uint64_t pauses, paused_ns, longest_ns; /* for how long threads stood still */
    uint64_t refused;   /* looks at which the system did not let us stop the thread: they have Python functions only */
    uint64_t late;      /* looks that were given up, as the thread could not stop in time */
    uint64_t unwound;   /* stacks, up to the outermost Python function */
    uint64_t guessed;   /* of these, by a frame pointer of code without call-frame information */
    uint64_t cut[SN_UNWOUND_TOO_DEEP + 1]; /* others, by the reason */
} sn_native_sums;

typedef struct sn_native_stacks sn_native_stacks;
typedef struct sn_native_process sn_native_process;

/* What is common to all processes; NULL: memory is short, or the library is not there, as `*result` says. */
sn_native_stacks *sn_native_stacks_create(sn_libdw_result *result);
void sn_native_stacks_destroy(sn_native_stacks *stacks);

sn_native_process *sn_native_process_create(sn_native_stacks *stacks, pid_t pid, const sn_python *python,
                                            const sn_memory_reader *memory, sn_code_functions *functions);
void sn_native_process_destroy(sn_native_process *process);

/* Begin to look at a thread. READY: it stands still, or `waits` and is not stopped; `sn_native_end` must follow at once. WITHOUT: it is to
 * be looked at without its C stack. LATE: it is not to be looked at now. */
typedef enum { SN_NATIVE_READY, SN_NATIVE_WITHOUT, SN_NATIVE_LATE } sn_native_result;
sn_native_result sn_native_begin(sn_native_stacks *stacks, sn_pause *pause, sn_thread_schedule *schedule, bool waits);

/* Copy its C stack, after its Python stack was read, and let it go on. False: there is no copy.
 * `holder`: of the hint, what holds the frame on top, where entries do not tell their addresses. */
bool sn_native_end(sn_native_stacks *stacks, const sn_native_process *process, sn_pause *pause, sn_thread_schedule *schedule,
                   const uint64_t *entries, uint32_t entry_count, uint64_t holder);

/* The whole stack of what was copied last, with these Python functions in it, outermost first; it is valid until the next. */
const sn_seen_frame *sn_native_merge(sn_native_stacks *stacks, sn_native_process *process, const sn_code_table *codes,
                                     const sn_stack_frame *python, uint32_t python_count, uint32_t *count);

sn_native_sums sn_native_stacks_sums(const sn_native_stacks *stacks);
const sn_native_libraries *sn_native_stacks_libraries(const sn_native_stacks *stacks);

#endif
