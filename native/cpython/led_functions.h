/* Functions of C modules that are led through ours: their objects stay the same, only what they call changes. */
#ifndef SONDE_LED_FUNCTIONS_H
#define SONDE_LED_FUNCTIONS_H

#include "frames.h" /* Python, with what is internal */

/* Lead a function of a module through `ours`, which calls `*theirs`, for good: definitions are static. Nothing is done when
 * it is not there, or is not called in the way that `flags` say. */
void sn_lead_function(PyObject *module, const char *name, int flags, PyCFunction ours, PyCFunction *theirs);

/* A function by the type of another one: definitions hold all of them as PyCFunction, whatever their arguments are. */
#define SN_AS(type, function) ((type)(void (*)(void))(function))

#endif
