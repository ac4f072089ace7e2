// Latencies of loads, for Python.
#ifndef SONDE_PYTHON_LOAD_LATENCY_H
#define SONDE_PYTHON_LOAD_LATENCY_H

#include <nanobind/nanobind.h>

void bind_load_latency(nanobind::module_ &module);

#endif
