/* Loaded into the measured program by Valgrind: tells the tool of every block that is allocated and freed.
 *
 * The allocator stays the program's own, so blocks lie where they would lie. Valgrind leads each call of one of the
 * functions below to its wrapper here, in whichever program or library the function is, if others can call it there.
 * What the wrappers do by themselves is not counted (SN_OWN_CODE).
 *
 * Allocators call one another: operator new calls malloc, realloc may, and a malloc of the program's own calls that of
 * the C library. A block is told of once: with the site of the outermost call and the address of the innermost one for
 * operator new, and those of the outermost one else. Operator new can leave by an exception, so it says what it is
 * about to ask for, and the malloc that it calls takes note; it tells by itself only when none did.
 *
 * Between a realloc that moves a block and its being told of, another thread may be given the old place; the tool then
 * takes one block for the other. Threads run in turns that are long, so that is rare.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "valgrind.h"

#include "client_request.h"
#include "requests.h"

/* For Valgrind: public functions of that name, wherever they are. */
#define WRAPPER(name) I_WRAP_SONAME_FNNAME_ZU(VgSoSynsomalloc, name)
#define OF_THREAD static __thread __attribute__((tls_model("initial-exec")))
#define CALLER ((uint64_t)(uintptr_t)__builtin_return_address(0))
#define FRAME ((uintptr_t)__builtin_frame_address(0))

OF_THREAD unsigned inside; /* how many functions of malloc's kind are being executed */

/* What an operator new is about to ask malloc for. */
OF_THREAD struct {
    uint64_t size, site; /* site 0: nothing */
    uint64_t most;       /* what it may become by the operator's own bookkeeping and rounding */
    uintptr_t frame;     /* of the operator's wrapper: the stack of what it calls lies below */
} wanted;

static bool operators_have_pools; /* an operator new was seen that got its block from no malloc */

static void allocated(void *block, uint64_t size, uint64_t site, uintptr_t frame) {
    uint64_t domain = SN_DOMAIN_C;
    if (inside) return;
    if (wanted.site && frame < wanted.frame && size >= wanted.size && size <= wanted.most) {
        site = wanted.site, domain = SN_DOMAIN_NEW;
        wanted.site = 0;
    }
    if (block) sn_tell(SN_ALLOCATE, (uint64_t)(uintptr_t)block, size, domain, 0, site);
}

static void freed(void *block, uint64_t domain) {
    if (block && !inside) sn_tell(SN_FREE, (uint64_t)(uintptr_t)block, domain, 0, 0, 0);
}

/* ---- C ---- */

#define SIZED(name)                                                                                                    \
    void *WRAPPER(name)(size_t size) {                                                                                 \
        OrigFn original;                                                                                               \
        void *block;                                                                                                   \
        VALGRIND_GET_ORIG_FN(original);                                                                                \
        inside++;                                                                                                      \
        CALL_FN_W_W(block, original, size);                                                                            \
        inside--;                                                                                                      \
        allocated(block, size, CALLER, FRAME);                                                                         \
        return block;                                                                                                  \
    }
SIZED(malloc)
SIZED(valloc)
SIZED(pvalloc)

void *WRAPPER(calloc)(size_t count, size_t size) {
    OrigFn original;
    void *block;
    VALGRIND_GET_ORIG_FN(original);
    inside++;
    CALL_FN_W_WW(block, original, count, size);
    inside--;
    allocated(block, count * size, CALLER, FRAME);
    return block;
}

void *WRAPPER(realloc)(void *old, size_t size) {
    OrigFn original;
    void *block;
    VALGRIND_GET_ORIG_FN(original);
    inside++;
    CALL_FN_W_WW(block, original, old, size);
    inside--;
    if (inside) return block;
    if (!old)
        allocated(block, size, CALLER, FRAME);
    else if (block)
        sn_tell(SN_REALLOCATE, (uint64_t)(uintptr_t)old, (uint64_t)(uintptr_t)block, size, SN_DOMAIN_C, CALLER);
    else if (!size)
        freed(old, SN_DOMAIN_C);
    return block;
}

