/* Any Python: calls seen by the profile function of each thread. */
#ifndef SONDE_SET_PROFILE_H
#define SONDE_SET_PROFILE_H

#include <stdbool.h>

/* Each as in sn_mechanism. */
int sn_set_profile_start(void);
void sn_set_profile_stop(void);
bool sn_set_profile_intact(void);
void sn_set_profile_take_over(void);         /* from the eval hook, for good */

#endif
