// Where threads are in code, sampled by the kernel: for Python.
#ifndef SONDE_PYTHON_CODE_SAMPLER_H
#define SONDE_PYTHON_CODE_SAMPLER_H

#include <nanobind/nanobind.h>

void bind_code_sampler(nanobind::module_ &module);

#endif