void WRAPPER(free)(void *block) {
    OrigFn original;
    VALGRIND_GET_ORIG_FN(original);
    freed(block, SN_DOMAIN_C); /* before: behind it, the place may be another's */
    inside++;
    CALL_FN_v_W(original, block);
    inside--;
}

#define ALIGNED(name)                                                                                                  \
    void *WRAPPER(name)(size_t alignment, size_t size) {                                                               \
        OrigFn original;                                                                                               \
        void *block;                                                                                                   \
        VALGRIND_GET_ORIG_FN(original);                                                                                \
        inside++;                                                                                                      \
        CALL_FN_W_WW(block, original, alignment, size);                                                                \
        inside--;                                                                                                      \
        allocated(block, size, CALLER, FRAME);                                                                         \
        return block;                                                                                                  \
    }
ALIGNED(memalign)
ALIGNED(aligned_alloc)

/* In the GNU C library, too: it has a second name there that is not public, and Valgrind takes that one for its name. */
int I_WRAP_SONAME_FNNAME_ZU(libcZdsoZa, posix_memalign)(void **, size_t, size_t)
    __attribute__((alias("_vgw00000ZU_VgSoSynsomalloc_posix_memalign")));

int WRAPPER(posix_memalign)(void **block, size_t alignment, size_t size) {
    OrigFn original;
    int failed;
    VALGRIND_GET_ORIG_FN(original);
    inside++;
    CALL_FN_W_WWW(failed, original, block, alignment, size);
    inside--;
    if (!failed) allocated(*block, size, CALLER, FRAME);
    return failed;
}

/* ---- C++, by the names that the Itanium ABI gives the operators ---- */

/* Whether it is ours to tell: not if the operator was called by another one for the same block. */
static bool want(uint64_t size, uint64_t alignment, uint64_t site, uintptr_t frame) {
    enum { BOOKKEEPING = 64 };
    if (wanted.site && frame < wanted.frame && size == wanted.size) return false;
    wanted.size = size, wanted.most = size + alignment + BOOKKEEPING;
    wanted.site = site, wanted.frame = frame;
    return true;
}

static void made(void *block, uint64_t size, uint64_t site) {
    if (!wanted.site) return; /* malloc has told */
    wanted.site = 0;
    if (!block) return;
    operators_have_pools = true;
    sn_tell(SN_ALLOCATE, (uint64_t)(uintptr_t)block, size, SN_DOMAIN_NEW, 0, site);
}

#define NEW(name, alignment, call, ...)                                                                                \
    void *WRAPPER(name)(size_t size, ##__VA_ARGS__) {                                                                  \
        OrigFn original;                                                                                               \
        void *block;                                                                                                   \
        VALGRIND_GET_ORIG_FN(original);                                                                                \
        bool ours = want(size, alignment, CALLER, FRAME);                                                              \
        call;                                                                                                          \
        if (ours) made(block, size, CALLER);                                                                           \
        return block;                                                                                                  \
    }
#define TWO_OF_NEW(suffix, ...) NEW(_Znwm##suffix, __VA_ARGS__) NEW(_Znam##suffix, __VA_ARGS__)
TWO_OF_NEW(, 0, CALL_FN_W_W(block, original, size))
TWO_OF_NEW(RKSt9nothrow_t, 0, CALL_FN_W_WW(block, original, size, tag), const void *tag)
TWO_OF_NEW(St11align_val_t, align, CALL_FN_W_WW(block, original, size, align), size_t align)
TWO_OF_NEW(St11align_val_tRKSt9nothrow_t, align, CALL_FN_W_WWW(block, original, size, align, tag), size_t align,
           const void *tag)

/* As a rule they call free, which tells. */
#define DELETE(name, call, ...)                                                                                        \
    void WRAPPER(name)(void *block, ##__VA_ARGS__) {                                                                   \
        OrigFn original;                                                                                               \
        VALGRIND_GET_ORIG_FN(original);                                                                                \
        if (operators_have_pools) freed(block, SN_DOMAIN_NEW);                                                         \
        call;                                                                                                          \
    }
