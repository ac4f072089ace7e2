/* Code objects before they run for the first time, and as the program is to see them. */
#ifndef SONDE_PATHS_CODE_WATCH_H
#define SONDE_PATHS_CODE_WATCH_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* before_code(callable): call it with each code object of a module, script or string that is about to be executed. */
PyObject *sn_before_code(PyObject *module, PyObject *callable);

/* set_consts(code, consts): what functions are made of when the code runs. */
PyObject *sn_set_consts(PyObject *module, PyObject *arguments);

#endif
