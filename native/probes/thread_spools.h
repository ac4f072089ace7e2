/* The spools of a process's threads, one each, for whatever is kept in them.
 *
 * Of a thread that has ended, the next one that begins takes the spool over: there are as many as threads lived at a time.
 * Forked children that are followed have copies that count from zero; others count nothing.
 */
#ifndef SONDE_THREAD_SPOOLS_H
#define SONDE_THREAD_SPOOLS_H

#include "../core/base/cells.h"

#define SN_THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))

typedef struct sn_thread_spool {
    sn_cells cells;
    volatile bool busy; /* its thread is in here; what a signal handler calls now has no room */
    bool ended;
    struct sn_thread_spool *next; /* all of the process */
} sn_thread_spool;

/* What is kept in spools. Each of them is the beginning of a structure of `bytes`. */
typedef struct {
    size_t bytes;
    uint64_t first_limit, further_limit;    /* cells, of the first thread and of others */
    bool (*make)(sn_thread_spool *spool);   /* the spool has been created, and is to be filled */
    void (*unmake)(sn_thread_spool *spool); /* the opposite, also where `make` failed */
    void (*claim)(sn_thread_spool *spool);  /* the calling thread has it from now on */
    void (*begin)(sn_thread_spool *spool);  /* it may count; as the last thing, without the lock */
    void (*end)(sn_thread_spool *spool);    /* the thread ends, and counts nothing any more */
    void (*restart)(sn_thread_spool *spool); /* the thread is a forked child's: all counts are 0 again */
    void (*detach)(void);                    /* the process counts nothing any more */
} sn_spool_kind;

typedef struct {
    const char *folder, *command, *mechanism;
    sn_clock_kind clock;
    bool follow; /* forked children go on, in spools of their own */
    bool later;  /* the first thread begins when it first has something to count, too */
} sn_spools_plan;

/* Begin, in the only thread of the process, or where no other one begins. 0, or what errno says. */
int sn_thread_spools_begin(const sn_spool_kind *kind, const sn_spools_plan *plan);

/* The spool of the calling thread, made or taken over; NULL if it cannot have one. Does not change errno. */
sn_thread_spool *sn_thread_spool_begin(void);

#endif
