/* The spool of this process: where its cells go, and what becomes of them at a fork. */
#ifndef SONDE_SPOOL_H
#define SONDE_SPOOL_H

#include "agent.h"

int sn_spool_open(void);                     /* -1 with a Python exception */
int sn_spool_register_fork(PyObject *module);
PyObject *sn_before_fork(PyObject *module, PyObject *unused);
PyObject *sn_after_fork_parent(PyObject *module, PyObject *unused);
PyObject *sn_after_fork_child(PyObject *module, PyObject *unused);

#endif
