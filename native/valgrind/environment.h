/* The environment of the measured program.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SONDE_ENVIRONMENT_H
#define SONDE_ENVIRONMENT_H

#include "tool.h"

/* To be called before code at this address is translated: takes what is sonde's and Valgrind's out of the environment,
 * when the dynamic linker has seen it and nobody else has. */
void environment_clean(Addr code);

#endif
