// How to edit one tree into another, for Python.
#ifndef SONDE_PYTHON_TREE_EDITS_H
#define SONDE_PYTHON_TREE_EDITS_H

#include <nanobind/nanobind.h>

void bind_tree_edits(nanobind::module_ &module);

#endif
