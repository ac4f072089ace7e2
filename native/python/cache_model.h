// The cache model for Python.
#ifndef SONDE_PYTHON_CACHE_MODEL_H
#define SONDE_PYTHON_CACHE_MODEL_H

#include <nanobind/nanobind.h>

void bind_cache_model(nanobind::module_ &module);

#endif
