// Which lines run, sampled: for Python.
#ifndef SONDE_PYTHON_LINE_SAMPLER_H
#define SONDE_PYTHON_LINE_SAMPLER_H

#include <nanobind/nanobind.h>

void bind_line_sampler(nanobind::module_ &module);

#endif
