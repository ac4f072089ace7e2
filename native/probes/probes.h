/* What compiled code with probes calls: contexts of native code, counted where they run.
 *
 * Each thread has a tree of its own, in a spool of its own (../core/base/cells.h), and a word of the thread's says which
 * context it is in. The probes are code that sonde puts into functions (sonde.passes.call_probes): at entry they
 * look into a cache of the thread's, and only if the context is not there call `sn_probes_enter`; they write the word, and
 * count. Before a function returns, its caller's context is written back from a value that the function has kept: so
 * exceptions and longjmp lose nothing, whatever frames they skip.
 *
 *   key of a context      (1 + number of the function) << 32 | low half of the return address
 *   call_line             1 + distance of the return address from the start of the program's code; 0: called from elsewhere;
 *                         of what a linker made: linked_code.h
 *
 * Two calls of one function from one context have the same low half only if neither comes from code with probes, whose
 * extent is less than 2^29 bytes; both have the line 0 then.
 *
 * Code that an interpreter has compiled in its process is called from contexts that it counts itself, elsewhere. Such a
 * context is two here, which count nothing, wherever the code is entered: function SN_PROBES_OUTER with the number that the
 * interpreter gave, as line, and below it SN_PROBES_OUTER_LINE, with the line there, one for each function that is called.
 * What is below them belongs below the interpreter's context. The latter has the ticks of that function and all below it, by
 * the interpreter's clock, if the interpreter called it itself.
 * What a linker made does not say that the interpreter calls it: there, each call from code without probes is asked about,
 * and is below the interpreter's context if that is another one than where the thread's code was entered. It is timed if it is
 * a function that may be known elsewhere (sonde.passes.interpreter_ends).
 *
 * Nothing here prints, allocates from the heap while the program's own allocator may be on the stack, or changes errno.
 * Signal handlers may run code with probes at any moment: what they call while their thread is in here has no room, and is
 * counted as dropped. In a hot tree, what they call may prune the context that the interrupted function has just found:
 * one call is then not counted, or counted for another context. A handler that leaves by longjmp while its thread is in
 * here keeps the thread from ever making another context; what has no context is counted as dropped.
 */
#ifndef SONDE_PROBES_H
#define SONDE_PROBES_H

#include "../core/contexts/hot_contexts.h"

#include <stddef.h>

#define SN_PROBES_API __attribute__((visibility("default")))

/* An interpreter's agent, of the calling thread. `enter`: the number, below SN_LINE_MASK, of the interpreter's context that
 * is current, and the line that it is in; 0: of none. Asked at any entry of code; `is_interpreter`: by code that the
 * interpreter has called, and its time then stands until `leave` says how many ticks of its clock have gone by. */
typedef struct {
    uint64_t (*enter)(bool is_interpreter, uint32_t *line);
    uint64_t (*leave)(void);
} sn_outer;

/* Functions with probes are numbered from SN_PROBES_OUTERS on if there is an interpreter. */
enum { SN_PROBES_OUTER = 0, SN_PROBES_OUTER_LINE = 1, SN_PROBES_OUTERS = 2 };

typedef struct {
    const char *folder; /* where spools go */
    const char *command; /* what the profile calls the process */
    const char *mechanism; /* likewise how its calls are seen */
    uint64_t code, code_bytes; /* where the code with probes is; 0 bytes: where sn_linked_line knows it */
    sn_hot_plan plan;   /* for each thread */
    bool timed;         /* another process will look what threads run, and write times */
    bool follow;        /* forked children go on, in spools of their own; else they count nothing */
    sn_outer outer;     /* all zero: there is no interpreter */
    bool later;         /* threads begin with the first function with probes that they run, the first one, too */
} sn_probes_plan;

/* Contexts that a thread finds at once: a cache with one place for each, chosen by what `sn_probes_place` computes. */
#define SN_PROBES_NEAR 1024u

/* What code with probes looks at. */
typedef struct {
    sn_context *current; /* what the thread runs */
    sn_context **near;   /* SN_PROBES_NEAR of them, none NULL */
    uint32_t burst;      /* which one `current` is of; bursts.h */
    sn_context *outer;   /* what an interpreter called last and waits for, of what a linker made; or NULL */
} sn_probes_thread;

static inline uint32_t sn_probes_place(const sn_context *parent, const void *return_address) {
    return ((uint32_t)(uintptr_t)parent ^ (uint32_t)(uintptr_t)return_address) / 8 % SN_PROBES_NEAR;
}

/* What an object file with probes tells of its functions. Their numbers, which differ in all that a program consists of, it
 * gets when the first of them is called. */
typedef struct {
    uint32_t first; /* number of its first function, or SN_PROBES_NO_NUMBERS */
    uint32_t count;
    uint64_t names_bytes;
    const char *names; /* lines of symbol, file and line, those of its functions first */
} sn_probes_object;

/* More than any number of a function. */
#define SN_PROBES_NO_NUMBERS 0x80000000u

/* Begin, in the only thread of the process, or where no other one begins. 0, or what errno says. */
SN_PROBES_API int sn_probes_begin(const sn_probes_plan *plan);

/* The same for what an interpreter loads: its agent says where counts go before anything with probes is there. */
SN_PROBES_API int sn_probes_expect(const char *folder, const char *command, bool follow, const sn_outer *outer);

/* Where places of calls are numbered from then: more than the lines that a file has. */
#define SN_PROBES_OUTER_PLACES (1u << 27)

/* Distance of a thread's `sn_probes_thread` from its thread pointer, the same in all threads. */
SN_PROBES_API ptrdiff_t sn_probes_offset(void);

/* The child of `current` for `function`, put into the cache; called so that it will return to `return_address`. Preserves all general registers
 * but r11 and the result, as LLVM's convention `preserve_most` has it. */
SN_PROBES_API sn_context *sn_probes_enter(sn_context *current, uint32_t function, const void *return_address);

/* The same of an object file's function with that number there. */
SN_PROBES_API sn_context *sn_probes_enter_linked(sn_context *current, uint32_t function, const void *return_address,
                                                 sn_probes_object *object);
/* Such a function ends, and is `outer`. Preserves all general registers but r11. */
SN_PROBES_API void sn_probes_leave_linked(sn_context *context);

/* What an interpreter's call of a function makes current, in place of `current`; and its end. */
SN_PROBES_API sn_context *sn_probes_enter_from_interpreter(sn_context *current, uint32_t function);
SN_PROBES_API void sn_probes_leave_to_interpreter(sn_context *context);

#endif
