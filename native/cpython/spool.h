/* The spool of this process: where its cells go, and what becomes of them at a fork. */
#ifndef SONDE_SPOOL_H
#define SONDE_SPOOL_H

#include "agent.h"

int sn_spool_open(void);                     /* -1 with a Python exception */
/* The cells as they are now, and room for so many bytes, into an empty file, with the GIL held; an error number, or 0. */
int sn_spool_copy(int file, uint64_t room);
int sn_spool_register_fork(PyObject *module);
PyObject *sn_before_fork(PyObject *module, PyObject *unused);
PyObject *sn_after_fork_parent(PyObject *module, PyObject *unused);
PyObject *sn_after_fork_child(PyObject *module, PyObject *unused);

#endif
