/* What it costs to watch a call, measured at the start of a run. */
#ifndef SONDE_CALIBRATION_H
#define SONDE_CALIBRATION_H

#include "agent.h"

void sn_calibrate(void); /* costs stay zero when they cannot be measured */

/* Sampled times: picoseconds that a beginning and an end of a call take of what is sampled, and those of a C function. */
void sn_counting_costs(uint32_t costs[4]);

#endif
