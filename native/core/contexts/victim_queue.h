/* Which monitored context is the least: the lazy priority queue of Space-Saving.
 *
 * A context's calls grow by ones, and counting them does not tell the queue. So it keeps for each slot
 * the upper bound that it last saw, which is at most the true one, and looks at a context itself only
 * when its slot might hold the least. The slots are scanned for the present least bound, and when
 * none has it any more, for the next one: two scans for each bound, so O(1) amortised.
 *
 * The least is the one with the smallest (upper bound, slot).
 *
 * Source: D'Elia, PhD thesis, section 3.1.3, Algorithm 2 and Theorem 1.
 * Differs: the bounds last seen lie side by side, so that a scan touches no contexts but those
 * that may be the least.
 */
#ifndef SONDE_VICTIM_QUEUE_H
#define SONDE_VICTIM_QUEUE_H

#include "context_tree.h"

typedef struct {
    uint64_t *seen;        /* by slot: a lower bound of the context's upper bound */
    sn_context **contexts; /* by slot */
    uint32_t count, room;
    uint32_t scanned;      /* no slot before this one has the level */
    uint64_t level;        /* the least bound, when it was last known */
} sn_queue;

void sn_queue_init(sn_queue *queue);
void sn_queue_free(sn_queue *queue);

/* Append a context; false when memory is short. */
bool sn_queue_add(sn_queue *queue, sn_context *context);

/* Slot of the least; the queue is not empty. */
uint32_t sn_queue_least(sn_queue *queue);

/* Put another context, whose bound is no smaller, into a slot found by sn_queue_least. */
void sn_queue_replace(sn_queue *queue, uint32_t slot, sn_context *context);

/* Take the context out of a slot found by sn_queue_least; the last slot moves there. */
void sn_queue_take(sn_queue *queue, uint32_t slot);

/* All contexts have begun again at no calls and no error. */
void sn_queue_restart(sn_queue *queue);

/* What a context has at most: calls, or ticks. */
static inline uint64_t sn_upper_bound(const sn_context *context, bool by_time) {
    return (by_time ? context->ticks : context->calls) + context->error;
}

#endif
