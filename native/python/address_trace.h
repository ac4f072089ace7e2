// Address traces for Python.
#ifndef SONDE_PYTHON_ADDRESS_TRACE_H
#define SONDE_PYTHON_ADDRESS_TRACE_H

#include <nanobind/nanobind.h>

void bind_address_trace(nanobind::module_ &module);

#endif
