/* Blocks: the program says itself from when to when it is watched. */
#ifndef SONDE_BLOCKS_H
#define SONDE_BLOCKS_H

#include "agent.h"

/* watch(skip): calls are seen from now on; the calling thread runs the function `skip` frames above the caller. */
PyObject *sn_block_watch(PyObject *module, PyObject *skip);
/* pause(): calls are not seen any more, and the hook is out. */
PyObject *sn_block_pause(PyObject *module, PyObject *unused);
/* mark(path): write what has been counted up to now into a new file. */
PyObject *sn_block_mark(PyObject *module, PyObject *path);

#endif