#define TWO_OF_DELETE(suffix, ...) DELETE(_ZdlPv##suffix, __VA_ARGS__) DELETE(_ZdaPv##suffix, __VA_ARGS__)
TWO_OF_DELETE(, CALL_FN_v_W(original, block))
TWO_OF_DELETE(m, CALL_FN_v_WW(original, block, size), size_t size)
TWO_OF_DELETE(RKSt9nothrow_t, CALL_FN_v_WW(original, block, tag), const void *tag)
TWO_OF_DELETE(St11align_val_t, CALL_FN_v_WW(original, block, align), size_t align)
TWO_OF_DELETE(mSt11align_val_t, CALL_FN_v_WWW(original, block, size, align), size_t size, size_t align)
TWO_OF_DELETE(St11align_val_tRKSt9nothrow_t, CALL_FN_v_WWW(original, block, align, tag), size_t align, const void *tag)

/* ---- at the start ---- */

#if defined(__GLIBC__) /* who gives a constructor the program's arguments */

/* Behind the name and '=' of a variable; NULL if it is another one. */
static char *value_of(char *variable, const char *name) {
    while (*name && *variable == *name) name++, variable++;
    return *name || *variable != '=' ? NULL : variable + 1;
}

static bool begins_with(const char *text, const char *beginning) {
    while (*beginning && *text == *beginning) text++, beginning++;
    return !*beginning;
}

/* Takes those paths out of a list whose file Valgrind has there; whether others are left. */
static bool without_ours(char *list) {
    char *out = list;
    for (char *at = list; *at;) {
        char *end = at, *name = at;
        for (; *end && *end != ':' && *end != ' '; end++)
            if (*end == '/') name = end + 1;
        if (end > at && !begins_with(name, "vgpreload_")) {
            if (out != list) *out++ = ':';
            while (at < end) *out++ = *at++;
        }
        at = *end ? end + 1 : end;
    }
    *out = 0;
    return out != list;
}

/* Takes the first path out of a list. */
static void without_first(char *list) {
    char *rest = list;
    while (*rest && *rest != ':') rest++;
    if (*rest) rest++;
    while ((*list++ = *rest++)) {}
}

/* In every Python, and in nothing else. */
extern int Py_IsInitialized(void) __attribute__((weak));

/* The program and its children are to find the environment that sonde was given. A Python still needs what is meant
 * for its start-up file, which takes it away then. */
static __attribute__((noinline)) void leave_no_trace(char **environment) {
    char **out = environment, *path = NULL, *value;
    bool for_python = Py_IsInitialized != NULL, begun = false, had_path = false;
    for (char **each = environment; *each; each++)
        if ((value = value_of(*each, "SONDE_MEMORY_AGENT"))) {
            begun = true; /* its last field says whether there was a PYTHONPATH: "31", or nothing */
            while (value[1]) value++;
            had_path = *value == '1';
        }
    for (char **each = environment; *each; each++) {
        if (value_of(*each, "VALGRIND_LIB")) continue;
        if ((value = value_of(*each, "LD_PRELOAD")) && !without_ours(value)) continue;
        if (begun && !for_python) {
            if (value_of(*each, "SONDE_MEMORY_AGENT")) continue;
            if ((path = value_of(*each, "PYTHONPATH"))) {
                without_first(path);
                if (!*path && !had_path) continue;
            }
        }
        *out++ = *each;
    }
    *out = NULL;
}

#else

static void leave_no_trace(char **environment) { (void)environment; }

#endif

extern char __ehdr_start[] __attribute__((visibility("hidden")));
extern char etext[] __attribute__((visibility("hidden")));

static __attribute__((constructor)) void start(int argc, char **argv, char **environment) {
    (void)argc, (void)argv;
    sn_tell(SN_OWN_CODE, (uint64_t)(uintptr_t)__ehdr_start, (uint64_t)(uintptr_t)etext, 0, 0, 0);
    leave_no_trace(environment);
}
