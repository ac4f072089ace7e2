/* CPython 3.11: what the program sees of rewritten code is the code that it had.
 *
 * Functions, frames, generators and tracebacks show code objects and offsets of instructions. Where these are of rewritten
 * code, the getters of those types give what belongs to the original.
 */
#ifndef SONDE_PATHS_SHOWN_CODE_H
#define SONDE_PATHS_SHOWN_CODE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Replace the getters, until the process ends: rewritten functions go on being seen. -1 with an exception. */
int sn_shown_code_begin(void);

/* show_as(code, original, origins): (n_units,) int32 offsets in the original, in bytes. */
PyObject *sn_show_as(PyObject *module, PyObject *arguments);

#endif
