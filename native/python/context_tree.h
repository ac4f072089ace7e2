// Context trees for Python: the native core behind sonde.native and sonde.instruments.contexts.analyses.
#ifndef SONDE_PYTHON_CONTEXT_TREE_H
#define SONDE_PYTHON_CONTEXT_TREE_H

#include <nanobind/nanobind.h>

void bind_context_tree(nanobind::module_ &module);

#endif
