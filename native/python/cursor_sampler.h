// In which contexts time passes, sampled: for Python.
#ifndef SONDE_PYTHON_CURSOR_SAMPLER_H
#define SONDE_PYTHON_CURSOR_SAMPLER_H

#include <nanobind/nanobind.h>

void bind_cursor_sampler(nanobind::module_ &module);

#endif
