/* Bursts: the program is watched for a short while, then left alone, over and over. */
#ifndef SONDE_BURSTS_H
#define SONDE_BURSTS_H

#include "agent.h"

void sn_bursts_begin(void);      /* the program begins, and with it the first burst */
void sn_burst_end(void);
bool sn_burst_turn(void);        /* agent.bursts.over has been seen: whether the burst is over; it has been ended then */
void sn_bursts_pause(void);      /* until the next one: the thread that keeps the time ends */
void sn_bursts_go_on(void);
void sn_bursts_after_fork(void); /* in a child that is followed */

/* Whether the burst is over; it has been ended then, and what was seen is not to be counted. */
static inline bool sn_burst_is_over(sn_how how) {
    if (!(how & SN_IN_BURSTS) || likely(!__atomic_load_n(&agent.bursts.over, __ATOMIC_RELAXED))) return false;
    return sn_burst_turn();
}

#endif
