// The sampler of other processes' Python stacks for Python.
#ifndef SONDE_PYTHON_STACK_SAMPLER_H
#define SONDE_PYTHON_STACK_SAMPLER_H

#include <nanobind/nanobind.h>

void bind_stack_sampler(nanobind::module_ &module);

#endif
