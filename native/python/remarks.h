// Parsers of optimization remarks, for Python.
#ifndef SONDE_PYTHON_REMARKS_H
#define SONDE_PYTHON_REMARKS_H

#include <nanobind/nanobind.h>

void bind_remarks(nanobind::module_ &module);

#endif
