/* Extension modules and libraries that were built with probes: their calls belong below the program's contexts. */
#ifndef SONDE_EXTENSION_PROBES_H
#define SONDE_EXTENSION_PROBES_H

#include "agent.h"

/* expect_probes(library, folder, command, follow): say to the library of probes, before anything is loaded that needs it,
 * where counts go. Raises: OSError. */
PyObject *sn_expect_probes(PyObject *module, PyObject *arguments);
/* has_probes(library): whether something that was loaded needs it. */
PyObject *sn_has_probes(PyObject *module, PyObject *library);

#endif
