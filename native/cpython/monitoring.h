/* Python 3.12 and later: calls seen by sys.monitoring (PEP 669). */
#ifndef SONDE_MONITORING_H
#define SONDE_MONITORING_H

#include <stdbool.h>

/* Each as in sn_mechanism. */
int sn_monitoring_start(void);
void sn_monitoring_stop(void);
void sn_monitoring_resume(void);
bool sn_monitoring_intact(void);

/* While a trace or profile function runs (sys.settrace, sys.setprofile), the interpreter tells no tool of calls, so none
 * that it makes is counted. Note that there is one in this thread, once; looked at for each function that is new. */
void sn_monitoring_look_for_tracer(void);

#endif
