#include "line_sampler.h"

#include "buffer.h"

#include <vector>

extern "C" {
#include "../core/lines/line_sampler.h"
}

namespace nb = nanobind;

namespace {

class LineSampler {
  public:
    explicit LineSampler(uint64_t period_ns) {
        if (!period_ns) throw nb::value_error("there has to be time between two looks");
        sampler_ = sn_line_sampler_create(period_ns);
        if (!sampler_) throw std::bad_alloc();
    }
    ~LineSampler() { sn_line_sampler_destroy(sampler_); }
    LineSampler(const LineSampler &) = delete;
    LineSampler &operator=(const LineSampler &) = delete;

    // False: the file is no spool whose process can be sampled, or not yet.
    bool add(const nb::bytes &path) {
        sn_status status = sn_line_sampler_add(sampler_, path.c_str());
        if (status == SN_BAD_INPUT) return false;
        check(status, "");
        return true;
    }

    void run(uint64_t ns) {
        nb::gil_scoped_release released;
        sn_line_sampler_run(sampler_, ns);
    }

    void stop() { sn_line_sampler_stop(sampler_); }

    nb::list lines() const {
        std::vector<sn_sampled_line> lines(sn_line_sampler_lines(sampler_, nullptr, 0));
        sn_line_sampler_lines(sampler_, lines.data(), lines.size());
        nb::list all;
        for (const sn_sampled_line &each : lines)
            all.append(nb::make_tuple(each.process, each.function, each.line, each.samples));
        return all;
    }

    sn_sampling sums() const { return sn_line_sampler_sums(sampler_); }

  private:
    sn_line_sampler *sampler_;
};

} // namespace

void bind_line_sampler(nb::module_ &module) {
    nb::class_<LineSampler>(module, "LineSampler")
        .def(nb::init<uint64_t>(), nb::arg("period_ns"))
        .def("add", &LineSampler::add, nb::arg("path"))
        .def("run", &LineSampler::run, nb::arg("ns"))
        .def("stop", &LineSampler::stop)
        .def("lines", &LineSampler::lines)
        .def_prop_ro("without_room", [](const LineSampler &s) { return s.sums().without_room; })
        .def_prop_ro("forbidden", [](const LineSampler &s) { return s.sums().forbidden; });
}
