#ifndef SONDE_PYTHON_TASK_SAMPLER_H
#define SONDE_PYTHON_TASK_SAMPLER_H

#include <nanobind/nanobind.h>

void bind_task_sampler(nanobind::module_ &module);

#endif
