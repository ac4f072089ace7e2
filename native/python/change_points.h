// Change points of series, for Python.
#ifndef SONDE_PYTHON_CHANGE_POINTS_H
#define SONDE_PYTHON_CHANGE_POINTS_H

#include <nanobind/nanobind.h>

void bind_change_points(nanobind::module_ &module);

#endif
