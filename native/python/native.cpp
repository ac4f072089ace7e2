// The binding layer: the only code that knows both Python and the C core.
// Batches go in as buffers, columns come out as bytes; no call per event crosses the border.

#include "address_trace.h"
#include "cache_model.h"
#include "change_points.h"
#include "code_sampler.h"
#include "context_sampler.h"
#include "context_tree.h"
#include "cursor_sampler.h"
#include "function_sums.h"
#include "line_sampler.h"
#include "load_latency.h"
#include "python_lines.h"
#include "remarks.h"
#include "slab_file.h"
#include "slab_forest.h"
#include "spool.h"
#include "ring_sampler.h"
#include "stack_sampler.h"
#include "task_sampler.h"
#include "trace.h"
#include "tree_edits.h"

extern "C" {
#include "../core/base/ticks.h"
}

namespace nb = nanobind;

NB_MODULE(_native, module) {
    module.doc() = "The fast core; use sonde.native, which has its slow twin as well.";
    bind_address_trace(module);
    bind_spool(module);
    bind_trace(module);
    bind_context_tree(module);
    bind_cache_model(module);
    bind_change_points(module);
    bind_code_sampler(module);
    bind_context_sampler(module);
    bind_cursor_sampler(module);
    bind_function_sums(module);
    bind_line_sampler(module);
    bind_load_latency(module);
    bind_python_lines(module);
    bind_remarks(module);
    bind_slab_file(module);
    bind_slab_forest(module);
    bind_ring_sampler(module);
    bind_stack_sampler(module);
    bind_task_sampler(module);
    bind_tree_edits(module);
    module.def("ticks_now", [] { return nb::make_tuple(sn_ticks(), sn_monotonic_ns()); },
               "The time-stamp counter and CLOCK_MONOTONIC in nanoseconds, read together.");
}
