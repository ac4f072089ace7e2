/* CPython 3.12 and later: paths followed by events of sys.monitoring (PEP 669), with callbacks in C. */
#ifndef SONDE_PATHS_EVENTS_H
#define SONDE_PATHS_EVENTS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Take a tool number, and be told of exceptions. -1 with an exception. */
int sn_events_begin(void);

/* watch(code, has_jumps, tables): follow its paths from its next activation on. */
PyObject *sn_watch(PyObject *module, PyObject *arguments);

void sn_events_end(void);

#endif
