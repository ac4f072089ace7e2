// Sums by function, for Python.
#ifndef SONDE_PYTHON_FUNCTION_SUMS_H
#define SONDE_PYTHON_FUNCTION_SUMS_H

#include <nanobind/nanobind.h>

void bind_function_sums(nanobind::module_ &module);

#endif
