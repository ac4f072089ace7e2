// The binding layer: the only code that knows both Python and the C core.
// Batches go in as buffers, columns come out as bytes; no call per event crosses the border.

#include "change_points.h"
#include "context_tree.h"
#include "remarks.h"
#include "spool.h"
#include "trace.h"
#include "tree_edits.h"

extern "C" {
#include "../core/ticks.h"
}

namespace nb = nanobind;

NB_MODULE(_native, module) {
    module.doc() = "The fast core; use sonde.native, which has its slow twin as well.";
    bind_spool(module);
    bind_trace(module);
    bind_context_tree(module);
    bind_change_points(module);
    bind_remarks(module);
    bind_tree_edits(module);
    module.def("ticks_now", [] { return nb::make_tuple(sn_ticks(), sn_monotonic_ns()); },
               "The time-stamp counter and CLOCK_MONOTONIC in nanoseconds, read together.");
}
