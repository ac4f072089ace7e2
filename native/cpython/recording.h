/* Recording: every event that is counted goes into a trace as well. */
#ifndef SONDE_RECORDING_H
#define SONDE_RECORDING_H

#include "agent.h"

int sn_recording_start(const char *path, const char *command); /* -1 with a Python exception */
void sn_recording_up_to_now(void); /* what runs did so until now; it is found again if it goes on */
void sn_recording_finish(void);
void sn_recording_after_fork(void); /* in a child that is followed */

#endif
