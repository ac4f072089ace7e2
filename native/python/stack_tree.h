// Trees of Python stacks for Python, wherever the stacks come from.
#ifndef SONDE_PYTHON_STACK_TREE_H
#define SONDE_PYTHON_STACK_TREE_H

#include <nanobind/nanobind.h>

extern "C" {
#include "../core/stacks/stack_tree.h"
}

// UTF-8, as well as it can be decoded.
nanobind::str text_of(const char *bytes, uint32_t size);

// Five columns as bytes: parent, function, call_line, self_ns (int64), squares of nanoseconds (float64).
nanobind::tuple columns_of(const sn_stack_tree *tree);

// Of each function: name, file, first line, flags, and the variance of its own time.
nanobind::list functions_of(const sn_code_functions *all, const sn_stack_tree *tree);

// Function, line, samples.
nanobind::list lines_of(const sn_stack_tree *tree);

#endif
