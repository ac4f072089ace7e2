/* What it costs to watch a call, measured at the start of a run. */
#ifndef SONDE_CALIBRATION_H
#define SONDE_CALIBRATION_H

#include "agent.h"

void sn_calibrate(void); /* costs stay zero when they cannot be measured */

#endif
