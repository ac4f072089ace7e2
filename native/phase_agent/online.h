/* Phases found while the program runs: each method is watched until its calls are found to be too short.
 *
 * A method whose first calls take less than a share of the time so far (the grain), or less than what watching is worth, is
 * given up after a few of them. Each time that the program has run for twice as long, all are looked at again, as methods
 * can become phases. So the cost is bounded: by some calls of each method, times the number of doublings, and by the
 * calls that a phase can have while it is one.
 */
#ifndef SONDE_PHASE_ONLINE_H
#define SONDE_PHASE_ONLINE_H

#include "agent.h"

/* Numbers of methods that are found begin here. */
#define SN_FIRST_FOUND 0x10000u

typedef struct sn_method {
    struct sn_method *next; /* in its bucket */
    PyObject *file, *name;  /* kept */
    int first_line;
    uint32_t number, pieces; /* calls, and times that a generator went on, since it is watched */
    uint64_t ticks;          /* of them */
    bool is_given_up;
} sn_method;

/* Code objects by address, to be found again fast. One that comes to be where another was may have another method: that is
 * looked at, and names are kept, so that theirs are no address of others. */
enum { SN_SEEN = 1 << 13 };
typedef struct {
    const PyCodeObject *code;
    sn_method *method;
} sn_seen_code;
extern sn_seen_code sn_seen[SN_SEEN];

static inline sn_seen_code *sn_seen_place(const PyCodeObject *code) {
    uint64_t at = (uint64_t)(uintptr_t)code >> 4;
    return &sn_seen[(at ^ at >> 13) % SN_SEEN];
}

sn_method *sn_online_method_slow(const PyCodeObject *code);

/* The method of a code object, new if it was not seen before; NULL where it cannot be watched. */
static inline sn_method *sn_online_method(const PyCodeObject *code) {
    const sn_seen_code *seen = sn_seen_place(code);
    sn_method *method = seen->method;
    if (likely(seen->code == code && method->name == code->co_qualname && method->file == code->co_filename &&
               method->first_line == code->co_firstlineno))
        return method;
    return sn_online_method_slow(code);
}
/* A call has taken so long. True: the method is given up by this. */
bool sn_online_ended(sn_method *method, uint64_t ticks);
/* Look at all methods again. */
void sn_online_begin_anew(void);
/* Whether that is due: each time when the program has run for twice as long. Where no thread waits for it. */
bool sn_online_is_due(void);

/* A quarter of a second: by then most programs have been started. */
#define SN_FIRST_LOOK_NS 250000000u

void sn_later_looks_begin(void);
void sn_later_looks_end(void);
bool sn_later_looks_run(void);
void sn_hooks_begin_anew(void);

#endif
