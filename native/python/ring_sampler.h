// The reader of samples that processes take of themselves, for Python.
#ifndef SONDE_PYTHON_RING_SAMPLER_H
#define SONDE_PYTHON_RING_SAMPLER_H

#include <nanobind/nanobind.h>

void bind_ring_sampler(nanobind::module_ &module);

#endif
