// Forests of paths, for Python.
#ifndef SONDE_PYTHON_SLAB_FILE_H
#define SONDE_PYTHON_SLAB_FILE_H

#include <nanobind/nanobind.h>

void bind_slab_file(nanobind::module_ &module);

#endif
