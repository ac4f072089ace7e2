/* What another process must know to sample which lines run here (core/lines/line_sampler.h). */
#ifndef SONDE_FRAME_RECORD_H
#define SONDE_FRAME_RECORD_H

#include <stdbool.h>

/* Leave it in the spool; false when there is no room. */
bool sn_frame_record(void);

#endif
