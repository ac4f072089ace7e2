#include "load_latency.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

extern "C" {
#include "../core/caches/load_latency.h"
}

namespace nb = nanobind;

constexpr size_t HUGE_PAGE = 2u << 20;
constexpr uint64_t SEED = 20260301;

static double load_cycles(size_t bytes, size_t stride, size_t loads, int repeats, bool flushed) {
    size_t nodes = stride ? bytes / stride : 0;
    if (nodes < 2 || stride % 8 || !loads || repeats < 1)
        throw nb::value_error("there are fewer than two nodes, no loads, or nodes that are not aligned");
    if (!sn_load_latency_known()) return 0;
    nb::gil_scoped_release released;
    size_t room = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    std::unique_ptr<void, decltype(&std::free)> memory(std::aligned_alloc(HUGE_PAGE, room), &std::free);
    if (!memory) return 0;
    madvise(memory.get(), room, MADV_HUGEPAGE); // else misses of the TLB are in it; not everywhere there
    sn_chase_link(memory.get(), nodes, stride, SEED);
    double least = sn_chase_cycles(memory.get(), nodes, stride, loads, flushed);
    while (--repeats) least = std::min(least, sn_chase_cycles(memory.get(), nodes, stride, loads, flushed));
    return least;
}

void bind_load_latency(nb::module_ &module) {
    module.def("load_cycles", &load_cycles, nb::arg("size_bytes"), nb::arg("stride"), nb::arg("loads"), nb::arg("repeats"),
               nb::arg("flushed"),
               "Cycles of a load that goes through so many bytes, the least of several measurements; 0.0: not known here."
               " See native/core/caches/load_latency.h.");
}
