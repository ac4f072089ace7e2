/* What the profile is to say of this process. */
#ifndef SONDE_NOTES_H
#define SONDE_NOTES_H

#include <stdint.h>

/* Write into the spool what the profile is to say of this process; `amount`: how often, or how much. */
void sn_note(const char *kind, uint32_t amount, const char *detail);

#endif
