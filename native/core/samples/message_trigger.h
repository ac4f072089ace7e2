/* A thread that sleeps, and then sends a signal to the threads of other processes that run: they take a sample of themselves.
 *
 * So no thread of ours is in the program, which would see it when it forks. The signal is sent only while the program's ring
 * says that its handler is there; who takes that away waits until nothing is being sent.
 */
#ifndef SONDE_MESSAGE_TRIGGER_H
#define SONDE_MESSAGE_TRIGGER_H

#include "../stacks/sample_ring.h"

#include <stdbool.h>

typedef struct sn_message_trigger sn_message_trigger;

/* `period_ns` as in ../base/look_loop.h; NULL when memory is short. */
sn_message_trigger *sn_message_trigger_create(uint64_t period_ns);
void sn_message_trigger_destroy(sn_message_trigger *trigger);

/* Send to the process of a ring, too; false when it cannot be mapped, or memory is short. The ring is ready. */
bool sn_message_trigger_add(sn_message_trigger *trigger, const char *path);

/* As sn_look_loop_run and sn_look_loop_stop. */
void sn_message_trigger_run(sn_message_trigger *trigger, uint64_t ns);
void sn_message_trigger_stop(sn_message_trigger *trigger);

/* Signals that were sent. */
uint64_t sn_message_trigger_sent(const sn_message_trigger *trigger);

#endif
