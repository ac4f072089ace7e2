/* Stacks of C frames, unwound from copies by elfutils' libdw, with the modules that a process has mapped.
 *
 * libdw follows the call-frame information of each module (.eh_frame, .debug_frame); where there is none, as in code made at run
 * time, the chain of frame pointers. That may lead anywhere: so each frame must have its stack pointer above the one before, and
 * what it returns to must be code after a call. Else the stack is cut there. What was found by a frame pointer is believed only if the
 * stack goes on from there to its end; else it is cut at the code without information.
 */
#ifndef SONDE_UNWINDER_H
#define SONDE_UNWINDER_H

#include "jit_objects.h"
#include "libdw.h"
#include "stack_copy.h"

enum { SN_MOST_C_FRAMES = 2048 };

typedef struct sn_unwinder sn_unwinder;

/* A frame: the instruction that it is at, and its stack pointer there. */
typedef struct {
    uint64_t pc;    /* of callers: the last byte of the call */
    uint64_t stack;
    bool is_caller; /* else the instruction comes next: the innermost one, or it was interrupted by a signal */
} sn_unwound;

typedef enum {
    SN_UNWOUND = 0,    /* up to where it was asked to, or to the stack's end */
    SN_UNWOUND_GUESSED, /* the same, past code without call-frame information by its frame pointer */
    SN_UNWOUND_COPY,   /* cut: more of the stack was not copied */
    SN_UNWOUND_JIT,    /* cut: at code that was made at run time, and says nothing of its frames */
    SN_UNWOUND_BROKEN, /* cut: no, or wrong, call-frame information */
    SN_UNWOUND_TOO_DEEP,
} sn_unwound_result;

/* Whether what is at `pc` is code, and what it is in front of is a call; the unwinder asks for each frame. */
typedef enum { SN_CODE_AT_NONE, SN_CODE_AT_MODULE, SN_CODE_AT_JIT } sn_code_at;
typedef struct {
    sn_code_at at;
    bool has_frames; /* there is call-frame information */
} sn_judged;
typedef sn_judged sn_judge_code(void *of, const sn_unwound *frame);

/* What is to be done when a module is gone. */
typedef void sn_module_gone(void *of, Dwfl_Module *module);

/* NULL: memory is short, or the library can do nothing with the process. */
sn_unwinder *sn_unwinder_create(const sn_libdw *library, pid_t process);
void sn_unwinder_destroy(sn_unwinder *unwinder);

/* See which modules there are now, code of a JIT among them; NULL: of that none. Those that were given before are not used any more. */
void sn_unwinder_look_again(sn_unwinder *unwinder, const sn_jit_objects *objects, sn_module_gone *gone, void *of);

/* The module that has mapped an address, or NULL. */
Dwfl_Module *sn_unwinder_module(const sn_unwinder *unwinder, uint64_t address);

/* Whether there is call-frame information for an address of a module. */
bool sn_unwinder_has_frames(const sn_unwinder *unwinder, Dwfl_Module *module, uint64_t address);

/* Unwind, innermost frame first, until one has its stack pointer above `until`: (SN_MOST_C_FRAMES,) of room. */
sn_unwound_result sn_unwind(sn_unwinder *unwinder, const sn_stack_copy *copy, uint64_t until, sn_judge_code *judge, void *of,
                            sn_unwound *frames, uint32_t *count);

#endif
