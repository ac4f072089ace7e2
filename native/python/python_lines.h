// Source lines of CPython instructions, for Python.
#ifndef SONDE_PYTHON_PYTHON_LINES_H
#define SONDE_PYTHON_PYTHON_LINES_H

#include <nanobind/nanobind.h>

void bind_python_lines(nanobind::module_ &module);

#endif
