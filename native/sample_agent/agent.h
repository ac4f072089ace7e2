/* The agent that lets a process sample its own Python stacks.
 *
 *   triggers.c          when: a counter of the kernel, a timer for each thread, or a signal that sonde sends
 *   signals.c           the signal handler, and what the program itself does with signals
 *   own_samples.c       what is taken: the stack of the thread that was interrupted
 *   polling.c           or the stack at the next point where the interpreter looks for something to do
 *   known_code.c        code objects that the reader was told of
 *   thread_starts.c     threads that begin
 *   forks.c             children, which have a ring of their own, or none
 *
 * Samples go into a ring (core/stacks/sample_ring.h), from which sonde's process reads them.
 */
#ifndef SONDE_SAMPLE_AGENT_H
#define SONDE_SAMPLE_AGENT_H

#include "../core/stacks/memory_reader.h"
#include "../core/stacks/sample_ring.h"
#include "../cpython/frames.h"

#include <signal.h>

typedef enum { SN_BY_TASK_CLOCK, SN_BY_CYCLES, SN_BY_TIMER, SN_BY_MESSAGE, SN_TRIGGERS } sn_trigger;

typedef struct {
    sn_ring_header *ring; /* NULL: nothing is sampled */
    sn_trigger trigger;
    bool is_polling, follows;
    uint64_t period;      /* nanoseconds, or cycles */
    uint64_t ring_bytes;  /* a power of two */
    int signal;
    int launcher;         /* process that sends signals */
    char *folder;
    char command[SN_RING_COMMAND];
    uint32_t command_bytes;
} sn_sampling;

extern sn_sampling sn_sampling_now;

/* Make a ring for this process; 0, or errno. Safe after a fork. */
int sn_ring_open(void);

/* signals.c */
int sn_signals_begin(void);           /* 0, or errno */
void sn_signals_follow_program(void); /* notice what it does with signals, and when it becomes another one */

/* triggers.c: 0, or errno. Both of the calling thread, and of those that it will start where the kernel does that. */
int sn_triggers_begin(void);
int sn_trigger_thread(void);
void sn_trigger_thread_no_more(void);
void sn_triggers_pause(void);
void sn_triggers_go_on(void);
bool sn_triggers_end(void); /* whether they were still there */
void sn_triggers_after_fork(void);
bool sn_triggers_are_each_threads_own(void);
/* The calling thread is in a handler: whether the signal is one of ours; `*is_late`: it had to wait. */
bool sn_trigger_is_ours(const siginfo_t *info, bool *is_late);

/* End the sampling for a reason that is told; in a handler, too. */
void sn_sampling_end(sn_ring_state why);

/* own_samples.c: take a sample of the calling thread. Safe in handlers. */
void sn_take_sample(void);
void sn_samples_after_fork(void);
void sn_take_end(sn_ring_header *ring); /* what follows counts for nothing */

/* own_memory.c */
extern const sn_memory_reader sn_own_memory;
bool sn_own_memory_can_be_read(void);

/* polling.c: in a handler, take a sample when the interpreter looks next. */
void sn_poll(void);
extern const bool sn_polling_is_known;
void sn_polling_after_fork(void);

/* known_code.c */
bool sn_known_code_begin(void);
void sn_known_code_forget_all(void);
/* Whether the reader knows the code object at an address; if not, it is told. False: there is none, or no room. */
bool sn_known_code(uint64_t address, bool *is_code);

/* thread_starts.c, forks.c */
void sn_thread_starts_begin(void);
int sn_forks_begin(void);

#endif
