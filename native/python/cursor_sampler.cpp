#include "cursor_sampler.h"

#include "buffer.h"

extern "C" {
#include "../core/base/ticks.h"
#include "../core/contexts/cursor_sampler.h"
}

namespace nb = nanobind;

namespace {

class CursorSampler {
  public:
    CursorSampler(uint64_t period_ns, bool is_processor) {
        if (!period_ns) throw nb::value_error("there has to be time between two looks");
        sampler_ = sn_cursor_sampler_create(period_ns, is_processor);
        if (!sampler_) throw std::bad_alloc();
    }
    ~CursorSampler() { sn_cursor_sampler_destroy(sampler_); }
    CursorSampler(const CursorSampler &) = delete;
    CursorSampler &operator=(const CursorSampler &) = delete;

    // False: the file is no spool of a thread that can be sampled, or not yet.
    bool add(const nb::bytes &path) {
        sn_status status = sn_cursor_sampler_add(sampler_, path.c_str());
        if (status == SN_BAD_INPUT) return false;
        check(status, "");
        return true;
    }

    void run(uint64_t ns) {
        nb::gil_scoped_release released;
        sn_cursor_sampler_run(sampler_, ns);
    }

    void finish() { sn_cursor_sampler_finish(sampler_, sn_monotonic_ns()); }
    void stop() { sn_cursor_sampler_stop(sampler_); }
    sn_sampled_times sums() const { return sn_cursor_sampler_sums(sampler_); }

  private:
    sn_cursor_sampler *sampler_;
};

} // namespace

void bind_cursor_sampler(nb::module_ &module) {
    nb::class_<CursorSampler>(module, "CursorSampler")
        .def(nb::init<uint64_t, bool>(), nb::arg("period_ns"), nb::arg("is_processor"))
        .def("add", &CursorSampler::add, nb::arg("path"))
        .def("run", &CursorSampler::run, nb::arg("ns"))
        .def("finish", &CursorSampler::finish)
        .def("stop", &CursorSampler::stop)
        .def_prop_ro("looks", [](const CursorSampler &s) { return s.sums().looks; })
        .def_prop_ro("missed", [](const CursorSampler &s) { return s.sums().missed; })
        .def_prop_ro("placed_ns", [](const CursorSampler &s) { return s.sums().placed_ns; })
        .def_prop_ro("outside_ns", [](const CursorSampler &s) { return s.sums().outside_ns; })
        .def_prop_ro("lost_ns", [](const CursorSampler &s) { return s.sums().lost_ns; })
        .def_prop_ro("rounds", [](const CursorSampler &s) { return s.sums().rounds; })
        .def_prop_ro("late", [](const CursorSampler &s) { return s.sums().late; })
        .def_prop_ro("forbidden", [](const CursorSampler &s) { return s.sums().forbidden; });
}
