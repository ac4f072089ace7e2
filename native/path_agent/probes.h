/* The constants of rewritten code, and the activations that they act on. */
#ifndef SONDE_PATHS_PROBES_H
#define SONDE_PATHS_PROBES_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

int sn_probes_init(void);

PyObject *sn_routine(PyObject *module, PyObject *arguments);
PyObject *sn_add(PyObject *module, PyObject *arguments);
PyObject *sn_emit(PyObject *module, PyObject *arguments);
PyObject *sn_end(PyObject *module, PyObject *arguments);
PyObject *sn_whole(PyObject *module, PyObject *arguments);
PyObject *sn_lose(PyObject *module, PyObject *arguments);

#endif
