// In which contexts of agents time passes, sampled: for Python.
#ifndef SONDE_PYTHON_CONTEXT_SAMPLER_H
#define SONDE_PYTHON_CONTEXT_SAMPLER_H

#include <nanobind/nanobind.h>

void bind_context_sampler(nanobind::module_ &module);

#endif
