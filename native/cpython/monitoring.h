/* Python 3.12 and later: calls seen by sys.monitoring (PEP 669). */
#ifndef SONDE_MONITORING_H
#define SONDE_MONITORING_H

#include <stdbool.h>

/* Each as in sn_mechanism. */
int sn_monitoring_start(void);
void sn_monitoring_stop(void);
void sn_monitoring_resume(void);
bool sn_monitoring_intact(void);

#endif
