// Forests of paths, for Python.
#ifndef SONDE_PYTHON_SLAB_FOREST_H
#define SONDE_PYTHON_SLAB_FOREST_H

#include <nanobind/nanobind.h>

void bind_slab_forest(nanobind::module_ &module);

#endif
